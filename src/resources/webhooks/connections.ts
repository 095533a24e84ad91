// The connections of a delivery worker: to the feed, and to each group of webhooks on the server that holds it.
import type { FastifyBaseLogger } from 'fastify';
import { findPlacement } from '../../platform/db/find-placement.ts';
import { addConnections, type Groups } from '../../platform/db/groups.ts';
import { type Database, LIMITS, openDatabase, type Sql } from '../../platform/db/sql.ts';

/** `isFeedApart`: the feed is on another server than the groups. `connections`: statistics of all. */
export type Connections = {
  feed: Sql;
  isFeedApart: boolean;
  groups: Groups;
  connections: Database['connections'];
  close(): Promise<void>;
};

/** A settlement or a claim, a record, and a reading of subscriptions. */
const SINGLE_SERVER = 3;
/** Parts of the outbox are settled at the same time. */
const COORDINATOR = 3;
/** A claim and a record. A reading of subscriptions waits for one of them. */
const EACH_GROUP = 2;

/** Opens connections for one worker. `sql`: on the same database. */
export async function openConnections(
  sql: Sql,
  options: { databaseUrl: string; log: FastifyBaseLogger; onError: (error: Error) => void },
): Promise<Connections> {
  const { isFeedApart, openGroups } = await findPlacement(sql);
  if (!isFeedApart) {
    const groups = await openGroups({ ...options, lanes: 1, connections: SINGLE_SERVER, limits: LIMITS.delivery });
    return { feed: groups.database(0).sql, isFeedApart, groups, connections: groups.connections, close: groups.close };
  }
  // A cluster does not wait long for one of its servers: settling asks all, and `stop` waits for what runs.
  const limits = LIMITS.request;
  const groups = await openGroups({ ...options, lanes: 1, connections: EACH_GROUP, limits });
  const coordinator = openDatabase(options.databaseUrl, { max: COORDINATOR, onError: options.onError, limits });
  return {
    feed: coordinator.sql,
    isFeedApart,
    groups,
    connections: () => addConnections(coordinator.connections(), groups.connections()),
    async close() {
      await Promise.all([coordinator.close(), groups.close()]);
    },
  };
}
