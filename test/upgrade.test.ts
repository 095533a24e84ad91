// An upgrade: what the first release wrote down is brought to today's schema and serves on, with the same answers, tokens, keys and pictures.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { migrate, planMigrations } from '../src/db/migrate.ts';
import { digest, FIXTURE, FIXTURE_KEY, migrationDigests, PUBLIC_URL, type ReleaseRecord } from './release.ts';
import { createDatabase, dropDatabase, query } from './support/database.ts';
import { HAL } from './support/http.ts';
import { runCli, settingsOf } from './support/process.ts';
import { startService } from './support/service.ts';
import type { TestScope } from './support/test-scope.ts';

const TIMEOUT_MS = 120_000;
/** As many as a first version might have had. */
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

const told = JSON.parse(readFileSync(join(FIXTURE, 'told.json'), 'utf8')) as ReleaseRecord;

async function emptyDatabase(t: TestScope): Promise<string> {
  const url = await createDatabase({ empty: true });
  t.after(() => dropDatabase(url));
  return url;
}

function folderOf(t: TestScope): string {
  const folder = mkdtempSync(join(tmpdir(), 'earmark-upgrade-'));
  t.after(async () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('a migration that was released never changes', () => {
  const now = migrationDigests();
  const changed = Object.entries(told.migrations).filter(([name, sha256]) => now[name] !== sha256);
  // Until 0.1 is released, `npm run fixture:release` makes the fixture anew.
  assert.deepEqual(changed, []);
});

test('a database of the first release', { timeout: TIMEOUT_MS }, async (t) => {
  const at = { databaseUrl: await emptyDatabase(t), dataDir: folderOf(t) };
  const restored = await runCli(t, ['restore', join(FIXTURE, 'backup'), '--json'], {
    ...settingsOf(at),
    ENCRYPTION_KEY: FIXTURE_KEY,
  });
  assert.equal(restored.code, 0, restored.stderr);
  assert.equal(JSON.parse(restored.stdout).books, 'hold');

  await t.test('has the schema of a new one', async (t) => {
    const fresh = await createDatabase();
    t.after(() => dropDatabase(fresh));
    assert.deepEqual(await query(at.databaseUrl, SCHEMA), await query(fresh, SCHEMA));
  });

  // Its time goes on, so that tokens live and nothing of it is old.
  const aheadMs = Date.now() - Date.parse(told.time);
  const clock = { now: () => new Date(Date.now() - aheadMs) };
  const env = { PUBLIC_URL, ENCRYPTION_KEY: FIXTURE_KEY, DELIVER_WEBHOOKS: 'false', MODE: 'sandbox' };
  const service = await startService(t, { beside: { ...at, besides: [] }, env, clock });
  t.after(service.stop);
  const { token } = told;

  await t.test('tells what it told', async () => {
    for (const [path, wanted] of Object.entries(told.answers)) {
      const answer = await service.call('GET', path, { token });
      assert.equal(answer.status, 200, `${path} ${answer.text}`);
      // More members may have come since.
      assert.partialDeepStrictEqual(answer.body, wanted, path);
    }
  });

  await t.test('knows its applications, and the end of a token', async () => {
    const again = await service.tokenOf(told.client);
    assert.equal((await service.call('GET', '/', { token: again })).status, 200);
    const form = new URLSearchParams({ ...told.client, token }).toString();
    assert.equal((await service.send('POST', '/token/introspect', { form })).body.active, true);
    assert.equal((await service.send('POST', '/token/revoke', { form })).status, 200);
    assert.equal((await service.send('GET', '/', { token })).status, 401);
  });

  await t.test('replays a key, moves money, and goes on with the feed', async () => {
    const fresh = { token: await service.tokenOf(told.client) };
    const move = (key: string) =>
      service.call('POST', '/label-reallocations', { ...fresh, key, body: told.moved.body, headers: { 'content-type': HAL } });
    const replayed = await move(told.moved.key);
    assert.deepEqual([replayed.status, replayed.headers['idempotent-replayed']], [201, 'true']);
    assert.equal(replayed.headers.location, told.moved.location);
    const [{ amount: before }, moved] = [told.answers[told.labels[0].replace(PUBLIC_URL, '')], await move('another')];
    assert.equal(moved.status, 201, moved.text);
    const { body: label } = await service.call('GET', told.labels[0], fresh);
    assert.equal(Number(label.amount.value), Number(before.value) - 25);

    const { body: feed } = await service.call('GET', `/events?after=${told.feed.after}&limit=200`, fresh);
    const ids: string[] = feed._embedded.events.map(({ id }: { id: string }) => id);
    assert.deepEqual(ids.slice(0, told.feed.ids.length), told.feed.ids);
    const more = feed._embedded.events.slice(told.feed.ids.length);
    assert.ok(more.some(({ topic }: { topic: string }) => topic === 'customer_label_reallocation_created'));
  });

  await t.test('gives a picture to a reviewer, and all that is sealed to a new key', async () => {
    const file = join(at.dataDir, 'copy.jpg');
    const shown = await runCli(t, ['review', 'show', told.picture.id, '--file', file], {
      ...settingsOf(at),
      ENCRYPTION_KEY: FIXTURE_KEY,
    });
    assert.equal(shown.code, 0, shown.stderr);
    assert.equal(digest(file), told.picture.sha256);
    const keys = `${randomBytes(32).toString('base64')},${FIXTURE_KEY}`;
    const rotated = await runCli(t, ['keys', 'rotate', '--json'], { ...settingsOf(at), ENCRYPTION_KEY: keys });
    assert.equal(rotated.code, 0, rotated.stderr);
    const { key_id, ...counts } = JSON.parse(rotated.stdout);
    const none = Object.entries(counts).filter(([, count]) => count === 0);
    assert.deepEqual(none, [], 'what nothing was sealed of');
  });
});

test('a database with the first migrations: the plan names all others, in order, and changes nothing', async (t) => {
  const url = await emptyDatabase(t);
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
