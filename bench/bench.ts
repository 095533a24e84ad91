// `npm run bench`: reallocations on the real service with everything on, beside its limits and a rival, in one run; the books are verified afterwards.
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { postTransfers } from '../src/ledger/post.ts';
import { verifyLedger } from '../src/ledger/verify.ts';
import { type Load, runLoad, runOpenLoad } from './load.ts';
import { type Mix, openMix } from './mixes.ts';
import type { Rival } from './rivals.ts';
import { CUSTOMERS, cpuSecondsOf, LABELS_EACH, openStage, type Stage, transferBetween } from './stage.ts';

const CONNECTIONS = [1, 16, 64, 256];
const BATCH = 200;
const HAL = 'application/vnd.earmark.v1.hal+json';
const quick = process.argv.includes('--quick');
const DURATION_MS = quick ? 2_500 : 10_000;

type Row = {
  what: string;
  perSecond: number;
  made: number;
  refused: number;
  p50Ms?: number;
  p95Ms?: number;
  p99Ms?: number;
  serviceCpuShare?: number;
};

const stage = await openStage();
try {
  const wal = await walOf(stage);
  const rows: Row[] = [await commitAlone(stage), await direct(stage)];
  for (const connections of CONNECTIONS) rows.push(await closedLoop(stage, { connections, mix: 'uniform' }));
  for (const mix of ['zipf', 'one hot pair', '10 % refusals'] as const)
    rows.push(await closedLoop(stage, { connections: 64, mix }));
  const walPerTransfer = (await walOf(stage)) - wal;
  const capacity = rows.find((row) => row.what === what('uniform', 64))!.perSecond;
  for (const share of [0.5, 0.8]) rows.push(await openLoop(stage, { perSecond: capacity * share, share }));
  const stored = rows.reduce((sum, row) => sum + row.made, 0);
  const books = await prove(stage, stored);
  await stage.database.sql([readFileSync(new URL('row-locks.sql', import.meta.url), 'utf8')] as unknown as TemplateStringsArray);
  for (const mix of ['uniform', 'one hot pair'] as const) rows.push(await rival(stage, 'row locks', { connections: 64, mix }));
  rows.push(await rival(stage, 'no database', { connections: 64, mix: 'uniform' }));
  print(rows);
  const transfers = rows
    .filter((row) => row.what.startsWith('HTTP') || row.what.startsWith('batch'))
    .reduce((sum, row) => sum + row.made, 0);
  const walBytes = Math.round(walPerTransfer / transfers);
  process.stdout.write(`\nWAL a reallocation, about: ${walBytes} bytes\n${books.text}\n`);
  save({ rows, walBytes, books: books.text });
  if (!books.hold) process.exitCode = 1;
} finally {
  await stage.close();
}

function what(mix: Mix, connections: number): string {
  return `HTTP, ${connections} connection${connections === 1 ? '' : 's'}, ${mix}`;
}

/** The least a durable answer costs: one small row, committed, through the same client. */
async function commitAlone({ database: { sql } }: Stage): Promise<Row> {
  await sql`create table bench_commit (n int)`;
  const latenciesMs: number[] = [];
  const begin = performance.now();
  while (performance.now() - begin < DURATION_MS / 2) {
    const sentMs = performance.now();
    await sql`insert into bench_commit (n) values (1)`;
    latenciesMs.push(performance.now() - sentMs);
  }
  const seconds = (performance.now() - begin) / 1000;
  latenciesMs.sort((a, b) => a - b);
  const at = (share: number) => latenciesMs[Math.floor(latenciesMs.length * share)]!;
  return {
    what: 'a bare commit, one connection',
    perSecond: latenciesMs.length / seconds,
    made: 0,
    refused: 0,
    p50Ms: at(0.5),
    p95Ms: at(0.95),
    p99Ms: at(0.99),
  };
}

/** The batch function, one connection, full batches: what the database can do when nothing is in its way. */
async function direct({ database: { sql }, credentials, labels }: Stage): Promise<Row> {
  const pick = openMix('uniform', labels);
  const begin = performance.now();
  let made = 0;
  while (performance.now() - begin < DURATION_MS) {
    const batch = Array.from({ length: BATCH }, () => transferBetween(credentials.account_id, pick(), 1n));
    const outcomes = await postTransfers(sql, batch, { now: new Date() });
    made += outcomes.filter((outcome) => outcome.code === 'posted').length;
  }
  return { what: `batch function, ${BATCH} a call`, perSecond: (made / (performance.now() - begin)) * 1000, made, refused: 0 };
}

async function closedLoop(stage: Stage, { connections, mix }: { connections: number; mix: Mix }): Promise<Row> {
  const before = cpuSecondsOf(stage.service.pid!);
  const load = await runLoad({ port: portOf(stage), connections, durationMs: DURATION_MS, next: requestsOf(stage, mix) });
  const after = cpuSecondsOf(stage.service.pid!);
  const cpu = before === undefined || after === undefined ? {} : { serviceCpuShare: (after - before) / load.seconds };
  return { what: what(mix, connections), ...summary(load, mix), ...cpu };
}

