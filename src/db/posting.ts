// Posting on a Citus cluster: a copy of post_transfers() for each group, which names the shards of the group instead of its tables. The
// server that holds them runs it like a single server, with plans that are made once.
import type pg from 'pg';

type Group = { shard: string; tables: string[]; shards: string[] };

/** The function that replaces the original calls this one. */
const REPLACEMENT = 'post_transfers_anywhere';
/** A view that the function reads. A copy contains its text, because views of shards do not exist on the coordinator. */
const VIEW = 'transfer_answer';
const NAME = /FUNCTION (\w+)\.post_transfers\(/;
/** Statements name a table after one of these words; the text of a view has parentheses between. */
const BEFORE_TABLE = '\\b((?:from|join|into|update) \\(*)';

/** Call before the functions for a cluster are installed, because one of them replaces the original. Does nothing if it did. */
export async function dividePosting(client: pg.Client, first: string): Promise<void> {
  const { rows } = await client.query<{ definition: string; view: string }>(
    `select pg_get_functiondef('post_transfers'::regproc) as definition, rtrim(pg_get_viewdef('${VIEW}'::regclass), ';') as view`,
  );
  const { definition, view } = rows[0]!;
  if (definition.includes(REPLACEMENT)) return;
  const whole = definition.replaceAll(`join ${VIEW} `, `join (${view}) `);
  for (const group of await listGroups(client, first)) await client.query(renderFor(group, whole));
}

/** The groups, each with the id of its shard of ledger accounts and the shards of all tables. */
async function listGroups(client: pg.Client, first: string): Promise<Group[]> {
  const { rows } = await client.query<Group>(
    `select (array_agg(s.shardid) filter (where s.logicalrelid = 'ledger_account'::regclass))[1] as shard,
       array_agg(s.logicalrelid::text order by s.logicalrelid) as tables,
       array_agg(shard_name(s.logicalrelid, s.shardid) order by s.logicalrelid) as shards
     from pg_dist_shard s
     join pg_dist_partition p using (logicalrelid)
     where p.colocationid = (select colocationid from pg_dist_partition where logicalrelid = $1::regclass)
     group by s.shardminvalue`,
    [first],
  );
  return rows;
}

function renderFor({ shard, tables, shards }: Group, definition: string): string {
  const named = definition
    .replace(NAME, `FUNCTION $1.post_transfers_${shard}(`)
    // Citus protects the shards from statements that do not take its locks. The caller takes them.
    .replace('AS $function$', `SET citus.enable_manual_changes_to_shards TO 'on' AS $function$`);
  return tables.reduce(
    (text, table, index) => text.replaceAll(new RegExp(`${BEFORE_TABLE}${table}\\b`, 'gi'), `$1${shards[index]}`),
    named,
  );
}
