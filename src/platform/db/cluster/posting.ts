// Posting on a Citus cluster: a copy of post_transfers() for each group, which names the shards of the group instead of its tables. The
// server that holds them runs it like a single server, with plans that are made once. Lanes call the copy of their group.
import { readFileSync } from 'node:fs';
import type pg from 'pg';
import { FOLDER, renderTemplate } from '../migrations.ts';

type Group = {
  /** Its shard of ledger accounts. */
  shard: string;
  /** The name of the shard of each table. */
  shards: Record<string, string>;
};

/** The template of the function, after that of the view which it reads: views of shards do not exist on the coordinator. */
const TEMPLATE = new URL('0006-post-transfers.sql', FOLDER);
const VIEW = 'create view transfer_answer as';
const FUNCTION = 'create function ';
const END = ';\n';
/** The begin of the statements of the function. */
const BEGIN = '\nbegin\n';

/** The name of the copy for a group, by its shard of ledger accounts. */
export function copyOf(shard: bigint | string): string {
  return `post_transfers_${shard}`;
}

/** Makes the copies, and the function that calls the copy of a batch. Does nothing where they are as they should be. */
export async function dividePosting(client: pg.Client, first: string): Promise<void> {
  const template = readFileSync(TEMPLATE, 'utf8');
  const view = template.indexOf(VIEW) + VIEW.length;
  const answers = `(${template.slice(view, template.indexOf(END, view))})`;
  const text = template.slice(template.indexOf(FUNCTION));
  for (const { shard, shards } of await listGroups(client, first)) {
    const name = copyOf(shard);
    // The answers have separate slots.
    const copy = renderTemplate(renderTemplate(text, { transfer_answer: answers }), { ...shards, post_transfers: name });
    const definition = copy.replace(BEGIN, () => `${BEGIN}  perform lock_group(${shard});\n`);
    await install(client, name, definition);
  }
  await installChoice(client);
}

async function install(client: pg.Client, name: string, definition: string): Promise<void> {
  const { rows } = await client.query<{ body: string }>('select prosrc as body from pg_proc where oid = to_regproc($1)', [name]);
  if (rows[0] && definition.includes(rows[0].body)) return;
  if (rows[0]) await client.query(`drop function ${name}`);
  await client.query(definition);
  // Citus protects the shards from statements that do not take its locks. lock_group() takes them.
  await client.query(`alter function ${name} set citus.enable_manual_changes_to_shards to 'on'`);
}

/**
 * Replaces post_transfers() by a function with the same signature, where it is another one. Citus brings a function to every worker, and a
 * service must start while one is dead.
 */
async function installChoice(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ parameters: string; result: string; count: number; installed: string }>(
    `select pg_get_function_arguments(oid) as parameters, pg_get_function_result(oid) as result, pronargs::int as count,
       prosrc as installed
     from pg_proc where oid = 'post_transfers'::regproc`,
  );
  const { parameters, result, count, installed } = rows[0]!;
  const values = Array.from({ length: count }, (_, index) => `$${index + 1}`).join(', ');
  const body = `
    declare
      shard bigint;
    begin
      if cardinality(p_account_buckets) > 0 then
        shard := get_shard_id_for_distribution_column('ledger_account', p_account_buckets[1]);
        return query execute format('select * from post_transfers_%s(${values})', shard) using ${values};
      end if;
    end
    `;
  if (installed === body) return;
  await client.query(
    `create or replace function post_transfers(${parameters}) returns ${result} language plpgsql as $function$${body}$function$`,
  );
  // Settings of the function that it replaces.
  await client.query('alter function post_transfers reset all');
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
