// The performance targets, and whether a run meets them.
import type { FirstMinute } from './first-minute.ts';
import type { TableSize } from './sizes.ts';
import { medianOf } from './statistics.ts';
import type { Row, Subject } from './subjects.ts';

export type Verdict = { target: string; measured: string; met: boolean };

const OF_DIRECT_256 = 0.75;
const TIMES_ROW_LOCKS = { uniform: 4, hotPair: 10, alone: 1.05 };
/** Processor time of service and server, in that of Fastify alone. */
const TIMES_BARE_CPU = 5;
const BYTES = { log: 1_400, disk: 450 };
const OPEN_P99_OF_P50 = 6;
/** Of the best five seconds of the first minute. */
const OF_BEST_FIRST = 0.6;
/** The tables of the ledger that keep a reallocation permanently. The size of the transparency log is shown beside them. */
const KEPT = ['transfer'];
const TOKENS_PER_CORE_SECOND = 5_000;
/** The delivery worker polls meanwhile; a token issued through the database would need one transaction each. */
const TRANSACTIONS_PER_TOKEN = 0.05;

/** Finds a row; throws when the run does not have it. */
export function rowOf(rows: Row[], subject: Subject, about: Partial<Row> = {}): Row {
  const wanted = { connections: 64, mix: 'uniform', load: undefined, ...about };
  const row = rows.find(
    (row) =>
      row.subject === subject && row.mix === wanted.mix && row.connections === wanted.connections && row.load === wanted.load,
  );
  if (!row) throw new Error(`no row of ${subject} with ${JSON.stringify(wanted)}`);
  return row;
}

/**
 * The targets of a comparison, in the order of the specification. `rounds` has the rows of each round. Ratios are computed within a
 * round, where the compared rows ran side by side, and their median counts: the machine's speed changes between rounds by more than
 * the targets allow. `sizes`: of each table, for each transfer. The first minute is compared with itself.
 */
export function judgeComparison(rounds: Row[][], sizes: TableSize[], { perSecond }: FirstMinute): Verdict[] {
  const figures = medianOf(rounds.map(figuresOf));
  const kept = sizes.filter(({ table }) => KEPT.includes(table));
  return [
    atMost(`64 connections: ${TIMES_BARE_CPU} times the CPU of Fastify alone`, {
      measured: figures.ofBareCpu,
      most: TIMES_BARE_CPU,
      format: times,
    }),
    atMost(`write-ahead log: ${count(BYTES.log)} bytes`, { measured: figures.walBytes, most: BYTES.log, format: count }),
    atMost(`disk, kept permanently in the ledger: ${count(BYTES.disk)} bytes`, {
      measured: kept.reduce((sum, { tableBytes, indexBytes }) => sum + tableBytes + indexBytes, 0),
      most: BYTES.disk,
      format: count,
    }),
    atLeast(`64 connections: ${TIMES_ROW_LOCKS.uniform} times row locks`, {
      measured: figures.ofRowLocks,
      least: TIMES_ROW_LOCKS.uniform,
      format: times,
    }),
    atLeast(`hot pair: ${TIMES_ROW_LOCKS.hotPair} times row locks`, {
      measured: figures.ofRowLocksHot,
      least: TIMES_ROW_LOCKS.hotPair,
      format: times,
    }),
    atLeast(`256 connections: ${percent(OF_DIRECT_256)} of the batch function`, {
      measured: figures.ofDirect256,
      least: OF_DIRECT_256,
      format: percent,
    }),
    atMost(`1 connection, p50: ${TIMES_ROW_LOCKS.alone} times row locks`, {
      measured: figures.ofRowLocksAlone,
      most: TIMES_ROW_LOCKS.alone,
      format: times,
    }),
    atMost(`open loop at half of capacity: p99 at most ${OPEN_P99_OF_P50} times p50`, {
      measured: figures.openP99OfP50,
      most: OPEN_P99_OF_P50,
      format: times,
    }),
    atLeast(`first minute of an empty database: no five seconds below ${percent(OF_BEST_FIRST)} of the best`, {
      measured: Math.min(...perSecond) / Math.max(...perSecond),
      least: OF_BEST_FIRST,
      format: percent,
    }),
    atLeast(`tokens: ${count(TOKENS_PER_CORE_SECOND)} a second and core`, {
      measured: figures.tokensPerCore,
      least: TOKENS_PER_CORE_SECOND,
      format: count,
    }),
    atMost('tokens: issued without the database', {
      measured: figures.transactionsPerToken,
      most: TRANSACTIONS_PER_TOKEN,
      format: (value) => `${value.toFixed(4)} transactions each`,
    }),
  ];
}

/** The figures of one round that have targets. */
function figuresOf(rows: Row[]) {
  const rate = (subject: Subject, about: Partial<Row> = {}) => rowOf(rows, subject, about).perSecond;
  const p50 = (subject: Subject) => rowOf(rows, subject, { connections: 1 }).p50Ms!;
  const cpu = rowOf(rows, 'earmark').cpuMicros;
  const bare = rowOf(rows, 'bare').cpuMicros;
  const hot = { mix: 'one hot pair' } as const;
  const open = rowOf(rows, 'earmark', { connections: 256, load: 0.5 });
  const tokens = rowOf(rows, 'tokens');
  return {
    ofBareCpu: cpu && bare ? (cpu.service + cpu.server) / bare.service : Number.NaN,
    walBytes: rowOf(rows, 'earmark').walBytes ?? Number.NaN,
    ofDirect256: rate('earmark', { connections: 256 }) / rate('direct', { connections: 1 }),
    ofRowLocks: rate('earmark') / rate('row locks'),
    ofRowLocksHot: rate('earmark', hot) / rate('row locks', hot),
    ofRowLocksAlone: p50('earmark') / p50('row locks'),
    openP99OfP50: open.p99Ms! / open.p50Ms!,
    tokensPerCore: 1e6 / (tokens.cpuMicros?.service ?? Number.NaN),
    transactionsPerToken: (tokens.transactions ?? Number.NaN) / tokens.made,
  };
}

type Bound = { measured: number; format: (value: number) => string };

export function atLeast(target: string, { measured, least, format }: Bound & { least: number }): Verdict {
  return { target, measured: format(measured), met: measured >= least };
}

export function atMost(target: string, { measured, most, format }: Bound & { most: number }): Verdict {
  return { target, measured: format(measured), met: measured <= most };
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

export function times(factor: number): string {
  return `${factor.toFixed(factor < 10 ? 2 : 1)}×`;
}

export function ms(value: number): string {
  return `${value.toFixed(2)} ms`;
}

export function count(value: number): string {
  return Math.round(value).toLocaleString('en');
}
