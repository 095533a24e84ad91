// Tests of the sandbox features over HTTP: per-account clock, planned faults and reset, and their absence in production.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startBeside } from '../../test/support/beside.ts';
import { assertRefused, type Body } from '../../test/support/http.ts';
import { startService } from '../../test/support/service.ts';
import { waitUntil } from '../../test/support/wait.ts';
import { startReceiver } from '../../test/support/webhooks.ts';

const DAY_SECONDS = 86_400;
const move = (from: string, to: string, value: string) => ({
  _links: { from: { href: from }, to: { href: to } },
  amount: { value, currency: 'USD' },
});

test('production has no sandbox routes', async (t) => {
  const { call, send, client } = await startService(t, { env: { MODE: 'production' } });
  for (const path of ['clock', 'faults', 'reset'])
    assertRefused(await call('POST', `/sandbox/${path}`, { body: {} }), { status: 404, code: 'NotFound' });
  assertRefused(await call('GET', '/sandbox/clock'), { status: 404, code: 'NotFound' });
  const document = await send('GET', '/openapi.json', { token: client.token });
  assert.ok(!Object.keys(document.body.paths).some((path) => path.startsWith('/sandbox')));
});

test('in a sandbox', async (t) => {
  const service = await startService(t, { env: { DELIVER_WEBHOOKS: 'true', WEBHOOK_ALLOW_PRIVATE: 'true' } });

  /** An account on the shared service, with a customer and two labels. */
  async function open() {
    const { call, newClient, newCustomer, newLabel } = service;
    const client = await newClient();
    const { token } = client;
    const customer = await newCustomer({ available: '100', token });
    const [from, to] = [await newLabel(customer, '50', { token }), await newLabel(customer, '0', { token })];
    const plan = (body: object) => call('POST', '/sandbox/faults', { token, body });
    const pay = (value: string, options: object = {}) =>
      call('POST', '/label-reallocations', { token, body: move(from, to, value), ...options });
    const amountOf = async (label: string) => (await call('GET', label, { token })).body.amount.value;
    const advance = (seconds: number) => call('POST', '/sandbox/clock', { token, body: { advanceSeconds: seconds } });
    return { client, token, customer, from, to, plan, pay, amountOf, advance };
  }

  await t.test('the clock of an account moves forward only, and for that account only', async () => {
    const { call, newClient } = service;
    const { token, advance } = await open();
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

  await t.test('a clock change repeated with its key moves the clock once', async () => {
    const { call, tokenOf } = service;
    const { client, token } = await open();
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

  await t.test('a token of the future becomes invalid with the reset that puts the clock back', async () => {
    const { call, tokenOf } = service;
    const { client, token, advance } = await open();
    await advance(30 * DAY_SECONDS);
    const ahead = await tokenOf(client);
    assert.equal((await call('POST', '/sandbox/reset', { token: ahead })).status, 200);
    assertRefused(await call('GET', '/', { token: ahead }), { status: 401, code: 'InvalidAccessToken' });
    assert.equal((await call('GET', '/', { token })).status, 200, 'issued before the change of the clock, and valid again');
  });

  await t.test('new resources carry the time of their account, also when two accounts share a batch', async () => {
    const { call } = service;
    const [ahead, behind] = [await open(), await open()];
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

  await t.test('tokens expire by the clock, and new ones are valid', async () => {
    const { call, tokenOf } = service;
    const { client, token, advance } = await open();
    await advance(3500);
    assert.equal((await call('GET', '/', { token })).status, 200);
    await advance(101);
    assertRefused(await call('GET', '/', { token }), { status: 401, code: 'ExpiredAccessToken' });
    const fresh = await tokenOf(client);
    assert.equal((await call('GET', '/', { token: fresh })).status, 200);
  });

  await t.test('idempotency keys expire by the clock', async () => {
    const { tokenOf, call } = service;
    const { client, pay, from, to, advance, token } = await open();
    assert.equal((await pay('1', { key: 'k' })).status, 201);
    assert.equal((await pay('1', { key: 'k' })).headers['idempotent-replayed'], 'true');
    await advance(DAY_SECONDS - 60);
    const later = { token: await tokenOf(client) };
    assert.equal((await pay('1', { key: 'k', ...later })).headers['idempotent-replayed'], 'true');
    await call('POST', '/sandbox/clock', { ...later, body: { advanceSeconds: 120 } });
    const again = await pay('1', { key: 'k', ...later });
    assert.equal(again.status, 201);
    assert.equal(again.headers['idempotent-replayed'], undefined);
    assert.equal((await call('GET', to, later)).body.amount.value, '2.00');
    assert.equal((await call('GET', from, later)).body.amount.value, '48.00');
    assertRefused(await call('GET', '/', { token }), { status: 401, code: 'ExpiredAccessToken' });
  });

  await t.test('webhooks fall due by the clock, and deliveries fail as planned', async (t) => {
    const { call, tokenOf } = service;
    const receiver = await startReceiver(t);
    const { client, token, customer, plan } = await open();
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

  await t.test('retention of events and webhooks follows the clock', async () => {
    const { call, tokenOf } = service;
    const { client, token, pay } = await open();
    assert.ok((await call('GET', '/events', { token })).body.total > 3);
    await call('POST', '/sandbox/clock', { token, body: { advanceSeconds: 29 * DAY_SECONDS } });
    let by = await tokenOf(client);
    assert.ok((await call('GET', '/events', { token: by })).body.total > 3);
    assert.equal((await pay('1', { token: by })).status, 201);
    await call('POST', '/sandbox/clock', { token: by, body: { advanceSeconds: 2 * DAY_SECONDS } });
    by = await tokenOf(client);
    const { body } = await call('GET', '/events', { token: by });
    assert.deepEqual(
      body._embedded.events.map(({ topic }: Body) => topic),
      ['customer_label_reallocation_created'],
    );
  });

  await t.test('a second process uses the same clock', async () => {
    const { token, advance } = await open();
    const second = await startBeside(t, service);
    await advance(900);
    const until = Date.now() + 20_000;
    let ahead = 0;
    while (ahead !== 900 && Date.now() < until) ahead = (await second.send('GET', '/sandbox/clock', { token })).body.aheadSeconds;
    assert.equal(ahead, 900);
  });

  await t.test('an operation with a planned fault answers it the planned number of times, without effect', async () => {
    const { plan, pay, amountOf, to } = await open();
    const planned = await plan({ operation: 'createLabelReallocation', status: 503, times: 2 });
    assert.equal(planned.status, 201);
    for (const _ of [1, 2]) {
      const answer = await pay('1', { key: 'once' });
      assertRefused(answer, { status: 503, code: 'ServiceUnavailable' });
      assert.ok(answer.headers['retry-after']);
    }
    assert.equal(await amountOf(to), '0.00');
    assert.equal((await pay('1', { key: 'once' })).status, 201);
    assert.equal(await amountOf(to), '1.00');
  });

  await t.test('answers each status that can be planned', async () => {
    const { call } = service;
    const { token, plan } = await open();
    const codes = { 401: 'ExpiredAccessToken', 429: 'TooManyRequests', 500: 'ServerError', 503: 'ServiceUnavailable' };
    for (const [status, code] of Object.entries(codes)) {
      await plan({ operation: 'getRoot', status: Number(status) });
      assertRefused(await call('GET', '/', { token }), { status: Number(status), code });
    }
    assert.equal((await call('GET', '/', { token })).status, 200);
  });

  await t.test('a planned fault with effect loses only the answer, and the same key replays it', async () => {
    const { plan, pay, amountOf, to } = await open();
    await plan({ operation: 'createLabelReallocation', status: 500, effect: true });
    const lost = await pay('5', { key: 'lost' });
    assertRefused(lost, { status: 500, code: 'ServerError' });
    assert.equal(lost.headers.location, undefined);
    assert.equal(await amountOf(to), '5.00');
    const found = await pay('5', { key: 'lost' });
    assert.equal(found.status, 201);
    assert.equal(found.headers['idempotent-replayed'], 'true');
    assert.equal(await amountOf(to), '5.00');
  });

  await t.test('breaks the connection before or after the effect', async () => {
    const { plan, pay, amountOf, to } = await open();
    await plan({ operation: 'createLabelReallocation', cut: true });
    await assert.rejects(pay('1'), { code: 'ECONNRESET' });
    assert.equal(await amountOf(to), '0.00');
    await plan({ operation: 'createLabelReallocation', cut: true, effect: true });
    await assert.rejects(pay('1'), { code: 'ECONNRESET' });
    assert.equal(await amountOf(to), '1.00');
  });

  await t.test('delays an answer', async () => {
    const { plan, pay } = await open();
    await plan({ operation: 'createLabelReallocation', delayMs: 300 });
    const begin = performance.now();
    assert.equal((await pay('1')).status, 201);
    assert.ok(performance.now() - begin >= 299);
  });

  await t.test('refuses a token as planned', async () => {
    const { send, tokenOf } = service;
    const { client, plan } = await open();
    await plan({ operation: 'createToken', status: 503 });
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: client.client_id,
      client_secret: client.client_secret,
    }).toString();
    assert.equal((await send('POST', '/token', { form })).status, 503);
    assert.ok(await tokenOf(client));
  });

  await t.test('lists, reads and deletes planned faults, of the own account only', async () => {
    const { call, newClient } = service;
    const { token, plan, pay } = await open();
    const other = await newClient();
    const planned = await plan({ operation: 'createLabelReallocation', status: 429, delayMs: 1, effect: true, times: 3 });
    const url = planned.headers.location!;
    const { body } = await call('GET', url, { token });
    const { _links, id, created, ...rest } = body;
    assert.ok(url.endsWith(id) && _links.self.href === url && Date.parse(created) > 0);
    assert.deepEqual(rest, { operation: 'createLabelReallocation', status: 429, delayMs: 1, effect: true, remaining: 3 });
    const list = await call('GET', '/sandbox/faults', { token });
    assert.deepEqual([list.body.total, list.body._embedded.faults], [1, [body]]);
    assert.equal((await call('GET', '/sandbox/faults', { token: other.token })).body.total, 0);
    assertRefused(await call('GET', url, { token: other.token }), { status: 403, code: 'Forbidden' });
    assertRefused(await call('DELETE', url, { token: other.token }), { status: 403, code: 'Forbidden' });
    assert.equal((await call('DELETE', url, { token })).status, 200);
    assertRefused(await call('GET', url, { token }), { status: 404, code: 'NotFound' });
    assert.equal((await pay('1')).status, 201);
  });

  await t.test('refuses invalid faults with their pointer', async () => {
    const { plan } = await open();
    const refusals: [object, string][] = [
      [{ operation: 'nothing', status: 503 }, '/operation'],
      [{ operation: 'planFault', status: 503 }, '/operation'],
      [{ operation: 'getRoot' }, ''],
      [{ operation: 'getRoot', status: 418 }, '/status'],
      [{ operation: 'getRoot', status: 503, cut: true }, '/cut'],
      [{ operation: 'getRoot', delayMs: 5, effect: true }, '/effect'],
      [{ operation: 'getRoot', status: 503, times: 0 }, '/times'],
      [{ operation: 'getRoot', delayMs: 60_001 }, '/delayMs'],
      [{ operation: 'deliverWebhook', delayMs: 30_001 }, '/delayMs'],
    ];
    for (const [body, path] of refusals) assertRefused(await plan(body), { status: 400, code: 'ValidationError', path });
    assertRefused(await plan({}), { status: 400, code: 'BadRequest' });
  });

  await t.test('a reset keeps only the account and its applications, and affects no other account', async () => {
    const { call, sql } = service;
    const [mine, others] = [await open(), await open()];
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
      union all select 'transfer' from transfer t where not exists (select from customer c where c.id = t.customer_id)
      union all select 'account' from ledger_account a where not exists (select from customer c where c.id = a.customer_id)
      union all select 'entry' from ledger_entry e where not exists (select from ledger_account a where a.id = e.ledger_account_id)
      union all select 'event' from event where account_id = ${mine.client.account_id}`;
    assert.deepEqual(left, []);
    assert.equal((await others.pay('1', { key: 'kept' })).headers['idempotent-replayed'], 'true');
    assert.equal(await others.amountOf(others.to), '1.00');
    // The account remains usable.
    const customer = await service.newCustomer({ available: '1', token });
    assert.equal((await call('GET', customer, { token })).status, 200);
  });

  await t.test('a reset during payments deletes each completely, and each is answered', async () => {
    const { call, sql } = service;
    const mine = await open();
    const pays = Promise.all([...Array(200)].map(() => mine.pay('0.01')));
    const reset = await call('POST', '/sandbox/reset', { token: mine.token });
    assert.equal(reset.status, 200);
    for (const { status } of await pays) assert.ok([201, 404].includes(status), String(status));
    const left = await sql`
      select from transfer t where not exists (select from customer c where c.id = t.customer_id)
      union all select from ledger_entry e where not exists (select from ledger_account a where a.id = e.ledger_account_id)`;
    assert.deepEqual(left, []);
  });
});

test('after a reset of the initial sandbox account, the next start creates its customer and labels again', async (t) => {
  const first = await startService(t);
  const read = () => JSON.parse(readFileSync(join(first.dataDir, 'sandbox.json'), 'utf8'));
  const before = read();
  const token = await first.tokenOf(before);
  assert.equal((await first.call('POST', '/sandbox/reset', { token })).status, 200);
  const next = await startService(t, { beside: first, env: { PUBLIC_URL: first.url } });
  const after = read();
  assert.deepEqual([after.account_id, after.client_secret], [before.account_id, before.client_secret]);
  assert.notEqual(after.customer, before.customer);
  const { body } = await next.call('GET', after.labels[0], { token: await next.tokenOf(after) });
  assert.equal(body.amount.value, '250.00');
});
