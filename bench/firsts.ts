// The first request of each kind after a start, a pause and a reload, beside the median of later ones.
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
/** Alone, one after the other, after the first ones. */
const REPEATED = 500;
const WARM_UPS = 10;
const FIRST_OF_MEDIAN = 5;

type Read = 'reallocation' | 'label';
type Kind = Record<Read, () => string>;
/** Milliseconds of the first request of each kind after something, and the median of later ones. */
type First = { after: 'a start' | 'a pause' | 'a reload'; kind: Read; firstMs: number; medianMs: number };

/** Measures so many starts. */
export async function measureFirsts(starts: number): Promise<Verdict[]> {
  await warmOwnCode();
  const firsts: First[] = [];
  for (let start = 0; start < starts; start++) firsts.push(...(await measureStart()));
  return report(firsts);
}

/** Warms up the client code of this program on another server: its first request takes milliseconds, too. */
async function warmOwnCode(): Promise<void> {
  const server = createServer((_request, response) => response.end('1')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const request = () => 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';
  await sendFirst((server.address() as AddressInfo).port, { reallocation: request, label: request }, WARM_UPS);
  server.close();
}

/** Two workers, because one process has nothing to reload. */
async function measureStart(): Promise<First[]> {
  const stage = await openStage({ env: { WORKERS: '2' } });
  try {
    const label = get(new URL(`${stage.url}/labels/${stage.labels[0]![0]}`).pathname, stage.token);
    const kinds: Kind = { reallocation: reallocations(stage, 'uniform'), label: () => label };
    const port = Number(new URL(stage.url).port);
    const started = await sendFirst(port, kinds);
    const medians = await sendFirst(port, kinds, REPEATED);
    await sleep(PAUSE_MS);
    const paused = await sendFirst(port, kinds);
    await reload(stage);
    const reloaded = await sendFirst(port, kinds);
    const of = (after: First['after'], firstMs: Record<Read, number>): First[] =>
      (['reallocation', 'label'] as const).map((kind) => ({ after, kind, firstMs: firstMs[kind], medianMs: medians[kind] }));
    return [...of('a start', started), ...of('a pause', paused), ...of('a reload', reloaded)];
  } finally {
    await stage.close();
  }
}

/** The median time of one or more requests of each kind, on a new connection. */
async function sendFirst(port: number, kinds: Kind, count = 1): Promise<Record<Read, number>> {
  const connection = await openConnection(port);
  const timed = { reallocation: Number.NaN, label: Number.NaN };
  for (const kind of ['reallocation', 'label'] as const) {
    const timesMs: number[] = [];
    for (let sent = 0; sent < count; sent++) {
      const begin = performance.now();
      const status = await connection.send(kinds[kind]());
      if (status >= 300) throw new Error(`a ${kind} was answered with ${status}`);
      timesMs.push(performance.now() - begin);
    }
    timed[kind] = median(timesMs);
  }
  connection.close();
  return timed;
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
      firstMs: median(own.map(({ firstMs }) => firstMs)),
      medianMs: median(own.map(({ medianMs }) => medianMs)),
      ratio,
    };
  });
  const cells = rows.map(({ name, firstMs, medianMs, ratio }) => [name, ms(firstMs), ms(medianMs), times(ratio)]);
  process.stdout.write(`${columns([['', 'first', 'median', 'ratio'], ...cells])}\n\n`);
  return rows.map(({ name, ratio }) =>
    atMost(`${name}: at most ${FIRST_OF_MEDIAN} times the median`, { measured: ratio, most: FIRST_OF_MEDIAN, format: times }),
  );
}
