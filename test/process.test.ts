// The service as a separate process: at a terminal, and under signals.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, existsSync, openSync, readFileSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import pg from 'pg';
import { makeDatabase } from './support/database.ts';
import { freePort } from './support/free-port.ts';
import { call, tokenOf } from './support/http.ts';
import { CLI } from './support/paths.ts';
import { isAlive, onTerminal, sandboxOf, scratch, serve, serverPid, start } from './support/process.ts';
import { beginRequest } from './support/raw-http.ts';
import { waitUntil } from './support/wait.ts';

const NPM_START = ['npm', 'start'];
const ANSWER_MAX_MS = 5000;
const MORE_LINES_THAN_A_PIPE_TAKES = 1000;
const LINGER_MAX_MS = 5000;

/** Used by one service after another. */
const dataDir = join(scratch({ after }), 'data');
const env = { DATA_DIR: dataDir };

const assertAllGone = async (pid: number) => {
  assert.equal(isAlive(pid), false);
  assert.equal(serverPid(dataDir), undefined);
};

test('at a terminal', async (t) => {
  const database = await makeDatabase(t);
  const folder = scratch(t);
  const [dataDir, log] = [join(folder, 'data'), join(folder, 'log')];
  const env = { DATA_DIR: dataDir, DATABASE_URL: database, MODE: 'sandbox', PORT: '0' };
  // Standard output goes to a file, as with `| jq`; standard error stays on the terminal.
  const shown = start(t, onTerminal(`exec ${process.execPath} ${CLI} serve > ${log}`), env);
  const [banner] = await shown.printed(/Earmark has started\..*curl.*?'\r?\n/s);
  await waitUntil('the start is logged', () => readFileSync(log, 'utf8').includes('"msg":"started"'));
  const lines = readFileSync(log, 'utf8').trimEnd().split('\n');
  const { pid, port } = lines.map((line) => JSON.parse(line)).find(({ msg }) => msg === 'started');

  await t.test('the banner names the port, the reference, the demo and the credentials', () => {
    const { client_id, client_secret, base_url } = sandboxOf(dataDir);
    assert.equal(base_url, `http://localhost:${port}`);
    for (const words of [
      `port ${port}`,
      `${base_url}/docs`,
      'npm run demo',
      join(dataDir, 'sandbox.json'),
      client_id,
      client_secret,
    ])
      assert.ok(banner.includes(words), words);
    assert.ok(!readFileSync(log, 'utf8').includes(client_secret));
  });

  await t.test('its commands work when pasted', async (t) => {
    const pasted = banner.slice(banner.indexOf('eval')).replaceAll('\r', '');
    const { code, stdout, stderr } = await start(t, ['bash', '-c', pasted], { DATA_DIR: dataDir }).ended;
    assert.equal(code, 0, stderr);
    assert.match(stdout, /HTTP\/1.1 201 Created/);
  });

  await t.test('a later start shows no secret', async (t) => {
    process.kill(pid, 'SIGTERM');
    assert.equal((await shown.ended).code, 0);
    const again = start(t, onTerminal(`exec ${process.execPath} ${CLI} serve`), env);
    const [, pidAgain] = await again.printed(/"pid":(\d+)|Credentials +\S+sandbox\.json/);
    assert.equal(pidAgain, undefined, 'the log is text at a terminal');
    assert.ok(!again.stdout().includes(sandboxOf(dataDir).client_secret));
  });
});

test('answers a request in flight before it ends', async (t) => {
  const service = await serve(t, env);
  // A connection without a request must not delay the end.
  const idle = net.connect(service.port, '127.0.0.1').resume();
  const idleClosed = once(idle, 'close');
  await once(idle, 'connect');
  const request = await beginRequest(service.port);
  service.child.kill('SIGTERM');
  await service.printed(/"msg":"stopping"/);
  await idleClosed;
  await waitUntil('new connections are refused', () => isRefused(service.port));
  assert.match(await request.finish(), /HTTP\/1.1 401 Unauthorized.*"invalid_client"/s);
  const { code, stderr } = await service.ended;
  assert.deepEqual([code, stderr], [0, '']);
  await assertAllGone(service.pid);
});

test('ends the same way when Ctrl-C reaches npm and the service twice', async (t) => {
  const service = await serve(t, env, { command: NPM_START, detached: true });
  const request = await beginRequest(service.port);
  process.kill(-service.child.pid!, 'SIGINT');
  await service.printed(/"msg":"stopping"/);
  assert.match(await request.finish(), /HTTP\/1.1 401 Unauthorized/);
  assert.equal((await service.ended).code, 0);
  await assertAllGone(service.pid);
});

test('npm passes a signal on', async (t) => {
  const service = await serve(t, env, { command: NPM_START });
  service.child.kill('SIGTERM');
  const { code, stderr } = await service.ended;
  assert.deepEqual([code, stderr], [0, '']);
  await assertAllGone(service.pid);
});

test('continues when the reader of its log closes the pipe', async (t) => {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const script = 'set -o pipefail; npm start --silent | head -1';
  const pipe = start(t, ['bash', '-c', script], { ...env, PORT: String(port) });
  const [, pid] = (await pipe.printed(/"pid":(\d+)/)) as unknown as [string, string];
  await waitUntil('its sandbox is there', () => sandboxOf(dataDir).base_url === url);
  // Each is logged to a closed pipe.
  for (let request = 0; request < 3; request++) assert.equal((await fetch(`${url}/health/live`)).status, 200);
  process.kill(Number(pid), 'SIGTERM');
  const { code, stderr, stdout } = await pipe.ended;
  assert.deepEqual([code, stderr, stdout.split('\n').length], [0, '', 2]);
  await assertAllGone(Number(pid));
});

test('runs and ends when nobody reads its log', async (t) => {
  const fifo = join(scratch(t), 'fifo');
  execFileSync('mkfifo', [fifo]);
  const stdout = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK);
  t.after(() => closeSync(stdout));
  const url = await makeDatabase(t);
  const port = await freePort();
  const command = [process.execPath, CLI, 'serve'];
  const { child, ended } = start(
    t,
    command,
    { DATA_DIR: dataDir, DATABASE_URL: url, MODE: 'sandbox', PORT: String(port) },
    { stdout },
  );
  const get = (path: string) => fetch(`http://localhost:${port}${path}`, { signal: AbortSignal.timeout(ANSWER_MAX_MS) });
  await waitUntil('it is ready', async () => (await get('/health/ready').catch(() => undefined))?.status === 200);
  for (let request = 0; request < MORE_LINES_THAN_A_PIPE_TAKES; request++) assert.equal((await get('/customers')).status, 401);
  assert.equal((await get('/health/live')).status, 200);
  const signalledMs = performance.now();
  child.kill('SIGTERM');
  const { code, stderr } = await ended;
  assert.deepEqual([code, stderr], [0, '']);
  assert.ok(performance.now() - signalledMs < LINGER_MAX_MS, 'it does not wait for its reader');
});

