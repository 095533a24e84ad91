// A worker that is dead while the service starts, and a worker that is replaced at another address under load. Run by run.ts.
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sandboxOf } from '../support/process.ts';
import { openRandom } from '../support/random.ts';
import { waitUntil } from '../support/wait.ts';
import { runOn } from './cluster.ts';
import { checkAll, stopAnswered, stopUnharmed } from './fault-check.ts';
import { startFaultLoad } from './fault-load.ts';
import { openFaultTarget } from './fault-target.ts';
import { startNetwork } from './network.ts';
import { crashServer } from './server-processes.ts';

const WARM_UP_MS = 1_000;
/** Answers to each customer of the other workers while one is dead. */
const SERVED_EACH = 20;

test('lanes follow a worker to another address, and every call is done once', async (t) => {
  const target = await openFaultTarget(t);
  const other = await startNetwork(t, target.cluster.workers[1]!.port);
  const load = startFaultLoad(t, { ...target, random: openRandom(1), name: 'replaced' });
  await sleep(WARM_UP_MS);
  await runOn(
    target.databaseUrl,
    `select citus_update_node(nodeid, '127.0.0.1', ${other.port}) from pg_dist_node where nodeport = ${target.network.port}`,
  );
  await waitUntil('lanes use the new address only', () => other.isUsed() && !target.network.isUsed());
  target.network.close();
  await checkAll(t, target, await stopUnharmed(target, load));
});

test('a service starts while a worker is dead, and serves the customers of the others', async (t) => {
  const target = await openFaultTarget(t);
  const { customer } = sandboxOf(target.dataDir);
  // The sandbox reads its own customer when it starts.
  const needed = (await target.findServers([{ customer, labels: [] }])).get(customer);
  const dead = target.cluster.workers.find(({ name }) => target.portOf(name) !== needed)!;
  const servers = await target.findServers(target.customers);
  const served = target.customers.filter(({ customer }) => servers.get(customer) !== target.portOf(dead.name));
  crashServer(dead);
  target.service().child.kill('SIGKILL');
  await target.service().ended;
  await target.ready();
  const healthy = startFaultLoad(t, { ...target, customers: served, random: openRandom(1), name: 'healthy' });
  await healthy.served(SERVED_EACH);
  const attempts = await stopAnswered(healthy);
  await dead.start();
  const load = startFaultLoad(t, { ...target, random: openRandom(2), name: 'all' });
  attempts.push(...(await stopUnharmed(target, load)));
  await checkAll(t, target, attempts);
});
