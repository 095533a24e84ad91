// Tests of the embedded PostgreSQL on real processes: starts, stops, crashes and unusual paths.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { nextLine, query, scratch, serverPid, startIn } from '../../../test/support/embedded.ts';
import { EmbeddedError } from './embedded/errors.ts';
import { sizeSettings } from './embedded/settings.ts';
import { findEmbedded, startEmbedded } from './embedded.ts';

const SUN_PATH_MAX_BYTES = 103;

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
  assert.deepEqual([again.url, again.adopted], [first.url, true]);
  await first.stop();
});

test('supports a short path full of special characters', async (t) => {
  const dataDir = join(await scratch(t), `it's "a", 5% ö`);
  const server = await startEmbedded({ dataDir });
  assert.ok(server.url.includes(encodeURIComponent(join(dataDir, 'socket'))));
  assert.deepEqual(await query(server.url, 'select 1 as one'), [{ one: 1 }]);
  await server.stop();
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

function says(error: unknown, pattern: RegExp): true {
  assert.ok(error instanceof EmbeddedError);
  assert.match(error.message, pattern);
  assert.doesNotMatch(error.message, /\n/);
  return true;
}
