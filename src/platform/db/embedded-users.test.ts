// Tests of the embedded PostgreSQL for root, other users and containers.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, readdir, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { MODULE, nextLine, query, scratch, startIn } from '../../../test/support/embedded.ts';
import { startEmbedded } from './embedded.ts';

const NOBODY = 65534;
const IS_ROOT = process.getuid?.() === 0;
/** A /usr/bin/unshare that cannot run, for one process and its children, as in a container without namespaces. */
const WITHOUT_UNSHARE = ['unshare', '--mount', 'sh', '-c', 'mount --bind /dev/null "$(command -v unshare)" && exec "$0" "$@"'];
const PID_NAMESPACE = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child'];

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

test('waits for a killed server whose socket still breaks connections, and does not take it for one in another container', async (t) => {
  const dataDir = await scratch(t);
  await (await startEmbedded({ dataDir })).stop();
  let connections = 0;
  const ending = createServer({ pauseOnConnect: true }, (socket) => {
    connections++;
    ending.close();
    // Closing it with data that nobody has read resets the connection.
    setTimeout(() => socket.destroy(), 100);
  });
  await once(ending.listen(join(dataDir, 'socket', '.s.PGSQL.5432')), 'listening');
  const server = await startEmbedded({ dataDir });
  assert.deepEqual([connections, server.adopted], [1, false]);
  assert.deepEqual(await query(server.url, 'select 1 as one'), [{ one: 1 }]);
  await server.stop();
});

/** Waits until the server has created its socket. */
async function serverUid(dataDir: string): Promise<number> {
  return (await stat(join(dataDir, 'socket', '.s.PGSQL.5432'))).uid;
}

function canRun([command = '', ...args]: string[]): Promise<boolean> {
  return succeeds(command, [...args, 'true']);
}

function succeeds(command: string, args: string[], ids: { uid?: number; gid?: number } = {}): Promise<boolean> {
  return new Promise((resolve) => execFile(command, args, { cwd: '/', ...ids }, (error) => resolve(!error)));
}
