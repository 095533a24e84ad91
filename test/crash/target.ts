// The target of crashes: the service as a separate process with its embedded server on one data directory, and a supervisor that
// restarts it.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findEmbedded } from '../../src/platform/db/embedded.ts';
import { type Database, openDatabase } from '../../src/platform/db/sql.ts';
import { customerForm } from '../support/data.ts';
import { freePort } from '../support/free-port.ts';
import { callAgain, tokenOf } from '../support/http.ts';
import { type Env, isAlive, type Running, sandboxOf, serverPid, startCli } from '../support/process.ts';
import type { Random } from '../support/random.ts';
import type { TestScope } from '../support/test-scope.ts';
import { HANGS_MS, waitUntil } from '../support/wait.ts';
import { type CustomerLabels, type Endpoint, openCaller } from './load.ts';

/** backend: one process of the database server, after which the server ends. */
export const KILLS = ['service', 'server', 'backend', 'both'] as const;
type Kill = (typeof KILLS)[number];

export type Target = Awaited<ReturnType<typeof openTarget>>;

const POLL_MS = 10;
const ANSWER_WITHIN_MS = 1000;
const OUTPUT_TAIL_CHARS = 3000;
const CUSTOMERS = 3;
const LABELS_EACH = 4;
const OPENING = '100000.00';

/** Starts a service with some customers and labels. It ends with `t`. */
export async function openTarget(t: TestScope, dataDir: string, env: Env = {}) {
  const { url, port, token, caller, sandbox, service, ready } = await openSandboxService(t, dataDir, env);
  const databaseUrl = (await findEmbedded(dataDir))!;
  const database = openDatabase(databaseUrl, { max: 2, onError: () => {} });
  t.after(() => database.close());
  const endpoint: Endpoint = { port, token };
  return {
    endpoint,
    caller,
    database,
    databaseUrl,
    dataDir,
    url,
    accountId: sandbox.account_id,
    customers: await makeCustomers(url, token),
    /** The process of the service. */
    service,
    ready,
    kill: (what: Kill, random: Random) => kill({ what, dataDir, service: service(), random }),
  };
}

/** Starts a sandbox service that `ready` starts again whenever it has ended, and a caller with its token. They end with `t`. */
export async function openSandboxService(t: TestScope, dataDir: string, env: Env = {}) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const supervised = openSupervised(t, url, {
    DATA_DIR: dataDir,
    HOST: '127.0.0.1',
    PORT: String(port),
    PUBLIC_URL: url,
    LOG_LEVEL: 'warn',
    TOKEN_TTL_SECONDS: '86400',
    ...env,
  });
  await supervised.ready();
  // Created after the service listens, and so after it is ready.
  await waitUntil('its sandbox exists', () => existsSync(join(dataDir, 'sandbox.json')));
  const sandbox = sandboxOf(dataDir);
  const token = (await tokenOf(url, sandbox))!;
  const caller = openCaller({ port, token });
  t.after(async () => caller.close());
  return { port, url, sandbox, token, caller, ...supervised };
}

/** A service that `ready` starts again whenever it has ended. */
function openSupervised(t: TestScope, url: string, settings: Env) {
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

  /** Waits until the service is ready, and restarts it whenever it has ended. */
  async function ready(): Promise<void> {
    const deadline = performance.now() + HANGS_MS;
    while (!(await isReady())) {
      assert.ok(performance.now() < deadline, `the service does not come back: ${readiness} ${service && outputTailOf(service)}`);
      if (!service || hasEnded(service)) service = startCli(t, ['serve'], settings);
      await sleep(POLL_MS);
    }
  }
  return { service: () => service!, ready };
}

function kill({ what, dataDir, service, random }: { what: Kill; dataDir: string; service: Running; random: Random }): void {
  const serverFirst = random.chance(0.5);
  if (what === 'backend') killBackend(dataDir, random);
  if (what === 'server' || (what === 'both' && serverFirst)) killServer(dataDir, random);
  if (what === 'service' || what === 'both') service.child.kill('SIGKILL');
  if (what === 'both' && !serverFirst) killServer(dataDir, random);
}

/** The opening balance of each label, in cents. */
export function openingBalances(customers: CustomerLabels[]): Map<string, number> {
  return new Map(customers.flatMap(({ labels }) => labels.map((label) => [label, Math.round(Number(OPENING) * 100)])));
}

export async function makeCustomers(url: string, token: string): Promise<CustomerLabels[]> {
  const made = async (path: string, body: unknown) => {
    const answer = await callAgain<unknown>(path, token, body);
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.location;
  };
  const customers: CustomerLabels[] = [];
  for (let n = 0; n < CUSTOMERS; n++) {
    const customer = await made(`${url}/customers`, customerForm());
    const total = (Number(OPENING) * (LABELS_EACH + 1)).toFixed(2);
    await made(`${customer}/deposits`, { amount: { value: total, currency: 'USD' } });
    const labels: string[] = [];
    for (let label = 0; label < LABELS_EACH; label++)
      labels.push(await made(`${customer}/labels`, { amount: { value: OPENING, currency: 'USD' } }));
    customers.push({ customer, labels });
  }
  return customers;
}

/** The number of all reallocations so far. */
export async function countReallocations({ sql }: Database): Promise<number> {
  const [row] = await sql<{ count: bigint }>`select count(*) from transfer where kind = 'reallocation'`;
  return Number(row?.count);
}

/** The end of a process's output. */
function outputTailOf({ stdout, stderr }: Running): string {
  return `${stdout()}${stderr()}`.slice(-OUTPUT_TAIL_CHARS);
}

function hasEnded({ child }: Running): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

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

/** The child processes of a process; none where the system does not report them. */
export function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

function killProcess(pid: number): void {
  if (isAlive(pid)) process.kill(pid, 'SIGKILL');
}
