// The target of faults: a service as a separate process on a durable cluster, with customers on every worker.
import { join } from 'node:path';
import { bucketOf } from '../../src/core/ids.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { openDatabase } from '../../src/platform/db/sql.ts';
import type { CustomerLabels } from '../crash/load.ts';
import { makeCustomers, openSandboxService } from '../crash/target.ts';
import { idOf } from '../support/http.ts';
import { type Env, scratch } from '../support/process.ts';
import type { TestScope } from '../support/test-scope.ts';
import { createClusterDatabase, createDatabaseOn, runOn, startCluster, urlOf } from './cluster.ts';
import { startNetwork } from './network.ts';
import { continueServer } from './server-processes.ts';

export type FaultTarget = Awaited<ReturnType<typeof openFaultTarget>>;

export const DATABASE = 'earmark';
const GROUPS = 4;

/** Starts a cluster of two workers and a service. They end with `t`. The second worker is behind a proxy. */
export async function openFaultTarget(t: TestScope, env: Env = {}) {
  const dataDir = join(scratch(t), 'data');
  const { cluster, network, databaseUrl } = await openMigratedCluster(t);
  const { workers } = cluster;
  const [first, second] = workers;

  const settings = { DATABASE_URL: databaseUrl, MODE: 'sandbox', ...env };
  const { url, token, caller, service, ready } = await openSandboxService(t, dataDir, settings);
  const database = openDatabase(databaseUrl, { max: 2, onError: () => {} });
  t.after(() => database.close());

  /** The port of the server that holds each customer. */
  async function findServers(customers: CustomerLabels[]): Promise<Map<string, number>> {
    const buckets = customers.map(({ customer }) => bucketOf(idOf(customer)));
    const rows = await database.sql<{ bucket: number; port: bigint }>`
      select b.bucket, p.nodeport as port
      from unnest(${buckets}::int[]) b (bucket)
      join pg_dist_shard_placement p on p.shardid = get_shard_id_for_distribution_column('ledger_account', b.bucket)`;
    const ports = new Map(rows.map(({ bucket, port }) => [bucket, Number(port)]));
    return new Map(customers.map(({ customer }, index) => [customer, ports.get(buckets[index]!)!]));
  }

  const customers: CustomerLabels[] = [];
  /** Enough customers that each worker has some. */
  while (customers.length < CUSTOMERS_MIN || new Set((await findServers(customers)).values()).size < workers.length)
    customers.push(...(await makeCustomers(url, token)));
  return {
    ...{ cluster, network, databaseUrl, dataDir, database, url, token, caller, customers, service, ready, findServers },
    /** The port at which the cluster knows a worker. */
    portOf: (name: string) => (name === second!.name ? network.port : first!.port),
    /** Starts an empty worker with the database, which is not part of the cluster yet. */
    async addServer(name: string) {
      const node = await cluster.addServer(name);
      await createDatabaseOn(node.port, DATABASE);
      return node;
    },
  };
}

/** Starts a cluster with a migrated database. The second worker is behind a proxy. */
async function openMigratedCluster(t: TestScope) {
  const cluster = await startCluster({ workers: 2, durable: true });
  const { coordinator, workers } = cluster;
  t.after(async () => {
    for (const node of [coordinator, ...workers]) continueServer(node);
    await cluster.stop();
  });
  const [first, second] = workers;
  const network = await startNetwork(t, second!.port);
  const databaseUrl = urlOf(coordinator.port, DATABASE);
  await createClusterDatabase([coordinator.port, first!.port], DATABASE);
  await createDatabaseOn(second!.port, DATABASE);
  await runOn(databaseUrl, `select citus_add_node('127.0.0.1', ${network.port})`);
  await migrate(databaseUrl, { groups: GROUPS });
  return { cluster, network, databaseUrl };
}

const CUSTOMERS_MIN = 12;
