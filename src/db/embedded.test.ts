// Tests of the embedded PostgreSQL on real processes: starts, restarts, crashes, unusual paths, root and other users.
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { EmbeddedError } from './embedded/errors.ts';
import { sizeSettings } from './embedded/settings.ts';
import { findEmbedded, startEmbedded } from './embedded.ts';

const MODULE = new URL('./embedded.ts', import.meta.url).href;
const NOBODY = 65534;
const IS_ROOT = process.getuid?.() === 0;
const SUN_PATH_MAX_BYTES = 103;
/** A /usr/bin/unshare that cannot run, for one process and its children, as in a container without namespaces. */
const WITHOUT_UNSHARE = ['unshare', '--mount', 'sh', '-c', 'mount --bind /dev/null "$(command -v unshare)" && exec "$0" "$@"'];
const PID_NAMESPACE = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child'];
/** Prints what it has started and runs until it is killed or its input ends. */
const STARTER = `
  const { startEmbedded } = await import(${JSON.stringify(MODULE)});
  try {
    const server = await startEmbedded({ dataDir: process.argv[1] });
    console.log(JSON.stringify({ url: server.url, adopted: server.adopted }));
    process.stdin.resume().once('end', async () => {
      await server.stop();
      console.log('"stopped"');
      process.exit();
    });
  } catch (error) {
    console.log(JSON.stringify({ name: error.constructor.name, message: error.message }));
  }`;

type Line = { url: string; adopted: boolean; name: string; message: string };

test('starts, keeps its data over a stop, and is found while it runs', async (t) => {
  const dataDir = join(await scratch(t), 'data');
  assert.equal(await findEmbedded(dataDir), undefined);
  const first = await startEmbedded({ dataDir });
  assert.equal(first.adopted, false);
  assert.equal(await findEmbedded(dataDir), first.url);
  await query(first.url, 'create table kept as select 42 as answer');
  await first.stop();
  assert.equal(await findEmbedded(dataDir), undefined);
  assert.equal(await serverPid(dataDir), undefined);
  await first.stop();

  const second = await startEmbedded({ dataDir });
  assert.equal(second.adopted, false);
  assert.deepEqual(await query(second.url, 'select answer from kept'), [{ answer: 42 }]);
  // Stopping the first handle must not stop the second server.
  await first.stop();
  assert.equal(await findEmbedded(dataDir), second.url);
  await second.stop();
});

test('is durable and private, and takes settings', async (t) => {
  const dataDir = join(await scratch(t), 'deep', 'data');
  const small = sizeSettings({ memoryBytes: 512 * 2 ** 20, cpus: 1 });
  const server = await startEmbedded({ dataDir, settings: { ...small, max_connections: '17' } });
  const expected = {
    shared_buffers: '128MB',
    max_wal_size: '512MB',
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    data_checksums: 'on',
    listen_addresses: '',
    max_connections: '17',
    checkpoint_timeout: '15min',
    password_encryption: 'scram-sha-256',
    server_encoding: 'UTF8',
    lc_messages: 'C',
    TimeZone: 'UTC',
  };
  for (const [name, value] of Object.entries(expected)) {
    assert.deepEqual(await query(server.url, `select current_setting('${name}') as value`), [{ value }], name);
  }
  assert.deepEqual(await query(server.url, 'select current_user, current_database()'), [
    { current_user: 'earmark', current_database: 'earmark' },
  ]);
  for (const [name, mode] of Object.entries({ '.': 0o700, postgres: 0o700, 'postgres-password': 0o600, 'postgres.log': 0o600 })) {
    // 0o010: traverse permission for the group of nobody, where the server runs as nobody.
    assert.equal((await stat(join(dataDir, name))).mode & 0o767, mode, name);
  }
  await assert.rejects(query(server.url.replace(/:[^:@]+@/, ':wrong@'), 'select 1'), { code: '28P01' });
  const pid = await serverPid(dataDir);
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  assert.ok(!commandLine.includes((await readFile(join(dataDir, 'postgres-password'), 'utf8')).trim()));
  await server.stop();
});

