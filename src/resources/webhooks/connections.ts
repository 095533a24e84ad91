// The connections of a delivery worker: to the feed, and to each group of webhooks on the server that holds it.
import type { FastifyBaseLogger } from 'fastify';
import { isCluster } from '../../platform/db/cluster.ts';
import { addConnections, type Groups, openGroups } from '../../platform/db/groups.ts';
import { type Database, LIMITS, openDatabase, type Sql } from '../../platform/db/sql.ts';

/** `feed`: the single server, or the coordinator of a cluster. `connections`: statistics of all. */
export type Connections = { feed: Sql; groups: Groups; connections: Database['connections']; close(): Promise<void> };

/** A settlement, a claim and a record. */
const SINGLE_SERVER = 3;
/** Parts of the outbox are settled at the same time. */
const COORDINATOR = 3;
/** A claim and a record. */
const EACH_GROUP = 2;

/** Opens connections for one worker. `sql`: on the same database. */
export async function openConnections(
  sql: Sql,
  options: { databaseUrl: string; log: FastifyBaseLogger; onError: (error: Error) => void },
): Promise<Connections> {
  if (!(await isCluster(sql))) {
    const groups = await openGroups(sql, { ...options, lanes: 1, connections: SINGLE_SERVER, limits: LIMITS.delivery });
    return { feed: groups.database(0).sql, groups, connections: groups.connections, close: groups.close };
  }
  // A cluster does not wait long for one of its servers: settling asks all, and `stop` waits for what runs.
  const limits = LIMITS.request;
  const groups = await openGroups(sql, { ...options, lanes: 1, connections: EACH_GROUP, limits });
  const coordinator = openDatabase(options.databaseUrl, { max: COORDINATOR, onError: options.onError, limits });
  return {
    feed: coordinator.sql,
    groups,
    connections: () => addConnections(coordinator.connections(), groups.connections()),
    async close() {
      await Promise.all([coordinator.close(), groups.close()]);
    },
  };
}
