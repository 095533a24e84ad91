// The two sides of the comparison with a cluster: a plain server, and a Citus cluster of a coordinator and two workers, on the same
// binaries and with the same settings. Each has a service and the same number of customers.
import { pino } from 'pino';
import { bucketOf } from '../src/core/ids.ts';
import { findPlacement } from '../src/platform/db/find-placement.ts';
import { POSTING } from '../src/platform/db/groups.ts';
import { migrate } from '../src/platform/db/migrate.ts';
import { type Database, type Fragment, openDatabase } from '../src/platform/db/sql.ts';
import { type Cluster, createClusterDatabase, runOn, startCluster, urlOf } from '../test/cluster/cluster.ts';
import { serverCpuSeconds } from './processes.ts';
import { openStage, type Stage } from './stage.ts';

export const GROUPS = 4;

export type Side = {
  name: 'plain' | 'cluster';
  stage: Stage;
  /** Connects to the server of one group, as its lane does. */
  lane: Database;
  /** Posts transfers of that group. */
  posting: Fragment;
  /** The labels of customers in that group. */
  labels: string[][];
  /** CPU seconds so far of the servers with customers, and of the coordinator. */
  cpu(): Cpu;
};
export type Cpu = { workers: number; coordinator: number };

const WORKERS = 2;
const NAME = 'earmark';

/** Starts both sides; `close` ends their processes and removes their files. */
export async function openSides(): Promise<{ sides: [Side, Side]; close(): Promise<void> }> {
  const cluster = await startCluster({ workers: WORKERS, durable: true });
  const stages: Stage[] = [];
  const close = async () => {
    for (const stage of stages) await stage.close();
    await cluster.stop();
  };
  try {
    const plain = await openPlain(cluster, stages);
    return { sides: [plain, await openDistributed(cluster, stages)], close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openPlain(cluster: Cluster, stages: Stage[]): Promise<Side> {
  const server = await cluster.addServer('plain', { plain: true });
  const url = urlOf(server.port, NAME);
  await runOn(urlOf(server.port, 'postgres'), `create database ${NAME}`);
  await migrate(url);
  const stage = await openStage({ databaseUrl: url });
  stages.push(stage);
  return {
    name: 'plain',
    stage,
    lane: openDatabase(url, { max: 1, onError: () => {} }),
    posting: POSTING,
    labels: stage.labels.slice(0, stage.labels.length / GROUPS),
    cpu: () => ({ workers: serverCpuSeconds(server.pid())!, coordinator: 0 }),
  };
}

async function openDistributed({ coordinator, workers }: Cluster, stages: Stage[]): Promise<Side> {
  await createClusterDatabase(
    [coordinator, ...workers].map(({ port }) => port),
    NAME,
  );
  const url = urlOf(coordinator.port, NAME);
  await migrate(url, { groups: GROUPS });
  const stage = await openStage({ databaseUrl: url });
  stages.push(stage);
  const { openGroups } = await findPlacement(stage.database.sql);
  const groups = await openGroups({
    databaseUrl: url,
    lanes: 1,
    log: pino({ level: 'silent' }),
    onError: () => {},
  });
  return {
    name: 'cluster',
    stage,
    lane: groups.database(0),
    posting: groups.posting(0),
    labels: stage.labels.filter(([first]) => groups.of(bucketOf(first!)) === 0),
    cpu: () => ({
      workers: workers.reduce((sum, worker) => sum + serverCpuSeconds(worker.pid())!, 0),
      coordinator: serverCpuSeconds(coordinator.pid())!,
    }),
  };
}
