// What one feed instead of two would cost: today's rows with four indexes beside a tail of settled rows and packs of log entries.
// Prints CPU, write-ahead log and disk for each event, and the CPU of reads. Both sides take turns on one server.
// `node bench/research/feed-is-log.ts [--events N] [--pack ENTRIES] [--change "SQL before the first event"]`
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { newId, randomBucket } from '../../src/core/ids.ts';
import { findEvent } from '../../src/ledger/feed/event.ts';
import { listEvents } from '../../src/ledger/feed/feed.ts';
import { readFeed } from '../../src/ledger/feed/read-feed.ts';
import { startEmbedded } from '../../src/platform/db/embedded.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { type Database, openDatabase } from '../../src/platform/db/sql.ts';
import { serverCpuSeconds } from '../processes.ts';
import { median } from '../statistics.ts';
import { openTiles, ROW, type Settled, type Tiles } from './feed-tiles.ts';

const ROUNDS = 10;
/** What settles at once in a busy service. */
const STEP = 480;
/** What one step of the log reads. */
const LOG_STEP = 4096;
const READS = 500;
const TOPIC = 'customer_label_reallocation_created';
const SIDES = ['rows', 'tiles'] as const;
const TABLES = ['event', 'feed_tail', 'feed_tile', 'feed_tile_topic'];

type Side = (typeof SIDES)[number];
type Sample = { server: number; service: number; wal: number };
/** `account`: of each side, so that both are there for the reads. `logged`: the events in packs. */
type Bench = {
  database: Database;
  tiles: Tiles;
  postmaster: number;
  size: number;
  account: Record<Side, string>;
  logged: Record<Side, number>;
};

const { values } = parseArgs({
  options: { events: { type: 'string', default: '100000' }, pack: { type: 'string', default: '64' }, change: { type: 'string' } },
});

