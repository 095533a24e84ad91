// Tests of listing events: order, links, pages and filters.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { eventsOf, follow, insertEvents } from '../../../test/support/events.ts';
import { assertRefused } from '../../../test/support/http.ts';
import { coveredLog } from '../../../test/support/logs.ts';
import { openAccount, startService } from '../../../test/support/service.ts';
import { newId } from '../../core/ids.ts';
import { pruneSomeEvents } from '../../ledger/feed/prune.ts';

/** Each test uses its own account, unless it changes shared data. */
const shared = await startService({ after }, { env: { DELIVER_WEBHOOKS: 'false' } });

test('lists events immediately, newest first, with links to their resources', async () => {
  const { call, newCustomer, newLabel, reallocation, client } = await openAccount(shared);
  const customer = await newCustomer({ available: '100.00' });
  const [from, to] = [await newLabel(customer, '50.00'), await newLabel(customer)];
  const made = await call('POST', '/label-reallocations', { body: reallocation(from, to, '1.00') });
  const { body } = await call('GET', '/events');
  assert.deepEqual(
    eventsOf(body).map(({ topic }) => topic),
    [
      'customer_label_reallocation_created',
      'customer_label_created',
      'customer_label_ledger_entry_created',
      'customer_label_created',
      'customer_deposit_created',
      'customer_verified',
      'customer_created',
    ],
  );
  assert.equal(body.total, 7);
  const [event] = body._embedded.events;
  assert.equal(event._links.resource.href, made.headers.location);
  assert.equal(event._links.resource['resource-type'], 'label-reallocation');
  assert.equal(event._links.customer.href, customer);
  assert.match(event._links.account.href, new RegExp(`/accounts/${client.account_id}$`));
  assert.deepEqual((await call('GET', event._links.self.href)).body, event);
  assert.equal((await call('GET', event._links.resource.href)).status, 200);
  for (const { _links } of body._embedded.events) assert.equal((await call('GET', _links.resource.href)).status, 200);
});

test('an account sees only its own events; a missing one is not found', async () => {
  const { newClient, nowhere } = shared;
  const { call, newCustomer, client } = await openAccount(shared);
  await newCustomer();
  const [event] = (await call('GET', '/events')).body._embedded.events;
  const other = await newClient();
  assert.equal((await call('GET', '/events', { token: other.token })).body.total, 0);
  assertRefused(await call('GET', event._links.self.href, { token: other.token }), { status: 403, code: 'Forbidden' });
  assertRefused(await call('GET', `/events?after=${event.id}`, { token: other.token }), { status: 404, code: 'NotFound' });
  assertRefused(await call('GET', nowhere('event')), { status: 404, code: 'NotFound' });
  const blind = await newClient(['write'], client.account_id);
  assertRefused(await call('GET', '/events', { token: blind.token }), { status: 403, code: 'Forbidden' });
});

test('lists newest first to the oldest by next links, in pages by offset, and filtered', async () => {
  const service = await openAccount(shared);
  const { call, newCustomer, newLabel } = service;
  const customer = await newCustomer({ available: '100.00' });
  for (let n = 0; n < 5; n++) await newLabel(customer);
  const oldest = await follow(service);
  const newest: string[] = [];
  for (let path: string | undefined = '/events?limit=3'; path; ) {
    const { body } = await call('GET', path);
    newest.push(...eventsOf(body).map(({ id }) => id));
    assert.equal(body.total, 8);
    path = body._links.next?.href;
  }
  assert.deepEqual(newest, oldest.toReversed());
  const second = (await call('GET', '/events?limit=3&offset=3')).body;
  assert.deepEqual(
    eventsOf(second).map(({ id }) => id),
    newest.slice(3, 6),
  );
  const labels = (await call('GET', '/events?topic=customer_label_created&limit=2')).body;
  assert.deepEqual([labels.total, eventsOf(labels).length], [5, 2]);
  const rest = (await call('GET', labels._links.next.href)).body;
  assert.ok(eventsOf(rest).every(({ topic }) => topic === 'customer_label_created'));
  assert.deepEqual(
    eventsOf(rest).map(({ id }) => id),
    eventsOf((await call('GET', '/events?topic=customer_label_created')).body)
      .map(({ id }) => id)
      .slice(2, 4),
  );
  const about = (await call('GET', `/events?resourceId=${customer.split('/').at(-1)}`)).body;
  assert.deepEqual(
    eventsOf(about).map(({ topic }) => topic),
    ['customer_verified', 'customer_created'],
  );
  const after = (await call('GET', `/events?resourceId=${customer.split('/').at(-1)}&after=${eventsOf(about)[1]!.id}`)).body;
  assert.deepEqual(eventsOf(after), [eventsOf(about)[0]]);
  const gone = (await call('GET', `/events?after=${newest[0]}`)).body;
  assert.deepEqual([eventsOf(gone), gone._links.next], [[], undefined]);
  for (const query of ['?topic=nothing', '?after=7', '?order=up', '?resourceId=x', '?limit=0']) {
    assertRefused(await call('GET', `/events${query}`), { status: 400, code: 'ValidationError' });
  }
});

