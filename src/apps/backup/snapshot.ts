// A consistent snapshot of all tables: of one server, or of the servers of a Citus cluster.
//
// On a cluster each server has its own snapshots, so the order of taking them matters:
// 1. No event moves from the outbox to the feed meanwhile: the rows of event_cursor are locked. Money moves on.
// 2. One snapshot on each worker. No transaction on money crosses customers, and a customer is on one worker.
// 3. A snapshot of the coordinator. It has the accounts of all these customers, and every event that the workers' outboxes lack.
import pg from 'pg';
import { bucketOf } from '../../core/ids.ts';
import { newClient } from '../../platform/db/client.ts';
import { type Address, urlOn } from '../../platform/db/cluster/servers.ts';
import { APPLIED } from '../../platform/db/migrate.ts';
import type { Applied } from '../../platform/db/migrations.ts';
import { BackupError } from './manifest.ts';

/** Where COPY reads a table, or a part of it. `except`: of the outbox, the first events of rows to leave out. */
export type Source = { client: pg.Client; relation: string; except: string[] };
export type Table = { name: string; columns: string[]; bytes: number; sources: Source[] };
export type Snapshot = { time: string; migrations: Applied[]; tables: Table[]; close(): Promise<void> };

type Shard = Address & { id: string; table: string; relation: string };
type Worker = { client: pg.Client; shards: (Shard & { bytes: number; except: string[] })[] };

const BEGIN = 'begin isolation level repeatable read read only';
/** A table lock that a move of groups holds is short. */
const LOCK_TIMEOUT_MS = 10_000;
const OUTBOX = 'event_outbox';

/** Takes the snapshot. It delays vacuum until it is closed. */
export async function openSnapshot(databaseUrl: string): Promise<Snapshot> {
  const clients: pg.Client[] = [];
  const connect = async (url: string) => {
    const client = newClient(url, { application_name: 'earmark backup' });
    client.on('error', () => {});
    clients.push(client);
    await client.connect();
    return client;
  };
  const close = async () => {
    await Promise.all(clients.map((client) => client.end().catch(() => {})));
  };
  try {
    const coordinator = await connect(databaseUrl);
    const shards = await listShards(coordinator);
    const workers = await openWorkers(shards, databaseUrl, connect);
    if (shards.length === 0) await coordinator.query(BEGIN);
    else await takeTogether({ coordinator, workers, settling: await connect(databaseUrl) });
    if (!isSame(shards, await listShards(coordinator)))
      throw new BackupError('Groups moved to another server when the backup began. Run it again.');
    return { time: new Date().toISOString(), ...(await describe(coordinator, workers)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The shards of the distributed tables, each on the server that holds it; none on a single server. */
async function listShards(client: pg.Client): Promise<Shard[]> {
  const { rows: known } = await client.query<{ known: boolean }>(`select to_regclass('citus_shards') is not null as known`);
  if (!known[0]!.known) return [];
  const { rows } = await client.query<Shard>(`
    select s.shardid as id, s.logicalrelid::text as table, shard_name(s.logicalrelid, s.shardid) as relation, p.nodename as host,
      p.nodeport as port
    from pg_dist_shard s
    join pg_dist_shard_placement p on p.shardid = s.shardid
    join pg_dist_partition t on t.logicalrelid = s.logicalrelid and t.partmethod = 'h'
    order by s.shardid`);
  return rows;
}

function isSame(a: Shard[], b: Shard[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Connects to each server that has shards. Their locks keep a moved shard on the server until the backup has read it. */
async function openWorkers(
  shards: Shard[],
  databaseUrl: string,
  connect: (url: string) => Promise<pg.Client>,
): Promise<Worker[]> {
  const servers = Map.groupBy(shards, ({ host, port }) => `${host} ${port}`);
  return Promise.all(
    [...servers.values()].map(async (held) => {
      const client = await connect(urlOn(databaseUrl, held[0]!));
      await client.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}; set idle_in_transaction_session_timeout = 0`);
      // Citus counts a lock of a shard as a change. The transaction is read only.
      await client.query('set citus.enable_manual_changes_to_shards = on');
      await client.query(BEGIN);
      await client.query(`lock table ${held.map(({ relation }) => relation).join(', ')} in access share mode`);
      return { client, shards: held.map((shard) => ({ ...shard, bytes: 0, except: [] })) };
    }),
  );
}

/** Takes the snapshots of all servers in the order above. */
async function takeTogether(options: { coordinator: pg.Client; workers: Worker[]; settling: pg.Client }): Promise<void> {
  const { coordinator, workers, settling } = options;
  await settling.query('begin');
  await settling.query('select 1 from event_cursor order by id for update');
  await Promise.all(workers.map(measure));
  await coordinator.query(BEGIN);
  await coordinator.query('select 1');
  await settling.query('rollback');
  for (const worker of workers) await leaveOutSettled(worker, coordinator);
}

/** Reads the sizes of a worker's shards, and by that takes its snapshot. */
async function measure({ client, shards }: Worker): Promise<void> {
  const { rows } = await client.query<{ bytes: number }>(
    'select pg_relation_size(name::regclass)::float8 as bytes from unnest($1::text[]) with ordinality as t (name, place) order by place',
    [shards.map(({ relation }) => relation)],
  );
  for (const [index, shard] of shards.entries()) shard.bytes = rows[index]!.bytes;
}

/** Leaves out the rows of a worker's outbox whose events the feed already has: a later call of settle_events() deletes them there. */
async function leaveOutSettled({ client, shards }: Worker, coordinator: pg.Client): Promise<void> {
  for (const shard of shards.filter(({ table }) => table === OUTBOX)) {
    const { rows: waiting } = await client.query<{ id: string }>(`select ids[1][1] as id from ${shard.relation}`);
    const { rows: settled } = await coordinator.query<{ id: string }>(
      'select id from event join unnest($1::int[], $2::uuid[]) as waiting (bucket, id) using (bucket, id)',
      [waiting.map(({ id }) => bucketOf(id)), waiting.map(({ id }) => id)],
    );
    shard.except = settled.map(({ id }) => id);
  }
}

async function describe(coordinator: pg.Client, workers: Worker[]): Promise<Pick<Snapshot, 'migrations' | 'tables'>> {
  const { rows: schema } = await coordinator.query<{ known: boolean }>(
    `select to_regclass('schema_migration') is not null as known`,
  );
  if (!schema[0]!.known) throw new BackupError('The database has no Earmark tables.');
  const { rows: migrations } = await coordinator.query<Applied>(APPLIED);
  const { rows: found } = await coordinator.query<Omit<Table, 'sources'>>(`
    select c.relname as name, pg_relation_size(c.oid)::float8 as bytes,
      array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> 'schema_migration'
    group by c.oid, c.relname
    order by c.relname`);
  const tables = found.map((table): Table => {
    const parts = workers.flatMap(({ client, shards }) =>
      shards.filter((shard) => shard.table === table.name).map((shard) => ({ client, ...shard })),
    );
    if (parts.length === 0)
      return { ...table, sources: [{ client: coordinator, relation: pg.escapeIdentifier(table.name), except: [] }] };
    return { ...table, bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0), sources: parts };
  });
  return { migrations, tables };
}
