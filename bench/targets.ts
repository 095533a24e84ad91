// The performance targets, and whether a run meets them.

import { medianOf } from './statistics.ts';
import type { Row, Subject } from './subjects.ts';

export type Verdict = { target: string; measured: string; met: boolean };

const OF_DIRECT = { connections64: 0.4, connections256: 0.5 };
const TIMES_ROW_LOCKS = { uniform: 3, hotPair: 10 };
const TIMES_BARE = 1.5;
const OPEN_P99_MS = 25;
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
 * the targets allow.
 */
export function judgeComparison(rounds: Row[][]): Verdict[] {
  const figures = medianOf(rounds.map(figuresOf));
  return [
    atLeast(`64 connections: ${percent(OF_DIRECT.connections64)} of the batch function`, {
      measured: figures.ofDirect64,
      least: OF_DIRECT.connections64,
      format: percent,
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
    atLeast(`256 connections: ${percent(OF_DIRECT.connections256)} of the batch function`, {
      measured: figures.ofDirect256,
      least: OF_DIRECT.connections256,
      format: percent,
    }),
    atMost(`1 connection, p50: ${TIMES_BARE} times a bare commit and an HTTP round trip (${ms(figures.leastMs)})`, {
      measured: figures.ofLeast,
      most: TIMES_BARE,
      format: (value) => `${times(value)} (${ms(figures.aloneMs)})`,
    }),
    atMost(`open loop at half of capacity: p99 under ${OPEN_P99_MS} ms`, {
      measured: figures.openP99Ms,
      most: OPEN_P99_MS,
      format: ms,
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
  const direct = rate('direct', { connections: 1 });
  const hot = { mix: 'one hot pair' } as const;
  const [aloneMs, leastMs] = [p50('earmark'), p50('commit') + p50('bare')];
  const tokens = rowOf(rows, 'tokens');
  return {
    ofDirect64: rate('earmark') / direct,
    ofDirect256: rate('earmark', { connections: 256 }) / direct,
    ofRowLocks: rate('earmark') / rate('row locks'),
    ofRowLocksHot: rate('earmark', hot) / rate('row locks', hot),
    aloneMs,
    leastMs,
    ofLeast: aloneMs / leastMs,
    openP99Ms: rowOf(rows, 'earmark', { connections: 256, load: 0.5 }).p99Ms!,
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
