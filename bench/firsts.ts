// The first request after a start, a pause and a reload, beside the median of later ones of its kind; and the first label and the first
// constant of a lean service (lean.ts), which say how much of that any service on this machine takes. Requests a second apart say how much of
// it is no first request: everything of them is compiled and planned.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { openConnection } from './load.ts';
import { familyOf } from './processes.ts';
import { get, reallocations } from './requests.ts';
import { openStage, type Stage } from './stage.ts';
import { median } from './statistics.ts';
import { columns } from './tables.ts';
import { atMost, ms, times, type Verdict } from './targets.ts';

/** After ten seconds, `pg` closes connections, and after five, Node.js those of clients. */
const PAUSE_MS = 30_000;
const POLL_MS = 100;
/** Alone, one after the other, after the first one. */
const REPEATED = 500;
const WARM_UPS = 10;
/** As many as give a median, each this long after the one before it. */
const APART = 15;
const APART_MS = 1_000;
const FIRST_OF_MEDIAN = 5;

const KINDS = ['reallocation', 'label'] as const;
type Kind = (typeof KINDS)[number];
/** What the lean service is asked; a constant needs no database. */
const LEAN = { label: 'label of the lean service', constant: 'constant of the lean service' } as const;
type Lean = (typeof LEAN)[keyof typeof LEAN];
/** Milliseconds of the first request after something, and the median of later ones of its kind. */
type First = { after: 'a start' | 'a second' | 'a pause' | 'a reload'; kind: Kind | Lean; firstMs: number; medianMs: number };
type Side = First & { port: number; next: () => string };

/** Measures so many starts of each kind. */
export async function measureFirsts(starts: number): Promise<Verdict[]> {
  await warmOwnCode();
  const firsts: First[] = [];
  for (let start = 0; start < starts; start++) for (const kind of KINDS) firsts.push(...(await measureStart(kind)));
  return report(firsts);
}

/** Warms up the client code of this program on another server: its first request takes milliseconds, too. */
async function warmOwnCode(): Promise<void> {
  const server = createServer((_request, response) => response.end('1')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  await timeRequests((server.address() as AddressInfo).port, () => 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n', WARM_UPS);
  server.close();
}

/** Two workers, because one process has nothing to reload. All requests are of one kind. A lean service reads the same label. */
async function measureStart(kind: Kind): Promise<First[]> {
  const stage = await openStage({ env: { WORKERS: '2' } });
  try {
    const label = get(new URL(`${stage.url}/labels/${stage.labels[0]![0]}`).pathname, stage.token);
    const next = kind === 'label' ? () => label : reallocations(stage, 'uniform');
    const port = Number(new URL(stage.url).port);
    const started = await measureSide(kind, port, next);
    const sides = [started, ...(kind === 'label' ? await measureLean(stage, next) : [])];
    const apart: First[] = [];
    for (const side of sides)
      apart.push({ ...side, after: 'a second', firstMs: await timeRequests(side.port, side.next, APART, APART_MS) });
    await sleep(PAUSE_MS);
    const paused: First[] = [];
    for (const side of sides) paused.push({ ...side, after: 'a pause', firstMs: await timeRequests(side.port, side.next) });
    await reload(stage);
    return [...sides, ...apart, ...paused, { ...started, after: 'a reload', firstMs: await timeRequests(port, next) }];
  } finally {
    await stage.close();
  }
}

/** A side that was just started. */
async function measureSide(kind: First['kind'], port: number, next: () => string): Promise<Side> {
  const firstMs = await timeRequests(port, next);
  return { after: 'a start', kind, port, next, firstMs, medianMs: await timeRequests(port, next, REPEATED) };
}

/** Starts a process for each question, because the first one warms up the code of the others. */
async function measureLean(stage: Stage, label: () => string): Promise<Side[]> {
  const constant = get('/constant', stage.token);
  return [
    await measureSide(LEAN.label, await startLean(stage), label),
    await measureSide(LEAN.constant, await startLean(stage), () => constant),
  ];
}

/** Returns the port of a new lean service. */
async function startLean(stage: Stage): Promise<number> {
  const { line } = await stage.start(['bench/lean.ts']);
  return (JSON.parse(line) as { port: number }).port;
}

/** The median time of one or more requests, one after the other, on a new connection; with a pause before each. */
async function timeRequests(port: number, next: () => string, count = 1, pauseMs = 0): Promise<number> {
  const connection = await openConnection(port);
  const timesMs: number[] = [];
  for (let sent = 0; sent < count; sent++) {
    if (pauseMs > 0) await sleep(pauseMs);
    const begin = performance.now();
    const status = await connection.send(next());
    if (status >= 300) throw new Error(`a request was answered with ${status}`);
    timesMs.push(performance.now() - begin);
  }
  connection.close();
  return median(timesMs);
}

/** Replaces the workers, and waits until the old ones are gone. */
async function reload({ pids }: Stage): Promise<void> {
  const workers = () => familyOf(pids.service).filter((pid) => pid !== pids.service && pid !== pids.server);
  const before = workers();
  process.kill(pids.service, 'SIGHUP');
  while (workers().some((pid) => before.includes(pid))) await sleep(POLL_MS);
}

function report(all: First[]): Verdict[] {
  const rows = [...Map.groupBy(all, ({ after, kind }) => `first ${kind} after ${after}`)].map(([name, own]) => {
    const ratio = median(own.map(({ firstMs, medianMs }) => firstMs / medianMs));
    return {
      name,
      isCompared: own[0]!.after === 'a second' || Object.values<string>(LEAN).includes(own[0]!.kind),
      firstMs: median(own.map(({ firstMs }) => firstMs)),
      medianMs: median(own.map(({ medianMs }) => medianMs)),
      ratio,
    };
  });
  const cells = rows.map(({ name, firstMs, medianMs, ratio }) => [name, ms(firstMs), ms(medianMs), times(ratio)]);
  process.stdout.write(`${columns([['', 'first', 'median', 'ratio'], ...cells])}\n\n`);
  return rows
    .filter(({ isCompared }) => !isCompared)
    .map(({ name, ratio }) =>
      atMost(`${name}: at most ${FIRST_OF_MEDIAN} times the median`, { measured: ratio, most: FIRST_OF_MEDIAN, format: times }),
    );
}
