// Tests of external ids and metadata of labels: creation, lists, conflicts, replays, changes and refusals.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { amountOf } from '../../../test/support/data.ts';
import { assertPlainRefusal, assertRefused } from '../../../test/support/http.ts';
import { NOT_VERIFIED, openCustomer } from '../../../test/support/labels.ts';
import { startService } from '../../../test/support/service.ts';

const TAKEN = { status: 409, code: 'Conflict', message: 'The externalId is already in use.' };
const form = { ...amountOf('1.00'), externalId: 'tax-2026' };

// Shared by all tests of the file; each has its own account.
const shared = await startService({ after });

test('returns external id and metadata, and lists by external id', async () => {
  const { create, get, customer } = await openCustomer(shared);
  const url = (await create({ ...form, metadata: { year: '2026', empty: '' } })).headers.location!;
  await create(amountOf('0'));
  const label = await get(url);
  assert.deepEqual([label.externalId, label.metadata], ['tax-2026', { year: '2026', empty: '' }]);
  const list = await get(`${customer}/labels?externalId=tax-2026`);
  assert.deepEqual([list.total, list._embedded.labels], [1, [label]]);
  assert.equal((await get(`${customer}/labels?externalId=tax`)).total, 0);
  assert.equal((await get(`${customer}/labels`)).total, 2);
});

test('no two labels of a customer share an external id, removed ones included', async () => {
  const { call, create, newCustomer, customer, balances } = await openCustomer(shared);
  const first = (await create(form, { key: 'first' })).headers.location!;
  const again = await create(form);
  assertRefused(again, TAKEN);
  assert.equal(again.body._links.about.href, first);
  const replayed = await create(form, { key: 'first' });
  assert.deepEqual([replayed.status, replayed.headers.location], [201, first], 'a replay comes before the check');
  assert.equal((await create(form, { of: await newCustomer({ available: '5.00' }) })).status, 201);
  await call('POST', `${first}/ledger-entries`, { body: amountOf('-1.00') });
  assert.equal((await call('DELETE', first)).body.externalId, 'tax-2026');
  assertRefused(await create(form), TAKEN);
  const answers = await Promise.all(Array.from({ length: 10 }, () => create({ ...form, externalId: 'other' })));
  assert.equal(answers.filter(({ status }) => status === 201).length, 1);
  for (const answer of answers.filter(({ status }) => status !== 201)) assertRefused(answer, TAKEN);
  assert.deepEqual(await balances(), [['USD', '999.00', '1.00']]);
  await call('POST', customer, { body: { status: 'suspended' } });
  assertRefused(await create(form), NOT_VERIFIED);
});

test('replaces metadata', async () => {
  const { call, create, get, customer, newClient, nowhere, client } = await openCustomer(shared);
  const url = (await create({ ...form, metadata: { a: '1', b: '2' } })).headers.location!;
  const change = (body: unknown, options = {}) => call('POST', url, { body, ...options });
  const changed = await change({ metadata: { b: '3' } }, { key: 'change' });
  assert.deepEqual([changed.status, changed.body.metadata, changed.body.amount.value], [200, { b: '3' }, '1.00']);
  assert.deepEqual(await get(url), changed.body);
  await change({ metadata: {} });
  assert.deepEqual((await change({ metadata: { b: '3' } }, { key: 'change' })).body, changed.body);
  assert.deepEqual((await get(url)).metadata, {});
  const reader = (await newClient(['read'], client.account_id)).token;
  const stranger = (await newClient()).token;
  for (const token of [reader, stranger])
    assertRefused(await change({ metadata: {} }, { token }), { status: 403, code: 'Forbidden' });
  assertPlainRefusal(await call('POST', nowhere('label'), { body: { metadata: {} } }), 'notFound');
  const empty = (await create(amountOf('0'))).headers.location!;
  await call('DELETE', empty);
  assertPlainRefusal(await call('POST', empty, { body: { metadata: {} } }), 'notFound');
  await call('POST', customer, { body: { status: 'suspended' } });
  assert.equal((await change({ metadata: { c: '1' } })).status, 200, 'metadata is not money');
});

test('refuses with pointers', async () => {
  const { call, create, snapshot } = await openCustomer(shared);
  const url = (await create(amountOf('0'))).headers.location!;
  const before = await snapshot();
  for (const [members, fault, path] of [
    [{ externalId: '' }, 'Required', '/externalId'],
    [{ externalId: 'a b' }, 'InvalidFormat', '/externalId'],
    [{ metadata: { 'a/b': '' } }, 'InvalidFormat', '/metadata/a~1b'],
    [{ metadata: { a: 'x'.repeat(501) } }, 'Invalid', '/metadata/a'],
  ] as const) {
    const wanted = { status: 400, code: 'ValidationError', fault, path };
    assertRefused(await create({ ...amountOf('0'), ...members }), wanted);
    if ('metadata' in members) assertRefused(await call('POST', url, { body: members }), wanted);
  }
  for (const body of [{}, { metadata: 'x' }, { metadata: { a: 1 } }, { name: 1 }])
    assertRefused(await call('POST', url, { body }), { status: 400, code: 'BadRequest' });
  assert.deepEqual(await snapshot(), before);
});
