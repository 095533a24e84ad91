// Clock changes: records are dated by the clock of the service, and a jump causes no error larger than the jump.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Clock } from '../src/core/clock.ts';
import { createApplication } from '../src/resources/oauth/application.ts';
import { startBeside } from './support/beside.ts';
import { type Answer, assertRefused } from './support/http.ts';
import { runCliJson } from './support/process.ts';
import { startService } from './support/service.ts';
import { assertSoundLedger } from './support/sound-ledger.ts';
import { waitUntil } from './support/wait.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Starts a service whose clock stands still until the test moves it. */
async function withClock(t: TestContext) {
  let atMs = Date.now();
  const asked = new Set<string | undefined>();
  const clock: Clock = {
    now(accountId) {
      asked.add(accountId);
      return new Date(atMs);
    },
  };
  const service = await startService(t, { clock, env: { SANDBOX_REVIEW_DELAY_MS: '86400000', DELIVER_WEBHOOKS: 'false' } });
  const jump = (ms: number) => {
    atMs += ms;
  };
  return { ...service, jump, asked, clockMs: () => atMs };
}

test('dates everything that an account sees by its own clock', async (t) => {
  const service = await withClock(t);
  const { call, client, newCustomer, newLabel, reallocation, jump, asked } = service;
  jump(-40 * DAY_MS);
  const token = await service.tokenOf(client);
  jump(-HOUR_MS / 2);
  const post = (path: string, body: unknown = {}): Promise<Answer> => call('POST', path, { token, body });
  const amount = { value: '1.00', currency: 'USD' };
  const customer = await newCustomer({ available: '10.00', token, form: { type: 'personal', businessName: undefined } });
  const [from, to] = [await newLabel(customer, '5.00', { token }), await newLabel(customer, '0', { token })];
  const subscription = (await post('/webhook-subscriptions', { url: 'https://example.com/hook', secret: 'secret' })).headers;
  const made = [
    customer,
    from,
    (await post('/label-reallocations', reallocation(from, to, '1.00'))).headers.location!,
    (await post(`${from}/ledger-entries`, { amount })).headers.location!,
    (await post(`${customer}/withdrawals`, { amount })).headers.location!,
    subscription.location!,
  ];
  assert.equal((await post(customer, { status: 'deactivated' })).status, 200);
  const now = new Date(service.clockMs()).toISOString();
  for (const url of made) assert.equal((await call('GET', url, { token })).body.created, now, url);
  const events: { created: string }[] = (await call('GET', '/events?limit=200', { token })).body._embedded.events;
  assert.ok(events.length > 6);
  for (const event of events) assert.equal(event.created, now);
  assert.ok(asked.has(client.account_id), 'the account is named');
});

/** Replaces the system clock: it stands still until the test moves it. Timers keep running. */
function machineClock(t: TestContext) {
  let atMs = Date.now();
  t.mock.timers.enable({ apis: ['Date'], now: atMs });
  return {
    jump(ms: number) {
      atMs += ms;
      t.mock.timers.setTime(atMs);
    },
  };
}

test('shifts the expiry of a token by the jump only, and keeps a revoked token revoked', async (t) => {
  const { jump } = machineClock(t);
  const service = await startService(t, { env: { DELIVER_WEBHOOKS: 'false' } });
  const { call, client, url } = service;
  const refusedAs = async (token: string, code: string) =>
    assertRefused(await call('GET', '/', { token }), { status: 401, code });
  const works = async (token: string) => assert.equal((await call('GET', '/', { token })).status, 200);
  const revoke = async (token: string) => {
    const form = new URLSearchParams({ token, client_id: client.client_id, client_secret: client.client_secret });
    assert.equal((await service.send('POST', '/token/revoke', { form: form.toString() })).status, 200);
  };
  const [before, revoked] = [await service.tokenOf(client), await service.tokenOf(client)];
  await revoke(revoked);
  jump(3 * HOUR_MS);
  await refusedAs(before, 'ExpiredAccessToken');
  const ahead = await service.tokenOf(client);
  await works(ahead);

  jump(-3 * HOUR_MS);
  await works(before);
  await works(ahead);
  await refusedAs(revoked, 'InvalidAccessToken');
  jump(4 * HOUR_MS);
  await refusedAs(ahead, 'ExpiredAccessToken');
  jump(-6 * HOUR_MS);
  const behind = await service.tokenOf(client);
  await works(behind);
  jump(2 * HOUR_MS);
  await refusedAs(behind, 'ExpiredAccessToken');
  await works(before);

  // A service that starts while the clock is wrong loads the revocation as well.
  jump(20 * HOUR_MS);
  const second = await startService(t, { beside: service, env: { PUBLIC_URL: url, DELIVER_WEBHOOKS: 'false' } });
  jump(-20 * HOUR_MS);
  for (const { send } of [service, second]) {
    assert.equal((await send('GET', '/', { token: before })).status, 200);
    assertRefused(await send('GET', '/', { token: revoked }), { status: 401, code: 'InvalidAccessToken' });
  }
});

