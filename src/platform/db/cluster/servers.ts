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

export type Moves = { state: string; done: number; total: number };

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

/** Creates the database of a URL, with Citus, on a server where it does not exist yet. */
export async function prepareServer(databaseUrl: string, server: Address): Promise<void> {
  const url = new URL(urlOn(databaseUrl, server));
  const name = decodeURIComponent(url.pathname.slice(1));
  const maintenance = new URL(url);
  maintenance.pathname = MAINTENANCE_DATABASE;
  await connected(maintenance, async (client) => {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`);
  });
  await connected(url, (client) => client.query('create extension if not exists citus'));
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

/** The progress of the newest rebalance, or undefined if there was none. */
export async function findMoves(sql: Sql): Promise<Moves | undefined> {
  const [row] = await sql<{ state: string; done: number; total: number }>`
    select state::text, coalesce((details -> 'task_state_counts' ->> 'done')::int, 0) as done,
      (select coalesce(sum(value::int), 0)::int from jsonb_each_text(details -> 'task_state_counts')) as total
    from citus_rebalance_status()`;
  return row;
}
