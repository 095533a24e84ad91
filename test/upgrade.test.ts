// An upgrade: a database of the first release is migrated and serves the same responses, tokens, keys and documents.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { migrate, planMigrations } from '../src/platform/db/migrate.ts';
import { digest, FIXTURE, FIXTURE_KEY, migrationDigests, PUBLIC_URL, type ReleaseRecord } from './release.ts';
import { makeDatabase, query } from './support/database.ts';
import { HAL } from './support/http.ts';
import { runCli, settingsOf } from './support/process.ts';
import { startService } from './support/service.ts';
import type { TestScope } from './support/test-scope.ts';

/** As many migrations as a first version might have had. */
const FIRST = 3;
const SCHEMA = `
  select 'column' as kind, table_name || '.' || column_name as name,
    concat_ws(' ', data_type, is_nullable, column_default) as is
  from information_schema.columns where table_schema = 'public'
  union all select 'index', indexname, indexdef from pg_indexes where schemaname = 'public'
  union all select 'constraint', conrelid::regclass || '.' || conname, pg_get_constraintdef(oid)
    from pg_constraint where connamespace = 'public'::regnamespace
  union all select 'function', oid::regprocedure::text, md5(prosrc) from pg_proc where pronamespace = 'public'::regnamespace
  order by 1, 2`;

const recorded = JSON.parse(readFileSync(join(FIXTURE, 'told.json'), 'utf8')) as ReleaseRecord;

function folderOf(t: TestScope): string {
  const folder = mkdtempSync(join(tmpdir(), 'earmark-upgrade-'));
  t.after(async () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A database of the first release, served by this one. */
const file = { after };
const at = { databaseUrl: await makeDatabase(file, { empty: true }), dataDir: folderOf(file) };
const restored = await runCli(file, ['restore', join(FIXTURE, 'backup'), '--json'], {
  ...settingsOf(at),
  ENCRYPTION_KEY: FIXTURE_KEY,
});
assert.equal(restored.code, 0, restored.stderr);
assert.equal(JSON.parse(restored.stdout).ledger, 'consistent');

const schema = await query(at.databaseUrl, SCHEMA);

// Its clock continues from then, so that tokens are valid and no record is old.
const aheadMs = Date.now() - Date.parse(recorded.time);
const clock = { now: () => new Date(Date.now() - aheadMs) };
const env = { PUBLIC_URL, ENCRYPTION_KEY: FIXTURE_KEY, DELIVER_WEBHOOKS: 'false', MODE: 'sandbox' };
const service = await startService(file, { beside: { ...at, besides: [] }, env, clock });
after(service.stop);
const { token } = recorded;

test('a released migration never changes', () => {
  const now = migrationDigests();
  const changed = Object.entries(recorded.migrations).filter(([name, sha256]) => now[name] !== sha256);
  // Until 0.1 is released, `npm run fixture:release` makes the fixture again.
  assert.deepEqual(changed, []);
});

test('has the schema of a new database', async (t) => {
  const fresh = await makeDatabase(t);
  assert.deepEqual(schema, await query(fresh, SCHEMA));
});

test('gives the recorded responses', async () => {
  for (const [path, wanted] of Object.entries(recorded.answers)) {
    const answer = await service.call('GET', path, { token });
    assert.equal(answer.status, 200, `${path} ${answer.text}`);
    // Members may have been added since.
    assert.partialDeepStrictEqual(answer.body, wanted, path);
  }
});

test('authenticates its applications and revokes a token', async () => {
  const again = await service.tokenOf(recorded.client);
  assert.equal((await service.call('GET', '/', { token: again })).status, 200);
  const form = new URLSearchParams({ ...recorded.client, token }).toString();
  assert.equal((await service.send('POST', '/token/introspect', { form })).body.active, true);
  assert.equal((await service.send('POST', '/token/revoke', { form })).status, 200);
  assert.equal((await service.send('GET', '/', { token })).status, 401);
});

test('replays a key, moves money, and continues the feed', async () => {
  const fresh = { token: await service.tokenOf(recorded.client) };
  const move = (key: string) =>
    service.call('POST', '/label-reallocations', {
      ...fresh,
      key,
      body: recorded.moved.body,
      headers: { 'content-type': HAL },
    });
  const replayed = await move(recorded.moved.key);
  assert.deepEqual([replayed.status, replayed.headers['idempotent-replayed']], [201, 'true']);
  assert.equal(replayed.headers.location, recorded.moved.location);
  const [{ amount: before }, moved] = [recorded.answers[recorded.labels[0].replace(PUBLIC_URL, '')], await move('another')];
  assert.equal(moved.status, 201, moved.text);
  const { body: label } = await service.call('GET', recorded.labels[0], fresh);
  assert.equal(Number(label.amount.value), Number(before.value) - 25);

  const { body: feed } = await service.call('GET', `/events?after=${recorded.feed.after}&limit=200`, fresh);
  const ids: string[] = feed._embedded.events.map(({ id }: { id: string }) => id);
  assert.deepEqual(ids.slice(0, recorded.feed.ids.length), recorded.feed.ids);
  const more = feed._embedded.events.slice(recorded.feed.ids.length);
  assert.ok(more.some(({ topic }: { topic: string }) => topic === 'customer_label_reallocation_created'));
});

test('gives a document to a reviewer, and reseals everything under a new key', async () => {
  const copy = join(at.dataDir, 'copy.jpg');
  const shown = await runCli(file, ['review', 'show', recorded.picture.id, '--file', copy], {
    ...settingsOf(at),
    ENCRYPTION_KEY: FIXTURE_KEY,
  });
  assert.equal(shown.code, 0, shown.stderr);
  assert.equal(digest(copy), recorded.picture.sha256);
  const keys = `${randomBytes(32).toString('base64')},${FIXTURE_KEY}`;
  const rotated = await runCli(file, ['keys', 'rotate', '--yes', '--json'], { ...settingsOf(at), ENCRYPTION_KEY: keys });
  assert.equal(rotated.code, 0, rotated.stderr);
  const { key_id, ...counts } = JSON.parse(rotated.stdout);
  const none = Object.entries(counts).filter(([, count]) => count === 0);
  assert.deepEqual(none, [], 'sealed columns without a row in the fixture');
});

test('the plan lists all later migrations in order and changes nothing', async (t) => {
  const url = await makeDatabase(t, { empty: true });
  const all = Object.keys(migrationDigests());
  await migrate(url, { only: all.slice(0, FIRST) });
  const pending = await planMigrations(url);
  assert.deepEqual(
    pending.map(({ name }) => name),
    all.slice(FIRST),
  );
  for (const { name, about } of pending) assert.match(about, /^[A-Z`]/, name);
  const applied = await query<{ name: string }>(url, 'select name from schema_migration order by name');
  assert.deepEqual(
    applied.map(({ name }) => name),
    all.slice(0, FIRST),
  );
});
