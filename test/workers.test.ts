// WORKERS: several processes behind one port. Replacement of dead ones, restarts without a failed call, common metrics and limits.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { reallocation } from './support/data.ts';
import { makeDatabase } from './support/database.ts';
import { request, tokenOf } from './support/http.ts';
import { isAlive, sandboxOf, scratch, serve, serverPid } from './support/process.ts';
import { type Exposition, readExposition } from './support/prometheus.ts';
import { waitUntil } from './support/wait.ts';

const WORKERS = 2;
const CLIENTS = 6;
const CALLS_BETWEEN = 60;
/** Between two calls of a client: the load must be constant, not high. */
const CALL_PAUSE_MS = 10;
const READS_PER_SECOND = 30;
/** What processes may grant before they learn of each other's grants. */
const LATE_GRANTS = 20;

const dataDir = `${scratch({ after })}/data`;
const env = { WORKERS: String(WORKERS), DATA_DIR: dataDir, VERIFY_EVERY_SECONDS: '1', TOKEN_TTL_SECONDS: '86400' };

/** The worker processes of a supervisor. Linux only, like the container image. */
function workersOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
  return children.filter((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('serve'));
}

test('several processes behind one port', async (t) => {
  const service = await serve(t, env);
  const sandbox = sandboxOf(dataDir);
  const token = (await tokenOf(service.url, sandbox))!;
  const agent = new http.Agent({ keepAlive: true });
  t.after(() => agent.destroy());
  const get = (path: string) => request({ agent: new http.Agent(), port: service.port, method: 'GET', path, token });
  const metrics = async () => readExposition((await get('/metrics')).text);
  const calls = (seen: Exposition) =>
    seen.value('earmark_http_requests_total', { method: 'POST', route: '/label-reallocations', status: '2xx' }) ?? 0;
  const [one, other] = sandbox.labels;
  const observed = { answers: 0, statuses: new Set<number>() };
  let stopping = false;

  async function client(number: number): Promise<void> {
    for (let n = 0; !stopping; n++) {
      const body = n % 2 === 0 ? reallocation(one, other, '0.01') : reallocation(other, one, '0.01');
      const sent = {
        agent,
        port: service.port,
        method: 'POST',
        path: '/label-reallocations',
        token,
        body,
        key: `${number}-${n}`,
      };
      const { status } = await request(sent);
      observed.answers += 1;
      observed.statuses.add(status);
      await sleep(CALL_PAUSE_MS);
    }
  }
  const moreCalls = async () => {
    const before = observed.answers;
    await waitUntil('calls continue', () => observed.answers > before + CALLS_BETWEEN);
  };

  const before = workersOf(service.pid);
  assert.equal(before.length, WORKERS);
  const clients = Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
  await moreCalls();

  await t.test('SIGHUP replaces every process without a failed call', async () => {
    service.child.kill('SIGHUP');
    await service.printed(/every worker was replaced/);
    assert.deepEqual(
      workersOf(service.pid).filter((pid) => before.includes(pid)),
      [],
    );
    await moreCalls();
    stopping = true;
    await clients;
    assert.deepEqual([...observed.statuses], [201]);
  });

  await t.test('metrics are added up, also those of processes that ended', async () => {
    assert.equal(calls(await metrics()), observed.answers);
    const seen = await metrics();
    assert.equal(seen.value('earmark_database_up'), 1);
    assert.equal(seen.value('earmark_build_info'), 1);
  });

  await t.test('a process that dies is replaced, and the others serve meanwhile', async () => {
    const [dead] = workersOf(service.pid);
    process.kill(dead!, 'SIGKILL');
    await waitUntil('it is gone', () => !isAlive(dead!));
    assert.equal((await get('/health/live')).status, 200);
    await waitUntil('it is replaced', () => workersOf(service.pid).length === WORKERS);
    assert.ok(calls(await metrics()) >= observed.answers, 'counters do not fall');
  });

  await t.test('stops with its processes, of which one is starting, and the embedded server', async () => {
    const all = [service.pid, ...workersOf(service.pid)];
    service.child.kill('SIGTERM');
    assert.equal((await service.ended).code, 0);
    assert.deepEqual(all.filter(isAlive), []);
    assert.equal(serverPid(dataDir), undefined);
  });
});

test('processes share rate limits and the result of the ledger check', async (t) => {
  const url = await makeDatabase(t);
  const folder = scratch(t);
  const settings = { DATA_DIR: folder, DATABASE_URL: url, MODE: 'sandbox', RATE_LIMIT_READS: String(READS_PER_SECOND) };
  const service = await serve(t, { ...env, ...settings });
  const { customer } = sandboxOf(folder);
  const token = (await tokenOf(service.url, sandboxOf(folder)))!;
  const agent = new http.Agent({ keepAlive: true, maxSockets: CLIENTS });
  t.after(() => agent.destroy());
  const get = (path: string) => request({ agent, port: service.port, method: 'GET', path, token });

  await t.test('one rate limit for all processes', async () => {
    const path = new URL(customer).pathname;
    let served = 0;
    const startMs = performance.now();
    const client = async () => {
      for (let n = 0; n < READS_PER_SECOND; n++) if ((await get(path)).status === 200) served += 1;
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
    const refilled = ((performance.now() - startMs) / 1000) * READS_PER_SECOND;
    assert.ok(served >= READS_PER_SECOND, `${served} were served`);
    assert.ok(served <= READS_PER_SECOND + refilled + LATE_GRANTS, `${served} were served`);
  });

  await t.test('every process is unready when the ledger check fails', async () => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query("update ledger_account set balance = balance + 1 where kind = 'available'");
    await client.end();
    const states = async () => Promise.all(Array.from({ length: CLIENTS }, async () => (await get('/health/ready')).status));
    await waitUntil('all processes report it', async () => (await states()).every((status) => status === 503));
  });
});
