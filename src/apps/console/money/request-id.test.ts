// The page of a transfer shows the id of the request that made it, whichever way moved the money.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { openRules, step } from '../../../../test/support/allocation-rules.ts';
import { usd } from '../../../../test/support/data.ts';
import { type Answer, type Body, idOf } from '../../../../test/support/http.ts';
import { openSession } from '../../../../test/support/operators.ts';
import { startService } from '../../../../test/support/service.ts';

const shared = await startService({ after });
const viewer = await openSession(shared, 'viewer');

/** The request id on the page of a transfer. */
async function shownOn(id: string): Promise<string | undefined> {
  const { text } = await viewer.load(`/console/money/transfers/${id}`);
  return /<dt>Request id<\/dt>\s*<dd>(?:<span[^>]*>)?([^<]+)</.exec(text)?.[1];
}

/** A customer with two labels and a rule, and a check of the transfers that a request has made since the last check. */
async function openMoney() {
  const account = await openRules(shared);
  const { get, customer, taxes } = account;
  const seen = new Set<string>();
  const check = async (answer: Answer, expected: number) => {
    assert.ok([201, 303].includes(answer.status), answer.text);
    const made: Body[] = (await get(`${customer}/transfers?limit=200`))._embedded.transfers;
    const fresh = made.map(({ id }) => id).filter((id) => !seen.has(id));
    assert.equal(fresh.length, expected, JSON.stringify(made));
    for (const id of fresh) {
      seen.add(id);
      assert.equal(await shownOn(id), answer.headers['x-request-id'], id);
    }
    return fresh;
  };
  await account.newRule([step(taxes, { percent: '10' })]);
  return { ...account, check };
}

test('every way that an application moves money', async () => {
  const { call, customer, taxes, rent, reallocation, check } = await openMoney();
  const requestId = randomUUID();
  const body = { amount: usd('100.00') };
  await check(await call('POST', `${customer}/deposits`, { body, headers: { 'x-request-id': requestId } }), 2);
  await check(await call('POST', `${customer}/withdrawals`, { body: { amount: usd('1.00') } }), 1);
  const label = await call('POST', `${customer}/labels`, { body: { amount: usd('5.00') } });
  await check(label, 1);
  await check(await call('POST', `${taxes}/ledger-entries`, { body: { amount: usd('5.00') } }), 1);
  const key = randomUUID();
  const move = { body: reallocation(taxes, rent, '3.00'), key };
  const [made] = await check(await call('POST', '/label-reallocations', move), 1);
  const firstId = await shownOn(made);
  const again = await call('POST', '/label-reallocations', move);
  assert.equal(again.headers['idempotent-replayed'], 'true');
  assert.equal(await shownOn(made), firstId, 'a repetition changes nothing');
  await check(await call('POST', `/label-reallocations/${made}/reversals`), 1);
  const items = [reallocation(taxes, rent, '1.00'), reallocation(taxes, label.headers.location!, '1.00')];
  for (const mode of ['atomic', 'independent'])
    await check(await call('POST', '/label-reallocation-batches', { body: { mode, items } }), 2);
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      const answer = await call('POST', '/label-reallocations', { body: reallocation(taxes, rent, '0.01') });
      assert.equal(
        await shownOn(idOf(answer.headers.location!)),
        answer.headers['x-request-id'],
        'one of a batch of many requests',
      );
    }),
  );
});

test('every way that a person moves money', async () => {
  const { load, submit } = await openSession(shared, 'finance');
  const { customer, taxes, rent, check } = await openMoney();
  const keyOn = async (path: string) => /name="key" value="([^"]+)"/.exec((await load(path)).text)![1]!;
  const moves = [
    ['outside', 'available', 2],
    ['available', 'outside', 1],
    ['available', idOf(taxes), 1],
    [idOf(taxes), 'available', 1],
    [idOf(taxes), idOf(rent), 1],
  ] as const;
  let last: string | undefined;
  for (const [from, to, expected] of moves) {
    const amount = from === 'outside' ? '50.00' : '2.00';
    const form = { customer: idOf(customer), from, to, amount, currency: 'USD', reference: 'by hand' };
    const key = await keyOn(`/console/money/move?${new URLSearchParams(form)}`);
    [last] = await check(await submit('/console/money/move', { ...form, key }), expected);
  }
  const path = `/console/money/transfers/${last}/reverse`;
  const key = await keyOn(`${path}?amount=1.00`);
  await check(await submit(path, { amount: '1.00', key }), 1);
});

test('money that no request moved has none', async () => {
  const { sql, customer, deposit } = await openMoney();
  const { id } = await deposit('5.00');
  await sql`update transfer set request_id = null where customer_id = ${idOf(customer)}`;
  assert.equal(await shownOn(id), 'none');
});
