// The service as a separate process: first and later starts, crashes, signals, and start errors.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, constants, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { createDatabase, dropDatabase, query } from './support/database.ts';
import { freePort } from './support/free-port.ts';
import { call, tokenOf } from './support/http.ts';
import { CLI } from './support/paths.ts';
import {
  assertOneLine,
  type Env,
  isAlive,
  onTerminal,
  runCli,
  sandboxOf,
  scratch,
  serve,
  serverPid,
  start,
} from './support/process.ts';
import { beginRequest } from './support/raw-http.ts';
import { waitUntil } from './support/wait.ts';

const NPM_START = ['npm', 'start'];
const AT_ONCE = 3;
const ANSWER_MAX_MS = 5000;
const MORE_LINES_THAN_A_PIPE_TAKES = 1000;
const LINGER_MAX_MS = 5000;
/** Starts are slow on a busy machine. */
const TIMEOUT_MS = 120_000;

test('at a terminal', { timeout: TIMEOUT_MS }, async (t) => {
  const database = await createDatabase();
  t.after(() => dropDatabase(database));
  const folder = scratch(t);
  const [dataDir, log] = [join(folder, 'data'), join(folder, 'log')];
  const env = { DATA_DIR: dataDir, DATABASE_URL: database, MODE: 'sandbox', PORT: '0' };
  // Standard output goes to a file, as with `| jq`; standard error stays on the terminal.
  const shown = start(t, onTerminal(`exec ${process.execPath} ${CLI} serve > ${log}`), env);
  const [banner] = await shown.printed(/Earmark has started\..*curl.*?'\r?\n/s);
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

test('signals', { timeout: TIMEOUT_MS }, async (t) => {
  const dataDir = join(scratch(t), 'data');
  const env = { DATA_DIR: dataDir };
  const assertAllGone = async (pid: number) => {
    assert.equal(isAlive(pid), false);
    assert.equal(serverPid(dataDir), undefined);
  };

  await t.test('answers a request in flight before it ends', async (t) => {
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

  await t.test('ends the same way when Ctrl-C reaches npm and the service twice', async (t) => {
    const service = await serve(t, env, { command: NPM_START, detached: true });
    const request = await beginRequest(service.port);
    process.kill(-service.child.pid!, 'SIGINT');
    await service.printed(/"msg":"stopping"/);
    assert.match(await request.finish(), /HTTP\/1.1 401 Unauthorized/);
    assert.equal((await service.ended).code, 0);
    await assertAllGone(service.pid);
  });

  await t.test('npm passes a signal on', async (t) => {
    const service = await serve(t, env, { command: NPM_START });
    service.child.kill('SIGTERM');
    const { code, stderr } = await service.ended;
    assert.deepEqual([code, stderr], [0, '']);
    await assertAllGone(service.pid);
  });

  await t.test('continues when the reader of its log closes the pipe', async (t) => {
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

  await t.test('runs and ends when nobody reads its log', async (t) => {
    const fifo = join(scratch(t), 'fifo');
    execFileSync('mkfifo', [fifo]);
    const stdout = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK);
    t.after(() => closeSync(stdout));
    const url = await createDatabase();
    t.after(() => dropDatabase(url));
    const port = await freePort();
    const command = [process.execPath, CLI, 'serve'];
    const { child, ended } = start(t, command, { DATA_DIR: dataDir, DATABASE_URL: url, PORT: String(port) }, { stdout });
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

  await t.test('a second signal ends a drain that hangs', async (t) => {
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

  await t.test('the time limit ends a drain that hangs', async (t) => {
    const url = await createDatabase();
    t.after(() => dropDatabase(url));
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

  await t.test('answers a request whose body stalls with 408, without delaying the end', async (t) => {
    const service = await serve(t, { ...env, DRAIN_SECONDS: '4' });
    const { closed } = await beginRequest(service.port);
    service.child.kill('SIGTERM');
    assert.match(await closed, /HTTP\/1.1 408 Request Timeout.*"RequestTimeout"/s);
    const { code, stderr } = await service.ended;
    assert.deepEqual([code, stderr], [0, '']);
    await assertAllGone(service.pid);
  });
});

test('reports a start error in one line with exit code 1', { concurrency: AT_ONCE }, async (t) => {
  const folder = scratch(t);
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const closed = join(folder, 'closed');
  mkdirSync(closed, { mode: 0o500 });
  const unwritable = process.getuid?.() === 0 ? '/proc/earmark' : closed;

  const url = await createDatabase();
  t.after(() => dropDatabase(url));
  const newer = await createDatabase();
  t.after(() => dropDatabase(newer));
  await query(newer, "insert into schema_migration values ('9999-from-the-future.sql', now())");
  const [sealed, fresh] = [await createDatabase(), await createDatabase()];
  t.after(() => dropDatabase(sealed));
  t.after(() => dropDatabase(fresh));
  const [key, otherKey] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];
  const maker = await serve(t, { DATABASE_URL: sealed, ENCRYPTION_KEY: key, MODE: 'production' });
  maker.child.kill('SIGTERM');
  await maker.ended;

  const old = oldServer();
  t.after(() => old.close());
  await once(old, 'listening');
  const oldPort = (old.address() as AddressInfo).port;
  const external = { DATA_DIR: join(folder, 'data'), DATABASE_URL: url };
  const cases: Record<string, [Env, RegExp]> = {
    'a data directory that is a file': [{ DATA_DIR: file }, /^DATA_DIR \S+\/file is not a folder\./],
    'a data directory in a file': [{ DATA_DIR: join(file, 'data') }, /^DATA_DIR \S+\/file\/data cannot be reached: ENOTDIR/],
    'a data directory that cannot be written': [{ DATA_DIR: unwritable }, /DATA_DIR \S+ cannot be written|cannot start: /],
    'a host of another machine': [{ ...external, HOST: '192.0.2.1' }, /^HOST is not an address of this machine\./],
    'no database server': [{ DATABASE_URL: 'postgres://u:hush@127.0.0.1:1/d' }, /^The database of DATABASE_URL .* ECONNREFUSED/],
    'no such host': [
      { DATABASE_URL: 'postgres://u:hush@nowhere.invalid/d' },
      /^The database of DATABASE_URL .* nowhere\.invalid/,
    ],
    'a wrong password': [{ DATABASE_URL: url.replace(/:[^:@]+@/, ':hush@') }, /password authentication failed/],
    'no such database': [{ DATABASE_URL: url.replace(/test_[0-9a-f]+/, 'nothing') }, /database "nothing" does not exist/],
    'a server too old': [
      { DATABASE_URL: `postgres://u:hush@127.0.0.1:${oldPort}/d` },
      /^The database server is PostgreSQL 12\.22; Earmark needs 15 or newer\./,
    ],
    'a database of a newer version': [{ DATABASE_URL: newer }, /^The database was migrated by a newer version .*9999-from/],
    'a database of another key': [{ DATABASE_URL: sealed, ENCRYPTION_KEY: otherKey }, /sealed under encryption key/],
    'a database of another mode': [
      { DATABASE_URL: sealed, MODE: 'sandbox' },
      /^This is a production database, and MODE is sandbox\./,
    ],
    'a sandbox that cannot be saved': [
      { DATABASE_URL: fresh, ENCRYPTION_KEY: key, MODE: 'sandbox', DATA_DIR: join(file, 'data') },
      /^The credentials of the sandbox cannot be written to \S+: (ENOTDIR|EEXIST)\./,
    ],
  };
  const refusals = Object.entries(cases).map(([name, [env, pattern]]) =>
    t.test(name, async (t) => {
      const command = [process.execPath, CLI, 'serve'];
      const running = start(t, command, { DATA_DIR: join(folder, 'data'), PORT: '0', ...env });
      await waitUntil('it prints the error', () => running.stderr());
      const saidMs = performance.now();
      const ended = await running.ended;
      assert.ok(performance.now() - saidMs < LINGER_MAX_MS, 'it does not wait for idle connections');
      assertOneLine(ended, pattern);
      assert.doesNotMatch(ended.stderr, /hush/);
    }),
  );
  const settings = t.test('reports all wrong settings', async (t) => {
    const { code, stderr } = await runCli(t, ['serve'], {
      PORT: '80800',
      DATABASE_URL: 'mysql://u:hush@h/d',
      ENCRYPTION_KEY: 'hush',
      PUBLIC_URL: 'https://u:hush@h',
      LANES: '0',
    });
    assert.equal(code, 1);
    const names = [...stderr.matchAll(/^\w+/gm)].map(([name]) => name).sort();
    assert.deepEqual(names, ['DATABASE_URL', 'ENCRYPTION_KEY', 'LANES', 'PORT', 'PUBLIC_URL']);
    assert.doesNotMatch(stderr, /hush/);
  });
  await Promise.all([...refusals, settings]);
  assert.equal(serverPid(join(folder, 'data')), undefined);
});

async function isRefused(port: number): Promise<boolean> {
  const socket = net.connect(port, '127.0.0.1');
  const refused = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(false)).once('error', () => resolve(true));
  });
  socket.destroy();
  return refused;
}

/** Enough of the protocol of PostgreSQL 12 to report its version. */
function oldServer(): net.Server {
  const message = (type: string, body: Buffer) => {
    const head = Buffer.from(`${type}0000`);
    head.writeInt32BE(body.length + 4, 1);
    return Buffer.concat([head, body]);
  };
  const int = (value: number, bytes: number) => {
    const buffer = Buffer.alloc(bytes);
    buffer.writeIntBE(value, 0, bytes);
    return buffer;
  };
  const version = Buffer.from('12.22');
  const ready = message('Z', Buffer.from('I'));
  const column = Buffer.concat([Buffer.from('server_version\0'), int(0, 6), int(25, 4), int(-1, 2), int(-1, 4), int(0, 2)]);
  const answer = Buffer.concat([
    message('T', Buffer.concat([int(1, 2), column])),
    message('D', Buffer.concat([int(1, 2), int(version.length, 4), version])),
    message('C', Buffer.from('SHOW\0')),
    ready,
  ]);
  const welcome = Buffer.concat([
    message('R', int(0, 4)),
    message('S', Buffer.from('server_version\x0012.22\0')),
    message('K', Buffer.alloc(8)),
    ready,
  ]);
  return net
    .createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => {
        socket.write(welcome);
        socket.on('data', (data) => (data[0] === 'Q'.charCodeAt(0) ? socket.write(answer) : socket.end()));
      });
    })
    .listen(0, '127.0.0.1');
}