test('picks up changes of applications immediately after a jump', async (t) => {
  const { jump } = machineClock(t);
  const service = await startService(t, { env: { DELIVER_WEBHOOKS: 'false' } });
  const { database, sealer } = service.service;
  for (const ms of [DAY_MS, -DAY_MS]) {
    jump(ms);
    const form = { accountId: service.client.account_id, name: 'New', scopes: ['read' as const] };
    const made = await database.transaction((tx) => createApplication(tx, sealer, form));
    await service.tokenOf(made);
    await service.call('GET', '/', { token: 'unknown' });
    await database.sql`update application set disabled = now(), changed = now() where id = ${made.client_id}`;
    const body = new URLSearchParams({ grant_type: 'client_credentials', ...made }).toString();
    await waitUntil(
      'the application is disabled in the second process',
      async () => (await service.send('POST', '/token', { form: body })).status === 401,
    );
  }
});

test('keeps order and idempotency independent of the clock', async (t) => {
  const { jump } = machineClock(t);
  const service = await startService(t, { env: { DELIVER_WEBHOOKS: 'false', TOKEN_TTL_SECONDS: '86400' } });
  const { call, newCustomer, newLabel, reallocation, client } = service;
  const customer = await newCustomer({ available: '100.00' });
  const [from, to] = [await newLabel(customer, '50.00'), await newLabel(customer)];
  const labels = [from, to];
  const moves: { key: string; location: string | undefined }[] = [];
  const move = (key: string, token: string) =>
    call('POST', '/label-reallocations', { body: reallocation(from, to, '1.00'), key, token });
  // Forward also by more than the lifetime of a key.
  for (const ms of [0, 3 * HOUR_MS, 2 * DAY_MS, -5 * HOUR_MS, -800 * DAY_MS, 400 * DAY_MS, 400 * DAY_MS + 7 * HOUR_MS]) {
    jump(ms);
    const token = await service.tokenOf(client);
    for (const { key, location } of moves) {
      const again = await move(key, token);
      assert.deepEqual([again.headers['idempotent-replayed'], again.headers.location], ['true', location]);
    }
    const made = await move(`after-${ms}`, token);
    assert.deepEqual([made.status, made.headers['idempotent-replayed']], [201, undefined]);
    moves.push({ key: `after-${ms}`, location: made.headers.location });
    labels.push(await newLabel(customer, '0', { token }));
  }
  const token = await service.tokenOf(client);
  const list = async (path: string, name: string) =>
    (await call('GET', `${path}?limit=50`, { token })).body._embedded[name].map((one: Answer['body']) => one._links.self.href);
  assert.deepEqual(await list(`${customer}/labels`, 'labels'), labels.toReversed());
  const { body } = await call('GET', `${to}/ledger-entries?limit=50`, { token });
  assert.deepEqual(
    body._embedded['ledger-entries'].map((entry: { sequence: number }) => entry.sequence),
    [7, 6, 5, 4, 3, 2, 1],
  );
  const events = (await call('GET', '/events?limit=200&order=oldest&topic=customer_label_reallocation_created', { token })).body;
  assert.deepEqual(
    events._embedded.events.map((event: { _links: { resource: { href: string } } }) => event._links.resource.href),
    moves.map(({ location }) => location),
  );
  assert.equal((await call('GET', to, { token })).body.amount.value, '7.00');
  await assertSoundLedger(service.service.database);
});

/** A module that sets the clock of its process ahead, as if it had been before the process began. */
const setAhead = (ms: number) => `
  const Real = Date;
  globalThis.Date = class extends Real {
    constructor(...parts) { super(...(parts.length > 0 ? parts : [Real.now() + ${ms}])); }
    static now() { return Real.now() + ${ms}; }
  };
  Object.defineProperty(performance, 'timeOrigin', { value: performance.timeOrigin + ${ms} });`;

test('a service that starts with its clock ahead of the database frees no keys', async (t) => {
  const first = await startService(t, { env: { DELIVER_WEBHOOKS: 'false' } });
  const { customer, from, to } = await first.newLabels();
  const calls: [path: string, body: unknown][] = [
    ['/label-reallocations', first.reallocation(from, to, '1.00')],
    [`${customer}/labels`, { amount: { value: '0', currency: 'USD' } }],
  ];
  const made: Answer[] = [];
  for (const [path, body] of calls) made.push(await first.call('POST', path, { body, key: path }));
  const env = {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(setAhead(2 * DAY_MS))}`,
    DELIVER_WEBHOOKS: 'false',
  };
  const ahead = await startBeside(t, first, env);
  const { databaseUrl: DATABASE_URL, dataDir: DATA_DIR } = first;
  const pruned = await runCliJson(t, ['jobs', 'run', 'prune-idempotency-keys'], { ...env, DATABASE_URL, DATA_DIR });
  assert.deepEqual(pruned, { deleted: 0 });
  const { client_id, client_secret } = first.client;
  const form = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret }).toString();
  const token = (await ahead.send('POST', '/token', { form })).body.access_token;
  for (const [index, [path, body]] of calls.entries()) {
    const again = await ahead.send('POST', path, { body, key: path, token });
    assert.deepEqual([again.status, again.headers['idempotent-replayed']], [201, 'true'], path);
    assert.equal(again.headers.location, made[index]!.headers.location);
  }
});
