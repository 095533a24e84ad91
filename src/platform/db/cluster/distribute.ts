// Distribution: places the tables of customers on the workers of a Citus cluster. On a single server it does nothing.
import { readdirSync, readFileSync } from 'node:fs';
import type pg from 'pg';
import { BUCKETS, GROUPS } from '../../../core/ids.ts';
import { PACKAGE_ROOT } from '../../../core/package-root.ts';
import { dividePosting } from './posting.ts';

/** The versions of functions for a cluster, with the contracts of those in `migrations/`. */
const FOLDER = new URL('migrations/cluster/', PACKAGE_ROOT);
const BODY = /\$\$(.*?)\$\$/gs;

/** The first distributed table; the others are colocated with it. */
const FIRST = 'customer';
/** Tables whose key has the bucket, or that have a bucket and no key. */
const BY_BUCKET = `
  select c.relname as name
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attname = 'bucket'
  left join pg_index i on i.indrelid = c.oid and i.indisprimary
  left join pg_dist_partition p on p.logicalrelid = c.oid
  where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
    and (a.attnum = any (i.indkey) or i.indexrelid is null) and p.logicalrelid is null
  order by c.relname <> '${FIRST}', c.relname`;

/** Whether a database is the coordinator of a Citus cluster that has workers. */
export async function isCoordinator(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ known: boolean }>(`select to_regclass('pg_dist_node') is not null as known`);
  if (!rows[0]?.known) return false;
  const { rows: workers } = await client.query(`select 1 from pg_dist_node where isactive and shouldhaveshards limit 1`);
  return workers.length > 0;
}

/** The number of groups, or 0 if no table is distributed. */
export async function countGroups(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ groups: number }>(
    `select count(*)::int as groups from pg_dist_shard where logicalrelid = to_regclass('${FIRST}')`,
  );
  return rows[0]!.groups;
}

/** Call in a transaction. Distributes the tables that are not distributed yet, and installs the functions for a cluster. */
export async function distribute(client: pg.Client, groups?: number): Promise<void> {
  await distributeTables(client, groups);
  await dividePosting(client, FIRST);
  await installFunctions(client);
  await divideOutbox(client);
}

/** Call in a transaction. Distributes the tables that are not distributed yet, into `groups` groups of shards. */
export async function distributeTables(client: pg.Client, groups = GROUPS.fallback): Promise<void> {
  await client.query(
    `set local client_min_messages = warning; set local citus.shard_count = ${groups}; set local citus.multi_shard_modify_mode = sequential`,
  );
  const { rows } = await client.query<{ name: string }>(BY_BUCKET);
  for (const { name } of rows) {
    const colocation = name === FIRST ? '' : `, colocate_with => '${FIRST}'`;
    await client.query(`select create_distributed_table('${name}', 'bucket'${colocation})`);
  }
  // The rows are copied to the workers, and the hidden originals stay on the coordinator.
  for (const { name } of rows) await client.query(`select truncate_local_data_after_distributing_table('${name}')`);
}

async function installFunctions(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ prosrc: string }>(
    `select prosrc from pg_proc where pronamespace = current_schema()::regnamespace`,
  );
  const installed = new Set(rows.map(({ prosrc }) => prosrc));
  for (const name of readdirSync(FOLDER)) {
    const sql = readFileSync(new URL(name, FOLDER), 'utf8');
    const bodies = [...sql.matchAll(BODY)].map(([, body]) => body!);
    if (!bodies.every((body) => installed.has(body))) await client.query(sql);
  }
}

/** Gives each group of shards a part of the outbox. Its rows are in the first bucket of the group. */
async function divideOutbox(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query(
    `insert into event_cursor as c (id, outbox_bucket)
     select row_number() over (order by shard), bucket
     from (
       select get_shard_id_for_distribution_column('${FIRST}', bucket) as shard, min(bucket) as bucket
       from generate_series(0, $1::int - 1) bucket
       group by shard
     ) s
     on conflict (id) do update set outbox_bucket = excluded.outbox_bucket
     where c.outbox_bucket is distinct from excluded.outbox_bucket`,
    [BUCKETS],
  );
  if (rowCount === 0) return;
  await installOutboxBucket(client);
  // Rows from before the tables were distributed.
  await client.query('select split_outbox()');
}

/** A shard has the buckets whose hashes are in its range. */
async function installOutboxBucket(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ buckets: number[]; hashes: number[] }>(
    `select array_agg(c.outbox_bucket order by s.first) as buckets, array_agg(s.first order by s.first) as hashes
     from (select shardid, shardminvalue::int as first from pg_dist_shard where logicalrelid = '${FIRST}'::regclass) s
     join event_cursor c on get_shard_id_for_distribution_column('${FIRST}', c.outbox_bucket) = s.shardid`,
  );
  const { buckets, hashes } = rows[0]!;
  await client.query(
    `create or replace function outbox_bucket(p_bucket int) returns int language sql immutable
     return (array[${buckets}])[width_bucket(hashint4(p_bucket), array[${hashes}])]`,
  );
}
