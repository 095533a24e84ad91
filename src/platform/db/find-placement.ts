// Finds out where the rows of customers are.
import { hasCitus } from './cluster/servers.ts';
import { openSingleServerGroups } from './groups.ts';
import type { Placement } from './placement.ts';
import { identifier, type Sql } from './sql.ts';

/** The placement of the database. What a cluster needs is loaded only on its coordinator. */
export async function findPlacement(sql: Sql): Promise<Placement> {
  if (!(await hasCitus(sql))) return onSingleServer(sql);
  const { isDistributed, onCluster } = await import('./cluster/placement.ts');
  return (await isDistributed(sql)) ? onCluster(sql) : onSingleServer(sql);
}

function onSingleServer(sql: Sql): Placement {
  return {
    isFeedApart: false,
    isShownInParts: false,
    openGroups: async (options) => openSingleServerGroups(options),
    async sizeOf(table) {
      const [row] = await sql<{ bytes: bigint }>`select pg_relation_size(${table}) as bytes`;
      return row!.bytes;
    },
    async runEverywhere(statement) {
      await sql`${identifier(statement)}`;
    },
  };
}
