// `npm run bench -- check`: what the increments of the ledger check cost for new transfers and for accounts, beside a complete check, and how
// old their proof is while a service is loaded.
import { setTimeout as sleep } from 'node:timers/promises';
import { proveAll, proveNew, verifyInSlices } from '../src/apps/service/ledger-check.ts';
import { postTransfers } from '../src/ledger/transfers/post.ts';
import { type Database, openDatabase } from '../src/platform/db/sql.ts';
import { runLoad } from './load.ts';
import { cpuSecondsOf } from './processes.ts';
import { reallocations } from './requests.ts';
import { CUSTOMERS, LABELS_EACH, openStage, type Stage, transferBetween, untilSettled } from './stage.ts';
import { median } from './statistics.ts';

type Cost = { service: number; database: number };

const QUICK = process.argv.includes('--quick');
const ROUNDS = QUICK ? 3 : 7;
const NEW = QUICK ? 20_000 : 50_000;
const BATCH = 500;
/** After it, a transfer counts as committed (src/ledger/verification/increment.ts). */
const SETTLED_MS = 6_000;
const LOAD_MS = QUICK ? 120_000 : 300_000;
/** The first complete check begins a minute after the start. */
const FIRST_AGES_MS = 100_000;
const CONNECTIONS = 64;
const TARGET = { perSecond: 5_000, share: 0.05, ageSeconds: 60 };

const micros = (seconds: number) => (seconds * 1e6).toFixed(1);
const sumOf = ({ service, database }: Cost) => service + database;

let passed = await measureCost();
passed = (await measureAge()) && passed;
if (!passed) process.exitCode = 1;

/** Calls the check in this process, with one connection, so that nothing else counts. */
async function measureCost(): Promise<boolean> {
  const stage = await openStage({ env: { VERIFY_EVERY_SECONDS: '0' } });
  const database = openDatabase(stage.databaseUrl, { max: 1, onError: () => {} });
  try {
    const [{ pid }] = (await database.sql<{ pid: number }>`select pg_backend_pid() as pid`) as [{ pid: number }];
    await stage.database.sql`update event_head set pruned = now()`;
    const violations = await proveAll(database);
    if (violations.length > 0) throw new Error(`the ledger is wrong: ${JSON.stringify(violations[0])}`);
    const perNew: Cost[] = [];
    const perAccount: Cost[] = [];
    const accounts = CUSTOMERS * (LABELS_EACH + 1);
    for (let round = 0; round < ROUNDS; round++) {
      await post(stage, NEW);
      await untilSettled(stage);
      await sleep(SETTLED_MS);
      const all = await measure(pid, () => check(database, NEW));
      const idle = await measure(pid, () => check(database, 0));
      perNew.push({ service: (all.service - idle.service) / NEW, database: (all.database - idle.database) / NEW });
      perAccount.push({ service: idle.service / accounts, database: idle.database / accounts });
    }
    const stored = ROUNDS * NEW;
    const complete = await measure(pid, () => verifyInSlices(database));
    const cost = medianOf(perNew);
    const fixed = medianOf(perAccount);
    const share = sumOf(cost) * TARGET.perSecond;
    const isCheap = share <= TARGET.share;
    print(
      `an increment: ${micros(sumOf(cost))} µs of CPU for a new transfer (service ${micros(cost.service)}, database ${micros(cost.database)})`,
    );
    print(`  and ${micros(sumOf(fixed))} µs for each of ${accounts} accounts, whatever their transfers`);
    print(`a complete check: ${micros(sumOf(complete) / stored)} µs for each of ${stored} stored transfers`);
    print(
      `at ${TARGET.perSecond} a second, new transfers take ${(share * 100).toFixed(1)} % of a core: ${isCheap ? 'met' : 'NOT met'} (at most ${TARGET.share * 100} %)`,
    );
    return isCheap;
  } finally {
    await database.close();
    await stage.close();
  }
}

async function check(database: Database, expected: number): Promise<void> {
  const { transfers, violations } = await proveNew(database);
  if (transfers !== expected || violations.length > 0)
    throw new Error(`${transfers} of ${expected} new transfers: ${JSON.stringify(violations[0])}`);
}

async function post({ databaseUrl, credentials, labels }: Stage, transfers: number): Promise<void> {
  const database = openDatabase(databaseUrl, { max: 1, onError: () => {} });
  for (let posted = 0; posted < transfers; posted += BATCH) {
    const batch = Array.from({ length: BATCH }, (_, index) => {
      const own = labels[(posted + index) % labels.length]!;
      const from = Math.floor(Math.random() * own.length);
      return transferBetween(credentials.account_id, { fromId: own[from]!, toId: own[(from + 1) % own.length]! }, 1n);
    });
    const outcomes = await postTransfers(database.sql, batch, { now: new Date() });
    if (outcomes.some(({ code }) => code !== 'posted')) throw new Error(`a transfer was refused: ${JSON.stringify(outcomes[0])}`);
  }
  await database.close();
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
