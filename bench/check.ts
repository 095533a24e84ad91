// `npm run bench -- check`: what the increments of the ledger check cost for new transfers and for accounts, beside a complete check, and how
// old their proof is while a service is loaded.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { proveAll, proveNew, verifyInSlices } from '../src/apps/service/ledger-check.ts';
import { settleEvents } from '../src/ledger/feed/feed.ts';
import { postTransfers } from '../src/ledger/transfers/post.ts';
import { startEmbedded } from '../src/platform/db/embedded.ts';
import { migrate } from '../src/platform/db/migrate.ts';
import { type Database, openDatabase } from '../src/platform/db/sql.ts';
import { createAccount } from '../src/resources/accounts/account.ts';
import { runLoad } from './load.ts';
import { cpuSecondsOf } from './processes.ts';
import { reallocations } from './requests.ts';
import { CUSTOMERS, LABELS_EACH, openStage, seed, transferBetween } from './stage.ts';
import { median } from './statistics.ts';

type Cost = { service: number; database: number };

const QUICK = process.argv.includes('--quick');
const ROUNDS = QUICK ? 3 : 7;
const NEW = QUICK ? 20_000 : 50_000;
/** So many that the steps of the CPU clock do not matter. */
const IDLE_TIMES = 20;
const ACCOUNTS = CUSTOMERS * (LABELS_EACH + 1);
const BATCH = 500;
/** After it, a transfer counts as committed (src/ledger/verification/increment.ts). */
const SETTLED_MS = 6_000;
const LOAD_MS = QUICK ? 120_000 : 300_000;
/** The first increment begins a minute after the start. */
const FIRST_AGES_MS = 90_000;
const CONNECTIONS = 64;
const TARGET = { perSecond: 5_000, share: 0.05, ageSeconds: 60 };

const micros = (seconds: number) => (seconds * 1e6).toFixed(1);
const sumOf = ({ service, database }: Cost) => service + database;

let passed = await measureCost();
passed = (await measureAge()) && passed;
if (!passed) process.exitCode = 1;

/** Without a service, and with one connection, so that nothing else counts. */
async function measureCost(): Promise<boolean> {
  const dataDir = mkdtempSync(join(tmpdir(), 'earmark-bench-check-'));
  const server = await startEmbedded({ dataDir });
  const database = openDatabase(server.url, { max: 1, onError: () => {} });
  try {
    await migrate(server.url);
    const [{ pid }] = (await database.sql<{ pid: number }>`select pg_backend_pid() as pid`) as [{ pid: number }];
    const { id: accountId } = await createAccount(database.sql, 'Bench');
    const labels = await seed(database, accountId);
    await prove(database);
    const perNew: Cost[] = [];
    const perAccount: Cost[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      await post(database, { accountId, labels });
      await sleep(SETTLED_MS);
      const all = await measure(pid, () => check(database, NEW));
      const idle = await measure(pid, async () => {
        for (let times = 0; times < IDLE_TIMES; times++) await check(database, 0);
      });
      const of = (part: keyof Cost) => (all[part] - idle[part] / IDLE_TIMES) / NEW;
      perNew.push({ service: of('service'), database: of('database') });
      perAccount.push({ service: idle.service / IDLE_TIMES / ACCOUNTS, database: idle.database / IDLE_TIMES / ACCOUNTS });
    }
    await settleEvents(database.sql);
    const complete = await measure(pid, () => verifyInSlices(database));
    return report({ cost: medianOf(perNew), fixed: medianOf(perAccount), complete: sumOf(complete) / (ROUNDS * NEW) });
  } finally {
    await database.close();
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function prove(database: Database): Promise<void> {
  await settleEvents(database.sql);
  await sleep(SETTLED_MS);
  const violations = await proveAll(database);
  if (violations.length > 0) throw new Error(`the ledger is wrong: ${JSON.stringify(violations[0])}`);
}

function report({ cost, fixed, complete }: { cost: Cost; fixed: Cost; complete: number }): boolean {
  const share = sumOf(cost) * TARGET.perSecond;
  const isCheap = share <= TARGET.share;
  const parts = (part: Cost) => `service ${micros(part.service)}, database ${micros(part.database)}`;
  print(`an increment: ${micros(sumOf(cost))} µs of CPU for a new transfer (${parts(cost)})`);
  print(`  and ${micros(sumOf(fixed))} µs for each of ${ACCOUNTS} accounts, whatever their transfers (${parts(fixed)})`);
  print(`a complete check: ${micros(complete)} µs for each of ${ROUNDS * NEW} stored transfers`);
  print(
    `new transfers at ${TARGET.perSecond} a second: ${(share * 100).toFixed(1)} % of a core, at most ${TARGET.share * 100} %: ${isCheap ? 'met' : 'NOT met'}`,
  );
  return isCheap;
}

async function check(database: Database, expected: number): Promise<void> {
  const { transfers, violations } = await proveNew(database);
  if (transfers !== expected || violations.length > 0)
    throw new Error(`${transfers} of ${expected} new transfers: ${JSON.stringify(violations[0])}`);
}

async function post({ sql }: Database, { accountId, labels }: { accountId: string; labels: string[][] }): Promise<void> {
  for (let posted = 0; posted < NEW; posted += BATCH) {
    const batch = Array.from({ length: BATCH }, (_, index) => {
      const own = labels[(posted + index) % labels.length]!;
      const from = Math.floor(Math.random() * own.length);
      return transferBetween(accountId, { fromId: own[from]!, toId: own[(from + 1) % own.length]! }, 1n);
    });
    const outcomes = await postTransfers(sql, batch, { now: new Date() });
    if (outcomes.some(({ code }) => code !== 'posted')) throw new Error(`a transfer was refused: ${JSON.stringify(outcomes[0])}`);
  }
}

async function measure(pid: number, work: () => Promise<unknown>): Promise<Cost> {
  // In steps of ten milliseconds.
  const [service, database] = [process.cpuUsage(), cpuSecondsOf(pid)!];
  await work();
  const { user, system } = process.cpuUsage(service);
  return { service: (user + system) / 1e6, database: cpuSecondsOf(pid)! - database };
}

/** Asks a loaded service every second how old its proof is. */
async function measureAge(): Promise<boolean> {
  const stage = await openStage();
  try {
    const ages: (number | undefined)[] = [];
    const beginMs = performance.now();
    const asking = setInterval(async () => {
      const response = await fetch(`${stage.url}/health/ready`);
      const { ledgerCheck } = (await response.json()) as { ledgerCheck?: { moneyAge?: number } };
      if (performance.now() - beginMs >= FIRST_AGES_MS) ages.push(ledgerCheck?.moneyAge);
    }, 1000);
    const port = Number(new URL(stage.url).port);
    const load = await runLoad({ port, connections: CONNECTIONS, durationMs: LOAD_MS, next: reallocations(stage, 'uniform') });
    clearInterval(asking);
    const known = ages.filter((age) => age !== undefined);
    const oldest = Math.max(...known);
    const isFresh = known.length === ages.length && oldest <= TARGET.ageSeconds;
    print(
      `at ${Math.round(load.perSecond)} a second, the proof of all money was ${median(known)} s old, at most ${oldest} s, in ${known.length} of ${ages.length} seconds: ${isFresh ? 'met' : 'NOT met'} (at most ${TARGET.ageSeconds} s)`,
    );
    return isFresh;
  } finally {
    await stage.close();
  }
}

function medianOf(costs: Cost[]): Cost {
  return { service: median(costs.map(({ service }) => service)), database: median(costs.map(({ database }) => database)) };
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
