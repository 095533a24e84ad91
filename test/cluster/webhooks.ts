// Webhooks while a worker does not answer: those of subscriptions in groups of other workers go on, and none is lost. Run by run.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { callAgain, idOf } from '../support/http.ts';
import { openRandom } from '../support/random.ts';
import type { TestScope } from '../support/test-scope.ts';
import { waitUntil } from '../support/wait.ts';
import { SECRET } from '../support/webhook-accounts.ts';
import { type Receiver, startReceiver } from '../support/webhooks.ts';
import { startFaultLoad } from './fault-load.ts';
import { type FaultTarget, openFaultTarget } from './fault-target.ts';
import { continueServer, crashServer, stopServer } from './server-processes.ts';

const WARM_UP_MS = 2_000;
const AWAY_MS = 10_000;

test('webhooks of other groups go on without a worker, and those of its groups come when it is back', async (t) => {
  const target = await openFaultTarget(t, { WEBHOOK_ALLOW_PRIVATE: 'true' });
  const receivers = await subscribeOnEachWorker(t, target);
  const servers = await target.findServers(target.customers);
  const [kept, lost] = target.cluster.workers;
  const [keptPort, lostPort] = [target.portOf(kept!.name), target.portOf(lost!.name)];
  const served = target.customers.filter(({ customer }) => servers.get(customer) === keptPort);
  const expected: string[] = [];
  for (const [name, begin, end] of [
    ['stopped', () => stopServer(lost!), async () => continueServer(lost!)],
    ['killed', () => crashServer(lost!), lost!.start],
  ] as const) {
    const load = startFaultLoad(t, { ...target, customers: served, random: openRandom(1), name });
    await sleep(WARM_UP_MS);
    begin();
    await sleep(AWAY_MS);
    await load.served();
    const attempts = await load.stop();
    const made = attempts.flatMap(({ location }) => location ?? []).map(idOf);
    assert.ok(made.length > 0);
    expected.push(...made);
    const other = () => misses(receivers.get(keptPort)!, expected) === 0;
    await waitUntil(`${name}: the other subscription gets its webhooks`, other);
    assert.ok(misses(receivers.get(lostPort)!, expected) > 0, 'no worker has the group of this subscription');
    await end();
    const all = () => misses(receivers.get(lostPort)!, expected) === 0;
    await waitUntil(`${name}: the subscription gets its webhooks when the worker is back`, all);
  }
  for (const { received } of receivers.values()) {
    const ids = Map.groupBy(received, ({ body }) => body.id);
    for (const same of ids.values()) assert.equal(new Set(same.map(({ headers }) => headers['webhook-id'])).size, 1);
  }
});

/** The number of reallocations whose event did not arrive. */
function misses({ received }: Receiver, reallocations: string[]): number {
  const arrived = new Set(received.map(({ body }) => body.resourceId));
  return reallocations.filter((id) => !arrived.has(id)).length;
}

/** Creates subscriptions until each worker has one, and returns their receivers by the port of the worker. */
async function subscribeOnEachWorker(t: TestScope, target: FaultTarget): Promise<Map<number, Receiver>> {
  const { url, token, cluster, findServers } = target;
  const receivers = new Map<number, Receiver>();
  while (receivers.size < cluster.workers.length) {
    const receiver = await startReceiver(t);
    const body = { url: receiver.url, secret: SECRET, topics: ['customer_label_reallocation_created'] };
    const { location } = await callAgain(`${url}/webhook-subscriptions`, token, body);
    const port = (await findServers([{ customer: location, labels: [] }])).get(location)!;
    if (!receivers.has(port)) receivers.set(port, receiver);
    else await fetch(location, { method: 'DELETE', headers: { authorization: `Bearer ${token}` } });
  }
  return receivers;
}
