// Tests of external ids and metadata of customers: creation, lists, conflicts, replays, changes and refusals.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { customerForm, personal, unverified } from '../../../test/support/data.ts';
import { assertRefused, faultsOf } from '../../../test/support/http.ts';
import { openAccount, startService } from '../../../test/support/service.ts';

const TAKEN = { status: 409, code: 'Conflict', message: 'The externalId is already in use.' };

// Shared by all tests of the file; each has its own account.
const shared = await startService({ after });

test('returns external id and metadata as they were sent, and lists by external id', async () => {
  const { create, get } = await openAccount(shared);
  const metadata = { 'plan.name': 'pro', empty: '', note: ' ünï\tcode ' };
  for (const [index, form] of [customerForm(), personal, unverified].entries()) {
    const externalId = `shop/${index}~!`;
    const url = await create('/customers', { ...form, externalId, metadata });
    const customer = await get(url);
    assert.deepEqual([customer.externalId, customer.metadata], [externalId, metadata]);
    const list = await get(`/customers?externalId=${encodeURIComponent(externalId)}`);
    assert.deepEqual([list.total, list._embedded.customers], [1, [customer]]);
    assert.match(list._links.self.href, /externalId=shop/);
  }
  assert.equal((await get('/customers?externalId=nobody')).total, 0);
  const plain = await get(await create('/customers', unverified));
  assert.deepEqual([plain.externalId, plain.metadata], [undefined, undefined]);
});

test('no two customers of an account share an external id', async () => {
  const { call, create, newClient } = await openAccount(shared);
  const form = { ...unverified, externalId: 'shop-1' };
  const first = await create('/customers', form, { key: 'first' });
  const again = await call('POST', '/customers', { body: form });
  assertRefused(again, TAKEN);
  assert.equal(again.body._links.about.href, first);
  const replayed = await call('POST', '/customers', { body: form, key: 'first' });
  assert.deepEqual([replayed.status, replayed.headers.location], [201, first], 'a replay comes before the check');
  const { token } = await newClient();
  await create('/customers', form, { token });
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => call('POST', '/customers', { body: { ...form, externalId: 'shop-2' } })),
  );
  assert.equal(answers.filter(({ status }) => status === 201).length, 1);
  for (const answer of answers.filter(({ status }) => status !== 201)) assertRefused(answer, TAKEN);
});

test('a reset frees the external ids of its account', async () => {
  const { call, create, client, newClient } = await openAccount(shared);
  const form = { ...unverified, externalId: 'shop-1' };
  await create('/customers', form);
  const other = (await newClient()).token;
  await create('/customers', form, { token: other });
  assert.equal((await call('POST', '/sandbox/reset')).status, 200);
  await create('/customers', form);
  assertRefused(await call('POST', '/customers', { body: form, token: other }), TAKEN);
  assert.ok(client.account_id);
});

test('metadata can be replaced, the external id cannot', async () => {
  const { call, create, get } = await openAccount(shared);
  const url = await create('/customers', { ...customerForm(), externalId: 'shop-1', metadata: { a: '1', b: '2' } });
  const changed = await call('POST', url, { body: { metadata: { b: '3', c: '' }, phone: '217-555-0100' } });
  assert.equal(changed.status, 200, changed.text);
  assert.deepEqual(await get(url), changed.body);
  assert.deepEqual([changed.body.metadata, changed.body.phone], [{ b: '3', c: '' }, '217-555-0100']);
  assert.deepEqual((await call('POST', url, { body: { city: 'Chicago' } })).body.metadata, { b: '3', c: '' });
  const refused = await call('POST', url, { body: { externalId: 'shop-2' } });
  assertRefused(refused, { status: 400, code: 'ValidationError', fault: 'ReadOnly', path: '/externalId' });
  assert.deepEqual((await call('POST', url, { body: { metadata: {} } })).body.metadata, {});
  const retry = await create('/customers', { ...personal, firstName: 'retry', metadata: { a: '1' }, externalId: 'shop-3' });
  const again = await call('POST', retry, { body: personal });
  assert.deepEqual([again.body.status, again.body.metadata, again.body.externalId], ['verified', { a: '1' }, 'shop-3']);
});

test('refuses with pointers', async () => {
  const { call, create, snapshot } = await openAccount(shared);
  const url = await create('/customers', unverified);
  const before = await snapshot();
  const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, '']));
  for (const [members, fault] of [
    [{ externalId: 'a b' }, 'InvalidFormat /externalId'],
    [{ externalId: 'ü' }, 'InvalidFormat /externalId'],
    [{ externalId: 'x'.repeat(256) }, 'Invalid /externalId'],
    [{ externalId: 7 }, 'Invalid /externalId'],
    [{ metadata: { 'a b': '' } }, 'InvalidFormat /metadata/a b'],
    [{ metadata: { 'a/~': '' } }, 'InvalidFormat /metadata/a~1~0'],
    [{ metadata: { ['k'.repeat(41)]: '' } }, `InvalidFormat /metadata/${'k'.repeat(41)}`],
    [{ metadata: { a: 'x'.repeat(501) } }, 'Invalid /metadata/a'],
    [{ metadata: { a: 1 } }, 'Invalid /metadata/a'],
    [{ metadata: pairs(21) }, 'Invalid /metadata'],
    [{ metadata: 'x' }, 'Invalid /metadata'],
  ] as const) {
    assert.deepEqual(faultsOf(await call('POST', '/customers', { body: { ...unverified, ...members } })), [fault]);
    if ('metadata' in members) assert.deepEqual(faultsOf(await call('POST', url, { body: members })), [fault]);
  }
  assert.deepEqual(await snapshot(), before);
  const largest = { externalId: '~'.repeat(255), metadata: { ...pairs(19), ['K'.repeat(40)]: '💶'.repeat(500) } };
  await create('/customers', { ...unverified, ...largest });
});
