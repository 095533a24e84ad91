// Tests of the clock of a sandbox account, and of its reset.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startBeside } from '../../../test/support/beside.ts';
import { allEvents } from '../../../test/support/events.ts';
import { assertRefused, type Body } from '../../../test/support/http.ts';
import { openPayer } from '../../../test/support/payers.ts';
import { startService } from '../../../test/support/service.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { startReceiver } from '../../../test/support/webhooks.ts';

const DAY_SECONDS = 86_400;

// Shared by all tests of the file; each opens its own accounts.
const service = await startService({ after }, { env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });

test('production has no sandbox routes', async (t) => {
  const { call, send, client } = await startService(t, { env: { MODE: 'production' } });
  for (const path of ['clock', 'faults', 'reset'])
    assertRefused(await call('POST', `/sandbox/${path}`, { body: {} }), { status: 404, code: 'NotFound' });
  assertRefused(await call('GET', '/sandbox/clock'), { status: 404, code: 'NotFound' });
  const document = await send('GET', '/openapi.json', { token: client.token });
  assert.ok(!Object.keys(document.body.paths).some((path) => path.startsWith('/sandbox')));
});

test('the clock of an account moves forward only, and for that account only', async () => {
  const { call, newClient } = service;
  const { token, advance } = await openPayer(service);
  const other = await newClient();
  const started = await call('GET', '/sandbox/clock', { token });
  assert.equal(started.body.aheadSeconds, 0);
  assert.ok(Math.abs(Date.parse(started.body.now) - Date.now()) < 60_000);
  const moved = await advance(600);
  assert.equal(moved.status, 200);
  assert.equal(moved.body.aheadSeconds, 600);
  assert.equal((await advance(60)).body.aheadSeconds, 660);
  assert.ok(Date.parse((await call('GET', '/sandbox/clock', { token })).body.now) > Date.now() + 600_000);
  assert.equal((await call('GET', '/sandbox/clock', { token: other.token })).body.aheadSeconds, 0);
  for (const advanceSeconds of [0, -1, 1e12])
    assertRefused(await call('POST', '/sandbox/clock', { token, body: { advanceSeconds } }), {
      status: 400,
      code: 'ValidationError',
    });
});

test('the balance of an account is that of a time of its clock', async () => {
  const { advance, client } = await openPayer(service);
  const read = async () => {
    const { body } = await service.call('GET', `/accounts/${client.account_id}/balance`, {
      token: await service.tokenOf(client),
    });
    return Date.parse(body.at);
  };
  const before = await read();
  await advance(600);
  assert.ok((await read()) >= before + 600_000);
});

test('a token that is expired by the clock of its account can be revoked, and a reset does not bring it back', async () => {
  const { call, send, tokenOf } = service;
  const { client, token, advance } = await openPayer(service);
  const kept = await tokenOf(client);
  await advance(2 * 3600);
  assertRefused(await call('GET', '/', { token }), { status: 401, code: 'ExpiredAccessToken' });
  const form = new URLSearchParams({ token, client_id: client.client_id, client_secret: client.client_secret }).toString();
  assert.equal((await send('POST', '/token/revoke', { form })).status, 200);
  assert.equal((await call('POST', '/sandbox/reset', { token: await tokenOf(client) })).status, 200);
  assert.equal((await call('GET', '/', { token: kept })).status, 200);
  assertRefused(await call('GET', '/', { token }), { status: 401, code: 'InvalidAccessToken' });
});

test('a clock change repeated with its key moves the clock once', async () => {
  const { call, tokenOf } = service;
  const { client, token } = await openPayer(service);
  const body = { advanceSeconds: 30 * DAY_SECONDS };
  const first = await call('POST', '/sandbox/clock', { token, body, key: 'move' });
  const again = await call('POST', '/sandbox/clock', { token: await tokenOf(client), body, key: 'move' });
  assert.equal(again.headers['idempotent-replayed'], 'true');
  assert.deepEqual(again.body, first.body);
  const { body: clock } = await call('GET', '/sandbox/clock', { token: await tokenOf(client) });
  assert.equal(clock.aheadSeconds, 30 * DAY_SECONDS);
  const far = { advanceSeconds: 3650 * DAY_SECONDS };
  assertRefused(await call('POST', '/sandbox/clock', { token: await tokenOf(client), body: far }), {
    status: 400,
    code: 'ValidationError',
    path: '/advanceSeconds',
  });
});

