// Measures the statements of a service in rounds, between which the tables grow, on a server whose tables nobody analyses.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifyInSlices } from '../../src/apps/service/ledger-check.ts';
import { settleEvents } from '../../src/ledger/feed/feed.ts';
import { startEmbedded } from '../../src/platform/db/embedded.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { openDatabase } from '../../src/platform/db/sql.ts';
import { runCli, settingsOf } from '../support/process.ts';
import { startService, type TestService } from '../support/service.ts';
import type { TestScope } from '../support/test-scope.ts';
import { waitUntil } from '../support/wait.ts';
import { startReceiver } from '../support/webhooks.ts';
import {
  grow,
  move,
  openWorld,
  read,
  readStatements,
  readTogether,
  reallocate,
  review,
  spread,
  together,
  type World,
} from './calls.ts';
import { PLANS_LOGGED, readPlans, rejecting } from './rejected.ts';
import { type Cost, type Costs, openStatistics, type RowsRead, type Statistics } from './statistics.ts';

const SETTINGS = {
  autovacuum: 'off',
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track': 'all',
  'pg_stat_statements.max': '10000',
};
/** The checks by hand, and few connections, so that each prepares every statement in the first round. */
const ENVIRONMENT = {
  ...{ POOL_SIZE: '2', LANES: '1', WEBHOOK_ALLOW_PRIVATE: 'true', VERIFY_EVERY_SECONDS: '0' },
  SANDBOX_REVIEW_DELAY_MS: '86400000',
};
/** Of the calls that make customers: more would only wait for the two connections, on a busy machine until they are answered with 503. */
const PREPARING_CONNECTIONS = 4;
const ASK_MS = 500;
const SETTLED_MS = 300_000;
/** An idle connection reports what it has read within 10 s (PGSTAT_IDLE_INTERVAL). Statements of the round before would count in this one. */
const REPORTED_MS = 11_000;
/** From its sixth execution on a connection, a statement has one plan for all values, which is kept. */
const REPETITIONS = 7;
const REVIEWS = 2;
const REALLOCATIONS = 300;

