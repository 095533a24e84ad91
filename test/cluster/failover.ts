// The coordinator fails over to a standby that is behind: the feed, webhooks and the ledger check have every event once. Run by run.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { callAgain, idOf } from '../support/http.ts';
import { openRandom } from '../support/random.ts';
import { waitUntil } from '../support/wait.ts';
import { SECRET } from '../support/webhook-accounts.ts';
import { startReceiver } from '../support/webhooks.ts';
import { checkAll, stopUnharmed } from './fault-check.ts';
import { startFaultLoad } from './fault-load.ts';
import { openFaultTarget } from './fault-target.ts';
import { crashServer } from './server-processes.ts';

const WARM_UP_MS = 2_000;
/** Events that the standby lacks. */
const BEHIND = 100;

test('no event is lost when a standby that is behind becomes the coordinator', async (t) => {
  const target = await openFaultTarget(t, { WEBHOOK_ALLOW_PRIVATE: 'true' });
  const { coordinator } = target.cluster;
  const receiver = await startReceiver(t);
  const body = { url: receiver.url, secret: SECRET, topics: ['customer_label_reallocation_created'] };
  await callAgain(`${target.url}/webhook-subscriptions`, target.token, body);
  const told = () => new Set(receiver.received.map(({ body }) => body.resourceId));
  const standby = await target.cluster.addStandby(coordinator);

  const load = startFaultLoad(t, { ...target, random: openRandom(1), name: 'failover' });
  await sleep(WARM_UP_MS);
  await standby.kill();
  const waiting = () =>
    target.database.sql<{ first: string }>`select ids[1][1] as first from event_outbox where settled is not null`;
  await waitUntil('rows of the outbox wait for the standby', async () => (await waiting()).length > 0);
  const waited = (await waiting()).map(({ first }) => first);
  await standby.start();
  const gone = async () => (await waiting()).every(({ first }) => !waited.includes(first));
  await waitUntil('they wait no longer than it needs', gone);

  await standby.kill();
  const events = () => target.database.sql<{ id: string; position: bigint }>`select id, position from event`;
  const had = (await events()).length;
  await waitUntil('the standby is behind', async () => (await events()).length >= had + BEHIND);
  const before = await events();
  crashServer(coordinator);
  // More than the standby lacks: new events take the places of lost ones, which subscriptions have passed.
  const answered = () => load.calls.filter(({ status }) => status === 201).length;
  const answeredBefore = answered();
  await waitUntil('money moves without a coordinator', () => answered() >= answeredBefore + 2 * (before.length - had));
  await standby.start();
  await target.cluster.takeOver(standby, coordinator);
  const attempts = await stopUnharmed(target, load);
  await checkAll(t, target, attempts);
  const after = await events();
  const places = new Map(after.map(({ id, position }) => [id, position]));
  assert.ok(
    before.some(({ id, position }) => places.get(id) !== position),
    'the standby lacked some of them',
  );
  const made = attempts.flatMap(({ location }) => location ?? []).map(idOf);
  await waitUntil('webhooks tell all', () => made.every((id) => told().has(id)));
  const isEmpty = async () => (await target.database.sql`select bucket from event_outbox limit 1`).length === 0;
  await waitUntil('the outbox is empty', isEmpty);
});