async function openLoop(stage: Stage, { perSecond, share }: { perSecond: number; share: number }): Promise<Row> {
  const next = requestsOf(stage, 'uniform');
  const load = await runOpenLoad({ port: portOf(stage), connections: 256, durationMs: DURATION_MS, next, perSecond });
  return { what: `HTTP, open loop at ${share * 100} % of capacity`, ...summary(load, 'uniform') };
}

/** Another way to post, behind the same HTTP front, on the same database. */
async function rival(stage: Stage, name: Rival, { connections, mix }: { connections: number; mix: Mix }): Promise<Row> {
  const { child, line } = await stage.start(['bench/rivals.ts', name]);
  const { port } = JSON.parse(line) as { port: number };
  const load = await runLoad({ port, connections, durationMs: DURATION_MS, next: requestsOf(stage, mix) });
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await gone;
  return { what: `rival: ${name}, ${connections} connections, ${mix}`, ...summary(load, mix) };
}

function summary({ requests, seconds, statuses, p50Ms, p95Ms, p99Ms }: Load, mix: Mix) {
  const made = statuses.get(201) ?? 0;
  const refused = requests - made;
  if (mix !== '10 % refusals' && refused > 0) throw new Error(`unexpected answers: ${JSON.stringify([...statuses])}`);
  return { perSecond: made / seconds, made, refused, p50Ms, p95Ms, p99Ms };
}

function portOf({ url }: Stage): number {
  return Number(new URL(url).port);
}

/** Requests as bytes, each with an idempotency key of its own. */
function requestsOf({ url, token, labels }: Stage, mix: Mix): () => string {
  const pick = openMix(mix, labels);
  const head = `POST /label-reallocations HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: ${HAL}\r\nAccept: ${HAL}\r\n`;
  return () => {
    const { fromId, toId, value } = pick();
    const body = `{"_links":{"from":{"href":"${url}/labels/${fromId}"},"to":{"href":"${url}/labels/${toId}"}},"amount":{"value":"${value}","currency":"USD"}}`;
    return `${head}Idempotency-Key: ${randomUUID()}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  };
}

async function walOf({ database: { sql } }: Stage): Promise<number> {
  const [row] = await sql<{ bytes: string }>`select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as bytes`;
  return Number(row!.bytes);
}

/** The rules of the ledger, and that the database holds exactly what was acknowledged. */
async function prove({ database }: Stage, acknowledged: number): Promise<{ hold: boolean; text: string }> {
  const violations = await database.transaction(verifyLedger);
  const [row] = await database.sql<{ stored: bigint }>`select count(*) as stored from transfer where kind = 'reallocation'`;
  const stored = Number(row!.stored);
  const rules = violations.length === 0 ? 'every rule of `earmark verify` holds' : `BROKEN: ${JSON.stringify(violations[0])}`;
  return {
    hold: violations.length === 0 && stored === acknowledged,
    text: `books: ${rules}; stored ${stored}, acknowledged ${acknowledged}`,
  };
}

function print(rows: Row[]): void {
  const base = rows.find((row) => row.what.startsWith('batch'))!.perSecond;
  const ms = (value: number | undefined) => (value === undefined ? '' : value.toFixed(1)).padStart(9);
  process.stdout.write(
    `${CUSTOMERS} customers with ${LABELS_EACH} labels each; ${cpus().length} CPUs, shared; ratios decide\n\n`,
  );
  process.stdout.write(
    `${''.padEnd(48)}${'per second'.padStart(11)}${'of direct'.padStart(11)}${'p50 ms'.padStart(9)}${'p95 ms'.padStart(9)}${'p99 ms'.padStart(9)}${'refused'.padStart(9)}${'CPU'.padStart(7)}\n`,
  );
  for (const row of rows) {
    const share = `${Math.round((100 * row.perSecond) / base)} %`;
    const cpu = row.serviceCpuShare === undefined ? '' : `${Math.round(row.serviceCpuShare * 100)} %`;
    const rate = Math.round(row.perSecond).toLocaleString('en');
    process.stdout.write(
      `${row.what.padEnd(48)}${rate.padStart(11)}${share.padStart(11)}${ms(row.p50Ms)}${ms(row.p95Ms)}${ms(row.p99Ms)}${String(row.refused).padStart(9)}${cpu.padStart(7)}\n`,
    );
  }
}

function save(result: object): void {
  const folder = new URL('results/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  const machine = { cpus: cpus().length, model: cpus()[0]?.model, memoryBytes: totalmem(), node: process.version };
  const time = new Date().toISOString();
  writeFileSync(
    new URL(`${time.replaceAll(':', '-')}.json`, folder),
    `${JSON.stringify({ time, quick, machine, ...result }, null, 2)}\n`,
  );
}
