// Tests of changes of labels: names and metadata, and what statements and exports of the past show.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { reallocation, usd } from '../../../test/support/data.ts';
import { assertPlainRefusal, assertRefused, HAL, idOf } from '../../../test/support/http.ts';
import { openAccount, startService } from '../../../test/support/service.ts';
import { assertSoundLedger } from '../../../test/support/sound-ledger.ts';

const DAY_SECONDS = 24 * 3600;

const shared = await startService({ after });

async function openNamed() {
  const account = await openAccount(shared);
  const customer = await account.newCustomer({ available: '100.00' });
  const label = await account.create(`${customer}/labels`, { amount: usd('50.00'), name: 'Tax', metadata: { color: 'red' } });
  const change = (body: unknown, options: { key?: string } = {}) => account.call('POST', label, { body, ...options });
  return { ...account, customer, label, change };
}

test('renames a label, keeps what is not named, and reports each change', async () => {
  const { change, get, label, topics } = await openNamed();
  const renamed = await change({ name: 'Taxes' });
  assert.equal(renamed.status, 200, renamed.text);
  assert.deepEqual([renamed.body.name, renamed.body.metadata], ['Taxes', { color: 'red' }]);
  assert.deepEqual(await get(label), renamed.body);
  assert.deepEqual((await change({ metadata: { size: 'L' } })).body.name, 'Taxes');
  const both = (await change({ name: 'Tax', metadata: {} })).body;
  assert.deepEqual([both.name, both.metadata], ['Tax', {}]);
  assert.deepEqual((await topics(label)).slice(1), Array(3).fill('customer_label_updated'));
});

test('a key renames once', async () => {
  const { change, topics, label } = await openNamed();
  const [first, second] = [await change({ name: 'A' }, { key: 'once' }), await change({ name: 'A' }, { key: 'once' })];
  assert.deepEqual([first.status, second.status, second.headers['idempotent-replayed']], [200, 200, 'true']);
  assert.equal((await topics(label)).length, 2);
});

test('statements of the past keep the name of then, on the label and beside its reallocations', async () => {
  const { call, customer, label, newLabel, create, client } = await openNamed();
  const other = await newLabel(customer);
  await create('/label-reallocations', { ...reallocation(label, other, '10.00'), externalId: 'r-1', correlationId: 'c-1' });
  const month = new Date().toISOString().slice(0, 7);
  await call('POST', '/sandbox/clock', { body: { advanceSeconds: 62 * DAY_SECONDS } });
  const token = await shared.tokenOf(client);
  const statementAs = async (accept: string) => {
    const read = await call('GET', `${customer}/statements/${month}`, { headers: { accept }, token });
    assert.equal(read.status, 200, read.text);
    return read.text;
  };
  const formats = ['text/csv', HAL, 'application/pdf'];
  const before = await Promise.all(formats.map(statementAs));
  assert.match(before[0]!, /,Tax,/);
  assert.match(before[0]!, /,c-1,r-1\r?\n/);
  const [{ externalId, correlationId }] = JSON.parse(before[1]!).accounts.at(-1)._embedded['ledger-entries'];
  assert.deepEqual([externalId, correlationId], ['r-1', 'c-1']);
  assert.equal((await call('POST', label, { body: { name: 'Taxes' }, token })).status, 200);
  assert.equal((await call('GET', label, { token })).body.name, 'Taxes');
  assert.deepEqual(await Promise.all(formats.map(statementAs)), before, 'a closed month never changes');
  await assertSoundLedger(shared.service.database);
});

test('refuses nothing, blank and long names, strange members, removed labels and the labels of others', async () => {
  const { change, call, label, customer, create } = await openNamed();
  const stranger = await openNamed();
  const nothing = await change({});
  assert.equal(nothing.status, 400, nothing.text);
  assert.match(nothing.text, /name|metadata/);
  for (const name of ['', 'x'.repeat(101), 'a\u0007b', 7, null]) assert.equal((await change({ name })).status, 400);
  assert.equal((await change({ name: 'A', amount: usd('1.00') })).status, 400);
  assert.equal((await stranger.call('POST', label, { body: { name: 'Mine' } })).body.code, 'Forbidden');
  const gone = await create(`${customer}/labels`, { amount: usd('0') });
  await call('DELETE', gone);
  assertRefused(await call('POST', gone, { body: { name: 'Ghost' } }), { status: 404, code: 'NotFound' });
});

test('a label can be renamed 99 times', async () => {
  const { change, label, sql } = await openNamed();
  const names = Array.from({ length: 99 }, (_, nth) => ({ name: `Name ${nth}`, until: new Date().toISOString() }));
  await sql`update ledger_account set former_names = ${JSON.stringify(names.slice(1))}::jsonb where id = ${idOf(label)}`;
  assert.equal((await change({ name: 'One more' })).status, 200);
  assertPlainRefusal(await change({ name: 'Too many' }), 'tooManyNames');
  assert.equal((await change({ name: 'One more', metadata: {} })).status, 200, 'the same name is no new one');
});
