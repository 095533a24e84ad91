// The clock of a service: everything it dates follows it, and its jumps break nothing by more than they are wide.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Clock } from '../src/clock.ts';
import { type Answer, startService } from './harness.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A service whose clock stands still until it is told to jump. */
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

test('all that an account sees is dated by its clock', async (t) => {
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
