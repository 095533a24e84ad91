// What a start says of a database that it cannot use, or that endangers what it promises.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { SERVICE_ROLE } from '../src/platform/db/service-role.ts';
import { clusterPorts } from './cluster/databases.ts';
import { makeDatabase, onServer, query } from './support/database.ts';
import { startPooler } from './support/pooler.ts';
import { assertOneLine, type Env, runCli, scratch, serve, startCli } from './support/process.ts';
import { startPrimary } from './support/replicated.ts';

const folder = scratch({ after });
const AHEAD_SECONDS = 5;
const skip = clusterPorts && 'a cluster is set up by its operator';

function at(databaseUrl: string, more: Env = {}): Env {
  return { DATABASE_URL: databaseUrl, DATA_DIR: join(folder, 'data'), MODE: 'sandbox', PORT: '0', ...more };
}

async function refuses(t: TestContext, databaseUrl: string, pattern: RegExp): Promise<void> {
  assertOneLine(await runCli(t, ['serve'], at(databaseUrl)), pattern);
}

/** The URL for a new role, which is dropped after the test. */
async function makeRole(t: TestContext, url: string): Promise<{ url: string; name: string }> {
  const [name, password] = [`test_${randomBytes(4).toString('hex')}`, 'pass'];
  await query(url, `create role ${name} login password '${password}'`);
  // After the database, with what the role may do there.
  t.after(() => onServer(`drop role ${name}`));
  return { url: url.replace(/\/\/[^@]+@/, `//${name}:${password}@`), name };
}

test('a database that cannot be used is refused in a sentence that says what to do', { skip }, async (t) => {
  await t.test('another encoding than UTF8', async (t) => {
    const url = await makeDatabase(t, { empty: true });
    const name = `${/test_[0-9a-f]+/.exec(url)![0]}_latin`;
    await onServer(`create database ${name} template template0 encoding 'LATIN1' locale_provider libc locale 'C'`);
    t.after(() => onServer(`drop database ${name} with (force)`));
    await refuses(t, url.replace(/test_[0-9a-f]+/, name), /^The database has the encoding LATIN1, .* --encoding=UTF8/);
  });

  await t.test('a database that is read-only', async (t) => {
    const url = await makeDatabase(t);
    await onServer(`alter database ${/test_[0-9a-f]+/.exec(url)![0]} set default_transaction_read_only = on`);
    await refuses(t, url, /^The database is read-only\. Switch default_transaction_read_only off/);
    const { code, stdout } = await runCli(t, ['verify', '--full'], at(url));
    assert.equal(code, 0, `reading is allowed: ${stdout}`);
  });

  await t.test('a pooler in transaction mode; one in session mode serves', async (t) => {
    const url = await makeDatabase(t);
    const pooled = await startPooler(t, url, 'transaction');
    await refuses(t, pooled, /^DATABASE_URL leads to a connection pooler in transaction mode\. .* session/);
    await serve(t, at(await startPooler(t, url, 'session')));
  });

  await t.test('a role that may not create tables, write them or see transactions', async (t) => {
    const empty = await makeDatabase(t, { empty: true });
    const maker = await makeRole(t, empty);
    await refuses(t, maker.url, new RegExp(`^The role ${maker.name} may not create tables\\. .* grant create on schema public`));
    const url = await makeDatabase(t);
    const reader = await makeRole(t, url);
    await query(url, `grant select on all tables in schema public to ${reader.name}`);
    await refuses(t, reader.url, new RegExp(`^The role ${reader.name} may not write the tables\\. .* earmark_service`));
    await query(url, `grant insert on all tables in schema public to ${reader.name}`);
    await refuses(t, reader.url, /does not see the transactions of others\. .* grant pg_read_all_stats/);
  });
});

test('a clock that is off, and a server that forgets, are logged with what to do', { skip }, async (t) => {
  const url = await makeDatabase(t);
  await query(
    url,
    `create schema skewed; create function skewed.clock_timestamp() returns timestamptz language sql
     return pg_catalog.clock_timestamp() + interval '${AHEAD_SECONDS} seconds'`,
  );
  const name = /test_[0-9a-f]+/.exec(url)![0];
  await query(url, `alter database ${name} set search_path = public, skewed, pg_catalog`);
  await query(url, `alter database ${name} set synchronous_commit = off`);
  const service = await serve(t, at(url, { MODE: 'production', PUBLIC_URL: 'http://localhost' }));
  assert.match(service.stdout(), /the clock of this machine is [45]\.\d s behind that of the database server: .* NTP/);
  assert.match(service.stdout(), /fsync is off: .* Set fsync = on/);
  assert.match(service.stdout(), /synchronous_commit is off: .* Set synchronous_commit = on/);
});

test('a server without a log for standbys is reported', async (t) => {
  const { url } = await startPrimary(t, scratch(t), { wal_level: 'minimal', max_wal_senders: '0', archive_mode: 'off' });
  const service = await serve(t, at(url, { MODE: 'production', PUBLIC_URL: 'http://localhost' }));
  assert.match(service.stdout(), /wal_level is minimal: neither a standby nor recovery .* Set wal_level = replica/);
});

test('with --no-migrate a service waits for another role to migrate, and needs no right to create anything', async (t) => {
  const { url } = await startPrimary(t, scratch(t));
  await query(url, `create role ${SERVICE_ROLE} login in role pg_read_all_stats password 'pass'`);
  const own = at(url.replace(/\/\/[^@]+@/, `//${SERVICE_ROLE}:pass@`), { DATA_DIR: join(scratch(t), 'data') });
  assertOneLine(await runCli(t, ['serve'], own), /^The role earmark_service may not create tables\. Run earmark migrate/);

  await query(url, 'create table schema_migration (name text, digest text)');
  for (const args of [
    ['verify'],
    ['account', 'list'],
    ['keys', 'list'],
    ['migrate', '--plan'],
    ['backup', join(scratch(t), 'backup')],
  ])
    assertOneLine(
      await runCli(t, args, own),
      /^The role of DATABASE_URL lacks rights: permission denied for table schema_migration\. Connect as/,
    );
  await query(url, 'drop table schema_migration');

  const waiting = startCli(t, ['serve', '--no-migrate', '--json'], own);
  await waiting.printed(/waits for earmark migrate/);
  assert.equal((await query(url, `select from pg_class where relname = 'customer'`)).length, 0);
  // As in the middle of a migration, which grants rights at its end.
  await query(url, 'create table schema_migration (name text, digest text)');
  await waiting.printed(/"missing":"the right to read schema_migration"/);
  await query(url, 'drop table schema_migration');
  assert.equal((await runCli(t, ['migrate'], at(url))).code, 0);
  const [, port] = await waiting.printed(/"port":(\d+)/);
  assert.equal((await fetch(`http://127.0.0.1:${port}/health/ready`)).status, 200);
  const denied = query(own.DATABASE_URL!, 'create table planted (id int)');
  await assert.rejects(denied, /permission denied/);
});
