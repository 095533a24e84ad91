// Property test of statements: random histories, read month by month in random time zones, add up and are complete.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { amountOf } from '../../../test/support/data.ts';
import { type Body, idOf } from '../../../test/support/http.ts';
import { startService } from '../../../test/support/service.ts';
import { bucketOf, newId } from '../../core/ids.ts';
import { postTransfers } from '../../ledger/transfers/post.ts';

const START = Date.parse('2025-09-15T00:00:00Z');
const END = Date.parse('2026-01-20T00:00:00Z');
const MONTHS = ['2025-09', '2025-10', '2025-11', '2025-12', '2026-01'];
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Pacific/Auckland',
  'Asia/Kathmandu',
  'America/St_Johns',
  'Pacific/Kiritimati',
];
const LABELS = 3;
const RUNS = 12;

/** Milliseconds around the borders of months, where mistakes are. */
const moment = fc.oneof(
  fc.integer({ min: START + 1, max: END }),
  fc
    .tuple(fc.constantFrom(...MONTHS.slice(1)), fc.integer({ min: -14, max: 14 }), fc.integer({ min: -1, max: 1 }))
    .map(([month, hours, ms]) => Date.parse(`${month}-01T00:00:00Z`) + hours * 3_600_000 + ms),
);
const move = fc.record({
  from: fc.nat({ max: LABELS - 1 }),
  to: fc.nat({ max: LABELS - 1 }),
  amount: fc.integer({ min: 1, max: 30_00 }),
  at: moment,
});

let now = START;
const shared = await startService({ after }, { clock: { now: () => new Date(now) } });

/** A customer with labels of 100.00, and reallocations at the given times. */
async function makeHistory(moves: { from: number; to: number; amount: number; at: number }[]) {
  now = START;
  const { client, create, newCustomer, newLabel } = await shared.newPlatform();
  const customer = await newCustomer();
  await create(`${customer}/deposits`, amountOf('1000.00'));
  const labels: string[] = [];
  for (let n = 0; n < LABELS; n++) labels.push(idOf(await newLabel(customer, '100.00')));
  const bucket = bucketOf(labels[0]!);
  const { groups } = shared.service;
  let posted = 0;
  for (const { from, to, amount, at } of moves.filter(({ from, to }) => from !== to).sort((a, b) => a.at - b.at)) {
    const id = newId(bucket);
    const transfer = {
      ...{ id, kind: 'reallocation' as const, accountId: client.account_id, fromId: labels[from]!, toId: labels[to]! },
      ...{ amount: BigInt(amount), currency: 'USD', reference: undefined, idempotency: undefined },
      ...{ event: { id: newId(bucket), topic: 'customer_label_reallocation_created' } },
      resource: { type: 'label-reallocation', id },
    };
    const [outcome] = await postTransfers(groups.database(groups.of(bucket)).sql, [transfer], { now: new Date(at) });
    if (outcome!.code === 'posted') posted += 1;
  }
  now = Date.parse('2026-03-01T00:00:00Z');
  const token = await shared.tokenOf(client);
  return {
    /** Of the deposit one entry, and two of each other transfer. */
    entries: 1 + 2 * (LABELS + posted),
    statement: async (month: string, zone: string): Promise<Body> => {
      const answer = await shared.send('GET', `${customer}/statements/${month}?zone=${zone}`, { token });
      assert.equal(answer.status, 200, answer.text);
      return answer.body;
    },
  };
}

const minor = ({ value }: { value: string }) => BigInt(value.replace('.', ''));

test('opening and entries make the closing balance, and every entry is in one month', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(move, { maxLength: 25 }), fc.constantFrom(...ZONES), async (moves, zone) => {
      const history = await makeHistory(moves);
      const closings = new Map<string, bigint>();
      const seen = new Set<string>();
      for (const month of MONTHS) {
        const { accounts, from, before } = await history.statement(month, zone);
        for (const { _links, opening, closing, totalIn, totalOut, _embedded } of accounts) {
          const account = _links.label?.href ?? 'available';
          let balance = minor(opening);
          assert.equal(balance, closings.get(account) ?? 0n, 'a month opens with what the one before closed');
          for (const entry of _embedded['ledger-entries']) {
            balance += minor(entry.amount);
            assert.equal(balance, minor(entry.balance));
            assert.ok(entry.created >= from && entry.created < before);
            assert.ok(!seen.has(entry.id));
            seen.add(entry.id);
          }
          assert.equal(balance, minor(closing));
          assert.equal(minor(opening) + minor(totalIn) - minor(totalOut), minor(closing));
          closings.set(account, balance);
        }
      }
      assert.equal(seen.size, history.entries);
      assert.equal(
        [...closings.values()].reduce((sum, balance) => sum + balance, 0n),
        1000_00n,
      );
    }),
    { numRuns: RUNS },
  );
});