test('adopts a server whose service was killed, with its data', async (t) => {
  const dataDir = await scratch(t);
  const service = startIn(t, dataDir);
  const { url, adopted } = await nextLine(service);
  assert.equal(adopted, false);
  await query(url, 'create table kept as select 42 as answer');
  const pid = await serverPid(dataDir);
  service.kill('SIGKILL');
  await once(service, 'exit');

  const server = await startEmbedded({ dataDir });
  assert.equal(server.adopted, true);
  assert.equal(server.url, url);
  assert.equal(await serverPid(dataDir), pid);
  assert.deepEqual(await query(server.url, 'select answer from kept'), [{ answer: 42 }]);
  await server.stop();
  assert.equal(await serverPid(dataDir), undefined);
});

test('a Ctrl-C to the process group of the service does not reach the server', async (t) => {
  const dataDir = await scratch(t);
  const service = startIn(t, dataDir, { detached: true });
  const { url } = await nextLine(service);
  process.kill(-(service.pid ?? assert.fail()), 'SIGINT');
  await once(service, 'exit');
  await sleep(200);
  assert.deepEqual(await query(url, 'select 1 as one'), [{ one: 1 }]);
});

test('concurrent first starts share one cluster and one server', async (t) => {
  const dataDir = await scratch(t);
  // Left by a first start that crashed.
  await mkdir(join(dataDir, 'postgres.new-left', 'base'), { recursive: true });
  const child = startIn(t, dataDir);
  const servers = await Promise.all([startEmbedded({ dataDir }), startEmbedded({ dataDir }), nextLine(child)]);
  assert.deepEqual(servers.map((server) => server.adopted).sort(), [false, true, true]);
  await query(servers[0].url, 'create table kept as select 42 as answer');
  for (const { url } of servers) assert.deepEqual(await query(url, 'select answer from kept'), [{ answer: 42 }]);
  const names = (await readdir(dataDir)).sort();
  assert.deepEqual(names, ['postgres', 'postgres-password', 'postgres.log', 'socket']);
  child.stdin?.end();
  assert.equal(await nextLine(child), 'stopped');
  await servers[0].stop();
  assert.equal(await serverPid(dataDir), undefined);
});

test('concurrent starts after a crash share one server', async (t) => {
  const dataDir = await scratch(t);
  const { url } = await startEmbedded({ dataDir });
  await query(url, 'create table kept as select 42 as answer');
  process.kill((await serverPid(dataDir)) ?? assert.fail(), 'SIGKILL');
  const servers = await Promise.all([startEmbedded({ dataDir }), startEmbedded({ dataDir }), startEmbedded({ dataDir })]);
  assert.deepEqual(servers.map((server) => server.adopted).sort(), [false, true, true]);
  assert.deepEqual(await query(servers[2].url, 'select answer from kept'), [{ answer: 42 }]);
  await servers[2].stop();
});