/** What a call, or a row of its result, may need more in the last round: indexes get deeper, and rows are on more pages. */
const TIMES_MORE = 1.5;
const BLOCKS_MORE = 16;
/** Index rows that a reallocation may read, with its event, its webhooks and its log entry. */
const ROWS_OF_REALLOCATION = 20;
/** Rows that one plan may reject for each customer, who has two labels and five transfers: what a filter of a list reads. */
const REJECTED = 10;
const LABELS = 100;
/** The same of the ledger check, which compares each event with the topics of its account. */
const REJECTED_BY_CHECK = 200;
/** Statements that may read more in later rounds, and why no plan is the reason. */
const MAY_GROW: [RegExp, reason: string][] = [
  [/^select count\(\*\) as total from \(/i, 'counts matches, of which there are more: at most 10,000'],
  [/^select sum\(matches\)/i, 'counts matches exactly'],
  [/ from webhook_due d/i, 'steps over deleted rows of the queue, which only vacuum removes'],
  [/^insert into customer /i, 'some forty entries of the search index, each a level deeper'],
];

/** `bulk`: the blocks of work on the whole ledger, for each transfer. */
export type Round = { transfers: number; costs: Costs; rows: RowsRead; bulk: Record<string, number> };
/** `sizes`: by how many transfers an account grows before each round. `analyzed`: whether the tables were analysed when they were small. */
type Options = { sizes: number[]; accounts?: number; customers?: number; analyzed?: boolean; settings?: Record<string, string> };
type Measured = { dataDir: string; service: TestService; statistics: Statistics; worlds: World[] };

/** Starts a server with nothing in it, and measures each round after its growth. */
export async function measureRounds(t: TestScope, { sizes, ...options }: Options): Promise<Round[]> {
  const measured = await startMeasured(t, options);
  const rounds: Round[] = [];
  for (const size of sizes) {
    for (const world of measured.worlds) await grow(world, size);
    rounds.push(await measure(t, measured));
  }
  const last = rounds.at(-1)!;
  last.costs = cheaper(last.costs, (await measureCalls(measured)).costs);
  const [{ known }] = await measured.statistics.query("select reltuples::int as known from pg_class where relname = 'transfer'");
  assert.ok(known < rounds[1]!.transfers, 'nobody has analysed the tables meanwhile');
  return rounds;
}

/** Fails if a statement of the last round reads more blocks than in the second, for a call and for each row of its result. */
export function assertFlat(rounds: Round[]): void {
  const [, early, ...later] = rounds;
  const last = later.at(-1)!;
  const isMore = (was: number, is: number) => is > was * TIMES_MORE + BLOCKS_MORE;
  const grown = [...last.costs].flatMap(([id, cost]) => {
    const before = early!.costs.get(id);
    if (!before || MAY_GROW.some(([pattern]) => pattern.test(cost.text))) return [];
    const [was, is] = [ofRow(before), ofRow(cost)];
    // A statement that takes what waits does the work of a round in fewer or more calls.
    const isSame = !isMore(before.blocks * before.calls, cost.blocks * cost.calls);
    return isMore(was, is) && !isSame
      ? [`${was.toFixed(0)} → ${is.toFixed(0)} blocks: ${cost.text.replaceAll(/\s+/g, ' ')}`]
      : [];
  });
  assert.deepEqual(grown, []);
  for (const [name, blocks] of Object.entries(last.bulk)) {
    const was = early!.bulk[name]!;
    assert.ok(!isMore(was, blocks), `${name}: ${was.toFixed(0)} → ${blocks.toFixed(0)} blocks for each transfer`);
  }
}

/**
 * Fails if reallocations read more rows than they need, in most rounds: what a connection has read in the round before may be reported
 * late, and then counts in one round. `assertFlat` finds a plan that is bad in the last round only.
 */
export function assertFewRows(rounds: Round[], accounts = 1): void {
  const found = rounds.map(({ rows: all }) => {
    // A look at the queue of webhooks steps over deleted rows, which only vacuum removes.
    const rows = all.filter(({ table }) => table !== 'webhook_due');
    const read = rows.reduce((sum, one) => sum + one.rows, 0) / (REALLOCATIONS * accounts);
    const most = rows.slice(0, 8).map(({ table, index, rows }) => `${table} ${index} ${rows}`);
    return { read, most };
  });
  const { read, most } = found.sort((one, other) => one.read - other.read)[Math.floor(found.length / 2)]!;
  assert.ok(read <= ROWS_OF_REALLOCATION, `${read.toFixed(1)} rows for a reallocation: ${most.join(', ')}`);
}

/**
 * Fails if a statement compares rows with rows, on new connections, whose first plans are for the values of a call. Many labels are created
 * at once among those of many customers: where there are few rows, comparing them is cheap.
 */
export async function assertFewRejected(t: TestScope, customers: number): Promise<void> {
  const measured = await startMeasured(t, { customers, settings: PLANS_LOGGED });
  const { service, statistics, dataDir, worlds } = measured;
  const [world] = worlds as [World];
  await untilSettled(measured);
  const before = readPlans(dataDir).length;
  await statistics.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'earmark'");
  const made: string[] = [];
  const labels = () => together(LABELS, async () => void made.push(await world.newLabel(world.customer)));
  for (const work of [
    labels,
    () => spread(world, made),
    () => grow(world, customers),
    () => move(world),
    () => read(world),
    () => readTogether(world),
  ]) {
    await work();
    await untilSettled(measured);
  }
  const ofCalls = readPlans(dataDir).length;
  await checkLedger(service.databaseUrl);
  const plans = readPlans(dataDir);
  assert.ok(before < ofCalls && ofCalls < plans.length, `${before}, ${ofCalls} and ${plans.length} plans`);
  assert.deepEqual(rejecting(plans.slice(before, ofCalls), customers * REJECTED), []);
  assert.deepEqual(rejecting(plans.slice(ofCalls), customers * REJECTED_BY_CHECK), []);
}

async function startMeasured(
  t: TestScope,
  { accounts = 1, customers = 0, analyzed = false, settings = {} }: Omit<Options, 'sizes'>,
): Promise<Measured> {
  const dataDir = mkdtempSync(join(tmpdir(), 'earmark-embedded-plans-'));
  const server = await startEmbedded({ dataDir, throwAway: true, settings: { ...SETTINGS, ...settings } });
  const closers = [server.stop];
  t.after(async () => {
    for (const close of closers.toReversed()) await close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  await migrate(server.url);
  const statistics = await openStatistics(server.url);
  closers.push(statistics.close);
  const beside = { databaseUrl: server.url, dataDir, besides: [] };
  const service = await startService(t, { beside, env: ENVIRONMENT, processes: 1 });
  closers.push(service.stop);
  // Every second delivery waits for a retry. A receiver that always fails would get few at a time, and fall behind.
  let deliveries = 0;
  const receivers = [
    await startReceiver(t),
    await startReceiver(t, (response) => void response.writeHead(deliveries++ % 2 ? 500 : 204).end()),
  ];
  const worlds: World[] = [];
  while (worlds.length < accounts) {
    const world = await openWorld({ ...service, ...(await service.newPlatform()) });
    for (const { url } of receivers)
      await world.create('/webhook-subscriptions', { url, secret: 'a secret of 32 characters, long!' });
    worlds.push(world);
  }
  if (analyzed) await statistics.query('analyze');
  await statistics.forbidAnalysis();
  await together(customers, () => worlds[0]!.newLabels('1.00'), PREPARING_CONNECTIONS);
  return { dataDir, service, statistics, worlds };
}

/**
 * The lower cost of each statement in two measurements. What it needs once, because a page is split or a connection reads the catalogs
 * again, is in one of them; a bad plan is in both.
 */
function cheaper(costs: Costs, again: Costs): Costs {
  const lower = (id: string, cost: Cost) => {
    const other = again.get(id);
    return other && ofRow(other) < ofRow(cost) ? other : cost;
  };
  return new Map([...costs].map(([id, cost]) => [id, lower(id, cost)]));
}

async function measure(t: TestScope, measured: Measured): Promise<Round> {
  const { service, statistics, worlds } = measured;
  const calls = await measureCalls(measured);
  const [{ transfers }] = await statistics.query('select count(*)::int as transfers from transfer');
  const bulk: Round['bulk'] = {};
  const account = worlds[0]!.client.account_id;
  const work: Record<string, () => Promise<unknown>> = {
    'ledger check': () => checkLedger(service.databaseUrl),
    'statement of a month': () => readStatements(worlds[0]!),
    export: () =>
      runCli(t, ['export', 'entries', '--account', account, '--file', '/dev/null', '--format', 'csv'], settingsOf(service)),
  };
  for (const [name, run] of Object.entries(work)) {
    await statistics.reset();
    await run();
    bulk[name] = (await statistics.blocks()) / transfers;
  }
  return { transfers, ...calls, bulk };
}

async function measureCalls(measured: Measured): Promise<Pick<Round, 'costs' | 'rows'>> {
  const { statistics, worlds } = measured;
  const settled = () => untilSettled(measured);
  const repeat = async (times: number, work: (world: World) => Promise<void>) => {
    for (const world of worlds) for (let left = times; left > 0; left--) await work(world);
  };
  await settled();
  await sleep(REPORTED_MS);
  await statistics.reset();
  for (const world of worlds) await reallocate(world, REALLOCATIONS);
  await settled();
  const rows = await statistics.rowsRead();
  await repeat(REPETITIONS, move);
  await repeat(REPETITIONS, read);
  await repeat(REPETITIONS, readTogether);
  await repeat(REVIEWS, review);
  await settled();
  return { costs: await statistics.costs(), rows };
}

/** Waits until all events are in the feed, in the logs, and delivered. */
async function untilSettled({ service, statistics }: Measured): Promise<void> {
  const isSettled = async () => (await settleEvents(service.sql)) === 0 && (await isQuiet(statistics));
  // Seldom, because what the question reads is counted.
  await waitUntil('events are delivered', async () => (await isSettled()) || sleep(ASK_MS, false), SETTLED_MS);
}

/** On a connection that ends: PostgreSQL may add the statistics of others to the next round. */
async function checkLedger(databaseUrl: string): Promise<void> {
  const database = openDatabase(databaseUrl, { max: 1, onError: () => {} });
  assert.deepEqual(await verifyInSlices(database), []);
  await database.close();
}

/** Whether all events have become webhooks, which were tried, and the logs contain them. */
async function isQuiet({ query }: Statistics): Promise<boolean> {
  const [row] = await query(`
    select (select count(*) from webhook_subscription s join event_head h using (account_id) where s.position < h.position)
      + (select count(*) from webhook_due where first is null)
      + (select count(*) from transparency_log l join event_head h using (account_id) where l.start + l.size < h.position) as waiting`);
  return Number(row.waiting) === 0;
}

function ofRow({ blocks, rows }: Cost): number {
  return blocks / Math.max(1, rows);
}