test('a token of the future ends with the reset that puts the clock back', async () => {
  const { call, tokenOf } = service;
  const { client, token, advance } = await openPayer(service);
  await advance(30 * DAY_SECONDS);
  const ahead = await tokenOf(client);
  assert.equal((await call('POST', '/sandbox/reset', { token: ahead })).status, 200);
  assertRefused(await call('GET', '/', { token: ahead }), { status: 401, code: 'ExpiredAccessToken' });
  assert.equal((await call('GET', '/', { token })).status, 200, 'issued before the change of the clock, and valid again');
});

test('new resources carry the time of their account, also when two accounts share a batch', async () => {
  const { call } = service;
  const [ahead, behind] = [await openPayer(service), await openPayer(service)];
  await ahead.advance(3000);
  const answers = await Promise.all([...Array(20)].flatMap(() => [ahead.pay('1'), behind.pay('1')]));
  const times = await Promise.all(
    answers.map(async ({ headers }, place) => {
      const { token } = place % 2 === 0 ? ahead : behind;
      return Date.parse((await call('GET', headers.location!, { token })).body.created) - Date.now();
    }),
  );
  times.forEach((aheadMs, place) => {
    assert.ok(place % 2 === 0 ? aheadMs > 2_900_000 : aheadMs < 60_000, `${place}: ${aheadMs}`);
  });
});

test('tokens expire by the clock, and new ones are valid', async () => {
  const { call, tokenOf } = service;
  const { client, token, advance } = await openPayer(service);
  await advance(3500);
  assert.equal((await call('GET', '/', { token })).status, 200);
  await advance(101);
  assertRefused(await call('GET', '/', { token }), { status: 401, code: 'ExpiredAccessToken' });
  const fresh = await tokenOf(client);
  assert.equal((await call('GET', '/', { token: fresh })).status, 200);
});

test('idempotency keys expire by the clock', async () => {
  const { tokenOf, call } = service;
  const { client, customer, pay, from, to, advance, token } = await openPayer(service);
  assert.equal((await pay('1', { key: 'k' })).status, 201);
  assert.equal((await pay('1', { key: 'k' })).headers['idempotent-replayed'], 'true');
  assert.equal((await pay('1', { key: 'other' })).status, 201);
  await advance(DAY_SECONDS - 60);
  const later = { token: await tokenOf(client) };
  assert.equal((await pay('1', { key: 'k', ...later })).headers['idempotent-replayed'], 'true');
  await call('POST', '/sandbox/clock', { ...later, body: { advanceSeconds: 120 } });
  const again = await pay('1', { key: 'k', ...later });
  assert.equal(again.status, 201);
  assert.equal(again.headers['idempotent-replayed'], undefined);
  assert.equal((await call('GET', to, later)).body.amount.value, '3.00');
  assert.equal((await call('GET', from, later)).body.amount.value, '47.00');
  const body = { amount: { value: '0', currency: 'USD' } };
  const label = await call('POST', `${customer}/labels`, { ...later, key: 'other', body });
  assert.equal(label.status, 201, 'a key of a transfer that expired is free for other requests');
  assertRefused(await call('GET', '/', { token }), { status: 401, code: 'ExpiredAccessToken' });
});

test('webhooks fall due by the clock, and deliveries fail as planned', async (t) => {
  const { call, tokenOf } = service;
  const receiver = await startReceiver(t);
  const { client, token, customer, plan } = await openPayer(service);
  const answer = await call('POST', '/webhook-subscriptions', {
    token,
    body: { url: receiver.url, secret: 'a secret of mine', topics: ['customer_deposit_created'] },
  });
  assert.equal(answer.status, 201);
  const { body: subscription } = await call('GET', answer.headers.location!, { token });
  for (const fault of [{ status: 500 }, { cut: true }]) await plan({ operation: 'deliverWebhook', ...fault });
  await plan({ operation: 'deliverWebhook', status: 503, effect: true });
  const deposit = await call('POST', `${customer}/deposits`, { token, body: { amount: { value: '1', currency: 'USD' } } });
  assert.equal(deposit.status, 201);
  const attempts = async (by: string): Promise<Body[]> => {
    const list = await call('GET', subscription._links.webhooks.href, { token: by });
    return list.body._embedded.webhooks[0]?.attempts ?? [];
  };
  let by = token;
  for (const [count, seconds] of [
    [1, 1000],
    [2, 3000],
    [3, 8000],
  ] as const) {
    await waitUntil(`attempt ${count}`, async () => (await attempts(by)).length === count);
    await call('POST', '/sandbox/clock', { token: by, body: { advanceSeconds: seconds } });
    by = await tokenOf(client);
  }
  await waitUntil('the webhook is delivered', async () => (await attempts(by)).length === 4);
  assert.deepEqual(
    (await attempts(by)).map(({ response }) => response?.statusCode),
    [500, undefined, 503, 200],
  );
  assert.equal(receiver.received.length, 2, 'the third was delivered, and its answer was lost');
});

