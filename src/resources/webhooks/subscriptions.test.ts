// Tests of webhook subscriptions, of their webhooks and of pings, retries and replays.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { assertRefused, idOf } from '../../../test/support/http.ts';
import { untilWaiting } from '../../../test/support/locks.ts';
import { openAccount, startService } from '../../../test/support/service.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { dueOf, eventIds, HOUR_MS, openWorker, SECRET, subscribe, webhooksOf } from '../../../test/support/webhook-accounts.ts';
import { startReceiver } from '../../../test/support/webhooks.ts';
import { systemClock } from '../../core/clock.ts';
import { bucketOf } from '../../core/ids.ts';
import { retryWebhook } from './retry.ts';
import { replaySince, unsubscribe } from './subscribe.ts';

/** Delivers to loopback, by the worker of a test only. Each test uses its own account. */
const shared = await startService({ after }, { env: { DELIVER_WEBHOOKS: 'false', WEBHOOK_ALLOW_PRIVATE: 'true' } });

test('creates, reads, lists, pauses and removes a subscription, and never shows its secret', async () => {
  const service = await openAccount(shared);
  const { call, sql } = service;
  const topics = ['customer_label_created', 'customer_deposit_created'];
  const made = await call('POST', '/webhook-subscriptions', {
    body: { url: 'https://example.com/hook', secret: SECRET, topics },
  });
  assert.equal(made.status, 201);
  assert.equal(made.text, '');
  const url = made.headers.location!;
  const { body } = await call('GET', url);
  assert.deepEqual(
    { ...body, _links: Object.keys(body._links) },
    {
      _links: ['self', 'webhooks'],
      id: idOf(url),
      url: 'https://example.com/hook',
      paused: false,
      created: body.created,
      topics,
      publicKeys: body.publicKeys,
    },
  );
  const all = await call('POST', '/webhook-subscriptions', { body: { url: 'https://example.com/all', secret: SECRET } });
  const list = (await call('GET', '/webhook-subscriptions')).body;
  assert.equal(list.total, 2);
  assert.deepEqual(list._embedded['webhook-subscriptions'][1], body);
  assert.equal('topics' in (await call('GET', all.headers.location!)).body, false);
  assert.equal((await call('POST', url, { body: { paused: true } })).body.paused, true);
  assert.equal((await call('POST', url, { body: { paused: false } })).body.paused, false);
  const rows = await sql<{ row: string; secret: Buffer }>`
    select s::text as row, secret from webhook_subscription s where account_id = ${service.client.account_id}`;
  assert.ok(rows.length === 2 && rows.every(({ row, secret }) => !row.includes(SECRET) && !secret.includes(SECRET)));
  assert.ok(!service.logs.join('').includes(SECRET));
  assert.deepEqual((await call('DELETE', url)).body, body);
  assertRefused(await call('GET', url), { status: 404, code: 'NotFound' });
  assertRefused(await call('DELETE', url), { status: 404, code: 'NotFound' });
  assertRefused(await call('GET', `${url}/webhooks`), { status: 404, code: 'NotFound' });
  assert.equal((await call('GET', '/webhook-subscriptions')).body.total, 1);
});

test('refuses invalid syntax, URLs, secrets and topics, other accounts, and missing scopes', async (t) => {
  const service = await startService(t, { env: { MODE: 'production' } });
  const { call, newClient, client, nowhere } = service;
  const url = 'https://example.com/hook';
  const refusals: [object, string, string?][] = [
    [{ url }, 'BadRequest'],
    [{ secret: SECRET }, 'BadRequest'],
    [{ url: 7, secret: SECRET }, 'BadRequest'],
    [{ url, secret: 'x'.repeat(129) }, 'ValidationError', '/secret'],
    [{ url, secret: '' }, 'ValidationError', '/secret'],
    [{ url, secret: 'whsec_not base64!' }, 'ValidationError', '/secret'],
    [{ url: 'no url', secret: SECRET }, 'ValidationError', '/url'],
    [{ url: 'http://example.com/', secret: SECRET }, 'ValidationError', '/url'],
    [{ url: 'https://u:p@example.com/', secret: SECRET }, 'ValidationError', '/url'],
    [{ url: 'https://example.com:25/', secret: SECRET }, 'ValidationError', '/url'],
    [{ url: 'https://10.0.0.1/', secret: SECRET }, 'ValidationError', '/url'],
    [{ url: 'https://[::ffff:a00:1]/', secret: SECRET }, 'ValidationError', '/url'],
    [{ url, secret: SECRET, topics: ['customer_nothing'] }, 'ValidationError', '/topics/0'],
    [{ url, secret: SECRET, topics: [] }, 'ValidationError', '/topics'],
    [{ url, secret: SECRET, topics: ['customer_created', 'customer_created'] }, 'ValidationError', '/topics'],
  ];
  for (const [body, code, path] of refusals) {
    assertRefused(await call('POST', '/webhook-subscriptions', { body }), { status: 400, code, ...(path && { path }) });
  }
  const made = (await call('POST', '/webhook-subscriptions', { body: { url, secret: SECRET } })).headers.location!;
  const other = { token: (await newClient()).token };
  const reader = { token: (await newClient(['read'], client.account_id)).token };
  const forbidden = { status: 403, code: 'Forbidden' };
  assertRefused(await call('GET', made, other), forbidden);
  assertRefused(await call('GET', `${made}/webhooks`, other), forbidden);
  for (const options of [other, reader]) {
    assertRefused(await call('DELETE', made, options), forbidden);
    assertRefused(await call('POST', made, { ...options, body: { paused: true } }), forbidden);
    assertRefused(await call('POST', `${made}/pings`, options), forbidden);
    assertRefused(await call('POST', `${made}/secrets`, { ...options, body: { secret: 'x' } }), forbidden);
  }
  for (const path of [nowhere('webhook-subscription'), nowhere('webhook')]) {
    assertRefused(await call('GET', path), { status: 404, code: 'NotFound' });
  }
  assertRefused(await call('POST', `${nowhere('webhook')}/retries`), { status: 404, code: 'NotFound' });
  assertRefused(await call('POST', made, { body: { paused: true, replay: true } }), {
    status: 400,
    code: 'ValidationError',
    path: '/replay',
  });
});

