// `npm run bench -- cluster`: the CPU of the databases for each reallocation, on a plain server and on a Citus cluster, in interleaved
// windows of one run; and a model of the throughput by number of workers. `--quick` takes a fifth of the time.
import { writeFileSync } from 'node:fs';
import { postTransfers } from '../src/ledger/transfers/post.ts';
import { requireCitus } from '../test/cluster/cluster.ts';
import { type Cpu, GROUPS, openSides, type Side } from './cluster-sides.ts';
import { runLoad } from './load.ts';
import { openMix } from './mixes.ts';
import { reallocations } from './requests.ts';
import { plot } from './research/plot.ts';
import { ASSUMPTIONS, breakEven, CORES, type Costs, rateOf, ratePlain, SIZES, workersMost } from './scale-out.ts';
import { transferBetween, untilSettled } from './stage.ts';
import { median } from './statistics.ts';
import { integer } from './tables.ts';

/** A measurement on both sides. `most`: the target of the ratio. */
type Subject = { name: string; most?: number; window(side: Side): Promise<number> };
type Window = { made: number; cpu: Cpu };
type Result = { name: string; plain: Costs['plain']; cluster: Cpu; ratio: number; most: number | undefined };

const quick = process.argv.includes('--quick');
const ROUNDS = quick ? 3 : 5;
/**
 * The events of the last second settle after a window. At 256 connections that took 54 of 351 µs for each reallocation of a window of five
 * seconds, and 16 of 314 in one of twenty.
 */
const WINDOW_MS = quick ? 2_000 : 10_000;
const CONNECTIONS = [64, 256];
const BATCHES = [1, 19, 75];
/** The measurement that the model uses. */
const MODEL = 256;
const COLOURS = { cluster: '#2f81f7', plain: '#bf8700' };
const NUMBER_WIDTH = 15;
const NAME_WIDTH = 34;

requireCitus('npm run bench -- cluster');
await run();

async function run(): Promise<void> {
  const { sides, close } = await openSides();
  try {
    line(`µs of database CPU each (${GROUPS} groups)`, ['plain', 'cluster', 'coordinator', 'ratio', 'at most']);
    const results: Result[] = [];
    for (const subject of [...BATCHES.map(calls), ...CONNECTIONS.map(requests)]) {
      const result = await compare(subject, sides);
      results.push(result);
      printResult(result);
    }
    printModel(costsOf(results.find(({ name }) => name === nameOf(MODEL))!));
    if (results.some(({ ratio, most }) => most !== undefined && ratio > most)) process.exitCode = 1;
  } finally {
    await close();
  }
}

/** Reallocations over HTTP. */
function requests(connections: number): Subject {
  return {
    name: nameOf(connections),
    ...(connections === MODEL && { most: 1.6 }),
    async window({ stage }) {
      const next = reallocations(stage, 'uniform');
      const load = await runLoad({ port: Number(new URL(stage.url).port), connections, durationMs: WINDOW_MS, next });
      const made = load.statuses.get(201) ?? 0;
      if (made < load.requests) throw new Error(`${load.requests - made} requests failed: ${stage.lastError()}`);
      return made;
    },
  };
}

function nameOf(connections: number): string {
  return `HTTP, ${connections} connections`;
}

/** Calls of the posting function on the server of one group, one after another. */
function calls(batch: number): Subject {
  return {
    name: `batches of ${batch}`,
    ...(batch === Math.max(...BATCHES) && { most: 1.3 }),
    async window({ lane, posting, labels, stage }) {
      const pick = openMix('uniform', labels);
      const end = performance.now() + WINDOW_MS;
      let made = 0;
      for (; performance.now() < end; made += batch) {
        const transfers = Array.from({ length: batch }, () => transferBetween(stage.credentials.account_id, pick(), 1n));
        const outcomes = await postTransfers(lane.sql, transfers, { now: new Date(), posting });
        const refused = outcomes.find(({ code }) => code !== 'posted');
        if (refused) throw new Error(`a transfer was not posted: ${refused.code}`);
      }
      return made;
    },
  };
}

/** Medians of windows that alternate between the sides, after a window of each that does not count. */
async function compare(subject: Subject, [plain, cluster]: [Side, Side]): Promise<Result> {
  const rounds: { plain: Window; cluster: Window }[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const order = round % 2 === 0 ? [plain, cluster] : [cluster, plain];
    const windows = new Map<Side, Window>();
    for (const side of order) windows.set(side, await measure(subject, side));
    if (round > 0) rounds.push({ plain: windows.get(plain)!, cluster: windows.get(cluster)! });
  }
  const each = (side: 'plain' | 'cluster', part: keyof Cpu) =>
    median(rounds.map((round) => (round[side].cpu[part] / round[side].made) * 1e6));
  const total = ({ made, cpu }: Window) => (cpu.workers + cpu.coordinator) / made;
  return {
    name: subject.name,
    plain: each('plain', 'workers'),
    cluster: { workers: each('cluster', 'workers'), coordinator: each('cluster', 'coordinator') },
    ratio: median(rounds.map((round) => total(round.cluster) / total(round.plain))),
    most: subject.most,
  };
}

async function measure(subject: Subject, side: Side): Promise<Window> {
  const before = side.cpu();
  const made = await subject.window(side);
  await untilSettled(side.stage);
  const after = side.cpu();
  return {
    made,
    cpu: { workers: after.workers - before.workers, coordinator: after.coordinator - before.coordinator },
  };
}

function costsOf({ plain, cluster }: Result): Costs {
  return { plain, workers: cluster.workers, coordinator: cluster.coordinator };
}

function printResult({ name, plain, cluster, ratio, most }: Result): void {
  const verdict = most === undefined ? '' : `${most} ${ratio <= most ? 'met' : 'NOT met'}`;
  const total = cluster.workers + cluster.coordinator;
  line(name, [integer(plain), integer(total), integer(cluster.coordinator), ratio.toFixed(2), verdict]);
}

function printModel(costs: Costs): void {
  console.log(`\nModel, from ${nameOf(MODEL)}. It assumes:`);
  for (const assumption of ASSUMPTIONS) console.log(`- ${assumption}`);
  line(`workers of ${CORES} cores each`, ['a second', 'of one server', 'limit']);
  const plain = ratePlain(costs);
  const sizes = SIZES.map((workers) => rateOf(costs, workers));
  line('one plain server', [integer(plain), '1.0', '']);
  for (const { workers, perSecond, limit } of sizes)
    line(String(workers), [integer(perSecond), (perSecond / plain).toFixed(1), limit]);
  console.log(`faster than one server: from ${breakEven(costs) ?? 'no number of'} workers`);
  console.log(`the coordinator limits: from ${workersMost(costs) + 1} workers`);
  if (!quick) writeFileSync(new URL('cluster.svg', import.meta.url), draw(sizes, plain));
}

function draw(sizes: ReturnType<typeof rateOf>[], plain: number): string {
  const points = (rate: (size: (typeof sizes)[number]) => number) =>
    sizes.map((size): [number, number] => [size.workers, rate(size)]);
  const series = [
    { name: 'Cluster', colour: COLOURS.cluster, points: points(({ perSecond }) => perSecond) },
    { name: 'One server', colour: COLOURS.plain, points: points(() => plain) },
  ];
  return plot([{ title: 'Reallocations per second (model)', xTitle: 'workers', series }], 'Model of a cluster by its workers');
}

function line(name: string, cells: string[]): void {
  console.log(name.padEnd(NAME_WIDTH) + cells.map((cell) => cell.padStart(NUMBER_WIDTH)).join(''));
}