test('times of deliveries follow the clock: each planned attempt is reached, and no time goes back', async (t) => {
  const { call, tokenOf } = service;
  let refusals = 4;
  const receiver = await startReceiver(t, (response) => response.writeHead(refusals-- > 0 ? 500 : 200).end());
  const { client, token, pay } = await openPayer(service);
  let by = token;
  const get = async (url: string): Promise<Body> => (await call('GET', url, { token: by })).body;
  const advance = async (seconds: number) => {
    await call('POST', '/sandbox/clock', { token: by, body: { advanceSeconds: seconds } });
    by = await tokenOf(client);
  };
  const now = async () => Date.parse((await get('/sandbox/clock')).now);
  await advance(7 * DAY_SECONDS);
  const topics = ['customer_label_reallocation_created'];
  const body = { url: receiver.url, secret: 'a secret of mine', topics };
  const subscription = (await call('POST', '/webhook-subscriptions', { token: by, body })).headers.location!;
  assert.ok(Math.abs(Date.parse((await get(subscription)).created) - (await now())) < 60_000, 'created');
  assert.equal((await pay('1', { token: by })).status, 201);
  const webhookOf = async (attempts: number): Promise<Body> => {
    let webhook: Body = {};
    await waitUntil(`attempt ${attempts}`, async () => {
      [webhook] = (await get(`${subscription}/webhooks`))._embedded.webhooks;
      return webhook?.attempts.length === attempts;
    });
    // A read beside the record of an attempt may show the attempt with the time before it.
    return get(webhook._links.self.href);
  };
  const times: number[] = [];
  for (let attempt = 1; attempt <= 4; attempt++) {
    const { attempts, nextAttempt, _links } = await webhookOf(attempt);
    const { request, response } = attempts.at(-1);
    const planned = Date.parse(nextAttempt);
    times.push(Date.parse(request.timestamp), Date.parse(response.timestamp), await now());
    assert.ok(planned > (await now()), `${nextAttempt} is to come`);
    await advance(60);
    const links = [_links.self.href, `${subscription}/webhooks`];
    const [one, { _embedded }] = [await get(links[0]!), await get(links[1]!)];
    assert.deepEqual([one.nextAttempt, _embedded.webhooks[0].nextAttempt], [nextAttempt, nextAttempt], 'stays where it was');
    await advance(Math.ceil((planned - (await now())) / 1000));
    times.push(planned);
  }
  const { attempts, nextAttempt, _links } = await webhookOf(5);
  times.push(Date.parse(attempts.at(-1).request.timestamp), await now());
  assert.deepEqual(
    times,
    times.toSorted((a, b) => a - b),
  );
  assert.deepEqual([attempts.at(-1).response.statusCode, nextAttempt], [200, undefined]);

  const asked = await now();
  assert.equal((await call('POST', _links.retry.href, { token: by })).status, 201);
  const ping = (await call('POST', `${subscription}/pings`, { token: by })).headers.location!;
  await waitUntil('the ping is sent', async () => (await get(ping)).attempts.length === 1);
  const [retry] = (await get(_links.retry.href))._embedded.retries;
  const [sent] = (await get(ping)).attempts;
  for (const time of [retry.timestamp, sent.request.timestamp, JSON.parse(sent.request.body).created])
    assert.ok(Date.parse(time) >= asked, `${time} is after the request`);
  // Receivers compare this header with their clock.
  const { headers } = receiver.received.at(-1)!;
  assert.ok(Math.abs(Number(headers['webhook-timestamp']) * 1000 - Date.now()) < 60_000);
});

