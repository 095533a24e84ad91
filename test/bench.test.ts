// Statistics, tables, plots and targets of the benchmarks, without running one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { levelsTo } from '../bench/research/growth.ts';
import { judgeGrowth } from '../bench/research/growth-targets.ts';
import type { Level } from '../bench/research/level.ts';
import { plot, short, ticksTo } from '../bench/research/plot.ts';
import { breakEven, CORES, rateOf, ratePlain, workersMost } from '../bench/scale-out.ts';
import { latencies, median, medianOf, quantile } from '../bench/statistics.ts';
import type { Row } from '../bench/subjects.ts';
import { columns } from '../bench/tables.ts';
import { judgeComparison } from '../bench/targets.ts';

test('computes quantiles by nearest rank, also of one value', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => index + 1);
  assert.deepEqual(
    [0, 0.5, 0.95, 0.99, 1].map((share) => quantile(hundred, share)),
    [1, 50, 95, 99, 100],
  );
  assert.equal(quantile([7], 0.99), 7);
  assert.ok(Number.isNaN(quantile([], 0.5)));
  assert.deepEqual(latencies([10, 9, 100, 2]), { p50Ms: 9, p95Ms: 100, p99Ms: 100 });
});

test('takes the median of rounds for each number', () => {
  assert.deepEqual([median([9, 1, 5]), median([4, 1, 100, 2])], [5, 3]);
  const rounds = [
    { what: 'x', rate: 10, cpu: { service: 3, load: 1 } },
    { what: 'x', rate: 30, cpu: { service: 2, load: 9 } },
    { what: 'x', rate: 20, cpu: { service: 1, load: 5 } },
  ];
  assert.deepEqual(medianOf(rounds), { what: 'x', rate: 20, cpu: { service: 2, load: 5 } });
});

test('measures growth at each power of ten and at the end', () => {
  assert.deepEqual(levelsTo(10_000_000), [10_000, 100_000, 1_000_000, 10_000_000]);
  assert.deepEqual(levelsTo(250_000), [10_000, 100_000, 250_000]);
  assert.deepEqual(levelsTo(5_000), [5_000]);
});

test('chooses a few round axis ticks that reach the maximum', () => {
  assert.deepEqual(ticksTo(14_300), [0, 5_000, 10_000, 15_000]);
  assert.deepEqual(ticksTo(0.9), [0, 0.2, 0.4, 0.6, 0.8, 1]);
  for (let most = 0.3; most < 1e7; most *= 1.31) {
    const ticks = ticksTo(most);
    assert.ok(ticks.at(-1)! >= most && ticks.length >= 3 && ticks.length <= 6, `${most}: ${ticks}`);
  }
  assert.deepEqual([500, 2_500, 10_000, 100_000, 10_000_000].map(short), ['500', '2,500', '10 k', '100 k', '10 M']);
});

test('names every line of a plot, keeps names apart and escapes text', () => {
  const series = [
    { name: 'fast & durable', colour: '#123456', points: [[1, 10] as [number, number], [256, 1000] as [number, number]] },
    { name: 'slow', colour: '#654321', points: [[1, 5] as [number, number], [256, 990] as [number, number]] },
  ];
  const svg = plot([{ title: 'a < b', xTitle: 'connections', series }], 'about');
  assert.equal(svg.match(/<polyline /g)?.length, 2);
  assert.ok(svg.includes('>fast &amp; durable<') && svg.includes('>a &lt; b<'));
  const heightOf = (name: string) => Number(new RegExp(`y="([0-9.]+)"[^>]*>${name}`).exec(svg)?.[1]);
  assert.ok(heightOf('slow') - heightOf('fast') >= 12);
  assert.ok(!/NaN|undefined|Infinity/.test(svg));
});

test('aligns columns and prints a line of one cell as a title', () => {
  assert.equal(columns([['', 'rate'], ['Title'], ['a', '1,000'], ['bcd', '2']]), '      rate\nTitle\na    1,000\nbcd      2\n');
});

const row = (subject: Row['subject'], perSecond: number, rest: Partial<Row> = {}): Row => ({
  subject,
  connections: 64,
  mix: 'uniform',
  perSecond,
  made: 1000,
  refused: 0,
  ...rest,
});

