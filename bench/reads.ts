// `npm run bench -- reads`: what a read costs beside a lean service on the same database, in windows that take turns; `--beside DIR`
// measures another clone of the project too.
import { parseArgs } from 'node:util';
import { runLoad } from './load.ts';
import { cpuEach, cpuSeconds } from './processes.ts';
import { prepareReads, READS, type Read } from './read-data.ts';
import { judgeReads, type Measured } from './read-targets.ts';
import { get } from './requests.ts';
import { openStage, type Stage } from './stage.ts';
import { median, medianOf } from './statistics.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    beside: { type: 'string' },
    only: { type: 'string' },
    rounds: { type: 'string', default: '15' },
  },
});
const ROUNDS = values.quick ? 3 : Number(values.rounds);
const WINDOW_MS = values.quick ? 1_000 : 1_500;
const CONNECTIONS = [64, 1];

type Side = { name: string; port: number; pid: number };

const stage = await openStage();
try {
  const next = await prepareReads(stage);
  const sides = await openSides(stage);
  const reads = READS.filter((read) => values.only === undefined || values.only.split(',').includes(read));
  process.stdout.write(
    `${'read'.padEnd(22)}${'by'.padEnd(10)}${['per s', 'p50 ms', 'p99 ms', 'service', 'server', 'µs CPU'].map((head) => head.padStart(9)).join('')}\n`,
  );
  const measured: Measured[] = [];
  for (const connections of CONNECTIONS)
    for (const read of reads) measured.push(await measure(stage, { sides, read, connections, next: next[read] }));
  let passed = true;
  for (const { target, measured: figure, met } of judgeReads(measured)) {
    process.stdout.write(`${met ? 'met    ' : 'NOT met'} ${target}: ${figure}\n`);
    passed &&= met;
  }
  if (!passed) process.exitCode = 1;
} finally {
  await stage.close();
}

async function openSides({ url, pids, start }: Stage): Promise<Side[]> {
  const own = { name: 'earmark', port: Number(new URL(url).port), pid: pids.service };
  const lean = await start(['bench/lean.ts']);
  const sides = [own, { name: 'lean', port: (JSON.parse(lean.line) as { port: number }).port, pid: lean.child.pid! }];
  if (values.beside === undefined) return sides;
  const other = await start([`${values.beside}/src/apps/cli/cli.ts`, 'serve', '--json']);
  return [...sides, { name: 'beside', port: (JSON.parse(other.line) as { port: number }).port, pid: other.child.pid! }];
}

type Wanted = { sides: Side[]; read: Read; connections: number; next: () => string };

async function measure(stage: Stage, { sides, read, connections, next }: Wanted): Promise<Measured> {
  const request = () => get(next(), stage.token);
  const rounds: Record<string, Awaited<ReturnType<typeof window>>>[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const turn = round % 2 === 0 ? sides : sides.toReversed();
    const found: (typeof rounds)[number] = {};
    for (const side of turn) found[side.name] = await window(stage, side, { connections, request });
    // The first does not count: code is compiled, and statements are prepared.
    if (round > 0) rounds.push(found);
  }
  const medians = medianOf(rounds);
  for (const { name } of sides) {
    const { perSecond, p50Ms, p99Ms, service, server } = medians[name]!;
    const cells = [
      perSecond.toFixed(0),
      p50Ms.toFixed(2),
      p99Ms.toFixed(2),
      service.toFixed(0),
      server.toFixed(0),
      (service + server).toFixed(0),
    ];
    process.stdout.write(
      `${`${read}, ${connections}`.padEnd(22)}${name.padEnd(10)}${cells.map((cell) => cell.padStart(9)).join('')}\n`,
    );
  }
  const ratio = (of: (one: (typeof rounds)[number][string]) => number, to = 'lean') =>
    median(rounds.map((round) => of(round.earmark!) / of(round[to]!)));
  const cpu = ({ service, server }: { service: number; server: number }) => service + server;
  if (values.beside !== undefined)
    process.stdout.write(`${''.padEnd(22)}CPU of that beside: ${ratio(cpu, 'beside').toFixed(2)}\n`);
  return {
    read,
    connections,
    perSecond: medians.earmark!.perSecond,
    cpu: ratio(cpu),
    p50: ratio(({ p50Ms }) => p50Ms),
    p99: ratio(({ p99Ms }) => p99Ms),
  };
}

async function window(stage: Stage, { name, port, pid }: Side, wanted: { connections: number; request: () => string }) {
  const pids = { service: pid, server: stage.pids.server };
  const before = cpuSeconds(pids);
  const load = await runLoad({ port, connections: wanted.connections, durationMs: WINDOW_MS, next: wanted.request });
  const { cpuMicros } = cpuEach(before, cpuSeconds(pids), load.requests);
  const answered = load.statuses.get(200) ?? 0;
  if (answered < load.requests) throw new Error(`${name}: ${JSON.stringify([...load.statuses])}; ${stage.lastError()}`);
  const { perSecond, p50Ms, p99Ms } = load;
  return { perSecond, p50Ms, p99Ms, service: cpuMicros?.service ?? Number.NaN, server: cpuMicros?.server ?? Number.NaN };
}
