// The targets of speed, and whether a run meets them.

import type { Level, Speed } from './growth.ts';
import { medianOf } from './statistics.ts';
import type { Row, Subject } from './subjects.ts';

export type Verdict = { target: string; measured: string; met: boolean };

const OF_DIRECT = { connections64: 0.4, connections256: 0.5 };
const TIMES_ROW_LOCKS = { uniform: 3, hotPair: 10 };
const TIMES_BARE = 1.5;
const OPEN_P99_MS = 25;
const TOKENS_PER_CORE_SECOND = 5_000;
/** The delivery worker looks for work meanwhile; a token that asked the database would be one each. */
const TRANSACTIONS_PER_TOKEN = 0.05;
const PAGE_MS = 5;
const GROWN = { cost: 1.1, memory: 1.1 };

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
 * The targets that a comparison can tell of, in the order of the text that sets them. `rounds` has the rows of each. What is compared
 * is compared within a round, where it stood side by side, and the median of that counts: from round to round the machine's own pace
 * changes by more than is looked for.
 */
export function judgeComparison(rounds: Row[][]): Verdict[] {
  const figures = medianOf(rounds.map(figuresOf));
  return [
    atLeast(`64 connections: ${percent(OF_DIRECT.connections64)} of the batch function`, {
      measured: figures.ofDirect64,
      least: OF_DIRECT.connections64,
      shown: percent,
    }),
    atLeast(`64 connections: ${TIMES_ROW_LOCKS.uniform} times row locks`, {
      measured: figures.ofRowLocks,
      least: TIMES_ROW_LOCKS.uniform,
      shown: times,
    }),
    atLeast(`hot pair: ${TIMES_ROW_LOCKS.hotPair} times row locks`, {
      measured: figures.ofRowLocksHot,
      least: TIMES_ROW_LOCKS.hotPair,
      shown: times,
    }),
    atLeast(`256 connections: ${percent(OF_DIRECT.connections256)} of the batch function`, {
      measured: figures.ofDirect256,
      least: OF_DIRECT.connections256,
      shown: percent,
    }),
    atMost(`1 connection, p50: ${TIMES_BARE} times a bare commit and an HTTP round trip (${ms(figures.leastMs)})`, {
      measured: figures.ofLeast,
      most: TIMES_BARE,
      shown: (value) => `${times(value)} (${ms(figures.aloneMs)})`,
    }),
    atMost(`open loop at half of capacity: p99 under ${OPEN_P99_MS} ms`, {
      measured: figures.openP99Ms,
      most: OPEN_P99_MS,
      shown: ms,
    }),
    atLeast(`tokens: ${count(TOKENS_PER_CORE_SECOND)} a second and core`, {
      measured: figures.tokensPerCore,
      least: TOKENS_PER_CORE_SECOND,
      shown: count,
    }),
    atMost('tokens: issued without the database', {
      measured: figures.transactionsPerToken,
      most: TRANSACTIONS_PER_TOKEN,
      shown: (value) => `${value.toFixed(4)} transactions each`,
    }),
  ];
}

/** What the targets ask of one round. */
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

/** The targets that growth can tell of: the last level beside a stage that has as many transfers as the first, and every page of the last. */
export function judgeGrowth(levels: Level[]): Verdict[] {
  const [first, last] = [levels[0]!, levels.at(-1)!];
  const beside = last.beside ?? first;
  const at = `at ${count(last.transfers)}`;
  // Of all before, as it rises and falls between full collections, a minute apart: one level meets a full heap, another an empty one.
  const before = levels.length > 1 ? levels.slice(0, -1) : levels;
  const most = Math.max(...before.map(({ serviceBytes }) => serviceBytes ?? Number.NaN));
  const cost = ({ cpuMicros }: Speed) => (cpuMicros ? cpuMicros.service + cpuMicros.server : Number.NaN);
  return [
    atMost(`CPU a reallocation ${at}: as at ${count(first.transfers)}`, {
      measured: cost(last) / cost(beside),
      most: GROWN.cost,
      shown: times,
    }),
    atLeast(`rate ${at}: as at ${count(first.transfers)}`, {
      measured: last.perSecond / beside.perSecond,
      least: 1 / GROWN.cost,
      shown: times,
    }),
    atMost(`memory of the service ${at}: as the most before`, {
      measured: (last.serviceBytes ?? Number.NaN) / most,
      most: GROWN.memory,
      shown: times,
    }),
    ...last.pages.map(({ list, page, p50Ms }) =>
      atMost(`${list}, ${page} page ${at}: under ${PAGE_MS} ms`, { measured: p50Ms, most: PAGE_MS, shown: ms }),
    ),
  ];
}

type Bound = { measured: number; shown: (value: number) => string };

function atLeast(target: string, { measured, least, shown }: Bound & { least: number }): Verdict {
  return { target, measured: shown(measured), met: measured >= least };
}

function atMost(target: string, { measured, most, shown }: Bound & { most: number }): Verdict {
  return { target, measured: shown(measured), met: measured <= most };
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function times(factor: number): string {
  return `${factor.toFixed(factor < 10 ? 2 : 1)}×`;
}

function ms(value: number): string {
  return `${value.toFixed(2)} ms`;
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en');
}
