// `npm run bench -- workers`: one process of the service against several behind one port, in interleaved windows of one run.
// `--quick` takes a fifth of the time.
import { runLoad } from './load.ts';
import { cpuSecondsOf, familyOf, serverCpuSeconds } from './processes.ts';
import { reallocations } from './requests.ts';
import { openStage, type Stage } from './stage.ts';
import { median } from './statistics.ts';
import { integer } from './tables.ts';

type Side = { name: string; stage: Stage };
type Window = { perSecond: number; p99Ms: number; serviceMicros: number; serverMicros: number };

const quick = process.argv.includes('--quick');
const ROUNDS = quick ? 3 : 11;
const WINDOW_MS = quick ? 2_000 : 4_000;
const CONNECTIONS = 64;
/** On two processors, the second process must not cost throughput. */
const LEAST_RATIO = 0.95;
const NAME_WIDTH = 14;
const NUMBER_WIDTH = 16;

const sides: Side[] = [];
try {
  for (const workers of ['1', '2'])
    sides.push({ name: `WORKERS=${workers}`, stage: await openStage({ env: { WORKERS: workers } }) });
  const rounds: Window[][] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const windows: Window[] = [];
    for (const index of round % 2 === 0 ? [0, 1] : [1, 0]) windows[index] = await measure(sides[index]!);
    // The first does not count.
    if (round > 0) rounds.push(windows);
  }
  line(`${CONNECTIONS} connections`, ['per second', 'p99 ms', 'service µs', 'server µs']);
  for (const [index, { name }] of sides.entries()) {
    const of = (part: keyof Window) => median(rounds.map((windows) => windows[index]![part]));
    line(name, [integer(of('perSecond')), integer(of('p99Ms')), integer(of('serviceMicros')), integer(of('serverMicros'))]);
  }
  const ratio = median(rounds.map(([one, two]) => two!.perSecond / one!.perSecond));
  console.log(`ratio of the rates: ${ratio.toFixed(2)} (at least ${LEAST_RATIO}: ${ratio >= LEAST_RATIO ? 'met' : 'NOT met'})`);
  if (ratio < LEAST_RATIO) process.exitCode = 1;
} finally {
  for (const { stage } of sides) await stage.close();
}

async function measure({ stage }: Side): Promise<Window> {
  const next = reallocations(stage, 'uniform');
  const before = cpu(stage);
  const load = await runLoad({ port: Number(new URL(stage.url).port), connections: CONNECTIONS, durationMs: WINDOW_MS, next });
  const after = cpu(stage);
  const made = load.statuses.get(201) ?? 0;
  if (made < load.requests) throw new Error(`${load.requests - made} requests failed: ${stage.lastError()}`);
  return {
    perSecond: load.perSecond,
    p99Ms: load.p99Ms,
    serviceMicros: ((after.service - before.service) / made) * 1e6,
    serverMicros: ((after.server - before.server) / made) * 1e6,
  };
}

/** CPU seconds so far of the processes of the service, and of the database server. */
function cpu({ pids }: Stage): { service: number; server: number } {
  const service = familyOf(pids.service).filter((pid) => pid !== pids.server);
  return { service: service.reduce((sum, pid) => sum + (cpuSecondsOf(pid) ?? 0), 0), server: serverCpuSeconds(pids.server)! };
}

function line(name: string, cells: string[]): void {
  console.log(name.padEnd(NAME_WIDTH) + cells.map((cell) => cell.padStart(NUMBER_WIDTH)).join(''));
}
