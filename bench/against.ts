// `npm run bench -- against FOLDER [--deposits] [--starts N] [--pairs N]`: what a reallocation, or a deposit, costs in this tree and in a
// work tree of another revision. Both run in the same windows, so that other work on the machine costs both the same. Both are started several times, because
// one start of Node.js compiles the same functions better or worse for as long as it runs. CPU and the write-ahead log of a window include
// settling and the transparency log of its events.
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { runLoad } from './load.ts';
import { cpuSeconds } from './processes.ts';
import { deposits, reallocations } from './requests.ts';
import { walBytes } from './sizes.ts';
import { openStage, type Stage, untilSettled } from './stage.ts';
import { median, quantile } from './statistics.ts';
import { columns, integer } from './tables.ts';

type Idle = { service: number; server: number };
/** Of each request, without what is used idle. CPU in microseconds. */
type Window = { service: number; server: number; cpu: number; wal: number };
/** What this tree and the other used in the same window. */
type Round = [own: Window, other: Window];

const CONNECTIONS = [64, 1];
const WINDOW_MS = 3_000;
/** A service takes this long under load until its functions are compiled: the first windows cost twice as much. */
const WARM_UP_WINDOWS = 6;
const IDLE_MS = 15_000;
/** Starts of both trees, and pairs of windows in each for each number of connections. */
const STARTS = 4;
const PAIRS = 6;
const CUSTOMERS = 100;
const LABELS_EACH = 10;
/** The most that a request may cost beside the other tree. */
const MOST = 1.02;
const HAL = 'application/vnd.earmark.v1.hal+json';
const PARTS = { service: 'service µs', server: 'server µs', cpu: 'CPU µs', wal: 'WAL bytes' } satisfies Record<
  keyof Window,
  string
>;

const { values, positionals } = parseArgs({
  options: {
    deposits: { type: 'boolean', default: false },
    starts: { type: 'string', default: `${STARTS}` },
    pairs: { type: 'string', default: `${PAIRS}` },
  },
  allowPositionals: true,
});
const [tree] = positionals;
const [starts, pairs] = [Number(values.starts), Number(values.pairs)];
if (tree === undefined || ![starts, pairs].every((count) => Number.isInteger(count) && count > 0)) {
  throw new Error('npm run bench -- against FOLDER [--deposits] [--starts N] [--pairs N]');
}

const rounds = new Map<number, Round[]>(CONNECTIONS.map((connections) => [connections, []]));
for (let start = 1; start <= starts; start++) {
  const medians: string[] = [];
  for (const [connections, added] of await measureStart(resolve(tree), start)) {
    rounds.get(connections)!.push(...added);
    medians.push(`${connections} connections ${ratio(added, 'service')} service, ${ratio(added, 'server')} server`);
  }
  process.stdout.write(`start ${start}: ${medians.join('; ')}\n`);
}
const ratios = [...rounds].flatMap(([connections, measured]) => print(connections, measured));
const isMet = Math.max(...ratios) <= MOST;
process.stdout.write(`CPU and WAL at most ${MOST}: ${isMet ? 'met' : 'NOT met'}\n`);
if (!isMet) process.exitCode = 1;

/** Starts both trees, measures them in the same windows, and stops them. */
async function measureStart(tree: string, start: number): Promise<[connections: number, Round[]][]> {
  const opened: Stage[] = [];
  try {
    // The older of two processes is not always the same tree.
    const order = start % 2 === 1 ? [undefined, tree] : [tree, undefined];
    for (const other of order) {
      const stage = await openStage({ seeded: false, ...(other !== undefined && { tree: other }) });
      opened.push(stage);
      stage.labels.push(...(await seed(stage)));
    }
    const stages = start % 2 === 1 ? opened : opened.toReversed();
    const idle = await Promise.all(stages.map(idleCpu));
    await compare(stages, { connections: CONNECTIONS[0]!, pairs: WARM_UP_WINDOWS, idle });
    const measured: [number, Round[]][] = [];
    for (const connections of CONNECTIONS) measured.push([connections, await compare(stages, { connections, pairs, idle })]);
    return measured;
  } finally {
    for (const stage of opened) await stage.close();
  }
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

async function compare(
  stages: Stage[],
  { connections, pairs, idle }: { connections: number; pairs: number; idle: Idle[] },
): Promise<Round[]> {
  const rounds: Round[] = [];
  for (let pair = 0; pair <= pairs; pair++) {
    const [own, other] = await Promise.all(stages.map((stage, index) => measure(stage, connections, idle[index]!)));
    // The first does not count.
    if (pair > 0) rounds.push([own!, other!]);
  }
  return rounds;
}

function ratiosOf(rounds: Round[], part: keyof Window): number[] {
  return rounds.map(([own, other]) => own[part] / other[part]).sort((a, b) => a - b);
}

function ratio(rounds: Round[], part: keyof Window): string {
  return median(ratiosOf(rounds, part)).toFixed(3);
}

/** Prints medians and their ratios, and returns those of CPU and write-ahead log. */
function print(connections: number, rounds: Round[]): number[] {
  const lines = Object.entries(PARTS).map(([name, title]) => {
    const part = name as keyof Window;
    const [own, other] = [0, 1].map((index) => integer(median(rounds.map((windows) => windows[index]![part]))));
    const [low, high] = [0.25, 0.75].map((share) => quantile(ratiosOf(rounds, part), share).toFixed(3));
    return [`  ${title}`, own!, other!, ratio(rounds, part), `${low} to ${high}`];
  });
  const head = [`${connections} connections, ${rounds.length} pairs`, 'this', 'other', 'ratio', 'half of the ratios'];
  process.stdout.write(`\n${columns([head, ...lines])}\n`);
  return [median(ratiosOf(rounds, 'cpu')), median(ratiosOf(rounds, 'wal'))];
}

async function measure(stage: Stage, connections: number, idle: Idle): Promise<Window> {
  const { sql } = stage.database;
  const [wal, before, startMs] = [await walBytes(sql), cpuSeconds(stage.pids)!, performance.now()];
  const next = values.deposits ? deposits(stage) : reallocations(stage, 'uniform');
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