test('a service is ready only when sandbox.json exists and works', async (t) => {
  const dataDir = join(scratch(t), 'data');
  const file = join(dataDir, 'sandbox.json');
  const port = await freePort();
  const env = { DATA_DIR: dataDir, DATABASE_URL: await makeDatabase(t), MODE: 'sandbox', PORT: String(port) };
  const url = `http://localhost:${port}`;
  start(t, [process.execPath, CLI, 'serve'], env);
  let isReady = false;
  while (!isReady) {
    const status = await fetch(`${url}/health/ready`).then(
      (answer) => answer.status,
      () => undefined,
    );
    // Nothing in between: a client that waited reads the file now.
    if (status === 200) assert.ok(existsSync(file), 'ready without sandbox.json');
    isReady = status === 200;
  }
  const { base_url, customer, ...client } = JSON.parse(readFileSync(file, 'utf8'));
  assert.equal(base_url, url);
  assert.equal((await call(customer, (await tokenOf(url, client))!)).status, 200);
});

test('a second signal ends a drain that hangs', async (t) => {
  const service = await serve(t, { ...env, DRAIN_SECONDS: '600' });
  const { closed } = await beginRequest(service.port);
  service.child.kill('SIGTERM');
  await service.printed(/"msg":"stopping"/);
  await waitUntil('the second signal arrives', () => !service.child.kill('SIGTERM') || service.child.exitCode !== null);
  const { code, stderr } = await service.ended;
  assert.deepEqual([code, stderr], [1, 'Stopped before all requests in flight were answered.\n']);
  await closed;
  await assertAllGone(service.pid);
});

test('the time limit ends a drain that hangs', async (t) => {
  const url = await makeDatabase(t);
  const service = await serve(t, { ...env, DRAIN_SECONDS: '1', DATABASE_URL: url, MODE: 'sandbox', VERIFY_EVERY_SECONDS: '0' });
  const sandbox = sandboxOf(dataDir);
  const token = (await tokenOf(service.url, sandbox))!;
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  const watcher = new pg.Client({ connectionString: url });
  await watcher.connect();
  await holder.query('begin');
  await holder.query('lock table customer');
  const asked = assert.rejects(call(sandbox.customer, token));
  const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  await waitUntil('the request waits', async () => (await watcher.query(waiting)).rowCount === 1);
  service.child.kill('SIGTERM');
  const { code, stderr } = await service.ended;
  assert.deepEqual([code, stderr], [1, 'Stopped before all requests in flight were answered.\n']);
  await asked;
  await Promise.all([holder.end(), watcher.end()]);
});

test('answers a request whose body stalls with 408, without delaying the end', async (t) => {
  const service = await serve(t, { ...env, DRAIN_SECONDS: '4' });
  const { closed } = await beginRequest(service.port);
  service.child.kill('SIGTERM');
  assert.match(await closed, /HTTP\/1.1 408 Request Timeout.*"RequestTimeout"/s);
  const { code, stderr } = await service.ended;
  assert.deepEqual([code, stderr], [0, '']);
  await assertAllGone(service.pid);
});

async function isRefused(port: number): Promise<boolean> {
  const socket = net.connect(port, '127.0.0.1');
  const refused = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(false)).once('error', () => resolve(true));
  });
  socket.destroy();
  return refused;
}
