// Migrations beside a running service: several processes, tables in use, and requests meanwhile.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { migrate } from '../src/platform/db/migrate.ts';
import { makeDatabase, query } from './support/database.ts';
import { ROOT } from './support/paths.ts';
import { runCli } from './support/process.ts';
import { startService } from './support/service.ts';
import { waitUntil } from './support/wait.ts';

const NEXT = '9998-next.sql';
/** A migration waits for a table lock for half a second at a time. */
const BLOCKED_MAX_MS = 5_000;

/** An empty database. */
async function emptyDatabase(t: TestContext): Promise<string> {
  const url = await makeDatabase(t);
  await query(url, 'drop schema public cascade');
  await query(url, 'create schema public');
  return url;
}

/** The migrations of this version and one more. */
function nextVersion(t: TestContext, sql: string): URL {
  const folder = mkdtempSync(join(tmpdir(), 'earmark-migrations-'));
  t.after(() => rmSync(folder, { recursive: true }));
  cpSync(join(ROOT, 'migrations'), folder, { recursive: true });
  writeFileSync(join(folder, NEXT), sql);
  return pathToFileURL(`${folder}/`);
}

test('applies each migration once when several processes migrate', async (t) => {
  const url = await emptyDatabase(t);
  const all = readdirSync(join(ROOT, 'migrations')).filter((name) => name.endsWith('.sql'));
  const command = runCli(t, ['migrate'], { DATABASE_URL: url, DATA_DIR: tmpdir() });
  const applied = await Promise.all(Array.from({ length: 4 }, () => migrate(url)));
  const ended = await command;
  assert.equal(ended.code, 0, ended.stderr);
  const rows = await query<{ name: string }>(url, 'select name from schema_migration order by name');
  assert.deepEqual(
    rows.map(({ name }) => name),
    all.sort(),
  );
  const flat = applied.flat();
  assert.equal(new Set(flat).size, flat.length, 'no migration was applied twice');
  assert.deepEqual(await migrate(url), []);
});

test('rolls back a failed migration and keeps those before it', async (t) => {
  const url = await emptyDatabase(t);
  const folder = nextVersion(t, 'create table half (id int); select 1 / 0');
  await assert.rejects(migrate(url, { folder }), /The database cannot be migrated \(9998-next\.sql\): division by zero\./);
  assert.deepEqual(await migrate(url), []);
  const [row] = await query<{ half: string | null }>(url, "select to_regclass('half') as half");
  assert.equal(row?.half, null);
});

test('waits for a table in use without blocking its users', async (t) => {
  const service = await startService(t, { env: { DELIVER_WEBHOOKS: 'false' } });
  const { call, newCustomer, newLabel, reallocation, databaseUrl } = service;
  const customer = await newCustomer({ available: '100.00' });
  const [from, to] = [await newLabel(customer, '100.00'), await newLabel(customer)];
  const folder = nextVersion(t, 'alter table ledger_account add column next int');
  // Another transaction reads the table, for longer than a migration waits for its lock.
  const reader = new pg.Client({ connectionString: databaseUrl });
  reader.on('error', () => {});
  await reader.connect();
  await reader.query('begin');
  await reader.query('select 1 from ledger_account limit 1');
  let migrated: string[] | undefined;
  const migrating = migrate(databaseUrl, { folder }).then((names) => {
    migrated = names;
  });
  const waiting = `select 1 from pg_locks where mode = 'AccessExclusiveLock' and not granted and relation = 'ledger_account'::regclass`;
  for (const _ of [1, 2]) {
    await waitUntil('the migration waits', async () => (await query(databaseUrl, waiting)).length > 0);
    const begin = performance.now();
    const answer = await call('POST', '/label-reallocations', { body: reallocation(from, to, '1.00') });
    assert.equal(answer.status, 201, answer.text);
    assert.ok(performance.now() - begin < BLOCKED_MAX_MS, 'blocked by the migration');
    assert.equal(migrated, undefined);
  }
  await reader.end();
  await migrating;
  assert.deepEqual(migrated, [NEXT]);
  assert.equal((await call('POST', '/label-reallocations', { body: reallocation(from, to, '1.00') })).status, 201);
  await assert.rejects(migrate(databaseUrl), /was migrated by a newer version of Earmark \(9998-next\.sql\)/);
});