test('allows ten subscriptions per account, also for fifteen concurrent requests', async () => {
  const { call } = await openAccount(shared);
  const body = { url: 'https://example.com/hook', secret: SECRET };
  const answers = await Promise.all(Array.from({ length: 15 }, () => call('POST', '/webhook-subscriptions', { body })));
  assert.equal(answers.filter(({ status }) => status === 201).length, 10);
  const refused = answers.find(({ status }) => status !== 201)!;
  assertRefused(refused, { status: 400, code: 'MaxNumberOfResources' });
  await call('DELETE', answers.find(({ status }) => status === 201)!.headers.location!);
  assert.equal((await call('POST', '/webhook-subscriptions', { body })).status, 201);
});

test('an idempotency key creates one subscription and one ping', async () => {
  const { call } = await openAccount(shared);
  const body = { url: 'https://example.com/hook', secret: SECRET };
  const [first, second] = [
    await call('POST', '/webhook-subscriptions', { body, key: 'k' }),
    await call('POST', '/webhook-subscriptions', { body, key: 'k' }),
  ];
  assert.equal(second.headers.location, first.headers.location);
  assert.equal(second.headers['idempotent-replayed'], 'true');
  assertRefused(await call('POST', '/webhook-subscriptions', { body: { ...body, secret: 'other' }, key: 'k' }), {
    status: 409,
    code: 'Conflict',
  });
  const pings = [1, 2].map(() => call('POST', `${first.headers.location}/pings`, { key: 'p' }));
  const [one, two] = await Promise.all(pings);
  assert.equal(one!.headers.location, two!.headers.location);
});

test('after a rotation, also a repeated one, both secrets sign for a day, then only the new one', async (t) => {
  const service = await openWorker(t, shared);
  const { call, worker } = service;
  const receiver = await startReceiver(t);
  const subscription = await subscribe(service, receiver);
  for (const secret of ['second', 'third', 'third']) {
    const answer = await call('POST', `${subscription}/secrets`, { body: { secret } });
    assert.equal(answer.status, 200);
    assert.ok(!answer.text.includes(secret));
  }
  const arrive = async () => {
    const before = receiver.received.length;
    await call('POST', `${subscription}/pings`);
    await waitUntil('the ping arrives', () => receiver.received.length > before);
    const { text, headers } = receiver.received.at(-1)!;
    const verifies = (secret: string) => {
      try {
        return Boolean(new Webhook(secret, { format: 'raw' }).verify(text, headers as Record<string, string>));
      } catch {
        return false;
      }
    };
    assert.equal(headers['x-request-signature-sha-256'], createHmac('sha256', 'third').update(text).digest('hex'));
    const signatures = String(headers['webhook-signature'])
      .split(' ')
      .filter((one) => one.startsWith('v1,')).length;
    return { signatures, live: [SECRET, 'second', 'third'].filter(verifies) };
  };
  assert.deepEqual(await arrive(), { signatures: 2, live: ['second', 'third'] });
  worker.advance(24 * HOUR_MS + 1000);
  assert.equal((await arrive()).signatures, 1);
});