const dataDir = mkdtempSync(join(tmpdir(), 'earmark-feed-'));
const server = await startEmbedded({ dataDir });
try {
  await migrate(server.url);
  await prepare(server.url);
  const database = openDatabase(server.url, { max: 2, onError: (error) => process.stderr.write(`${error}\n`) });
  const size = Number(values.pack);
  const [account, logged] = [
    { rows: newId(0), tiles: newId(0) },
    { rows: 0, tiles: 0 },
  ];
  const bench = { database, tiles: openTiles(database, size), postmaster: await postmasterOf(database), size, account, logged };
  await compareWrites(bench, Number(values.events) / ROUNDS);
  if (!values.change) await compareReads(bench);
  await database.close();
} finally {
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

async function prepare(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(readFileSync(new URL('feed-is-log.sql', import.meta.url), 'utf8'));
  if (values.change) await client.query(values.change);
  await client.end();
}

async function postmasterOf({ sql }: Database): Promise<number> {
  const [row] = await sql<{ pid: number }>`select pg_backend_pid() as pid`;
  return Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${row!.pid}/stat`, 'utf8'))![1]);
}

async function compareWrites(bench: Bench, each: number): Promise<void> {
  const { sql } = bench.database;
  const costs: Record<Side, Sample[]> = { rows: [], tiles: [] };
  for (let round = 0; round <= ROUNDS; round++)
    for (const side of round % 2 ? SIDES : SIDES.toReversed()) {
      await queue(bench, side, each);
      await sql`checkpoint`;
      const cost = await costOf(bench, each, () => settle(bench, side, each));
      // The first of both warms up.
      if (round > 0) costs[side].push(cost);
    }
  for (const side of SIDES) {
    const of = (part: keyof Sample) => median(costs[side].map((one) => one[part])).toFixed(1);
    print(
      `${side}: ${of('server')} µs of the server, ${of('service')} µs of the service, ${of('wal')} bytes of log for each event`,
    );
  }
  for (const table of TABLES) {
    const [row] = await sql<{ bytes: bigint }>`select pg_total_relation_size(${table}::regclass) as bytes`;
    print(`${table}: ${(Number(row!.bytes) / each / (ROUNDS + 1)).toFixed(1)} bytes of disk for each event`);
  }
}

/** Fills the outbox as the lanes do. */
async function queue({ database, account }: Bench, side: Side, count: number): Promise<void> {
  for (let n = 0; n < count; n += ROW) {
    const bucket = randomBucket();
    const [events, customers, resources] = [0, 1, 2].map(() =>
      Array.from({ length: Math.min(ROW, count - n) }, () => newId(bucket)),
    );
    await database.sql`
      insert into event_outbox (bucket, account_id, topic, created, ids)
      values (${bucket}, ${account[side]}::uuid, ${TOPIC}, now(), array[${events}::uuid[], ${customers}::uuid[], ${resources}::uuid[]])`;
  }
}

/** Settles the outbox, and packs the new events as the log does. The other work of the log is the same for both, and left out. */
async function settle({ database: { sql }, tiles, account, logged }: Bench, side: Side, count: number): Promise<void> {
  for (let done = 0; done < count; ) {
    const [row] =
      side === 'rows'
        ? await sql<{ settled: bigint }>`select settled from settle_events(${STEP}, 1)`
        : await sql<{ settled: bigint }>`select settled from settle_tail(${STEP}, 1)`;
    done += Number(row!.settled);
  }
  for (let more = true; more; ) {
    const [id, after] = [account[side], logged[side]];
    const events =
      side === 'rows'
        ? ((await readFeed(sql, id, { after: BigInt(after), limit: LOG_STEP })) as Settled[])
        : await tiles.readTail(id, after, LOG_STEP);
    const packed = await tiles.fold(id, after, events, side === 'tiles');
    logged[side] += packed;
    more = packed > 0;
  }
}

async function compareReads(bench: Bench): Promise<void> {
  const { database, tiles, account, logged } = bench;
  const { sql } = database;
  const rows = nextOf(await someIds(bench, 'rows'));
  const packed = nextOf(await someIds(bench, 'tiles'));
  const position = () => Math.floor(Math.random() * (logged.tiles - 1_000));
  const page = (limit: number) => ({ limit, offset: 0 });
  const subjects: [string, Record<Side, () => Promise<unknown>>][] = [
    ['the newest 25', { rows: () => listEvents(sql, account.rows, page(25)), tiles: () => tiles.newest(account.tiles, 25) }],
    ...[25, 100].map((limit): (typeof subjects)[number] => [
      `${limit} after an event`,
      {
        rows: () => listEvents(sql, account.rows, { ...page(limit), after: rows() }),
        tiles: () => tiles.pageAfter(account.tiles, packed(), limit),
      },
    ]),
    ['an event by id', { rows: () => findEvent(sql, rows()), tiles: () => tiles.find(account.tiles, packed()) }],
    [
      '1,000 events',
      {
        rows: () => readFeed(sql, account.rows, { after: BigInt(position()), limit: 1_000 }),
        tiles: () => tiles.pageAt(account.tiles, position(), 1_000),
      },
    ],
  ];
  for (const [name, read] of subjects) {
    const measured: Record<Side, number>[] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const one = { rows: 0, tiles: 0 };
      for (const side of SIDES) one[side] = await cpuOf(bench, read[side]);
      if (round > 0) measured.push(one);
    }
    const of = (side: Side) => median(measured.map((one) => one[side])).toFixed(0);
    const ratio = median(measured.map((one) => one.tiles / one.rows)).toFixed(2);
    print(`${name}: ${of('rows')} µs of CPU from rows, ${of('tiles')} from packs; ratio ${ratio}`);
  }
}

/** Ids of events that are in packs. */
async function someIds({ tiles, account, logged, size }: Bench, side: Side): Promise<string[]> {
  const packs = Array.from({ length: 200 }, () =>
    tiles.readPack(account[side], Math.floor((Math.random() * logged[side]) / size) * size),
  );
  return (await Promise.all(packs)).map((entries) => JSON.parse(String(entries![7])).id);
}

function nextOf(ids: string[]): () => string {
  let count = 0;
  return () => ids[count++ % ids.length]!;
}

/** CPU of the service and the server for a read, in µs. */
async function cpuOf(bench: Bench, read: () => Promise<unknown>): Promise<number> {
  const { server, service } = await costOf(bench, READS, async () => {
    for (let n = 0; n < READS; n++) if ((await read()) === undefined) throw new Error('nothing was read');
  });
  return server + service;
}

/** What work costs for each of `count`: CPU in µs, and bytes of the write-ahead log. */
async function costOf(bench: Bench, count: number, work: () => Promise<void>): Promise<Sample> {
  const before = await sample(bench);
  await work();
  const after = await sample(bench);
  const each = (part: keyof Sample, unit = 1e6) => ((after[part] - before[part]) * unit) / count;
  return { server: each('server'), service: each('service'), wal: each('wal', 1) };
}

async function sample({ database, postmaster }: Bench): Promise<Sample> {
  const [row] = await database.sql<{ wal: bigint }>`select (pg_current_wal_insert_lsn() - '0/0')::bigint as wal`;
  const { user, system } = process.cpuUsage();
  return { server: serverCpuSeconds(postmaster)!, service: (user + system) / 1e6, wal: Number(row!.wal) };
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
