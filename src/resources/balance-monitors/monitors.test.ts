// Tests of balance monitors as a resource: creation, lists, deletion, access and refusals.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openMonitors } from '../../../test/support/balance-monitors.ts';
import { usd } from '../../../test/support/data.ts';
import { assertPlainRefusal, assertRefused, idOf, link } from '../../../test/support/http.ts';
import { startService } from '../../../test/support/service.ts';

const BAD = { status: 400, code: 'ValidationError' };

// Shared by all tests of the file; each has its own account.
const shared = await startService({ after });

test('creates, retrieves, lists and deletes monitors', async () => {
  const { call, get, newMonitor, createMonitor, crossings, add, label, customer } = await openMonitors(shared);
  const url = await newMonitor({ below: usd('50'), rearm: usd('80.5') });
  const { created, ...monitor } = await get(url);
  const links = { self: link(url, 'monitor'), label: link(label, 'label'), customer: link(customer, 'customer') };
  const rest = { id: idOf(url), below: usd('50.00'), rearm: usd('80.50'), state: 'armed' };
  assert.deepEqual(monitor, { _links: { ...links, remove: links.self }, ...rest });
  const second = await newMonitor({ above: usd('0') });
  assert.deepEqual((await get(second)).rearm, usd('0.00'), 'the default of rearm is the threshold');
  const list = await get(`${label}/monitors?limit=1`);
  assert.deepEqual([list.total, list._embedded.monitors[0].id], [2, idOf(second)]);
  assert.deepEqual((await get(list._links.next.href))._embedded.monitors, [{ created, ...monitor }]);

  const prefer = { prefer: 'return=representation' };
  const shown = await call('POST', `${label}/monitors`, { body: { below: usd('1') }, headers: prefer });
  assert.deepEqual([shown.status, shown.body], [201, await get(shown.headers.location!)]);

  const removed = (await call('DELETE', url)).body;
  const { deleted, ...others } = removed;
  assert.ok(Date.parse(deleted) >= Date.parse(created));
  assert.deepEqual(others, { created, _links: links, ...rest });
  assert.deepEqual(await get(url), removed);
  assert.equal((await get(`${label}/monitors`)).total, 2);
  assertPlainRefusal(await call('DELETE', url), 'monitorDeleted');
  await add('-60.00');
  assert.deepEqual(await crossings(), [], 'a deleted monitor reports nothing');
  assert.equal((await createMonitor({ below: usd('50') })).status, 201);
});

test('an idempotency key creates one monitor', async () => {
  const { createMonitor, get, label } = await openMonitors(shared);
  const made = await Promise.all([1, 2, 3].map(() => createMonitor({ below: usd('50') }, label, { key: 'low' })));
  assert.equal(new Set(made.map(({ headers }) => headers.location)).size, 1);
  assert.equal((await get(`${label}/monitors`)).total, 1);
  assertRefused(await createMonitor({ below: usd('51') }, label, { key: 'low' }), { status: 409, code: 'Conflict' });
});

test('a repeated key gets its first answer also after the label was removed', async () => {
  const { createMonitor, newLabel, call, customer } = await openMonitors(shared);
  const empty = await newLabel(customer);
  const first = await createMonitor({ above: usd('1') }, empty, { key: 'k' });
  assert.equal((await call('DELETE', empty)).status, 200);
  const again = await createMonitor({ above: usd('1') }, empty, { key: 'k' });
  assert.deepEqual(
    [again.status, again.headers.location, again.headers['idempotent-replayed']],
    [201, first.headers.location, 'true'],
  );
  assertPlainRefusal(await createMonitor({ above: usd('2') }, empty, { key: 'other' }), 'labelNotFound');
});

test('refuses faulty thresholds with their pointers', async () => {
  const { createMonitor, get, label } = await openMonitors(shared);
  for (const [body, fault, path] of [
    [{}, 'Required', '/below'],
    [{ rearm: usd('1') }, 'Required', '/below'],
    [{ below: usd('1'), above: usd('2') }, 'NotAllowed', '/above'],
    [{ below: usd('0') }, 'Invalid', '/below/value'],
    [{ below: usd('-1') }, 'InvalidFormat', '/below/value'],
    [{ above: usd('1.001') }, 'InvalidFormat', '/above/value'],
    [{ above: { value: '1', currency: 'EUR' } }, 'Invalid', '/above/currency'],
    [{ below: usd('2'), rearm: usd('1.99') }, 'Invalid', '/rearm/value'],
    [{ above: usd('2'), rearm: usd('2.01') }, 'Invalid', '/rearm/value'],
    [{ above: usd('2'), rearm: { value: '1', currency: 'JPY' } }, 'Invalid', '/rearm/currency'],
    [{ below: usd('1'), name: 'x' }, 'NotAllowed', '/name'],
  ] as const) {
    assertRefused(await createMonitor(body), { ...BAD, fault, path });
  }
  for (const body of [undefined, { below: '5' }]) assertRefused(await createMonitor(body), { status: 400, code: 'BadRequest' });
  assert.equal((await get(`${label}/monitors`)).total, 0);
});

test('a label has at most twenty monitors', async () => {
  const { createMonitor, call, label } = await openMonitors(shared);
  const made = await Promise.all(Array.from({ length: 22 }, () => createMonitor({ below: usd('1') })));
  assert.deepEqual(made.filter(({ status }) => status === 201).length, 20);
  assertPlainRefusal(await createMonitor({ below: usd('1') }), 'tooManyMonitors');
  const [first] = (await call('GET', `${label}/monitors`)).body._embedded.monitors;
  assert.equal((await call('DELETE', `/monitors/${first.id}`)).status, 200);
  assert.equal((await createMonitor({ below: usd('1') })).status, 201);
});

test('checks labels, accounts and scopes, and a reset deletes monitors', async () => {
  const { call, newMonitor, createMonitor, newClient, client, nowhere, label, customer, newLabel, sql } =
    await openMonitors(shared);
  const url = await newMonitor({ below: usd('50') });
  const forbidden = { status: 403, code: 'Forbidden' };
  const stranger = (await newClient()).token;
  const reader = (await newClient(['read'], client.account_id)).token;
  const writer = (await newClient(['write'], client.account_id)).token;
  for (const token of [stranger, reader]) {
    assertRefused(await createMonitor({ below: usd('1') }, label, { token }), forbidden);
    assertRefused(await call('DELETE', url, { token }), forbidden);
  }
  for (const token of [stranger, writer])
    for (const path of [url, `${label}/monitors`]) assertRefused(await call('GET', path, { token }), forbidden);
  assertPlainRefusal(await call('GET', nowhere('monitor')), 'notFound');
  assertPlainRefusal(await createMonitor({ below: usd('1') }, nowhere('label')), 'labelNotFound');
  const empty = await newLabel(customer);
  const last = await newMonitor({ above: usd('1') }, empty);
  assert.equal((await call('DELETE', empty)).status, 200);
  assertPlainRefusal(await createMonitor({ below: usd('1') }, empty), 'labelNotFound');
  assertPlainRefusal(await call('GET', `${empty}/monitors`), 'labelNotFound');
  assert.equal((await call('GET', last)).status, 200, 'a monitor of a removed label stays readable');
  assert.equal((await call('POST', '/sandbox/reset')).status, 200);
  assert.deepEqual(await sql`select 1 from balance_monitor where account_id = ${client.account_id}`, []);
  assert.deepEqual(await sql`select from monitored_feed where account_id = ${client.account_id}`, []);
});
