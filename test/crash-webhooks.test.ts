// Delivers each committed event at least once after kill -9 of the worker at every step: duplicates carry the same id, and nothing
// arrives for what was rolled back.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { newId, randomBucket } from '../src/core/ids.ts';
import type { Step } from '../src/resources/webhooks/claim.ts';
import { startService, type TestService } from './support/service.ts';
import { waitUntil } from './support/wait.ts';
import { startDelivery, startReceiver } from './support/webhooks.ts';

const LEASE_MS = 1_500;
const EVENTS = 60;
const STEPS: [Step, times: number][] = [
  ['settled', 1],
  ['claimed', 1],
  ['sending', 1],
  ['sending', 20],
  ['answered', 1],
  ['answered', 20],
  ['recording', 1],
  ['recorded', 1],
];

/** Each test uses its own account. */
const shared = await startService({ after }, { env: { DELIVER_WEBHOOKS: 'false', WEBHOOK_ALLOW_PRIVATE: 'true' } });

type Account = Pick<TestService, 'service' | 'client' | 'databaseUrl' | 'dataDir' | 'url'>;

/** Writes events, and rolls every third transaction back; returns the ids of the committed ones. */
async function writeEvents(service: Account): Promise<Set<string>> {
  const committed = new Set<string>();
  for (let n = 0; n < EVENTS; n++) {
    const bucket = randomBucket();
    const id = newId(bucket);
    const write = service.service.database.transaction(async (tx) => {
      await tx`
        insert into event_outbox (bucket, ids, account_id, topic, created)
        values (outbox_bucket(${bucket}), array[[${id}], [${id}], [${id}]]::uuid[], ${service.client.account_id}, 'customer_created', ${new Date()})`;
      if (n % 3 === 0) throw new Error('rolled back');
      committed.add(id);
    });
    await write.catch(() => {});
  }
  return committed;
}

async function workUntilKilled(service: Account, step: Step, times: number): Promise<void> {
  const args = [service.databaseUrl, service.dataDir, service.url, String(LEASE_MS), step, String(times)];
  const child = spawn(process.execPath, [join(import.meta.dirname, 'support/crashing-worker.ts'), ...args], { stdio: 'inherit' });
  const [, signal] = await once(child, 'exit');
  assert.equal(signal, 'SIGKILL', `the worker was killed at ${step}`);
}

for (const [step, times] of STEPS) {
  test(`killed at step ${step}, time ${times}`, async (t) => {
    const service = { ...shared, ...(await shared.newPlatform()) };
    const receiver = await startReceiver(t);
    const body = { url: receiver.url, secret: 'secret' };
    assert.equal((await service.call('POST', '/webhook-subscriptions', { body })).status, 201);
    const committed = await writeEvents(service);
    await workUntilKilled(service, step, times);
    t.after((await startDelivery(service, { leaseMs: LEASE_MS })).stop);
    await waitUntil('everything has arrived', () => new Set(receiver.received.map((one) => one.body.id)).size >= committed.size);
    await waitUntil('everything is written', async () => {
      const [left] = await service.sql<{ due: bigint; behind: bigint }>`
        select (select count(*) from webhook_due) as due, (select count(*) from event_head h join webhook_subscription s using (account_id) where s.position < h.position) as behind`;
      return left!.due === 0n && left!.behind === 0n;
    });
    assert.deepEqual(new Set(receiver.received.map((one) => one.body.id)), committed);
    for (const same of Map.groupBy(receiver.received, (one) => one.body.id).values()) {
      assert.equal(new Set(same.map((one) => one.headers['webhook-id'])).size, 1);
    }
    const [kept] = await service.sql<{ webhooks: bigint; tried: bigint }>`
      select count(*) as webhooks, count(*) filter (where exists (select 1 from webhook_attempt a where a.bucket = w.bucket and a.webhook_id = w.id)) as tried
      from webhook w where w.account_id = ${service.client.account_id}`;
    assert.deepEqual(kept, { webhooks: BigInt(committed.size), tried: BigInt(committed.size) });
  });
}