function comparison(changed: Partial<Record<'hot' | 'alone' | 'open' | 'tokens' | 'server', number>> = {}): Row[] {
  const { hot = 6_100, alone = 0.42, open = 24, tokens = 150, server = 93 } = changed;
  const cpu = (service: number, server = 0) => ({ cpuMicros: { service, server, load: 0 } });
  return [
    row('direct', 6_600, { connections: 1 }),
    row('bare', 20_000, cpu(30)),
    row('earmark', 1_000, { connections: 1, p50Ms: alone }),
    row('earmark', 5_300, { ...cpu(57, server), walBytes: 1_400 }),
    row('earmark', 5_000, { connections: 256 }),
    row('earmark', hot, { mix: 'one hot pair' }),
    row('earmark', 2_000, { connections: 256, load: 0.5, p50Ms: 4, p99Ms: open }),
    row('row locks', 900, { connections: 1, p50Ms: 0.4 }),
    row('row locks', 1_300),
    row('row locks', 600, { mix: 'one hot pair' }),
    row('tokens', 5_000, { ...cpu(tokens), transactions: 10 }),
  ];
}

const kept = (bytes: number) => [
  { table: 'transfer', tableBytes: bytes - 200, indexBytes: 200 },
  { table: 'event', tableBytes: 120, indexBytes: 180 },
];

/** The first minute, with its worst five seconds. */
const first = (worst: number) => ({ perSecond: [900, worst, 1_000] });

test('meets a target at its bound and misses it beyond', () => {
  const met = (rows: Row[], bytes: number) => judgeComparison([rows], kept(bytes), first(1_000)).map((verdict) => verdict.met);
  assert.deepEqual(met(comparison(), 450), Array(11).fill(true));
  const worse = comparison({ hot: 5_900, alone: 0.43, open: 25, tokens: 201, server: 94 });
  assert.deepEqual(met(worse, 451), [false, true, false, true, false, true, false, false, true, false, true]);
  const [measured] = judgeComparison([worse], kept(450), first(599)).slice(4);
  assert.match(measured!.measured, /^9\.83×$/);
  // One round runs at half the speed: ratios within a round do not change.
  const slow = comparison().map((row) => ({ ...row, perSecond: row.perSecond / 2 }));
  const rounds = judgeComparison([slow, comparison(), comparison({ hot: 12_000 })], kept(450), first(599));
  assert.deepEqual([rounds[3]!.measured, rounds[4]!.measured], ['4.08×', '10.2×']);
  assert.deepEqual([rounds[8]!.measured, rounds[8]!.met], ['60 %', false]);
});

test('judges growth by the last level against a small stage measured beside it, and by every page', () => {
  const level = (transfers: number, cpu: number, pageMs: number): Level => ({
    transfers,
    perSecond: 5_000,
    p50Ms: 1,
    p95Ms: 2,
    p99Ms: 3,
    cpuMicros: { service: cpu, server: cpu, load: 1 },
    walBytes: 2_000,
    sizes: [],
    serviceBytes: 1e8,
    pages: [{ list: 'events', page: 'last', number: 9, p50Ms: pageMs, maxMs: pageMs }],
  });
  const met = (last: Level) => judgeGrowth([level(10_000, 100, 1), last]).map((verdict) => verdict.met);
  assert.deepEqual(met(level(10_000_000, 104, 4.9)), [true, true, true, true]);
  assert.deepEqual(met(level(10_000_000, 106, 5.1)), [false, true, true, false]);
  // The machine slowed down: the small stage measured beside it shows that.
  const reference = (cpu: number, perSecond: number) => ({ ...level(10_000, cpu, 1), perSecond });
  assert.deepEqual(met({ ...level(10_000_000, 150, 1), reference: reference(145, 5_200) }), [true, true, true, true]);
  assert.deepEqual(met({ ...level(10_000_000, 109, 1), reference: reference(90, 6_000) }), [false, false, true, true]);
  // Memory is compared with the maximum of the levels before, because a level may follow a full collection.
  const memory = (...bytes: number[]) =>
    judgeGrowth(bytes.map((serviceBytes) => ({ ...level(10_000, 100, 1), serviceBytes })))[2]!.met;
  assert.deepEqual([memory(2e8, 1e8, 2.1e8), memory(1e8, 2e8, 2.3e8), memory(1e8)], [true, false, true]);
});

test('models a cluster up to the limit of its coordinator', () => {
  const costs = { plain: 100, workers: 250, coordinator: 50 };
  assert.equal(ratePlain(costs), (CORES * 1e6) / 100);
  assert.deepEqual(rateOf(costs, 2), { workers: 2, perSecond: (2 * CORES * 1e6) / 250, limit: 'workers' });
  assert.deepEqual(rateOf(costs, 6), { workers: 6, perSecond: (CORES * 1e6) / 50, limit: 'coordinator' });
  assert.deepEqual([breakEven(costs), workersMost(costs)], [3, 5]);
  assert.equal(breakEven({ ...costs, coordinator: 100 }), undefined);
});
