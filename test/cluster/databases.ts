// Test databases on a cluster: each is a copy, on every server, of a migrated template. EARMARK_TEST_CLUSTER has the servers' ports, the
// coordinator first.
import { migrate } from '../../src/platform/db/migrate.ts';
import { LIMITS } from '../../src/platform/db/sql.ts';

/** Undefined in the suite on a single server, which loads nothing for a cluster. */
export const clusterPorts = process.env.EARMARK_TEST_CLUSTER?.split(',').map(Number);

/** Beside its three servers and other tests, a service in a test gets its answers late. */
const PATIENCE = 5;
const GROUPS = 4;
const SOURCE = 'earmark_source';

/** Makes the template on every server, and returns the URL of the coordinator. */
export async function createTemplate(ports: number[], template: string): Promise<string> {
  const { createClusterDatabase, runOn, urlOf } = await import('./cluster.ts');
  const [coordinator] = ports;
  await createClusterDatabase(ports, SOURCE);
  // The database of the URL, for tests that need a connection to no test database.
  await runOn(urlOf(coordinator!, 'postgres'), 'create database earmark');
  await migrate(urlOf(coordinator!, SOURCE), { groups: GROUPS });
  // Only a database without connections can be copied. A template that nobody connects to gets no maintenance process.
  for (const port of ports) {
    await runOn(
      urlOf(port, 'postgres'),
      `alter database ${SOURCE} allow_connections false`,
      `do $$ begin
         loop
           perform pg_terminate_backend(pid) from pg_stat_activity where datname = '${SOURCE}';
           exit when not found;
           perform pg_stat_clear_snapshot(), pg_sleep(0.1);
         end loop;
       end $$`,
      `create database ${template} template ${SOURCE} strategy file_copy`,
    );
  }
  return urlOf(coordinator!, 'earmark');
}

/** Lets the services of this process wait for longer than users would, so that no test depends on how busy the machine is. */
export function bePatient(): void {
  for (const limits of Object.values(LIMITS)) {
    limits.connectMs *= PATIENCE;
    limits.statementMs *= PATIENCE;
  }
}

/** Runs a statement on every server. */
export async function onEveryServer(ports: number[], statement: string): Promise<void> {
  const { runOn, urlOf } = await import('./cluster.ts');
  await Promise.all(ports.map((port) => runOn(urlOf(port, 'postgres'), statement)));
}
