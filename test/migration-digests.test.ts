// Databases and backups whose migrations are not those of this version: each command names the first that differs.
import assert from 'node:assert/strict';
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { migrate } from '../src/platform/db/migrate.ts';
import { makeDatabase, query } from './support/database.ts';
import { ROOT } from './support/paths.ts';
import { assertOneLine, type Env, runCli, scratch, settingsOf } from './support/process.ts';

const CHANGED = '0007-beneficial-owners.sql';
const REPORT =
  /^The migration 0007-beneficial-owners\.sql of the database has other contents than that of this version \(SHA-256 [0-9a-f]{12}…, not [0-9a-f]{12}…\)\. Start the version that made it\.\n$/;
/** Migrations of a version before the first release, some with names that later ones have too. */
const EARLIER = [
  '0001-accounts.sql',
  '0008-documents.sql',
  '0009-event-feed.sql',
  '0010-webhooks.sql',
  '0016-reallocation-marks.sql',
];
const OLDER =
  /^The database was made by an older version of Earmark, from before the first release, .* \(0001-accounts\.sql\)\. /;

/** The migrations of a version that differs in one file. */
function otherVersion(t: TestContext): URL {
  const folder = mkdtempSync(join(tmpdir(), 'earmark-migrations-'));
  t.after(() => rmSync(folder, { recursive: true }));
  cpSync(join(ROOT, 'migrations'), folder, { recursive: true });
  appendFileSync(join(folder, CHANGED), '\n-- One more thought.\n');
  return pathToFileURL(`${folder}/`);
}

/** What every command that needs the schema reports. */
async function assertRefused(t: TestContext, env: Env, report: RegExp): Promise<void> {
  const served = { ...env, PUBLIC_URL: 'https://pay.example.com' };
  for (const args of [['serve'], ['migrate'], ['migrate', '--plan'], ['verify'], ['jobs', 'list']])
    assertOneLine(await runCli(t, args, served), report);
}

test('refuses a database with other contents of a migration, and a restore of its backup', async (t) => {
  const databaseUrl = await makeDatabase(t, { empty: true });
  await migrate(databaseUrl, { folder: otherVersion(t) });
  const at = settingsOf({ databaseUrl, dataDir: scratch(t) });
  await assertRefused(t, at, REPORT);
  const folder = join(scratch(t), 'backup');
  const backup = await runCli(t, ['backup', folder], at);
  assert.equal(backup.code, 0, backup.stderr);
  const empty = settingsOf({ databaseUrl: await makeDatabase(t, { empty: true }), dataDir: scratch(t) });
  assertOneLine(await runCli(t, ['restore', folder], empty), REPORT);
  assert.deepEqual((await runCli(t, ['migrate', '--plan'], empty)).code, 0, 'the database is still empty');
});

test('calls the data of a version before the first release older, not newer', async (t) => {
  const databaseUrl = await makeDatabase(t, { empty: true });
  await query(databaseUrl, 'create table schema_migration (name text primary key, applied timestamptz not null)');
  await query(databaseUrl, 'insert into schema_migration select unnest($1::text[]), now()', [EARLIER]);
  const at = settingsOf({ databaseUrl, dataDir: scratch(t) });
  await assertRefused(t, at, OLDER);
  const folder = join(scratch(t), 'backup');
  const backup = await runCli(t, ['backup', folder], at);
  assert.equal(backup.code, 0, backup.stderr);
  const empty = settingsOf({ databaseUrl: await makeDatabase(t, { empty: true }), dataDir: scratch(t) });
  assertOneLine(await runCli(t, ['restore', folder], empty), OLDER);
  const manifest = join(folder, 'manifest.json');
  writeFileSync(manifest, JSON.stringify({ ...JSON.parse(readFileSync(manifest, 'utf8')), format: 1, migrations: EARLIER }));
  assertOneLine(await runCli(t, ['restore', folder], empty), /^The backup was made by an older version of Earmark, /);
});

test('stores a digest with each migration', async (t) => {
  const rows = await query<{ digest: string }>(await makeDatabase(t), 'select digest from schema_migration');
  for (const { digest } of rows) assert.match(digest, /^[0-9a-f]{64}$/);
});