test('a start while the server stops waits for it and then starts a new one', async (t) => {
  const dataDir = await scratch(t);
  const first = await startEmbedded({ dataDir });
  const pid = await serverPid(dataDir);
  const stopping = first.stop();
  while ((await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').catch(() => '')).includes('ready')) await sleep(1);
  const second = await startEmbedded({ dataDir });
  await stopping;
  assert.equal(second.adopted, false);
  assert.notEqual(await serverPid(dataDir), pid);
  assert.deepEqual(await query(second.url, 'select 1 as one'), [{ one: 1 }]);
  await second.stop();
});

test('supports a path that is too long for a socket and full of special characters', async (t) => {
  const dataDir = join(await scratch(t), `it's a "long", 100% Größe ${'x'.repeat(90)}`, 'y'.repeat(90));
  const first = await startEmbedded({ dataDir });
  const socketDir = new URL(first.url.replace('@/', '@localhost/')).searchParams.get('host') ?? assert.fail();
  t.after(() => rm(socketDir, { recursive: true, force: true }));
  assert.ok(Buffer.byteLength(dataDir) > SUN_PATH_MAX_BYTES);
  assert.equal(await findEmbedded(dataDir), first.url);
  assert.equal((await stat(socketDir)).mode & 0o777, 0o700);
  assert.deepEqual(await query(first.url, 'select 1 as one'), [{ one: 1 }]);
  const again = await startEmbedded({ dataDir });
  assert.deepEqual({ ...again, stop: 0 }, { url: first.url, adopted: true, stop: 0 });
  await first.stop();
});

test('supports a short path full of special characters', async (t) => {
  const dataDir = join(await scratch(t), `it's "a", 5% ö`);
  const server = await startEmbedded({ dataDir });
  assert.ok(server.url.includes(encodeURIComponent(join(dataDir, 'socket'))));
  assert.deepEqual(await query(server.url, 'select 1 as one'), [{ one: 1 }]);
  await server.stop();
});

test('root starts the server in a folder that only root can enter, when user namespaces are allowed', async (t) => {
  const parent = await scratch(t);
  await chmod(parent, 0o700);
  const dataDir = join(parent, 'data');
  if (IS_ROOT && !(await succeeds('unshare', ['--user', 'true']))) {
    await assert.rejects(startEmbedded({ dataDir }), /choose another DATA_DIR/);
    return;
  }
  const server = await startEmbedded({ dataDir });
  assert.deepEqual(await query(server.url, 'select 1 as one'), [{ one: 1 }]);
  assert.equal(await serverUid(dataDir), process.getuid?.());
  await server.stop();
  if (!IS_ROOT) return;
  // The namespace does not carry root's privileges: files of another user stay inaccessible.
  const foreign = join(parent, 'foreign');
  await mkdir(foreign, { mode: 0o700 });
  await chown(foreign, 1234, 1234);
  await assert.rejects(startEmbedded({ dataDir: join(foreign, 'data') }), /choose another DATA_DIR/);
});

test('root without user namespaces starts the server as nobody, in a folder that nobody else can enter', async (t) => {
  const parent = await scratch(t);
  const dataDir = join(parent, 'data');
  const closed = join(parent, 'closed');
  await mkdir(closed, { mode: 0o700 });
  // Where root cannot mount, it has no namespaces anyway.
  const canHide = IS_ROOT && (await canRun(WITHOUT_UNSHARE));
  const prefix = canHide ? WITHOUT_UNSHARE : [];
  const service = startIn(t, dataDir, { prefix });
  const { url, message } = await nextLine(service);
  assert.equal(message, undefined);
  await query(url, 'create table kept as select 42 as answer');
  const uid = await serverUid(dataDir);
  if (canHide) assert.equal(uid, NOBODY);
  assert.equal((await stat(join(dataDir, 'postgres'))).uid, uid);
  service.stdin?.end();
  assert.equal(await nextLine(service), 'stopped');

  const refused = await nextLine(startIn(t, join(closed, 'data'), { prefix }));
  if (canHide) assert.match(refused.message, /^PostgreSQL does not run as root\. .* choose another DATA_DIR/);

  // With or without namespaces, the cluster keeps its owner.
  const server = await startEmbedded({ dataDir });
  assert.deepEqual(await query(server.url, 'select answer from kept'), [{ answer: 42 }]);
  assert.equal(await serverUid(dataDir), uid);
  await server.stop();
});

test("hands root's cluster to nobody when user namespaces are no longer available", async (t) => {
  const parent = await scratch(t);
  const dataDir = join(parent, 'data');
  const first = await startEmbedded({ dataDir });
  await query(first.url, 'create table kept as select 42 as answer');
  await first.stop();
  const canHide = IS_ROOT && (await canRun(WITHOUT_UNSHARE));
  const { url } = await nextLine(startIn(t, dataDir, { prefix: canHide ? WITHOUT_UNSHARE : [] }));
  assert.deepEqual(await query(url, 'select answer from kept'), [{ answer: 42 }]);
  if (canHide) assert.equal((await stat(join(dataDir, 'postgres', 'base'))).uid, NOBODY);
});

test('a user other than root starts the server as itself', async (t) => {
  const dataDir = await scratch(t);
  const ids = IS_ROOT ? { uid: NOBODY, gid: NOBODY } : {};
  if (IS_ROOT) await chown(dataDir, NOBODY, NOBODY);
  const reachable = await succeeds(process.execPath, ['--check', fileURLToPath(MODULE)], ids);
  const service = startIn(t, dataDir, ids);
  if (!reachable) {
    const [code] = await Promise.race([once(service, 'exit'), once(service, 'error')]);
    assert.notEqual(code, 0);
    return;
  }
  const { url, message } = await nextLine(service);
  assert.equal(message, undefined);
  assert.deepEqual(await query(url, 'select 1 as one'), [{ one: 1 }]);
  const uid = IS_ROOT ? NOBODY : process.getuid?.();
  assert.equal((await stat(join(dataDir, 'postgres'))).uid, uid);
  assert.equal(await serverUid(dataDir), uid);
  service.stdin?.end();
  assert.equal(await nextLine(service), 'stopped');
  // When root starts it later, the files stay the user's.
  const server = await startEmbedded({ dataDir });
  assert.equal(await serverUid(dataDir), uid);
  await server.stop();
  for (const name of await readdir(dataDir)) assert.equal((await stat(join(dataDir, name))).uid, uid, name);
});

test('treats lock files with the pid of another running program as stale', async (t) => {
  const dataDir = await scratch(t);
  const first = await startEmbedded({ dataDir });
  await query(first.url, 'create table kept as select 42 as answer');
  const lockFile = join(dataDir, 'postgres', 'postmaster.pid');
  const socketLock = join(dataDir, 'socket', '.s.PGSQL.5432.lock');
  const pid = `${await serverPid(dataDir)}`;
  // Not this process: PostgreSQL checks for its parent.
  const sleeper = spawn('sleep', ['60']);
  t.after(() => sleeper.kill());
  const foreign = (text: string) => text.replace(pid, `${sleeper.pid}`);
  const locks = [foreign(await readFile(lockFile, 'utf8')), foreign(await readFile(socketLock, 'utf8'))] as const;
  await first.stop();
  await writeFile(lockFile, locks[0], { mode: 0o600 });
  await writeFile(socketLock, locks[1], { mode: 0o600 });
  assert.equal(await findEmbedded(dataDir), undefined);

  const second = await startEmbedded({ dataDir });
  assert.equal(second.adopted, false);
  assert.deepEqual(await query(second.url, 'select answer from kept'), [{ answer: 42 }]);
  await second.stop();
});

test('treats an empty lock file, left by a crash, as stale after a while', async (t) => {
  const dataDir = await scratch(t);
  const first = await startEmbedded({ dataDir });
  await first.stop();
  const lockFile = join(dataDir, 'postgres', 'postmaster.pid');
  await writeFile(lockFile, '', { mode: 0o600 });
  await utimes(lockFile, 0, 0);
  const second = await startEmbedded({ dataDir });
  assert.equal(second.adopted, false);
  await second.stop();
});

test('does not start a second server beside one in another container on the same data directory', async (t) => {
  const dataDir = await scratch(t);
  const server = await startEmbedded({ dataDir });
  const canContain = IS_ROOT && (await canRun(PID_NAMESPACE));
  const other = await nextLine(startIn(t, dataDir, { prefix: canContain ? PID_NAMESPACE : [] }));
  if (canContain) assert.match(other.message, /outside of this container or machine/);
  else assert.equal(other.adopted, true);
  assert.deepEqual(await query(server.url, 'select 1 as one'), [{ one: 1 }]);
  await server.stop();
});

test('reports in one line what keeps the server from starting', async (t) => {
  const dataDir = await scratch(t);
  await assert.rejects(startEmbedded({ dataDir, settings: { work_mem: 'plenty' } }), (error) => {
    return says(error, /FATAL: invalid value for parameter "work_mem": "plenty"/);
  });
  const versionFile = join(dataDir, 'postgres', 'PG_VERSION');
  await writeFile(versionFile, '17\n');
  await assert.rejects(startEmbedded({ dataDir }), (error) => {
    return says(error, /was created by PostgreSQL 17, and this is PostgreSQL 18/);
  });
  await writeFile(versionFile, '18\n');

  const passwordFile = join(dataDir, 'postgres-password');
  const password = await readFile(passwordFile, 'utf8');
  await writeFile(passwordFile, 'other\n');
  await assert.rejects(startEmbedded({ dataDir }), (error) => says(error, /password authentication failed/));
  assert.equal(await serverPid(dataDir), undefined);
  await writeFile(passwordFile, password);
  const server = await startEmbedded({ dataDir });
  await server.stop();

  await rm(passwordFile);
  await assert.rejects(startEmbedded({ dataDir }), (error) => says(error, /postgres-password.* is missing/));
  const file = join(dataDir, 'file');
  await writeFile(file, '');
  await assert.rejects(startEmbedded({ dataDir: file }), (error) => says(error, /file/));
  await mkdir(join(dataDir, 'other', 'postgres', 'mine'), { recursive: true });
  await assert.rejects(startEmbedded({ dataDir: join(dataDir, 'other') }), (error) => says(error, /not empty/));
  assert.deepEqual(await readdir(join(dataDir, 'other', 'postgres')), ['mine']);
});

test('names a platform that has no package', async (t) => {
  const arch = Object.getOwnPropertyDescriptor(process, 'arch') ?? assert.fail();
  t.after(() => Object.defineProperty(process, 'arch', arch));
  Object.defineProperty(process, 'arch', { ...arch, value: 'pdp11' });
  await assert.rejects(startEmbedded({ dataDir: await scratch(t) }), (error) => says(error, /-pdp11 .* is missing/));
});

const folders: string[] = [];
// Not after each test: ext4 creates files three times slower for half a minute after many were removed.
after(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true, maxRetries: 3 });
});