test('lists the events of a topic, also from the middle of a page', async () => {
  const account = await openAccount(shared);
  const topics = Array.from({ length: 60 }, (_, n) =>
    n % 5 === 2 ? 'customer_created' : n % 2 ? 'customer_verified' : 'customer_suspended',
  );
  const ids = [...(await insertEvents(account, topics.slice(0, 23))), ...(await insertEvents(account, topics.slice(23)))];
  const created = ids.filter((_, n) => topics[n] === 'customer_created');
  const list = async (query: string) => {
    const { body } = await account.call('GET', `/events?topic=customer_created&limit=3${query}`);
    return { ids: eventsOf(body).map(({ id }) => id), total: body.total, next: body._links.next?.href };
  };
  const newest = created.toReversed();
  for (let offset = 0; offset <= created.length; offset++) {
    assert.deepEqual((await list(`&offset=${offset}`)).ids, newest.slice(offset, offset + 3));
    assert.deepEqual((await list(`&order=oldest&offset=${offset}`)).ids, created.slice(offset, offset + 3));
  }
  // After any event, also of another topic.
  for (const [n, id] of ids.entries()) {
    const [before, behind] = [ids.slice(0, n), ids.slice(n + 1)].map((some) => created.filter((one) => some.includes(one)));
    assert.deepEqual((await list(`&after=${id}`)).ids, behind!.slice(0, 3));
    assert.deepEqual((await list(`&order=newest&after=${id}`)).ids, before!.toReversed().slice(0, 3));
  }
  const first = await list('');
  assert.equal(first.total, created.length);
  assert.deepEqual((await account.call('GET', first.next)).body._embedded.events[0].id, newest[3]);
  // Retention deletes only what the transparency log contains.
  await coveredLog(account);
  await pruneSomeEvents(account.sql, { accountId: account.client.account_id, before: new Date(Date.now() + 1000), limit: 20 });
  const { ids: left, total } = await list('&order=oldest');
  assert.deepEqual([left, total], [created.slice(4, 7), created.length - 4]);
});

test('lists the events about a resource, of one topic or of all', async () => {
  const account = await openAccount(shared);
  const resource = newId(1);
  const mine = await insertEvents(
    account,
    ['customer_created', 'customer_suspended', 'customer_activated', 'customer_suspended'],
    resource,
  );
  await insertEvents(account, ['customer_suspended', 'customer_created']);
  const list = async (query: string) => {
    const { body } = await account.call('GET', `/events?resourceId=${resource}${query}`);
    return [eventsOf(body).map(({ id }) => id), body.total];
  };
  assert.deepEqual(await list(''), [mine.toReversed(), 4]);
  assert.deepEqual(await list('&order=oldest&offset=1&limit=2'), [mine.slice(1, 3), 4]);
  assert.deepEqual(await list('&topic=customer_suspended'), [[mine[3], mine[1]], 2]);
  assert.deepEqual(await list('&topic=customer_verified'), [[], 0]);
  assert.deepEqual(await list(`&after=${mine[1]}`), [mine.slice(2), 4]);
  const { body } = await account.call('GET', `/events?resourceId=${resource}&after=${mine[0]}&offset=1&limit=2`);
  const again = await account.call('GET', body._links.self.href);
  assert.deepEqual([eventsOf(body).map(({ id }) => id), again.body], [mine.slice(2), body]);
  assert.deepEqual(await list(`&order=newest&after=${mine[1]}`), [[mine[0]], 4]);
  const other = await openAccount(shared);
  assert.equal((await other.call('GET', `/events?resourceId=${resource}`)).body.total, 0);
});
