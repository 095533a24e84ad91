// `npm run bench -- against FOLDER [--pairs N]`: what a reallocation costs in this tree and in a work tree of another revision. Both run
// in the same windows, so that other work on the machine costs both the same. CPU and the write-ahead log of a window include settling
// and the transparency log of its events.
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { runLoad } from './load.ts';
import { cpuSeconds } from './processes.ts';
import { reallocations } from './requests.ts';
import { walBytes } from './sizes.ts';
import { openStage, type Stage, untilSettled } from './stage.ts';
import { median, quantile } from './statistics.ts';
import { columns, integer } from './tables.ts';

type Idle = { service: number; server: number };
/** Of a reallocation, without what is used idle. CPU in microseconds. */
type Window = { service: number; server: number; cpu: number; wal: number };

const CONNECTIONS = [64, 1];
const WINDOW_MS = 3_000;
const IDLE_MS = 15_000;
const PAIRS = 40;
const CUSTOMERS = 100;
const LABELS_EACH = 10;
/** The most that a reallocation may cost beside the other tree. */
const MOST = 1.02;
const HAL = 'application/vnd.earmark.v1.hal+json';
const PARTS = { service: 'service µs', server: 'server µs', cpu: 'CPU µs', wal: 'WAL bytes' } satisfies Record<
  keyof Window,
  string
>;

const { values, positionals } = parseArgs({
  options: { pairs: { type: 'string', default: `${PAIRS}` } },
  allowPositionals: true,
});
const [tree] = positionals;
const pairs = Number(values.pairs);
if (tree === undefined || !(Number.isInteger(pairs) && pairs > 0)) throw new Error('npm run bench -- against FOLDER [--pairs N]');

const stages: Stage[] = [];
try {
  for (const other of [undefined, resolve(tree)]) {
    const stage = await openStage({ seeded: false, ...(other !== undefined && { tree: other }) });
    stages.push(stage);
    stage.labels.push(...(await seed(stage)));
  }
  const idle = await Promise.all(stages.map(idleCpu));
  process.stdout.write(
    `idle, CPU in a second: ${idle.map((cpu) => `${(cpu.service * 1e3).toFixed(1)} ms service, ${(cpu.server * 1e3).toFixed(1)} ms server`).join('; other ')}\n\n`,
  );
  const ratios: number[] = [];
  for (const connections of CONNECTIONS) ratios.push(...(await compare(connections, idle)));
  const isMet = Math.max(...ratios) <= MOST;
  process.stdout.write(`CPU and WAL at most ${MOST}: ${isMet ? 'met' : 'NOT met'}\n`);
  if (!isMet) process.exitCode = 1;
} finally {
  for (const stage of stages) await stage.close();
}

/** The CPU seconds that a service and its database use in a second without requests. */
async function idleCpu(stage: Stage): Promise<Idle> {
  await untilSettled(stage);
  const [before, startMs] = [cpuSeconds(stage.pids)!, performance.now()];
  await sleep(IDLE_MS);
  const after = cpuSeconds(stage.pids)!;
  const seconds = (performance.now() - startMs) / 1000;
  return { service: (after.service - before.service) / seconds, server: (after.server - before.server) / seconds };
}

/** Prints medians and their ratios, and returns those of CPU and write-ahead log. */
async function compare(connections: number, idle: Idle[]): Promise<number[]> {
  const rounds: Window[][] = [];
  for (let pair = 0; pair <= pairs; pair++) {
    const windows = await Promise.all(stages.map((stage, index) => measure(stage, connections, idle[index]!)));
    // The first does not count.
    if (pair > 0) rounds.push(windows);
  }
  const ratiosOf = (part: keyof Window) => rounds.map(([own, other]) => own![part] / other![part]).sort((a, b) => a - b);
  const lines = Object.entries(PARTS).map(([name, title]) => {
    const part = name as keyof Window;
    const [own, other] = [0, 1].map((index) => integer(median(rounds.map((windows) => windows[index]![part]))));
    const ratios = ratiosOf(part);
    const [low, high] = [0.25, 0.75].map((share) => quantile(ratios, share).toFixed(3));
    return [`  ${title}`, own!, other!, median(ratios).toFixed(3), `${low} to ${high}`];
  });
  const head = [`${connections} connections, ${pairs} pairs`, 'this', 'other', 'ratio', 'half of the ratios'];
  process.stdout.write(`${columns([head, ...lines])}\n`);
  return [median(ratiosOf('cpu')), median(ratiosOf('wal'))];
}

async function measure(stage: Stage, connections: number, idle: Idle): Promise<Window> {
  const { sql } = stage.database;
  const [wal, before, startMs] = [await walBytes(sql), cpuSeconds(stage.pids)!, performance.now()];
  const next = reallocations(stage, 'uniform');
  const port = Number(new URL(stage.url).port);
  const load = await runLoad({ port, connections, durationMs: WINDOW_MS, next });
  const made = load.statuses.get(201) ?? 0;
  if (made < load.requests) throw new Error(`${load.requests - made} requests failed: ${stage.lastError()}`);
  await untilSettled(stage);
  const after = cpuSeconds(stage.pids)!;
  const seconds = (performance.now() - startMs) / 1000;
  const each = (part: keyof Idle) => ((after[part] - before[part] - idle[part] * seconds) / made) * 1e6;
  const [service, server] = [each('service'), each('server')];
  return { service, server, cpu: service + server, wal: ((await walBytes(sql)) - wal) / made };
}

/** Makes customers with labels over HTTP, as every revision understands it. Returns the ids of the labels by customer. */
async function seed({ url, token }: Stage): Promise<string[][]> {
  const create = async (path: string, body: object): Promise<string> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': HAL, accept: HAL };
    const response = await fetch(new URL(path, url), { method: 'POST', headers, body: JSON.stringify(body) });
    if (response.status !== 201) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
    return response.headers.get('location')!;
  };
  const usd = (value: string) => ({ amount: { value, currency: 'USD' } });
  const form = {
    ...{ type: 'personal', firstName: 'Bench', lastName: 'Mark', email: 'bench@example.com', dateOfBirth: '1980-01-02' },
    ...{ address1: '1 Main Street', city: 'Springfield', state: 'IL', postalCode: '62701', ssn: '1234' },
  };
  const customers: string[][] = [];
  while (customers.length < CUSTOMERS) {
    const customer = await create('/customers', form);
    await create(`${customer}/deposits`, usd('10000000.00'));
    const labels = await Promise.all(Array.from({ length: LABELS_EACH }, () => create(`${customer}/labels`, usd('1000000.00'))));
    customers.push(labels.map((label) => label.slice(label.lastIndexOf('/') + 1)));
  }
  return customers;
}
