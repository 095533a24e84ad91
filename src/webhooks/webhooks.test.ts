// Tests of webhooks over HTTP: subscriptions, delivery and signatures, retries, pauses, replays.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { after, type TestContext, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { assertRefused, idOf } from '../../test/support/http.ts';
import { startService, type TestService } from '../../test/support/service.ts';
import { waitUntil } from '../../test/support/wait.ts';
import { type Receiver, startDelivery, startReceiver } from '../../test/support/webhooks.ts';
import { settleEvents } from '../events/feed.ts';
import { bucketOf, newId, randomBucket } from '../ids.ts';
import { claim, type SubscriptionKey } from './claim.ts';
import { prune, pruneSomeWebhooks } from './prune.ts';
import type { Step } from './step.ts';
import { replaySince } from './subscribe.ts';

const HOUR_MS = 3_600_000;
const SECRET = 'correct horse battery staple';

/** Delivers to loopback, by the worker of a test only. Each test uses its own account. */
const shared = await startService({ after }, { env: { DELIVER_WEBHOOKS: 'false', WEBHOOK_ALLOW_PRIVATE: 'true' } });

type Account = Awaited<ReturnType<typeof newAccount>>;

async function newAccount() {
  return { ...shared, ...(await shared.newPlatform()) };
}

async function withWorker(t: TestContext) {
  const account = await newAccount();
  const worker = startDelivery(account);
  t.after(worker.stop);
  return { ...account, worker };
}

async function subscribe(
  service: Pick<TestService, 'call'>,
  receiver: Pick<Receiver, 'url'>,
  body: object = {},
): Promise<string> {
  const answer = await service.call('POST', '/webhook-subscriptions', { body: { url: receiver.url, secret: SECRET, ...body } });
  assert.equal(answer.status, 201, answer.text);
  return answer.headers.location!;
}

const eventIds = (receiver: Receiver) => receiver.received.map(({ body }) => body.id);

async function webhooksOf(service: Pick<TestService, 'call'>, subscription: string, query = '') {
  return (await service.call('GET', `${subscription}/webhooks${query}`)).body;
}

test('creates, reads, lists, pauses and removes a subscription, and never shows its secret', async () => {
  const service = await newAccount();
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
  const { call } = await newAccount();
  const body = { url: 'https://example.com/hook', secret: SECRET };
  const answers = await Promise.all(Array.from({ length: 15 }, () => call('POST', '/webhook-subscriptions', { body })));
  assert.equal(answers.filter(({ status }) => status === 201).length, 10);
  const refused = answers.find(({ status }) => status !== 201)!;
  assertRefused(refused, { status: 400, code: 'MaxNumberOfResources' });
  await call('DELETE', answers.find(({ status }) => status === 201)!.headers.location!);
  assert.equal((await call('POST', '/webhook-subscriptions', { body })).status, 201);
});