test('retention of events and webhooks follows the clock', async () => {
  const { call, tokenOf } = service;
  const { client, token, pay } = await openPayer(service);
  assert.ok((await call('GET', '/events', { token })).body.total > 3);
  await call('POST', '/sandbox/clock', { token, body: { advanceSeconds: 29 * DAY_SECONDS } });
  let by = await tokenOf(client);
  assert.ok((await call('GET', '/events', { token: by })).body.total > 3);
  assert.equal((await pay('1', { token: by })).status, 201);
  await call('POST', '/sandbox/clock', { token: by, body: { advanceSeconds: 2 * DAY_SECONDS } });
  by = await tokenOf(client);
  const { body } = await call('GET', '/events', { token: by });
  const topics: string[] = body._embedded.events.map(({ topic }: Body) => topic);
  assert.deepEqual(
    topics.filter((topic) => !topic.startsWith('account_')),
    ['customer_label_reallocation_created'],
  );
});

test('a second process uses the same clock', async (t) => {
  const { token, advance } = await openPayer(service);
  const second = await startBeside(t, service);
  await advance(900);
  await waitUntil('the second process knows the clock', async () => {
    const { body } = await second.send('GET', '/sandbox/clock', { token });
    return body.aheadSeconds === 900;
  });
});

test('a reset keeps only the account and its applications, and affects no other account', async () => {
  const { call, sql } = service;
  const [mine, others] = [await openPayer(service), await openPayer(service)];
  const { token } = mine;
  await mine.pay('1', { key: 'kept' });
  await others.pay('1', { key: 'kept' });
  await mine.plan({ operation: 'getRoot', status: 500, times: 9 });
  await call('POST', '/webhook-subscriptions', {
    token,
    body: { url: 'https://example.com/hook', secret: 'a secret of mine' },
  });
  await mine.advance(60);
  const answer = await call('POST', '/sandbox/reset', { token });
  assert.equal(answer.status, 200);
  assert.deepEqual(answer.body.removed, { customers: 1, labels: 2, transfers: 3, documents: 0, webhookSubscriptions: 1 });
  for (const url of [mine.customer, mine.from])
    assertRefused(await call('GET', url, { token }), { status: 404, code: 'NotFound' });
  for (const list of [
    '/customers',
    '/events',
    '/events?topic=customer_label_created',
    '/webhook-subscriptions',
    '/sandbox/faults',
  ])
    assert.equal((await call('GET', list, { token })).body.total, 0, list);
  assert.equal((await call('GET', '/sandbox/clock', { token })).body.aheadSeconds, 0);
  const left = await sql`
    select 'keys' as what from idempotency_key where account_id = ${mine.client.account_id}
    union all select 'transfer' from transfer t where not exists (select 1 from customer c where c.bucket = t.bucket and c.id = t.customer_id)
    union all select 'account' from ledger_account a where not exists (select 1 from customer c where c.bucket = a.bucket and c.id = a.customer_id)
    union all select 'event' from ${await allEvents(sql)} where account_id = ${mine.client.account_id}`;
  assert.deepEqual(left, []);
  assert.equal((await others.pay('1', { key: 'kept' })).headers['idempotent-replayed'], 'true');
  assert.equal(await others.balanceOf(others.to), '1.00');
  // The account remains usable.
  const customer = await service.newCustomer({ available: '1', token });
  assert.equal((await call('GET', customer, { token })).status, 200);
});

test('a reset during payments deletes each completely, and each is answered', async () => {
  const { call, sql } = service;
  const mine = await openPayer(service);
  const pays = Promise.all([...Array(200)].map(() => mine.pay('0.01')));
  const reset = await call('POST', '/sandbox/reset', { token: mine.token });
  assert.equal(reset.status, 200);
  for (const { status } of await pays) assert.ok([201, 404].includes(status), String(status));
  const left = await sql`
    select 1 from transfer t where not exists (select 1 from customer c where c.bucket = t.bucket and c.id = t.customer_id)`;
  assert.deepEqual(left, []);
});

test('after a reset of the initial sandbox account, the next start creates its customer and labels again', async (t) => {
  const first = await startService(t);
  const read = () => JSON.parse(readFileSync(join(first.dataDir, 'sandbox.json'), 'utf8'));
  const before = read();
  const token = await first.tokenOf(before);
  assert.equal((await first.call('POST', '/sandbox/reset', { token })).status, 200);
  const next = await startService(t, { beside: first, env: { PUBLIC_URL: first.url } });
  const made = read();
  assert.deepEqual([made.account_id, made.client_secret], [before.account_id, before.client_secret]);
  assert.notEqual(made.customer, before.customer);
  const { body } = await next.call('GET', made.labels[0], { token: await next.tokenOf(made) });
  assert.equal(body.amount.value, '250.00');
});
