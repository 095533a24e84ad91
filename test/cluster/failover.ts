// The coordinator fails over to a standby that is behind: the feed, webhooks and the ledger check have every event once. Run by run.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { call, idOf } from '../support/http.ts';
import { openRandom } from '../support/random.ts';
import { HANGS_MS, waitUntil } from '../support/wait.ts';
import { SECRET } from '../support/webhook-accounts.ts';
import { startReceiver } from '../support/webhooks.ts';
import { check, checkAll } from './fault-check.ts';
import { startFaultLoad } from './fault-load.ts';
import { type FaultTarget, openFaultTarget } from './fault-target.ts';
import { crashServer } from './server-processes.ts';

const WARM_UP_MS = 2_000;
/** Less than the time without a coordinator: new events take the places of lost ones, which subscriptions have passed. */
const BEHIND_MS = 1_000;
const AWAY_MS = 3_000;
const AFTER_MS = 3_000;

test('no event is lost when a standby that is behind becomes the coordinator', async (t) => {
  const target = await openFaultTarget(t, { WEBHOOK_ALLOW_PRIVATE: 'true' });
  const { coordinator } = target.cluster;
  const receiver = await startReceiver(t);
  const body = { url: receiver.url, secret: SECRET, topics: ['customer_label_reallocation_created'] };
  await call(`${target.url}/webhook-subscriptions`, target.token, body);
  const told = () => new Set(receiver.received.map(({ body }) => body.resourceId));
  const standby = await target.cluster.addStandby(coordinator);

  const load = startFaultLoad(t, { ...target, random: openRandom(1), name: 'failover' });
  await sleep(WARM_UP_MS);
  await standby.kill();
  await waitUntil('rows of the outbox wait for the standby', async () => (await outboxOf(target)).waiting > 0);
  await standby.start();
  await waitUntil('they wait no longer than it needs', async () => (await outboxOf(target)).oldest < WARM_UP_MS);

  await standby.kill();
  await sleep(BEHIND_MS);
  const before = await target.database.sql<{ id: string; position: bigint }>`select id, position from event`;
  crashServer(coordinator);
  await sleep(AWAY_MS);
  await standby.start();
  await target.cluster.takeOver(standby, coordinator);
  await sleep(AFTER_MS);
  const attempts = await load.stop();

  const { lost, twice } = await check(target, attempts);
  assert.deepEqual({ lost, twice }, { lost: 0, twice: 0 });
  await checkAll(t, target, attempts);
  const after = await target.database.sql<{ id: string; position: bigint }>`select id, position from event`;
  const places = new Map(after.map(({ id, position }) => [id, position]));
  assert.ok(
    before.some(({ id, position }) => places.get(id) !== position),
    'the standby lacked some of them',
  );
  const made = attempts.flatMap(({ location }) => location ?? []).map(idOf);
  await waitUntil('webhooks tell all', () => made.every((id) => told().has(id)), HANGS_MS);
  await waitUntil('the outbox is empty', async () => (await outboxOf(target)).rows === 0);
});

/** The rows of the outbox, those that wait for standbys, and for how many milliseconds the oldest has been there. */
async function outboxOf({ database }: FaultTarget): Promise<{ rows: number; waiting: number; oldest: number }> {
  const [row] = await database.sql<{ rows: bigint; waiting: bigint; oldest: number }>`
    select count(*) as rows, count(settled) as waiting,
      coalesce(extract(epoch from clock_timestamp() - min(written)) * 1000, 0)::float8 as oldest
    from event_outbox`;
  return { rows: Number(row!.rows), waiting: Number(row!.waiting), oldest: row!.oldest };
}
