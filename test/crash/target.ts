// What is crashed: the service as a process of its own with its embedded server on one data directory, and a supervisor that starts it again.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findEmbedded } from '../../src/db/embedded.ts';
import { type Database, openDatabase } from '../../src/db/sql.ts';
import { freePort } from '../support/free-port.ts';
import { call, tokenOf } from '../support/http.ts';
import { type Env, isAlive, type Running, sandboxOf, serverPid, startCli } from '../support/process.ts';
import type { Random } from '../support/random.ts';
import { customerForm } from '../support/service.ts';
import type { TestScope } from '../support/test-scope.ts';
import { waitUntil } from '../support/wait.ts';
import { type Door, openCaller, type Place } from './load.ts';

/** backend: one process of the database server, after which the server ends. */
export const KILLS = ['service', 'server', 'backend', 'both'] as const;
export type Kill = (typeof KILLS)[number];

export type Target = Awaited<ReturnType<typeof openTarget>>;

/** Recovery writes much, and the disk may be busy with others. */
const READY_WITHIN_MS = 120_000;
const POLL_MS = 10;
const ANSWER_WITHIN_MS = 1000;
const LAST_WORDS = 3000;
const CUSTOMERS = 3;
const LABELS_EACH = 4;
const OPENING = '100000.00';

/** Starts a service and gives it some customers with labels. It ends with `t`. */
export async function openTarget(t: TestScope, dataDir: string, env: Env = {}) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const settings = {
    DATA_DIR: dataDir,
    HOST: '127.0.0.1',
    PORT: String(port),
    PUBLIC_URL: url,
    LOG_LEVEL: 'warn',
    TOKEN_TTL_SECONDS: '86400',
    ...env,
  };
  let service: Running | undefined;

  let readiness = '';
  async function isReady(): Promise<boolean> {
    try {
      const answer = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
      readiness = await answer.text();
      return answer.status === 200;
    } catch (error) {
      readiness = String(error);
      return false;
    }
  }

  /** Waits until the service serves, and starts it as often as that takes. */
  async function ready(): Promise<void> {
    const deadline = performance.now() + READY_WITHIN_MS;
    while (!(await isReady())) {
      assert.ok(performance.now() < deadline, `the service does not come back: ${readiness} ${service && lastWordsOf(service)}`);
      if (!service || hasEnded(service)) service = startCli(t, ['serve'], settings);
      await sleep(POLL_MS);
    }
  }

  function kill(what: Kill, random: Random): void {
    const serverFirst = random.chance(0.5);
    if (what === 'backend') killBackend(dataDir, random);
    if (what === 'server' || (what === 'both' && serverFirst)) killServer(dataDir, random);
    if (what === 'service' || what === 'both') service?.child.kill('SIGKILL');
    if (what === 'both' && !serverFirst) killServer(dataDir, random);
  }

  await ready();
  const databaseUrl = (await findEmbedded(dataDir))!;
  const database = openDatabase(databaseUrl, { max: 2, onError: () => {} });
  t.after(() => database.close());
  // Made once the service listens, and so after it is ready.
  await waitUntil('its sandbox is there', () => existsSync(join(dataDir, 'sandbox.json')));
  const sandbox = sandboxOf(dataDir);
  const token = (await tokenOf(url, sandbox))!;
  const door: Door = { port, token };
  const caller = openCaller(door);
  t.after(async () => caller.close());
  return {
    door,
    caller,
    database,
    databaseUrl,
    dataDir,
    url,
    accountId: sandbox.account_id,
    places: await makePlaces(url, token),
    /** The process of the service. */
    service: () => service!,
    kill,
    ready,
  };
}

/** The money on each label, in cents, before anything is moved. */
export function openingOf(places: Place[]): Map<string, number> {
  return new Map(places.flatMap(({ labels }) => labels.map((label) => [label, Math.round(Number(OPENING) * 100)])));
}

export async function makePlaces(url: string, token: string): Promise<Place[]> {
  const made = async (path: string, body: unknown) => {
    const answer = await call<unknown>(path, token, body);
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.location;
  };
  const places: Place[] = [];
  for (let n = 0; n < CUSTOMERS; n++) {
    const customer = await made(`${url}/customers`, customerForm());
    const total = (Number(OPENING) * (LABELS_EACH + 1)).toFixed(2);
    await made(`${customer}/deposits`, { amount: { value: total, currency: 'USD' } });
    const labels: string[] = [];
    for (let label = 0; label < LABELS_EACH; label++)
      labels.push(await made(`${customer}/labels`, { amount: { value: OPENING, currency: 'USD' } }));
    places.push({ customer, labels });
  }
  return places;
}

/** How many reallocations there were before the load: those of others than the places. */
export async function countReallocations({ sql }: Database): Promise<number> {
  const [row] = await sql<{ count: bigint }>`select count(*) from transfer where kind = 'reallocation'`;
  return Number(row?.count);
}

/** The end of what a process has said. */
function lastWordsOf({ stdout, stderr }: Running): string {
  return `${stdout()}${stderr()}`.slice(-LAST_WORDS);
}

function hasEnded({ child }: Running): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** The first process alone, whose others end when they notice, or all of them at once. */
/** Every process of the server of a data directory. */
export function serverPids(dataDir: string): number[] {
  const pid = serverPid(dataDir);
  return pid === undefined ? [] : [pid, ...childrenOf(pid)];
}

function killServer(dataDir: string, random: Random): void {
  const pid = serverPid(dataDir);
  const all = random.chance(0.5);
  if (pid === undefined) return;
  for (const one of all ? serverPids(dataDir) : [pid]) killProcess(one);
}

function killBackend(dataDir: string, random: Random): void {
  const pid = serverPid(dataDir);
  const children = pid === undefined ? [] : childrenOf(pid);
  if (children.length > 0) killProcess(random.pick(children));
}

/** The processes that a process has started; none where the system does not tell. */
function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

function killProcess(pid: number): void {
  if (isAlive(pid)) process.kill(pid, 'SIGKILL');
}
