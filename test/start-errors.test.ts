// Errors of the start, each reported in one line.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { makeDatabase, query } from './support/database.ts';
import { CLI } from './support/paths.ts';
import { assertOneLine, type Env, runCli, scratch, serve, serverPid, start } from './support/process.ts';
import { waitUntil } from './support/wait.ts';

const AT_ONCE = 3;
const LINGER_MAX_MS = 5000;
const PUBLIC_URL = 'http://localhost';

test('reports a start error in one line with exit code 1', { concurrency: AT_ONCE }, async (t) => {
  const folder = scratch(t);
  const cases = await makeCases(t, folder);
  const refusals = Object.entries(cases).map(([name, [env, pattern]]) =>
    t.test(name, async (t) => {
      const command = [process.execPath, CLI, 'serve'];
      const running = start(t, command, { DATA_DIR: join(folder, 'data'), PORT: '0', PUBLIC_URL, ...env });
      await waitUntil('it prints the error', () => running.stderr());
      const saidMs = performance.now();
      const ended = await running.ended;
      assert.ok(performance.now() - saidMs < LINGER_MAX_MS, 'it does not wait for idle connections');
      assertOneLine(ended, pattern);
      assert.doesNotMatch(ended.stderr, /hush/);
    }),
  );
  await Promise.all(refusals);
  assert.equal(serverPid(join(folder, 'data')), undefined);
});

test('reports all wrong settings', async (t) => {
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

test('a start that fails on the embedded server reports only why', async (t) => {
  const env = { DATA_DIR: join(scratch(t), 'data') };
  const made = await serve(t, env);
  made.child.kill('SIGTERM');
  await made.ended;
  const refuses = async (settings: Env, pattern: RegExp) => {
    const refused = await runCli(t, ['serve'], { ...env, PORT: '0', ...settings });
    assertOneLine(refused, pattern);
    assert.doesNotMatch(refused.stdout, /connection lost/);
  };
  await refuses({ ENCRYPTION_KEY: randomBytes(32).toString('base64') }, /sealed under encryption key/);
  rmSync(join(env.DATA_DIR, 'encryption-key'));
  await refuses({}, /^There is no encryption key /);
});

/** The settings of starts that must fail, and what each reports. */
async function makeCases(t: TestContext, folder: string): Promise<Record<string, [Env, RegExp]>> {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const closed = join(folder, 'closed');
  mkdirSync(closed, { mode: 0o500 });
  const unwritable = process.getuid?.() === 0 ? '/proc/earmark' : closed;

  const [url, newer, sealed, fresh] = [
    await makeDatabase(t),
    await makeDatabase(t),
    await makeDatabase(t),
    await makeDatabase(t),
  ];
  await query(newer, "insert into schema_migration values ('9999-from-the-future.sql', now(), 'of that version')");
  const [key, otherKey] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];
  const maker = await serve(t, { DATABASE_URL: sealed, ENCRYPTION_KEY: key, MODE: 'production', PUBLIC_URL });
  maker.child.kill('SIGTERM');
  await maker.ended;

  const old = oldServer();
  t.after(() => old.close());
  await once(old, 'listening');
  const oldPort = (old.address() as AddressInfo).port;
  const external = { DATA_DIR: join(folder, 'data'), DATABASE_URL: url };
  const unnamed = /^PUBLIC_URL is not set, and production .* Add a line like PUBLIC_URL=https:\/\/payments\.example\.com,/;
  return {
    'production at the default PUBLIC_URL': [{ MODE: 'production', PUBLIC_URL: '' }, unnamed],
    'an external database, which is production, at the default PUBLIC_URL': [{ ...external, PUBLIC_URL: '' }, unnamed],
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
