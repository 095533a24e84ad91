// Tests of webhook delivery: signatures, topics, retries and pauses.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { assertRefused, idOf } from '../../../test/support/http.ts';
import { startService } from '../../../test/support/service.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { dueOf, HOUR_MS, openWorker, SECRET, subscribe, webhooksOf } from '../../../test/support/webhook-accounts.ts';
import { startReceiver } from '../../../test/support/webhooks.ts';
import { bucketOf, newId } from '../../core/ids.ts';

/** Delivers to loopback, by the worker of a test only. Each test uses its own account. */
const shared = await startService({ after }, { env: { DELIVER_WEBHOOKS: 'false', WEBHOOK_ALLOW_PRIVATE: 'true' } });

test('delivers an event as it reads over HTTP, signed in both schemes, and stores the attempt', async (t) => {
  const service = await openWorker(t, shared);
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
  const service = await openWorker(t, shared);
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
  const service = await openWorker(t, shared);
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
        insert into event_outbox (bucket, ids, account_id, topic, created)
        values (outbox_bucket(7), array[[${id}], [${id}], [${id}]]::uuid[], ${service.client.account_id}, 'customer_created', ${new Date()})`;
      throw new Error('rolled back');
    })
    .catch(() => {});
  const customer = await service.newCustomer();
  await waitUntil('the last webhook arrives', () => receiver.received.length >= 2);
  assert.deepEqual(new Set(receiver.received.map(({ body }) => body.resourceId)), new Set([idOf(customer)]));
});

test('retries failures on schedule, then gives up; stores each attempt and signs it again', async (t) => {
  const service = await openWorker(t, shared);
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

test('waits for Retry-After; 410 pauses immediately; every 2xx is a success; 3xx is not', async (t) => {
  const service = await openWorker(t, shared);
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
  const service = await openWorker(t, shared);
  const { call, sql, worker } = service;
  let status = 500;
  const receiver = await startReceiver(t, (response) => response.writeHead(status).end());
  const subscription = await subscribe(service, receiver);
  const id = idOf(subscription);
  const failures = async () =>
    (
      await sql<{ failures: number }>`select failures from webhook_subscription where account_id = ${service.client.account_id}`
    )[0]!.failures;
  const fail = async (times: number) => {
    await sql`update webhook_subscription set failures = ${times - 1} where bucket = ${bucketOf(id)} and id = ${id}`;
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
  const service = await openWorker(t, shared);
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