test('an idempotency key creates one subscription and one ping', async () => {
  const { call } = await newAccount();
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

test('delivers an event as it reads over HTTP, signed in both schemes, and stores the attempt', async (t) => {
  const service = await withWorker(t);
  const { call, newCustomer, client } = service;
  const receiver = await startReceiver(t, (response) => response.writeHead(201, { 'x-theirs': 'yes' }).end('thanks'));
  await newCustomer();
  const subscription = await subscribe(service, receiver);
  const customer = await newCustomer();
  await waitUntil('both events arrive', () => receiver.received.length === 2);
  const arrived = receiver.received.find(({ body }) => body.topic === 'customer_created')!;
  const { id, created, resourceId } = arrived.body;
  assert.equal(resourceId, idOf(customer), 'an event before the subscription is not delivered');
  const event = (await call('GET', `/events/${id}`)).body;
  assert.deepEqual(arrived.body, { ...event, timestamp: created });

  const { headers, text } = arrived;
  assert.equal(headers['x-request-signature-sha-256'], createHmac('sha256', SECRET).update(text).digest('hex'));
  assert.equal(headers['x-earmark-topic'], 'customer_created');
  assert.equal(headers['content-type'], 'application/json');
  const verified = new Webhook(SECRET, { format: 'raw' }).verify(text, headers as Record<string, string>);
  assert.deepEqual(verified, arrived.body);
  assert.throws(() => new Webhook('another', { format: 'raw' }).verify(text, headers as Record<string, string>));

  const url = service.service.links.locate({ type: 'webhook', id: headers['webhook-id'] as string });
  await waitUntil('the attempt is stored', async () => (await call('GET', url)).body.attempts.length === 1);
  const { body: webhook } = await call('GET', url);
  const [attempt] = webhook.attempts;
  assert.deepEqual(
    [webhook.topic, webhook.accountId, webhook.eventId, webhook.subscriptionId],
    ['customer_created', client.account_id, id, idOf(subscription)],
  );
  assert.equal(webhook._links.event.href, event._links.self.href);
  assert.equal(webhook._links.subscription.href, subscription);
  assert.deepEqual([attempt.request.url, attempt.request.body], [receiver.url, text]);
  assert.ok(attempt.request.headers.some((header: { name: string }) => header.name === 'webhook-signature'));
  assert.deepEqual([attempt.response.statusCode, attempt.response.body], [201, 'thanks']);
  assert.ok(attempt.response.headers.some((header: { name: string; value: string }) => header.name === 'x-theirs'));
  const list = await webhooksOf(service, subscription);
  assert.equal(list.total, 2);
  assert.ok(list._embedded.webhooks.some((one: { id: string }) => one.id === webhook.id));
  assertRefused(await call('GET', url, { token: (await service.newClient()).token }), { status: 403, code: 'Forbidden' });
});

test('a Standard Webhooks secret encodes the bytes of the key', async (t) => {
  const service = await withWorker(t);
  const receiver = await startReceiver(t);
  const secret = `whsec_${Buffer.from('the bytes of a good key').toString('base64')}`;
  await subscribe(service, receiver, { secret });
  await service.newCustomer();
  await waitUntil('the webhook arrives', () => receiver.received.length > 0);
  const { text, headers } = receiver.received[0]!;
  new Webhook(secret).verify(text, headers as Record<string, string>);
  assert.equal(headers['x-request-signature-sha-256'], createHmac('sha256', secret).update(text).digest('hex'));
});

test('delivers only the requested topics', async (t) => {
  const service = await withWorker(t);
  const [few, all] = [await startReceiver(t), await startReceiver(t)];
  await subscribe(service, few, { topics: ['customer_deposit_created'] });
  await subscribe(service, all);
  await service.newCustomer({ available: '1.00' });
  await waitUntil('all webhooks arrive', () => all.received.length === 3 && few.received.length === 1);
  assert.deepEqual(
    few.received.map(({ body }) => body.topic),
    ['customer_deposit_created'],
  );
});

test('a service delivers by itself, nothing to other accounts and nothing that was rolled back', async (t) => {
  const service = await startService(t, { env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
  const receiver = await startReceiver(t);
  await subscribe(service, receiver);
  const other = await service.newClient();
  await service.newCustomer({ token: other.token });
  await service.service.database
    .transaction(async (tx) => {
      const id = newId(7);
      await tx`
        insert into event_outbox (bucket, id, account_id, customer_id, topic, resource_id, created)
        values (7, ${id}, ${service.client.account_id}, ${id}, 'customer_created', ${id}, ${new Date()})`;
      throw new Error('rolled back');
    })
    .catch(() => {});
  const customer = await service.newCustomer();
  await waitUntil('the last webhook arrives', () => receiver.received.length >= 2);
  assert.deepEqual(new Set(receiver.received.map(({ body }) => body.resourceId)), new Set([idOf(customer)]));
});

test('retries failures on schedule, then gives up; stores each attempt and signs it again', async (t) => {
  const service = await withWorker(t);
  const { worker } = service;
  const receiver = await startReceiver(t, (response) => response.writeHead(500).end('no'));
  const subscription = await subscribe(service, receiver, { topics: ['customer_created'] });
  await service.newCustomer();
  const hours = [0.25, 1, 3, 6, 12, 24, 48, 72];
  await waitUntil('the first attempt arrives', () => receiver.received.length === 1);
  for (let made = 1; made <= hours.length; made++) {
    await waitUntil('the attempt is stored', async () => (await dueOf(service)).attempts === made);
    const { due, first } = await dueOf(service);
    const afterHours = (due.getTime() - first.getTime()) / HOUR_MS;
    const planned = hours[made - 1]!;
    assert.ok(afterHours >= planned * 0.9 && afterHours <= planned * 1.1, `${afterHours} hours`);
    worker.advance(due.getTime() - worker.now().getTime());
    await waitUntil(`attempt ${made + 1}`, () => receiver.received.length === made + 1);
  }
  await waitUntil('the webhook is given up', async () => (await dueOf(service)) === undefined);
  const [webhook] = (await webhooksOf(service, subscription))._embedded.webhooks;
  assert.equal(webhook.attempts.length, 9);
  assert.ok(webhook.attempts.every((attempt: { response: { statusCode: number } }) => attempt.response.statusCode === 500));
  assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 1);
  assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-signature'])).size, 9);
  assert.equal(new Set(receiver.received.map(({ text }) => text)).size, 1);
});

/** The next delivery that is due for the subscriptions of an account. */
async function dueOf({ sql, client }: Pick<Account, 'sql' | 'client'>) {
  const [row] = await sql<{ due: Date; first: Date; attempts: number }>`
    select d.due, d.first, d.attempts
    from webhook_due d join webhook_subscription s on s.bucket = d.bucket and s.id = d.subscription_id
    where s.account_id = ${client.account_id}
    order by d.due limit 1`;
  return row!;
}

test('waits for Retry-After; 410 pauses immediately; every 2xx is a success; 3xx is not', async (t) => {
  const service = await withWorker(t);
  const { call, worker } = service;
  const answers: [number, Record<string, string>][] = [
    [503, { 'retry-after': '7200' }],
    [302, { location: '/elsewhere' }],
    [204, {}],
    [410, {}],
  ];
  const receiver = await startReceiver(t, (response) => response.writeHead(...answers.shift()!).end());
  const subscription = await subscribe(service, receiver, { topics: ['customer_created'] });
  await service.newCustomer();
  await waitUntil('the delivery is refused', async () => (await dueOf(service))?.attempts === 1);
  const { due, first } = await dueOf(service);
  assert.ok(Math.abs(due.getTime() - first.getTime() - 2 * HOUR_MS) < 5_000);
  worker.advance(2 * HOUR_MS);
  await waitUntil('the delivery is redirected', async () => (await dueOf(service))?.attempts === 2);
  worker.advance(10 * HOUR_MS);
  await waitUntil('the delivery is taken', async () => (await dueOf(service)) === undefined);
  assert.equal((await call('GET', subscription)).body.paused, false);
  await service.newCustomer();
  await waitUntil('the subscription is paused', async () => (await call('GET', subscription)).body.paused);
  assert.equal(receiver.received.length, 4);
});

test('pauses a subscription after 400 failures in a row and a day without success, not after only one of the two', async (t) => {
  const service = await withWorker(t);
  const { call, sql, worker } = service;
  let status = 500;
  const receiver = await startReceiver(t, (response) => response.writeHead(status).end());
  const subscription = await subscribe(service, receiver);
  const failures = async () =>
    (
      await sql<{ failures: number }>`select failures from webhook_subscription where account_id = ${service.client.account_id}`
    )[0]!.failures;
  const fail = async (times: number) => {
    await sql`update webhook_subscription set failures = ${times - 1} where account_id = ${service.client.account_id}`;
    await service.call('POST', `${subscription}/pings`);
    await waitUntil('the delivery has failed often enough', async () => (await failures()) >= times);
    return (await call('GET', subscription)).body.paused;
  };
  assert.equal(await fail(400), false, 'many failures in less than a day');
  status = 200;
  await service.call('POST', `${subscription}/pings`);
  await waitUntil('a success ends the run of failures', async () => (await failures()) === 0);
  status = 500;
  worker.advance(25 * HOUR_MS);
  assert.equal(await fail(390), false, 'a day, but fewer failures');
  assert.equal(await fail(400), true);
  await call('POST', subscription, { body: { paused: false } });
  assert.equal(await failures(), 0);
});

test('sends nothing while paused; resuming delivers what was missed only with replay', async (t) => {
  const service = await withWorker(t);
  const { call } = service;
  const receiver = await startReceiver(t);
  const subscription = await subscribe(service, receiver, { topics: ['customer_created'] });
  const resources = () => receiver.received.map(({ body }) => body.resourceId);
  for (const replay of [true, false]) {
    receiver.received.length = 0;
    assert.equal((await call('POST', subscription, { body: { paused: true } })).body.paused, true);
    const missed = [await service.newCustomer(), await service.newCustomer()].map(idOf);
    assertRefused(await call('POST', `${subscription}/pings`), { status: 403, code: 'InvalidResourceState' });
    await new Promise((resume) => setTimeout(resume, 300));
    assert.deepEqual(resources(), []);
    await call('POST', subscription, { body: { paused: false, ...(replay && { replay }) } });
    const next = idOf(await service.newCustomer());
    const wanted = [...(replay ? missed : []), next].sort();
    await waitUntil('the webhooks arrive', () => receiver.received.length >= wanted.length);
    assert.deepEqual(resources().sort(), wanted);
  }
});

test('after a rotation both secrets sign for a day, then only the new one', async (t) => {
  const service = await withWorker(t);
  const { call, worker } = service;
  const receiver = await startReceiver(t);
  const subscription = await subscribe(service, receiver);
  for (const secret of ['second', 'third']) {
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
    const signatures = String(headers['webhook-signature']).split(' ').length;
    return { signatures, live: [SECRET, 'second', 'third'].filter(verifies) };
  };
  assert.deepEqual(await arrive(), { signatures: 2, live: ['second', 'third'] });
  worker.advance(24 * HOUR_MS + 1000);
  assert.equal((await arrive()).signatures, 1);
});

test('a ping is a webhook without an event; a retry sends any webhook again with its id', async (t) => {
  const service = await withWorker(t);
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
  const service = await withWorker(t);
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

test('a replay delivers everything since a time again, with the same ids', async (t) => {
  const service = await withWorker(t);
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

/** Writes events of an account in one transaction. */
async function insertEvents({ sql, client }: Pick<Account, 'sql' | 'client'>, topics: string[]): Promise<string[]> {
  const ids = topics.map(() => newId(1));
  await sql`
    insert into event_outbox (bucket, id, account_id, customer_id, topic, resource_id, created)
    select 1, id, ${client.account_id}, id, topic, id, ${new Date()}
    from unnest(${ids}::uuid[], ${topics}::text[]) as e (id, topic)`;
  return ids;
}

test('two workers share the deliveries of a subscription and send each event once', async (t) => {
  const account = await newAccount();
  const receiver = await startReceiver(t);
  await subscribe(account, receiver);
  const ids = await insertEvents(account, Array(1_300).fill('customer_created'));
  // Neither sends before both have something to send.
  const both = Promise.withResolvers<void>();
  const sent = [0, 0];
  for (const n of [0, 1]) {
    const at = async (step: Step) => {
      if (step !== 'sending') return;
      sent[n]! += 1;
      if (sent.every((deliveries) => deliveries > 0)) both.resolve();
      await both.promise;
    };
    t.after(startDelivery(account, { at }).stop);
  }
  await waitUntil('all webhooks arrive', () => receiver.received.length >= ids.length);
  await waitUntil('all deliveries are stored', async () => (await dueOf(account)) === undefined);
  assert.deepEqual(eventIds(receiver).sort(), ids.sort());
  assert.deepEqual(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, ids.length);
});

test('with more subscriptions than one claim takes, the last is served like the first', async () => {
  const { sql, client, service } = await newAccount();
  const now = new Date();
  const ids = Array.from({ length: 203 }, () => newId(randomBucket()));
  await sql`
    insert into webhook_subscription (bucket, id, account_id, url, secret, position, healthy, created)
    select bucket, id, ${client.account_id}, 'http://127.0.0.1/', ''::bytea, 0, ${now}, ${now}
    from unnest(${ids.map(bucketOf)}::int[], ${ids}::uuid[]) as s (bucket, id)`;
  await insertEvents({ sql, client }, ['customer_created']);
  await settleEvents(sql);
  const take = async (after: SubscriptionKey | undefined) => {
    // No subscription has free slots, so that each has something to deliver in every round.
    const { claims, last } = await claim(service.database, { now, leaseMs: 60_000, capacity: () => 0, full: [], after });
    return { claimed: claims.map(({ subscription }) => subscription.id).filter((id) => ids.includes(id)), last };
  };
  const first = await take(undefined);
  const second = await take(first.last);
  assert.deepEqual(second.last, undefined);
  assert.deepEqual([...first.claimed, ...second.claimed].sort(), ids.toSorted());
  await sql`update webhook_subscription set removed = ${now} where account_id = ${client.account_id}`;
});

/** A receiver that keeps requests open until the test answers them and all later ones with a status. */
async function startStalledReceiver(t: TestContext) {
  const pending: ServerResponse[] = [];
  let status: number | undefined;
  const receiver = await startReceiver(t, (response) => {
    if (status === undefined) pending.push(response);
    else response.writeHead(status).end();
  });
  return {
    ...receiver,
    pending,
    answer(given: number, some = pending.length) {
      for (const response of pending.splice(0, some)) response.writeHead(given).end();
    },
    answerAll(given: number) {
      status = given;
      for (const response of pending.splice(0)) response.writeHead(given).end();
    },
  };
}

test('allows a receiver 32 concurrent deliveries, and a failing one a single delivery until it succeeds', async (t) => {
  const account = await withWorker(t);
  const [stalled, other] = [await startStalledReceiver(t), await startReceiver(t)];
  await subscribe(account, stalled, { topics: ['customer_created'] });
  const beside = await subscribe(account, other, { topics: ['customer_deactivated'] });
  /** Waits until the worker has taken, sent and stored a newer webhook, so that it has sent all it would have. */
  const goOn = async () => {
    const before = other.received.length;
    for (let n = 1; n <= 3; n++) {
      await account.call('POST', `${beside}/pings`);
      await waitUntil('the other subscription gets its ping', () => other.received.length >= before + n);
    }
  };
  await insertEvents(account, Array(100).fill('customer_created'));
  await waitUntil('the limit of deliveries is reached', () => stalled.pending.length >= 32);
  await goOn();
  assert.equal(stalled.received.length, 32);
  await waitUntil('no transaction is open while deliveries are in flight', async () => {
    const open = await account.sql`
      select 1 from pg_stat_activity where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()`;
    return open.length === 0;
  });
  stalled.answer(500);
  await waitUntil('all 32 attempts are stored', async () => (await triesOf(account)) === 32);
  await waitUntil('a delivery is retried', () => stalled.pending.length > 0);
  for (let sent = 33; sent < 36; sent++) {
    await waitUntil('the next one is sent', () => stalled.received.length >= sent);
    await goOn();
    assert.deepEqual([stalled.received.length, stalled.pending.length], [sent, 1]);
    stalled.answer(500);
  }
  await waitUntil('one more is sent', () => stalled.pending.length === 1);
  stalled.answer(200);
  await waitUntil('the limit is reached again', () => stalled.pending.length >= 32);
  stalled.answerAll(200);
  await waitUntil('the rest arrive', () => new Set(eventIds(stalled)).size === 100);
});

/** The number of stored attempts of an account. */
async function triesOf({ sql, client }: Pick<Account, 'sql' | 'client'>): Promise<number> {
  const [row] = await sql<{ tries: bigint }>`
    select count(*) as tries
    from webhook_attempt a join webhook w on w.bucket = a.bucket and w.id = a.webhook_id
    where w.account_id = ${client.account_id} and w.event_id is not null`;
  return Number(row!.tries);
}

test('a stop aborts deliveries in flight and releases them; the next worker sends them immediately', async (t) => {
  const account = await withWorker(t);
  const stalled = await startStalledReceiver(t);
  const url = await subscribe(account, stalled);
  // A kept connection, so that an aborted request is not mistaken for one that the receiver had closed.
  await account.call('POST', `${url}/pings`);
  await waitUntil('a ping arrives', () => stalled.pending.length === 1);
  stalled.answer(200);
  const ids = await insertEvents(account, Array(40).fill('customer_created'));
  await waitUntil('deliveries are in flight', () => stalled.pending.length === 32);
  await account.worker.stop();
  const sent = stalled.received.length;
  assert.equal(sent, 33, 'each was sent once');
  assert.equal(await triesOf(account), 0, 'nothing was counted as a failure');
  const due = await account.sql<{ due: Date; attempts: number }>`
    select d.due, d.attempts from webhook_due d join webhook_subscription s on s.id = d.subscription_id where s.account_id = ${account.client.account_id}`;
  assert.equal(due.length, 40);
  assert.ok(due.every(({ due, attempts }) => due.getTime() <= Date.now() && attempts === 0));
  stalled.answerAll(200);
  t.after(startDelivery(account).stop);
  await waitUntil('all webhooks arrive', () => new Set(eventIds(stalled).slice(sent)).size === ids.length);
  assert.deepEqual(eventIds(stalled).slice(sent).sort(), ids.sort());
});

test('retention of webhooks delays no delivery to other subscriptions, and no event', async (t) => {
  const account = await withWorker(t);
  const [mine, theirs] = [await startReceiver(t), await startReceiver(t)];
  const subscription = await subscribe(account, mine);
  await subscribe(account, theirs);
  await account.newCustomer();
  await waitUntil('both receive their webhooks', () => mine.received.length === 2 && theirs.received.length === 2);
  await waitUntil('all deliveries are stored', async () => (await dueOf(account)) === undefined);
  const border = new Date(Date.now() + 1000);
  await account.service.database.transaction(async (tx) => {
    assert.equal(await pruneSomeWebhooks(tx, idOf(subscription), border), 2);
    // Not committed: a statement that needed one of its locks would wait here until the timeout.
    await account.newCustomer();
    await waitUntil('the other subscription receives its webhooks', () => theirs.received.length === 4);
    assert.equal(mine.received.length, 2, 'its own subscription is skipped for now');
  });
  await waitUntil('its own webhooks arrive afterwards', () => mine.received.length === 4);
});

test('delivers a backlog longer than one batch completely, and nothing twice', async (t) => {
  const service = await withWorker(t);
  const [all, few] = [await startReceiver(t), await startReceiver(t)];
  await subscribe(service, all);
  await subscribe(service, few, { topics: ['customer_created'] });
  // The last topic is the one that the other subscription selects.
  const ids = await insertEvents(service, [...Array(2_599).fill('customer_verified'), 'customer_created']);
  await waitUntil('all webhooks arrive', () => all.received.length >= ids.length && few.received.length > 0);
  await waitUntil('all deliveries are stored', async () => (await dueOf(service)) === undefined);
  assert.deepEqual(eventIds(all).sort(), ids.sort());
  assert.deepEqual(eventIds(few), [ids.at(-1)]);
});

test('deletes old webhooks with their attempts, and keeps new ones', async (t) => {
  const service = await withWorker(t);
  const { sql, call } = service;
  const receiver = await startReceiver(t);
  const subscription = await subscribe(service, receiver);
  await service.newCustomer();
  await waitUntil('both webhooks arrive', () => receiver.received.length === 2);
  await new Promise((resume) => setTimeout(resume, 5));
  const before = new Date();
  const kept = (await call('POST', `${subscription}/pings`)).headers.location!;
  await waitUntil('the ping arrives', async () => (await call('GET', kept)).body.attempts.length === 1);
  await waitUntil('all deliveries are stored', async () => (await dueOf(service)) === undefined);
  await prune(sql, { before });
  const list = await webhooksOf(service, subscription);
  assert.deepEqual([list.total, list._embedded.webhooks.length], [1, 1]);
  assert.equal((await sql`select 1 from webhook_attempt`).length, 1);
  assert.equal((await call('GET', '/events')).body.total, 0);
});