test('retries of one webhook at the same time are all accepted, and send it once', async (t) => {
  const service = await openAccount(shared);
  const receiver = await startReceiver(t);
  const subscription = await subscribe(service, receiver);
  const ping = (await service.call('POST', `${subscription}/pings`)).headers.location!;
  const retries = await Promise.all(Array.from({ length: 64 }, () => service.call('POST', `${ping}/retries`)));
  assert.deepEqual([...new Set(retries.map(({ status }) => status))], [201]);
  assert.equal((await service.call('GET', `${ping}/retries`)).body.total, retries.length);
  const due = await service.sql`
    select due from webhook_due where bucket = ${bucketOf(idOf(ping))} and webhook_id = ${idOf(ping)}`;
  assert.equal(due.length, 1, 'of several due dates each would send it');
});

test('a subscription that is removed during a retry or a ping has nothing planned', async () => {
  const service = await openAccount(shared);
  const { call, sql, client } = service;
  const caller = { accountId: client.account_id };
  const plannedFor = (url: string) =>
    sql`select due from webhook_due where bucket = ${bucketOf(idOf(url))} and subscription_id = ${idOf(url)}`;
  const subscribed = () => subscribe(service, { url: 'http://127.0.0.1/' });

  const retried = await subscribed();
  const ping = (await call('POST', `${retried}/pings`)).headers.location!;
  const { removal } = await service.service.database.transaction(async (tx) => {
    await retryWebhook(tx, caller, idOf(ping), systemClock);
    const removal = call('DELETE', retried);
    await untilWaiting(sql, 1);
    return { removal };
  });
  assert.deepEqual([(await removal).status, await plannedFor(retried)], [200, []]);

  const pinged = await subscribed();
  const { late } = await service.service.database.transaction(async (tx) => {
    await unsubscribe(tx, caller, idOf(pinged), new Date());
    const late = call('POST', `${pinged}/pings`);
    await untilWaiting(sql, 1);
    return { late };
  });
  assertRefused(await late, { status: 404, code: 'NotFound' });
  assert.deepEqual(await plannedFor(pinged), []);
});

test('a ping is a webhook without an event; a retry sends any webhook again with its id', async (t) => {
  const service = await openWorker(t, shared);
  const { call } = service;
  const receiver = await startReceiver(t);
  const subscription = await subscribe(service, receiver, { topics: ['customer_deposit_created'] });
  const made = await call('POST', `${subscription}/pings`);
  assert.equal(made.status, 201);
  const url = made.headers.location!;
  await waitUntil('the ping arrives', async () => (await call('GET', url)).body.attempts.length === 1);
  const { body } = await call('GET', url);
  assert.deepEqual([body.topic, 'eventId' in body, 'event' in body._links], ['webhook_subscription_pinged', false, false]);
  assert.equal(receiver.received[0]!.body.resourceId, idOf(subscription));
  assert.equal((await call('GET', '/events')).body.total, 0);

  assert.equal((await call('GET', `${url}/retries`)).body.total, 0);
  const retry = await call('POST', body._links.retry.href);
  assert.equal(retry.status, 201);
  assert.equal(retry.headers.location, url);
  await waitUntil('the ping arrives again', async () => (await call('GET', url)).body.attempts.length === 2);
  assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 1);
  const retries = (await call('GET', `${url}/retries`)).body;
  assert.deepEqual([retries.total, retries._embedded.retries[0]._links.webhook.href], [1, url]);
  await call('POST', subscription, { body: { paused: true } });
  assert.equal('retry' in (await call('GET', url)).body._links, false);
  assertRefused(await call('POST', `${url}/retries`), { status: 403, code: 'InvalidResourceState' });
  await call('DELETE', subscription);
  assert.equal((await call('GET', url)).status, 200, 'a sent webhook stays readable');
});

test('lists webhooks in pages, by date and by resource', async (t) => {
  const service = await openWorker(t, shared);
  const receiver = await startReceiver(t);
  const subscription = await subscribe(service, receiver);
  const customers = [await service.newCustomer(), await service.newCustomer(), await service.newCustomer()];
  await waitUntil('all webhooks arrive', () => receiver.received.length === 6);
  const all = await webhooksOf(service, subscription);
  const ids = all._embedded.webhooks.map(({ id }: { id: string }) => id);
  assert.deepEqual([all.total, ids], [6, [...ids].sort().reverse()]);
  const seen: string[] = [];
  for (let path: string | undefined = `${subscription}/webhooks?limit=4`; path; ) {
    const { body } = await service.call('GET', path);
    seen.push(...body._embedded.webhooks.map(({ id }: { id: string }) => id));
    path = body._links.next?.href;
  }
  assert.deepEqual(seen, ids);
  const about = await webhooksOf(service, subscription, `?resourceId=${idOf(customers[1]!)}`);
  assert.deepEqual([about.total, about._embedded.webhooks.length], [2, 2]);
  const today = new Date().toISOString().slice(0, 10);
  const total = async (query: string) => (await webhooksOf(service, subscription, query)).total;
  assert.deepEqual(
    [
      await total(`?startDate=${today}&endDate=${today}`),
      await total('?endDate=2020-01-01'),
      await total('?startDate=2999-01-01'),
    ],
    [6, 0, 0],
  );
  const middle = (await service.call('GET', `/events/${all._embedded.webhooks[2].eventId}`)).body.created;
  assert.ok((await total(`?startDate=${middle}`)) >= 3);
  for (const query of ['?startDate=yesterday', '?endDate=2020-13-01', '?resourceId=x', '?after=x']) {
    assertRefused(await service.call('GET', `${subscription}/webhooks${query}`), { status: 400, code: 'ValidationError' });
  }
});

