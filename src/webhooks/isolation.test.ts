// One receiver's trouble is its own: slow and dead ones delay nobody else's deliveries.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startService } from '../../test/harness.ts';
import { startDelivery, startReceiver, until } from '../../test/receiver.ts';

const ACCOUNTS = 10;
const SUBSCRIPTIONS_EACH = 10;
const ROUNDS = 6;
/** Less than one process can serve, send and receive, so that only waiting for each other could delay anything. */
const ROUND_MS = 300;
/** The time-out of a delivery: who waited for the dead receiver would wait at least that. How long it takes instead, the test tells. */
const DEAD_FOR_MS = 10_000;

test('a hundred subscriptions and a dead receiver: the others do not wait for it', async (t) => {
  const service = await startService(t, { env: { DELIVER_WEBHOOKS: 'false', WEBHOOK_ALLOW_PRIVATE: 'true' } });
  startDelivery(service);
  const dead = await startReceiver(t, () => {});
  const alive = await startReceiver(t);
  const clients = await Promise.all(Array.from({ length: ACCOUNTS }, () => service.newClient()));
  for (const [index, { token }] of clients.entries()) {
    for (let n = 0; n < SUBSCRIPTIONS_EACH; n++) {
      const url = index === 0 && n === 0 ? dead.url : alive.url;
      const answer = await service.call('POST', '/webhook-subscriptions', { body: { url, secret: 's' }, token });
      assert.equal(answer.status, 201);
    }
  }
  for (let n = 0; n < ROUNDS; n++) {
    await Promise.all([sleep(ROUND_MS), ...clients.map(({ token }) => service.newCustomer({ token }))]);
  }
  // A customer is created, and verified.
  const wanted = 2 * ROUNDS * (ACCOUNTS * SUBSCRIPTIONS_EACH - 1);
  await until('the others got theirs', () => alive.received.length >= wanted);
  assert.ok(dead.received.length > 0, 'the dead one was tried');
  const delaysMs = alive.received.map(({ atMs, body }) => atMs - Date.parse(body.created)).sort((a, b) => a - b);
  const [median, worst] = [delaysMs[delaysMs.length >> 1]!, delaysMs.at(-1)!];
  t.diagnostic(`median ${median} ms, worst ${worst} ms`);
  assert.ok(median < DEAD_FOR_MS, `${median} ms`);
});
