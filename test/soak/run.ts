// `npm run long -- soak --minutes N`: a service under steady load, whose memory must stop growing once it is warm.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CustomerLabels, openCaller, startLoad } from '../crash/load.ts';
import { makeCustomers } from '../crash/target.ts';
import { freePort } from '../support/free-port.ts';
import { request, tokenOf } from '../support/http.ts';
import { runLongTest } from '../support/long-test.ts';
import { CLI } from '../support/paths.ts';
import { sandboxOf, scratch } from '../support/process.ts';
import { openRandom, type Random } from '../support/random.ts';
import type { TestScope } from '../support/test-scope.ts';
import { waitUntil } from '../support/wait.ts';
import type { Memory } from './measure.ts';

type Sample = Memory & { minute: number };

const CLIENTS = 16;
const SAMPLES = 40;
/** Caches fill and code is compiled until then. */
const WARM_SHARE = 0.25;
/** Permitted growth from the first to the last third after the warm-up. */
const GROWTH_MAX = { heapBytes: 8 * 2 ** 20, rssShare: 0.15 };
const READS = ['/customers?limit=50', '/events?limit=50', '/', '/health/ready'];
const MEGABYTE = 2 ** 20;

await runLongTest('soak', { minutes: 10 }, async ({ t, options, tell }) => {
  const dataDir = join(scratch(t), 'data');
  const { child, port, url } = await startMeasured(t, dataDir);
  const token = (await tokenOf(url, sandboxOf(dataDir)))!;
  const customers = await makeCustomers(url, token);
  const random = openRandom(options.seed);
  const caller = openCaller({ port, token });
  const everyMs = (options.minutes * 60_000) / SAMPLES;
  const samples: Sample[] = [];
  let acknowledged = 0;
  let read = 0;
  for (let n = 1; n <= SAMPLES; n++) {
    const load = startLoad([caller], customers, random.fork(), CLIENTS, `soak-${n}`);
    read += await readFor(everyMs, { port, token, customers, random });
    const attempts = await load.stop();
    acknowledged += attempts.filter(({ outcome }) => outcome === 'acknowledged').length;
    const sample = { minute: (n * everyMs) / 60_000, ...(await measure(child)) };
    samples.push(sample);
    tell(
      `${sample.minute.toFixed(1)} min: heap ${inMb(sample.heapBytes)} MB, rss ${inMb(sample.rssBytes)} MB, ${acknowledged} acknowledged`,
    );
  }
  caller.close();
  const warm = samples.slice(Math.round(SAMPLES * WARM_SHARE));
  const third = Math.floor(warm.length / 3);
  const growth = (of: (sample: Sample) => number) =>
    [median(warm.slice(0, third).map(of)), median(warm.slice(-third).map(of))] as const;
  const [heapFirst, heapLast] = growth(({ heapBytes }) => heapBytes);
  const [rssFirst, rssLast] = growth(({ rssBytes }) => rssBytes);
  const figures = {
    acknowledged,
    read,
    heapMb: { warm: inMb(heapFirst), end: inMb(heapLast) },
    rssMb: { warm: inMb(rssFirst), end: inMb(rssLast) },
  };
  assert.ok(heapLast - heapFirst < GROWTH_MAX.heapBytes, `the heap grows: ${JSON.stringify(figures)}`);
  assert.ok(rssLast < rssFirst * (1 + GROWTH_MAX.rssShare), `the process grows: ${JSON.stringify(figures)}`);
  assert.ok(acknowledged > 0 && read > 0, 'there was load');
  return figures;
});

async function startMeasured(t: TestScope, dataDir: string) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const args = ['--expose-gc', '--import', join(import.meta.dirname, 'measure.ts'), CLI, 'serve'];
  const settings = { DATA_DIR: dataDir, HOST: '127.0.0.1', PORT: String(port), PUBLIC_URL: url, TOKEN_TTL_SECONDS: '86400' };
  const env = { HOME: '/', PATH: process.env.PATH ?? '', ...settings, LOG_LEVEL: 'warn' };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  t.after(async () => {
    if (child.exitCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    await gone;
  });
  await waitUntil('it is ready', async () => (await fetch(`${url}/health/ready`).catch(() => undefined))?.status === 200);
  await waitUntil('its sandbox exists', () => readable(join(dataDir, 'sandbox.json')));
  return { child, port, url };
}

async function measure(child: ChildProcess): Promise<Memory> {
  const answer = once(child, 'message');
  child.send('measure');
  const [memory] = (await answer) as [Memory];
  return memory;
}

/** One client that reads for a while; returns the number of requests. */
async function readFor(
  ms: number,
  { port, token, customers, random }: { port: number; token: string; customers: CustomerLabels[]; random: Random },
): Promise<number> {
  const agent = new http.Agent({ keepAlive: true });
  const end = performance.now() + ms;
  let count = 0;
  for (; performance.now() < end; count++) {
    const { customer, labels } = random.pick(customers);
    const label = new URL(random.pick(labels)).pathname;
    const path = random.pick([...READS, `${new URL(customer).pathname}/balance`, label, `${label}/ledger-entries`]);
    const { status, text } = await request({ agent, port, method: 'GET', path, token });
    assert.equal(status, 200, text);
    await sleep(1);
  }
  agent.destroy();
  return count;
}

function readable(file: string): boolean {
  try {
    return readFileSync(file).length > 0;
  } catch {
    return false;
  }
}

function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
}

function inMb(bytes: number): number {
  return Math.round((bytes / MEGABYTE) * 10) / 10;
}
