// Growth from ten thousand to ten million transfers: rate, list pages, bytes and memory at each power of ten.
import { statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { openProgress, type Progress } from '../../src/apps/cli/progress.ts';
import { settleEvents } from '../../src/ledger/feed/feed.ts';
import { postTransfers } from '../../src/ledger/transfers/post.ts';
import { openDatabase } from '../../src/platform/db/sql.ts';
import { checkLedger, checkTotals } from '../ledger-check.ts';
import { runLoad } from '../load.ts';
import { type Mix, openMix, openShared } from '../mixes.ts';
import { cpuEach, cpuSeconds, familyOf, memoryBytes } from '../processes.ts';
import { reallocations } from '../requests.ts';
import { machineLine, save } from '../results.ts';
import { perTransfer, type TableSize, tableSizes, walBytes } from '../sizes.ts';
import { CUSTOMERS, LABELS_EACH, openStage, type Stage, tokenOf, transferBetween } from '../stage.ts';
import { medianOf } from '../statistics.ts';
import { verdictsTable } from '../tables.ts';
import { growthTable } from './growth-table.ts';
import { judgeGrowth } from './growth-targets.ts';
import type { Level, Speed } from './level.ts';
import { timePages } from './pages.ts';

const FIRST = 10_000;
const CONNECTIONS = 64;
const ROUNDS = 5;
const WINDOW_MS = 1_500;
const WARM_UP_MS = 3_000;
/**
 * Transfers written after a checkpoint before a level, so that not every page is logged in full at its first change; at most a
 * quarter.
 */
const BEHIND_CHECKPOINT = 100_000;
/** The last transfers of a level, over HTTP, so that every process and cache is warm; at most a quarter. */
const OVER_HTTP = 20_000;
const SLICE_MS = 250;
const BATCH = 500;
/** One customer has a tenth of all transfers between two labels, so that some lists have very many pages. */
const BUSY_SHARE = 0.1;
const BYTES_MOST = 2_000;
/** In addition to the tables: write-ahead log, and temporary space of vacuum and the ledger check. */
const BYTES_IN_ADDITION = 10 * 2 ** 30;

type Bench = { stage: Stage; progress: Progress; stored: number; to: number };

/** Runs growth up to a number of transfers, prints it and saves the result. Returns whether the ledger check passed. */
export async function grow({ to }: { to: number }): Promise<boolean> {
  const stage = await openStage();
  const bench: Bench = { stage, progress: openProgress('growth'), stored: 0, to };
  try {
    assertDiskSpace(stage.dataDir, to);
    const before = await tableSizes(stage.database.sql);
    await load(bench, { mix: 'all refused', durationMs: WARM_UP_MS });
    const levels: Level[] = [];
    for (const transfers of levelsTo(to)) {
      levels.push(await measure(bench, transfers, before));
      bench.progress.end();
      process.stderr.write(`${transfers.toLocaleString('en')} transfers: ${Math.round(levels.at(-1)!.perSecond)} per second\n`);
    }
    const ledger = await checkLedger(stage.database, bench.stored, bench.progress);
    const verdicts = judgeGrowth(levels);
    const file = save('growth', { to, levels, verdicts, ledger: ledger.text });
    process.stdout.write(
      `${CUSTOMERS} customers with ${LABELS_EACH} labels each, one of them with a tenth of all transfers. ${machineLine()}, shared with the load generator.\n\n`,
    );
    process.stdout.write(`${growthTable(levels)}\n${verdictsTable(verdicts)}\n${ledger.text}\n${file}\n`);
    return ledger.passed;
  } finally {
    bench.progress.end();
    await stage.close();
  }
}

/** Powers of ten from ten thousand on, and the end. */
export function levelsTo(to: number): number[] {
  const levels: number[] = [];
  for (let level = FIRST; level < to; level *= 10) levels.push(level);
  return [...levels, to];
}

async function measure(bench: Bench, transfers: number, before: TableSize[]): Promise<Level> {
  const { stage } = bench;
  const small = transfers > FIRST ? await openSmall(bench) : undefined;
  try {
    const fill = await prepare(bench, transfers);
    const rounds: { measured: Speed; reference?: Speed }[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const measured = await speed(bench);
      rounds.push(small ? { measured, reference: await speed(small) } : { measured });
    }
    const { measured, ...reference } = medianOf(rounds);
    const serviceBytes = memoryBytes([stage.pids.service]);
    const serverBytes = memoryBytes(familyOf(stage.pids.server));
    return {
      transfers,
      ...measured,
      ...reference,
      ...(fill && { fill }),
      sizes: perTransfer(before, await tableSizes(stage.database.sql), bench.stored),
      ...(serviceBytes !== undefined && { serviceBytes }),
      ...(serverBytes !== undefined && { serverBytes }),
      pages: await timePages(stage),
    };
  } finally {
    await small?.stage.close();
  }
}

/** Opens another stage with as many transfers as the first level. */
async function openSmall({ progress }: Bench): Promise<Bench> {
  const small: Bench = { stage: await openStage(), progress, stored: 0, to: FIRST };
  try {
    await load(small, { mix: 'all refused', durationMs: WARM_UP_MS });
    await prepare(small, FIRST);
    return small;
  } catch (error) {
    await small.stage.close();
    throw error;
  }
}

/** Fills a stage: transfers before a checkpoint, transfers after it, and the last ones over HTTP. */
async function prepare(bench: Bench, transfers: number): Promise<Level['fill']> {
  const { stage } = bench;
  const overHttp = Math.min(OVER_HTTP, transfers / 4);
  const fill = await fillTo(bench, transfers - overHttp - Math.min(BEHIND_CHECKPOINT, transfers / 4));
  await settle(bench);
  await fillTo(bench, transfers - overHttp);
  stage.token = await tokenOf(stage.credentials);
  while (bench.stored < transfers) await load(bench, { mix: 'uniform', durationMs: SLICE_MS });
  return fill;
}

async function speed(bench: Bench): Promise<Speed> {
  const { sql } = bench.stage.database;
  const [wal, cpu, stored] = [await walBytes(sql), cpuSeconds(bench.stage.pids), bench.stored];
  const { perSecond, p50Ms, p95Ms, p99Ms } = await load(bench, { mix: 'uniform', durationMs: WINDOW_MS });
  const made = bench.stored - stored;
  const used = cpuSeconds(bench.stage.pids);
  const written = (await walBytes(sql)) - wal;
  await checkTotals(bench.stage.database, bench.stored, `at ${stored}`);
  return {
    perSecond,
    p50Ms,
    p95Ms,
    p99Ms,
    ...cpuEach(cpu, used, made),
    walBytes: written / made,
  };
}

/** Reallocations over HTTP, closed loop. */
async function load(bench: Bench, { mix, durationMs }: { mix: Mix; durationMs: number }) {
  const { stage } = bench;
  const port = Number(new URL(stage.url).port);
  const done = await runLoad({ port, connections: CONNECTIONS, durationMs, next: reallocations(stage, mix) });
  const made = done.statuses.get(201) ?? 0;
  const expected = mix === 'all refused' ? 0 : done.requests;
  if (made !== expected) throw new Error(`unexpected answers ${JSON.stringify([...done.statuses])}; ${stage.lastError()}`);
  bench.stored += made;
  return done;
}

/** Posts transfers by the batch function on one connection per processor, each with its labels customers. */
async function fillTo(bench: Bench, transfers: number): Promise<Level['fill']> {
  const { stage, progress } = bench;
  const begin = { stored: bench.stored, ms: performance.now(), wal: await walBytes(stage.database.sql) };
  if (transfers <= begin.stored) return undefined;
  const connections = Math.max(2, availableParallelism());
  const database = openDatabase(stage.databaseUrl, { max: connections, onError: () => {} });
  let started = bench.stored;
  const work = async (_: unknown, worker: number) => {
    const labels = stage.labels.filter((_, customer) => customer % connections === worker);
    const pick = worker === 0 ? openShared(labels, BUSY_SHARE * connections) : openMix('uniform', labels);
    while (started < transfers) {
      const size = Math.min(BATCH, transfers - started);
      started += size;
      const batch = Array.from({ length: size }, () => transferBetween(stage.credentials.account_id, pick(), 1n));
      const outcomes = await postTransfers(database.sql, batch, { now: new Date() });
      if (!outcomes.every(({ code }) => code === 'posted')) throw new Error('the batch function refused a transfer');
      bench.stored += size;
      progress.show(bench.stored / bench.to, remaining(bench, begin));
    }
  };
  await Promise.all(Array.from({ length: connections }, work)).finally(() => database.close());
  const made = bench.stored - begin.stored;
  const written = (await walBytes(stage.database.sql)) - begin.wal;
  return { perSecond: (made / (performance.now() - begin.ms)) * 1000, walBytes: written / made };
}

function remaining({ stored, to }: Bench, begin: { stored: number; ms: number }): string {
  const perSecond = ((stored - begin.stored) / (performance.now() - begin.ms)) * 1000;
  const minutes = Math.ceil((to - stored) / perSecond / 60);
  return `${stored.toLocaleString('en')} of ${to.toLocaleString('en')}, ${Math.round(perSecond).toLocaleString('en')}/s, ${minutes} min left`;
}

/** Does the background work of the minutes after such a load: events in the feed, vacuum, checkpoint. */
async function settle({ stage, progress, stored, to }: Bench): Promise<void> {
  const { sql } = stage.database;
  progress.show(stored / to, 'runs vacuum and checkpoint');
  while ((await settleEvents(sql)) > 0);
  await sql`vacuum transfer, event, event_outbox, ledger_account`;
  await sql`checkpoint`;
}

function assertDiskSpace(folder: string, transfers: number): void {
  const { bavail, bsize } = statfsSync(folder);
  const needed = transfers * BYTES_MOST + BYTES_IN_ADDITION;
  if (bavail * bsize > needed) return;
  const gigabytes = Math.ceil(needed / 2 ** 30);
  throw new Error(
    `${transfers} transfers need ${gigabytes} GB free in ${folder}; set TMPDIR to a folder that has them, or --to.`,
  );
}