/** A folder for a test; its server is stopped afterwards, also when the test fails. */
async function scratch(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'earmark-embedded-'));
  // For root without user namespaces, whose server runs as nobody.
  await chmod(folder, 0o755);
  folders.push(folder);
  t.after(async () => {
    const files = await readdir(folder, { recursive: true });
    for (const file of files.filter((file) => file.endsWith('postmaster.pid'))) {
      const pid = await serverPid(dirname(dirname(join(folder, file))));
      if (pid) process.kill(pid, 'SIGQUIT');
      while (pid && (await isServer(pid))) await sleep(10);
    }
  });
  return folder;
}

/** The running server that postmaster.pid names. */
async function serverPid(dataDir: string): Promise<number | undefined> {
  const text = await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number.parseInt(text, 10);
  return pid > 0 && (await isServer(pid)) ? pid : undefined;
}

async function isServer(pid: number): Promise<boolean> {
  return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).includes('earmark-embedded-');
}

/** Waits until the server has created its socket. */
async function serverUid(dataDir: string): Promise<number> {
  return (await stat(join(dataDir, 'socket', '.s.PGSQL.5432'))).uid;
}

function startIn(
  t: TestContext,
  dataDir: string,
  how: { prefix?: string[]; uid?: number; gid?: number; detached?: boolean } = {},
): ChildProcess {
  const { prefix = [], ...options } = how;
  const [command = '', ...args] = [...prefix, process.execPath, '--input-type=module', '--eval', STARTER, dataDir];
  const child = spawn(command, args, { ...options, cwd: '/', stdio: ['pipe', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  return child;
}

/** The next line that a child of startIn prints. */
async function nextLine(child: ChildProcess): Promise<Line> {
  const [line] = await once(child.stdout ?? assert.fail(), 'data');
  return JSON.parse(String(line)) as Line;
}

function canRun([command = '', ...args]: string[]): Promise<boolean> {
  return succeeds(command, [...args, 'true']);
}

function succeeds(command: string, args: string[], ids: { uid?: number; gid?: number } = {}): Promise<boolean> {
  return new Promise((resolve) => execFile(command, args, { cwd: '/', ...ids }, (error) => resolve(!error)));
}

async function query(url: string, text: string): Promise<unknown[]> {
  const pool = new pg.Pool({ connectionString: url });
  pool.on('error', () => undefined);
  try {
    return (await pool.query(text)).rows;
  } finally {
    await pool.end();
  }
}

function says(error: unknown, pattern: RegExp): true {
  assert.ok(error instanceof EmbeddedError);
  assert.match(error.message, pattern);
  assert.doesNotMatch(error.message, /\n/);
  return true;
}