test('dates are by the clock of the account', async (t) => {
  const service = await openWorker(t, shared);
  const receiver = await startReceiver(t);
  const subscription = await subscribe(service, receiver, { topics: ['customer_created'] });
  const moments: number[] = [];
  for (const arrived of [1, 2, 3]) {
    if (arrived > 1) {
      await service.call('POST', '/sandbox/clock', { body: { advanceSeconds: 10 * 24 * 3600 } });
      // The old one has expired.
      service.client.token = await service.tokenOf(service.client);
    }
    await service.newCustomer();
    await waitUntil('the webhook arrives', () => receiver.received.length === arrived);
    const { _embedded } = await service.get('/events?limit=200');
    const { created } = _embedded.events.find(({ topic }: { topic: string }) => topic === 'customer_created');
    moments.push(Date.parse(created));
  }
  const found = async (from: number, to: number) => {
    const [startDate, endDate] = [new Date(from).toISOString(), new Date(to).toISOString()];
    const { total, _embedded } = await webhooksOf(service, subscription, `?startDate=${startDate}&endDate=${endDate}`);
    assert.equal(_embedded.webhooks.length, total);
    return total;
  };
  for (const at of moments) assert.equal(await found(at - 1000, at + 1000), 1);
  assert.equal(await found(moments[0]!, moments[1]!), 2);
  assert.equal(await found(moments[0]! + 1000, moments[1]! - 1000), 0);
  assert.equal(await found(moments[2]! + 1000, moments[2]! + 2000), 0);
});

test('a replay delivers everything since a time again, with the same ids', async (t) => {
  const service = await openWorker(t, shared);
  const receiver = await startReceiver(t);
  const subscription = await subscribe(service, receiver, { topics: ['customer_created'] });
  await service.newCustomer();
  await waitUntil('the first webhook arrives', () => receiver.received.length === 1);
  await new Promise((resume) => setTimeout(resume, 5));
  const since = new Date();
  for (let n = 0; n < 3; n++) await service.newCustomer();
  await waitUntil('the others arrive', () => receiver.received.length === 4);
  const replayed = await service.service.database.transaction((tx) => replaySince(tx, idOf(subscription), since));
  assert.equal(replayed, 6n);
  await waitUntil('all but the first arrive again', () => receiver.received.length === 7);
  const ids = eventIds(receiver);
  assert.deepEqual(new Set(ids.slice(4)), new Set(ids.slice(1, 4)));
  const byEvent = Map.groupBy(receiver.received, ({ body }) => body.id);
  for (const same of byEvent.values()) assert.equal(new Set(same.map(({ headers }) => headers['webhook-id'])).size, 1);
  assert.equal((await webhooksOf(service, subscription)).total, 4);
  assert.equal(
    await service.service.database.transaction((tx) => replaySince(tx, idOf(subscription), new Date(Date.now() + 1000))),
    0n,
  );
});

test('after several replays a failing webhook has one series of retries', async (t) => {
  const service = await openWorker(t, shared);
  const receiver = await startReceiver(t, (response) => response.writeHead(500).end());
  const id = idOf(await subscribe(service, receiver, { topics: ['customer_created'] }));
  const since = new Date();
  await service.newCustomer();
  const untilStored = (sent: number, attempts: number) =>
    waitUntil(
      'the attempt is stored',
      async () => receiver.received.length === sent && (await dueOf(service))?.attempts === attempts,
    );
  await untilStored(1, 1);
  for (const sent of [2, 3, 4]) {
    await service.service.database.transaction((tx) => replaySince(tx, id, since));
    await untilStored(sent, 1);
  }
  const planned = () => service.sql`select due from webhook_due where bucket = ${bucketOf(id)} and subscription_id = ${id}`;
  assert.equal((await planned()).length, 1);
  service.worker.advance(HOUR_MS / 2);
  await untilStored(5, 2);
  assert.equal((await planned()).length, 1);
});
