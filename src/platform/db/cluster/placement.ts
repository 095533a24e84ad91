// The placement of a database on a Citus cluster.
import type { Placement } from '../placement.ts';
import type { Sql } from '../sql.ts';
import { openClusterGroups } from './groups.ts';

/** `sql`: on the coordinator. */
export function onCluster(sql: Sql): Placement {
  return {
    isFeedApart: true,
    isShownInParts: true,
    openGroups: (options) => openClusterGroups(sql, options),
    async sizeOf(table) {
      const [row] = await sql<{ bytes: bigint }>`select citus_relation_size(${table}) as bytes`;
      return row!.bytes;
    },
    async runEverywhere(statement) {
      await sql`select result from run_command_on_all_nodes(${statement})`;
    },
  };
}

/** Whether the cluster has workers with the tables of customers. */
export async function isDistributed(sql: Sql): Promise<boolean> {
  const shards = await sql`select 1 from pg_dist_shard where logicalrelid = to_regclass('ledger_account') limit 1`;
  return shards.length > 0;
}
