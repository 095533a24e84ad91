// The compared subjects: runs each for a time window and measures its cost in processes and database.
import { readFileSync } from 'node:fs';
import { postTransfers } from '../src/ledger/transfers/post.ts';
import { checkTotals } from './ledger-check.ts';
import { runLoad, runOpenLoad } from './load.ts';
import { type Mix, openMix } from './mixes.ts';
import { type Cpu, cpuEach, cpuSeconds, memoryBytes } from './processes.ts';
import { reallocations, tokens } from './requests.ts';
import type { Rival } from './rivals.ts';
import { walBytes } from './sizes.ts';
import { type Stage, transferBetween } from './stage.ts';
import { latencies } from './statistics.ts';

export type Subject = 'earmark' | Rival | 'direct' | 'commit' | 'tokens';

/** One row of the table, of one round or of the median of all. */
export type Row = {
  subject: Subject;
  connections: number;
  mix: Mix;
  /** Open loop: the share of capacity at which requests are due. */
  load?: number;
  perSecond: number;
  made: number;
  refused: number;
  p50Ms?: number;
  p95Ms?: number;
  p99Ms?: number;
  /** Microseconds of CPU for each answer. */
  cpuMicros?: Cpu;
  /** Bytes of write-ahead log for each reallocation. */
  walBytes?: number;
  /** Memory of the process that answers. */
  serviceBytes?: number;
  /** Database transactions meanwhile, including those of the delivery worker. */
  transactions?: number;
};

/** The settings of one row. */
export type Step = Pick<Row, 'subject' | 'connections' | 'mix' | 'load'>;
type Run = Pick<Row, 'perSecond' | 'made' | 'refused' | 'p50Ms' | 'p95Ms' | 'p99Ms'>;
type Front = { port: number; pid: number };
type Fronts = Record<Rival | 'earmark', Front>;

export const RIVALS = ['row locks', 'statements'] as const;
const BATCH = 200;

/** Starts the processes to compare, and counts the reallocations that they acknowledge. */
export async function openBench(stage: Stage, subjects: Subject[]) {
  const { sql } = stage.database;
  const fronts = await openFronts(stage, subjects);
  await sql`create table bench_commit (n int)`;
  let acknowledged = 0;
  let capacity = 0;

  const run = async (step: Step, durationMs: number): Promise<Run> => {
    const { subject } = step;
    if (subject === 'commit') return commit(stage, durationMs);
    const made =
      subject === 'direct' ? await direct(stage, durationMs) : await http(stage, fronts, step, { durationMs, capacity });
    if (subject === 'earmark' && step.connections === 64 && step.mix === 'uniform') capacity = made.perSecond;
    if (isWritten(subject)) acknowledged += made.made;
    return made;
  };

  return {
    acknowledged: () => acknowledged,
    /** Lets every process compile and plan what it will need. */
    async warmUp(durationMs: number) {
      for (const subject of subjects.filter((subject) => subject !== 'commit'))
        await run({ subject, connections: 64, mix: 'uniform' }, durationMs);
    },
    async measure(step: Step, durationMs: number): Promise<Row> {
      const pid = step.subject in fronts ? fronts[step.subject as Rival].pid : stage.pids.service;
      const pids = { service: pid, server: stage.pids.server };
      const [wal, transactions, cpu] = [await walBytes(sql), await transactionsOf(stage), cpuSeconds(pids)];
      const made = await run(step, durationMs);
      const used = cpuEach(cpu, cpuSeconds(pids), made.made + made.refused);
      const row: Row = { ...step, ...made, ...used, transactions: (await transactionsOf(stage)) - transactions };
      if (isWritten(step.subject)) {
        row.walBytes = ((await walBytes(sql)) - wal) / made.made;
        await checkTotals(stage.database, acknowledged, `${step.subject}, ${step.connections} connections, ${step.mix}`);
      }
      const bytes = memoryBytes([pid]);
      return bytes === undefined ? row : { ...row, serviceBytes: bytes };
    },
  };
}

/** Whether a subject writes transfers. */
function isWritten(subject: Subject): boolean {
  return subject !== 'commit' && subject !== 'bare' && subject !== 'no database' && subject !== 'tokens';
}

async function openFronts(stage: Stage, subjects: Subject[]): Promise<Fronts> {
  const earmark = { port: Number(new URL(stage.url).port), pid: stage.pids.service };
  const fronts = { earmark } as Fronts;
  await stage.database.sql([readFileSync(new URL('row-locks.sql', import.meta.url), 'utf8')] as unknown as TemplateStringsArray);
  for (const rival of ['bare', 'no database', ...RIVALS] as const) {
    if (!subjects.includes(rival)) continue;
    const { child, line } = await stage.start(['bench/rivals.ts', rival]);
    fronts[rival] = { ...(JSON.parse(line) as { port: number }), pid: child.pid! };
  }
  return fronts;
}

/** The minimum cost of a durable answer: one small row, committed, through the same client. */
async function commit({ database: { sql } }: Stage, durationMs: number): Promise<Run> {
  const valuesMs: number[] = [];
  const begin = performance.now();
  while (performance.now() - begin < durationMs / 2) {
    const sentMs = performance.now();
    await sql`insert into bench_commit (n) values (1)`;
    valuesMs.push(performance.now() - sentMs);
  }
  const made = valuesMs.length;
  return { perSecond: (made / (performance.now() - begin)) * 1000, made, refused: 0, ...latencies(valuesMs) };
}

/** The batch function on one connection with full batches: the limit of the database. */
async function direct({ database: { sql }, credentials, labels }: Stage, durationMs: number): Promise<Run> {
  const pick = openMix('uniform', labels);
  const begin = performance.now();
  let made = 0;
  while (performance.now() - begin < durationMs) {
    const batch = Array.from({ length: BATCH }, () => transferBetween(credentials.account_id, pick(), 1n));
    made += (await postTransfers(sql, batch, { now: new Date() })).filter((outcome) => outcome.code === 'posted').length;
  }
  return { perSecond: (made / (performance.now() - begin)) * 1000, made, refused: 0 };
}

async function http(
  stage: Stage,
  fronts: Fronts,
  { subject, connections, mix, load }: Step,
  { durationMs, capacity }: { durationMs: number; capacity: number },
): Promise<Run> {
  const options = { port: fronts[subject === 'tokens' ? 'earmark' : (subject as Rival)].port, connections, durationMs };
  const next = subject === 'tokens' ? tokens(stage) : reallocations(stage, mix);
  const done = await (load === undefined
    ? runLoad({ ...options, next })
    : runOpenLoad({ ...options, next, perSecond: capacity * load }));
  const made = done.statuses.get(subject === 'tokens' ? 200 : 201) ?? 0;
  const refused = done.requests - made;
  if (mix !== '10 % refusals' && refused > 0)
    throw new Error(
      `${subject}, ${connections} connections: unexpected answers ${JSON.stringify([...done.statuses])}; ${stage.lastError()}`,
    );
  const { seconds, p50Ms, p95Ms, p99Ms } = done;
  return { perSecond: made / seconds, made, refused, p50Ms, p95Ms, p99Ms };
}

async function transactionsOf({ database: { sql } }: Stage): Promise<number> {
  const [row] = await sql<{ count: bigint }>`
    select xact_commit + xact_rollback as count from pg_stat_database where datname = current_database()`;
  return Number(row!.count);
}
