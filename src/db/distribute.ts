// Distribution: places the tables of customers on the workers of a Citus cluster. On a single server it does nothing.
import { readdirSync, readFileSync } from 'node:fs';
import type pg from 'pg';
import { BUCKETS } from '../ids.ts';

/** The versions of functions for a cluster, with the contracts of those in `migrations/`. */
const FOLDER = new URL('../../migrations/cluster/', import.meta.url);
/** More groups allow more workers, and make batches smaller. */
const DEFAULT_GROUPS = 8;
const BODY = /\$\$(.*?)\$\$/gs;

/** The tables of customers. Rows of one bucket are on one worker. All other tables are on the coordinator. */
export const DISTRIBUTED = [
  'customer',
  'ledger_account',
  'transfer',
  'ledger_entry',
  'event_outbox',
  'idempotency_key',
  'beneficial_owner',
  'beneficial_ownership',
  'document',
  'document_content',
  'loose_content',
  'document_review',
  'document_look',
] as const;

/** Whether a database is the coordinator of a Citus cluster that has workers. */
export async function isCoordinator(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ known: boolean }>(`select to_regclass('pg_dist_node') is not null as known`);
  if (!rows[0]?.known) return false;
  const { rows: workers } = await client.query(`select 1 from pg_dist_node where isactive and shouldhaveshards limit 1`);
  return workers.length > 0;
}

/** Call in a transaction. Distributes the tables that are not distributed yet, into `groups` groups of shards, and installs the functions for a cluster. */
export async function distribute(client: pg.Client, groups = DEFAULT_GROUPS): Promise<void> {
  const { rows } = await client.query<{ name: string }>('select logicalrelid::text as name from pg_dist_partition');
  const done = new Set(rows.map(({ name }) => name));
  await client.query(
    `set local client_min_messages = warning; set local citus.shard_count = ${groups}; set local citus.multi_shard_modify_mode = sequential`,
  );
  const [first] = DISTRIBUTED;
  for (const table of DISTRIBUTED.filter((name) => !done.has(name))) {
    await client.query(
      `select create_distributed_table('${table}', 'bucket'${table === first ? '' : `, colocate_with => '${first}'`})`,
    );
  }
  await installFunctions(client);
  await divideOutbox(client);
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

/** Gives each group of shards a part of the outbox. */
async function divideOutbox(client: pg.Client): Promise<void> {
  await client.query(
    `insert into event_cursor as c (id, buckets)
     select row_number() over (order by shard), buckets
     from (
       select get_shard_id_for_distribution_column('${DISTRIBUTED[0]}', bucket) as shard, array_agg(bucket) as buckets
       from generate_series(0, $1::int - 1) bucket
       group by shard
     ) s
     on conflict (id) do update set buckets = excluded.buckets where c.buckets is distinct from excluded.buckets`,
    [BUCKETS],
  );
}
