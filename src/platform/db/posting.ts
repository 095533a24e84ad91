// Posting on a Citus cluster: a copy of post_transfers() for each group, which names the shards of the group instead of its tables. The
// server that holds them runs it like a single server, with plans that are made once.
import type pg from 'pg';

type Group = {
  /** Its shard of ledger accounts. */
  shard: string;
  /** The name of the shard of each table. */
  shards: Record<string, string>;
};

/** The function that replaces the original calls this one. */
const REPLACEMENT = 'post_transfers_anywhere';
/** A view that the function reads. A copy contains its text, because views of shards do not exist on the coordinator. */
const VIEW = 'transfer_answer';
const NAME = /FUNCTION (\w+)\.post_transfers\(/;
/** A table in a statement: after one of these words, and in the text of a view after parentheses. */
const TABLE = /(\s(?:from|join|into|update) \(*)(\w+)/gi;

/** Call before the functions for a cluster are installed, because one of them replaces the original. Does nothing if it did. */
export async function dividePosting(client: pg.Client, first: string): Promise<void> {
  const { rows } = await client.query<{ definition: string; view: string }>(
    `select pg_get_functiondef('post_transfers'::regproc) as definition, rtrim(pg_get_viewdef('${VIEW}'::regclass), ';') as view`,
  );
  const { definition, view } = rows[0]!;
  if (definition.includes(REPLACEMENT)) return;
  const whole = definition.replaceAll(`from ${VIEW} `, `from (${view}) `);
  for (const group of await listGroups(client, first)) await client.query(renderFor(group, whole));
}

async function listGroups(client: pg.Client, first: string): Promise<Group[]> {
  const { rows } = await client.query<Group>(
    `select (array_agg(s.shardid) filter (where s.logicalrelid = 'ledger_account'::regclass))[1] as shard,
       json_object_agg(s.logicalrelid::text, shard_name(s.logicalrelid, s.shardid)) as shards
     from pg_dist_shard s
     join pg_dist_partition p using (logicalrelid)
     where p.colocationid = (select colocationid from pg_dist_partition where logicalrelid = $1::regclass)
     group by s.shardminvalue`,
    [first],
  );
  return rows;
}

function renderFor({ shard, shards }: Group, definition: string): string {
  return (
    definition
      .replace(NAME, `FUNCTION $1.post_transfers_${shard}(`)
      // Citus protects the shards from statements that do not take its locks. The caller takes them.
      .replace('AS $function$', () => `SET citus.enable_manual_changes_to_shards TO 'on' AS $function$`)
      .replaceAll(TABLE, (text, before: string, table: string) => (shards[table] ? before + shards[table] : text))
  );
}
