// The servers of a Citus cluster and the groups on them, through the functions of Citus.
import pg from 'pg';
import { readServers } from '../../config/database-url.ts';
import type { Sql } from '../sql.ts';

const MAINTENANCE_DATABASE = 'postgres';
const CONNECT_TIMEOUT_MS = 10_000;

/** A server by host and port. */
export type Address = { host: string; port: number };

/** `groups` and `bytes`: what a server holds of the customers' tables. `accepts`: whether a rebalance may move groups to it. */
export type Server = Address & { groups: number; bytes: bigint; active: boolean; accepts: boolean };

/** `error`: of a group that could not be moved; Citus tries again after 5, 20 and 60 seconds. `tries`: how often one has failed. */
export type Moves = { state: string; done: number; total: number; error: string | null; tries: number };

/** The URL of the same database on another server. */
export function urlOn(databaseUrl: string, { host, port }: Address): string {
  const url = new URL(readServers(databaseUrl).urls[0]!);
  [url.hostname, url.port] = [host, String(port)];
  return url.href;
}

/** Whether the database has Citus, as the coordinator of a cluster does also before it has workers. */
export async function hasCitus(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ known: boolean }>`select to_regclass('citus_shards') is not null as known`;
  return row!.known;
}

/** The servers, the coordinator first. */
export async function listServers(sql: Sql): Promise<Server[]> {
  const rows = await sql<{ host: string; port: number; groups: number; bytes: bigint; active: boolean; accepts: boolean }>`
    select n.nodename as host, n.nodeport as port, n.isactive as active, n.shouldhaveshards as accepts,
      count(s.shardid) filter (where s.table_name = 'ledger_account'::regclass)::int as groups,
      coalesce(sum(s.shard_size), 0)::bigint as bytes
    from pg_dist_node n
    left join citus_shards s on s.nodename = n.nodename and s.nodeport = n.nodeport
    where n.noderole = 'primary'
    group by n.nodename, n.nodeport, n.isactive, n.shouldhaveshards, n.groupid
    order by n.groupid`;
  return rows;
}

/** The number of transfers written on each server since its statistics began, by `host:port`. */
export async function countTransfers(sql: Sql): Promise<Map<string, bigint>> {
  const rows = await sql<{ server: string; transfers: bigint }>`
    select p.nodename || ':' || p.nodeport as server, sum(r.result::bigint)::bigint as transfers
    from run_command_on_shards('transfer', ${"select n_tup_ins from pg_stat_all_tables where relid = '%s'::regclass"}) r
    join pg_dist_shard_placement p on p.shardid = r.shardid
    where r.success
    group by 1`;
  return new Map(rows.map(({ server, transfers }) => [server, transfers]));
}

/**
 * Creates the database of a URL, with Citus, on a server where it does not exist yet. The server calls the others as the coordinator does,
 * with the passwords that it has for all servers.
 */
export async function prepareServer(sql: Sql, databaseUrl: string, server: Address): Promise<void> {
  const passwords = await sql<{ role: string; authinfo: string }>`
    select rolename::text as role, authinfo from pg_dist_authinfo where nodeid = 0`;
  const url = new URL(urlOn(databaseUrl, server));
  const name = decodeURIComponent(url.pathname.slice(1));
  const maintenance = new URL(url);
  maintenance.pathname = MAINTENANCE_DATABASE;
  await connected(maintenance, async (client) => {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`);
  });
  await connected(url, async (client) => {
    await client.query('create extension if not exists citus');
    for (const { role, authinfo } of passwords)
      await client.query(
        `insert into pg_dist_authinfo (nodeid, rolename, authinfo) select 0, $1::name, $2 where role_exists($1::name)
         on conflict (rolename, nodeid) do update set authinfo = excluded.authinfo`,
        [role, authinfo],
      );
  });
}

async function connected(url: URL, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url.href, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  client.on('error', () => {});
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/** Adds an empty server. It gets groups by a rebalance. */
export async function addServer(sql: Sql, { host, port }: Address): Promise<void> {
  await sql`select citus_add_node(${host}, ${port}::int)`;
}

/** Keeps a rebalance from moving groups to a server, so that it moves all of them away. */
export async function closeServer(sql: Sql, { host, port }: Address): Promise<void> {
  await sql`select citus_set_node_property(${host}, ${port}::int, 'shouldhaveshards', false)`;
}

/** Removes a server without groups from the cluster. */
export async function removeServer(sql: Sql, { host, port }: Address): Promise<void> {
  await sql`select citus_remove_node(${host}, ${port}::int)`;
}

/** Starts to move groups while they are in use. Returns false if there is nothing to move. */
export async function startRebalance(sql: Sql, options: { drainOnly?: boolean } = {}): Promise<boolean> {
  const [row] = await sql<{
    job: bigint | null;
  }>`select citus_rebalance_start(drain_only => ${options.drainOnly ?? false}) as job`;
  return row!.job !== null && row!.job > 0n;
}

/** Ends a rebalance. Groups that were moved stay where they are. */
export async function stopRebalance(sql: Sql): Promise<void> {
  await sql`select citus_rebalance_stop()`;
}

/** The progress of the newest rebalance, or undefined if there was none. */
export async function findMoves(sql: Sql): Promise<Moves | undefined> {
  const [row] = await sql<Moves>`
    select s.state::text, coalesce((details -> 'task_state_counts' ->> 'done')::int, 0) as done,
      (select coalesce(sum(value::int), 0)::int from jsonb_each_text(details -> 'task_state_counts')) as total,
      t.error, coalesce(t.tries, 0)::int as tries
    from citus_rebalance_status() s
    left join lateral (
      select split_part(message, e'\n', 1) as error, retry_count as tries from pg_dist_background_task t
      where t.job_id = s.job_id and t.status <> 'done' and message like 'ERROR:%' order by retry_count desc nulls last limit 1
    ) t on true`;
  return row;
}
