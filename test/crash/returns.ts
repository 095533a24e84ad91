// Returns of deposits that are killed in the middle: each is there with everything that it took, or not at all, and a repetition with
// the same key completes it once.

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { call, idOf } from '../support/http.ts';
import type { Random } from '../support/random.ts';
import { assertSoundLedger } from '../support/sound-ledger.ts';
import { readStored, send, settled } from './send.ts';
import { KILLS, makeCustomers, type Target } from './target.ts';

type ReturnFigures = { returns: number; stored: number };

/** In cents. What left labels for a return, and what was recorded as owed. */
type Stored = { reverses: string; amount: bigint; recovered: bigint; owed: bigint };

const DEPOSITS = 20;
const KILL_WITHIN_MS = 150;
const CENTS = 1000n;

/** Kills a target during the returns of deposits of one customer, who has spent what was available of them, in every round. */
export async function crashReturns(target: Target, rounds: number, random: Random): Promise<ReturnFigures> {
  const { url, endpoint, database } = target;
  const [{ customer, labels }] = (await makeCustomers(url, endpoint.token)) as [{ customer: string; labels: string[] }];
  const post = async (path: string, body: unknown): Promise<string> => {
    const made = await call<unknown>(path, endpoint.token, body);
    assert.equal(made.status, 201, JSON.stringify(made.body));
    return made.location;
  };
  const usd = (value: string) => ({ value, currency: 'USD' });
  await post(`${customer}/allocation-rules`, { name: 'A quarter', steps: [{ label: { href: labels[0] }, percent: '25' }] });
  await post(`${labels[0]}/ledger-entries`, { amount: usd('-100000.00') });
  const figures: ReturnFigures = { returns: 0, stored: 0 };
  for (let round = 1; round <= rounds; round++) {
    const deposits: string[] = [];
    for (let n = 0; n < DEPOSITS; n++) deposits.push(await post(`${customer}/deposits`, { amount: usd('10.00') }));
    await post(`${customer}/withdrawals`, { amount: usd('all') });
    const returning = (deposit: string) =>
      [`${new URL(deposit).pathname}/returns`, `return-${idOf(deposit)}`, { reason: 'R01', shortfall: 'owe' }] as const;
    const sent = deposits.map((deposit) => send(target, ...returning(deposit)));
    await sleep(random.int(0, KILL_WITHIN_MS));
    target.kill(random.pick(KILLS), random);
    await Promise.all(sent);
    await target.ready();
    figures.returns += DEPOSITS;
    figures.stored += await countWhole(target, deposits);
    for (const { status, text } of await Promise.all(deposits.map((deposit) => settled(target, ...returning(deposit)))))
      assert.equal(status, 201, text);
    assert.equal(await countWhole(target, deposits), DEPOSITS, 'each return is stored once');
    // Pays what is owed, so that each round begins alike.
    await post(`${customer}/deposits`, { amount: usd((DEPOSITS * 10).toFixed(2)) });
  }
  await assertSoundLedger(database);
  return figures;
}

/** The number of deposits that are returned. Fails if a return lacks a part of what it took. */
async function countWhole({ database: { sql } }: Target, deposits: string[]): Promise<number> {
  const stored = await readStored(
    () => sql<Stored>`
      select r.reverses, r.amount,
        coalesce(sum(p.amount) filter (where p.kind = 'recovery'), 0)::bigint as recovered,
        coalesce(sum(p.amount) filter (where p.kind = 'debt'), 0)::bigint as owed
      from transfer r
      left join transfer p on p.bucket = r.bucket and p.return_id = r.id
      where r.reverses = any(${deposits.map(idOf)}) and r.kind = 'deposit-return'
      group by r.id, r.reverses, r.amount`,
  );
  assert.equal(new Set(stored.map(({ reverses }) => reverses)).size, stored.length, 'no deposit is returned twice');
  for (const { reverses, amount, recovered, owed } of stored) {
    assert.equal(amount, CENTS, reverses);
    assert.equal(recovered + owed, CENTS, `nothing was available, so all came from the label or is owed: ${reverses}`);
  }
  return stored.length;
}
