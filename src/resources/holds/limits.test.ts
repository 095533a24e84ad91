// Tests of holds at their limits: amounts, times, suspended customers, lists, and what past balances, statements and exports show.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { reallocation, usd } from '../../../test/support/data.ts';
import { openHolds } from '../../../test/support/holds.ts';
import { assertPlainRefusal, assertRefused, type Body } from '../../../test/support/http.ts';
import { startService } from '../../../test/support/service.ts';

const DAY_MS = 24 * 3_600_000;
const BAD = { status: 400, code: 'ValidationError' };
const ALL = { amount: { value: 'all', currency: 'USD' } };

// Shared by all tests of the file; each has its own account.
const shared = await startService({ after });

test('a capture of more than a hold has left says how much that is, and all captures it', async () => {
  const { newHold, capture, get, to, other, amounts } = await openHolds(shared);
  const url = await newHold('60');
  assert.equal((await capture(url, { amount: usd('25') })).status, 201);
  const refused = await capture(url, { amount: usd('35.01') });
  assertRefused(refused, {
    ...BAD,
    fault: 'Invalid',
    path: '/amount/value',
    message: 'Amount exceeds what the hold has left, 35.00 USD.',
  });
  assert.equal((await capture(url, { ...to(other), ...ALL })).status, 201);
  const { status, captured } = await get(url);
  assert.deepEqual([status, captured], ['captured', usd('60.00')]);
  assert.deepEqual(await amounts(), ['40.00', undefined, undefined]);
  assertPlainRefusal(await capture(url, ALL), 'holdNotPending');
});

test('a hold without an own reference gives none to its captures, and a capture may have its own texts', async () => {
  const { newHold, capture, get, customer } = await openHolds(shared);
  const url = await newHold('60');
  await capture(url, { amount: usd('1') });
  const texts = { reference: 'mine', correlationId: 'c', externalId: 'e', metadata: { a: 'b' } };
  await capture(url, { amount: usd('2'), ...texts });
  const { withdrawals } = (await get(`${customer}/withdrawals`))._embedded;
  const [second, first] = withdrawals.map(({ reference, correlationId, externalId, metadata }: Body) => ({
    reference,
    correlationId,
    externalId,
    metadata,
  }));
  assert.deepEqual(second, texts);
  assert.deepEqual(Object.values(first).filter(Boolean), []);
  const taken = await capture(url, { amount: usd('1'), externalId: 'e' });
  assertRefused(taken, { status: 409, code: 'Conflict' });
  assert.deepEqual((await get(url)).captured, usd('3.00'), 'a refused capture changes nothing');
});

test('a hold can last 400 days, and its money can be all there is', async () => {
  const { hold, label, amounts, call, other } = await openHolds(shared);
  const from = { _links: { from: { href: label } } };
  const in400Days = new Date(Date.now() + 400 * DAY_MS - 60_000).toISOString();
  assert.equal((await hold({ ...from, amount: usd('100'), expires: in400Days })).status, 201);
  assert.deepEqual(await amounts(), ['100.00', '100.00', '0.00']);
  const refused = await call('POST', '/label-reallocations', { body: reallocation(label, other, 'all') });
  assertRefused(refused, { ...BAD, message: 'Insufficient funds: 0.00 USD available, 100.00 USD held.' });
});

test('a hold of a suspended customer expires', async () => {
  const { newHold, newHoldOfAvailable, call, customer, advance, amounts, balance, get, topics } = await openHolds(shared);
  const expires = new Date(Date.now() + 600_000).toISOString();
  const [url, available] = [await newHold('60', { expires }), await newHoldOfAvailable('10', { expires })];
  await call('POST', customer, { body: { status: 'suspended' } });
  await advance(601);
  assert.deepEqual(await amounts(), ['100.00', undefined, undefined]);
  assert.deepEqual(await balance(), ['200.00', '100.00', undefined, '100.00']);
  for (const one of [url, available]) {
    assert.equal((await get(one)).status, 'expired');
    assert.deepEqual(await topics(one), ['customer_hold_created', 'customer_hold_expired']);
  }
});

test('lists holds by status and external id, newest first and page by page', async () => {
  const { newHold, capture, release, get, customer, call } = await openHolds(shared);
  const urls = [];
  for (const externalId of ['a', 'b', 'c', 'd']) urls.push(await newHold('5', { externalId }));
  const [a, b, c, d] = urls;
  await capture(b!);
  await release(c!);
  const list = async (query: string) => {
    const { total, _embedded, _links } = await get(`${customer}/holds?${query}`);
    return { total, next: _links.next?.href, urls: _embedded.holds.map(({ _links }: Body) => _links.self.href) };
  };
  assert.deepEqual((await list('')).urls, urls.toReversed());
  for (const [status, wanted] of Object.entries({ pending: [d, a], captured: [b], released: [c], expired: [] }))
    assert.deepEqual(await list(`status=${status}`), { total: wanted.length, next: undefined, urls: wanted });
  assert.deepEqual((await list('externalId=c')).urls, [c]);
  const first = await list('status=pending&limit=1');
  assert.deepEqual([first.total, first.urls], [2, [d]]);
  assert.deepEqual((await list(first.next.split('?')[1])).urls, [a]);
  assertRefused(await call('GET', `${customer}/holds?status=open`), { ...BAD, path: '/query/status' });
});

test('past balances, statements and transfers show what a hold moved, and nothing of what it held', async () => {
  const { newHold, capture, call, get, customer, label, other, to } = await openHolds(shared);
  const month = new Date().toISOString().slice(0, 7);
  const rows = async () => {
    const { text } = await call('GET', `${customer}/statements/${month}`, { headers: { accept: 'text/csv' } });
    return text.split('\r\n').filter((row) => row.startsWith('entry'));
  };
  const before = await rows();
  const url = await newHold('60');
  assert.deepEqual(await rows(), before, 'a hold is not in a statement');
  assert.deepEqual((await get(`${label}/balance`)).balance, usd('100.00'));
  assert.deepEqual((await get(`${label}/balance?at=${new Date().toISOString()}`)).balance, usd('100.00'));
  await capture(url, { ...to(other), amount: usd('10'), externalId: 'moved', correlationId: 'c', final: true });
  const moved = (await rows()).filter((row) => !before.includes(row));
  assert.equal(moved.length, 2);
  for (const row of moved) assert.match(row, /moved/);
  const [transfer] = (await get(`${customer}/transfers?externalId=moved`))._embedded.transfers;
  assert.deepEqual([transfer.kind, transfer.amount, transfer.correlationId], ['reallocation', usd('10.00'), 'c']);
});
