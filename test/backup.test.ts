// The backup and restore commands: consistent under load, checked before use, restored only into an empty database.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { migrate } from '../src/platform/db/migrate.ts';
import { openSealer } from '../src/platform/keys/sealing.ts';
import { makeDatabase, query } from './support/database.ts';
import { call as callAt, tokenOf } from './support/http.ts';
import { assertOneLine, endServer, runCli, runCliJson, sandboxOf, scratch, serve, settingsOf } from './support/process.ts';
import { startService } from './support/service.ts';

/** The tests are steps: later ones restore what the first one wrote. */
const file = { after };
const service = await startService(file);
const { call, newCustomer, newLabel, dataDir } = service;
const customer = await newCustomer({ available: '1000' });
const [from, to] = [await newLabel(customer, '1000'), await newLabel(customer)];
const move = { _links: { from: { href: from }, to: { href: to } }, amount: { value: '0.01', currency: 'USD' } };
const folder = join(dataDir, 'backup');
const restored = await makeDatabase(file, { empty: true });
const at = { databaseUrl: restored, dataDir };

test('writes the backup while money moves, without blocking requests', async () => {
  mkdirSync(folder);
  let busy = true;
  let moved = 0;
  const moving = (async () => {
    for (; busy; moved++)
      assert.equal((await call('POST', '/label-reallocations', { body: move, key: `k${moved}` })).status, 201);
  })();
  const { code, stdout, stderr } = await runCli(file, ['backup', folder, '--json'], settingsOf(service));
  busy = false;
  await moving;
  assert.equal(code, 0, stderr);
  assert.ok(moved > 0);
  const report = JSON.parse(stdout);
  assert.ok(report.tables > 10 && report.rows > 5);
  assert.equal(report.files, 'encryption-key');
  assert.equal(statSync(folder).mode & 0o77, 0, 'readable by its owner only');
  for (const file of readdirSync(folder)) assert.equal(statSync(join(folder, file)).mode & 0o77, 0, file);
});

test('leaves out the key if asked to, and a key that the database does not use', async (t) => {
  const backUp = async (name: string, settings: { databaseUrl: string; dataDir: string }, ...options: string[]) =>
    (await runCliJson<{ files: string }>(t, ['backup', join(scratch(t), name), ...options], settingsOf(settings))).files;
  assert.equal(await backUp('keyless', service, '--without-key'), 'none');
  const other = scratch(t);
  writeFileSync(join(other, 'encryption-key'), randomBytes(32).toString('base64'));
  assert.equal(await backUp('other', { ...service, dataDir: other }), 'none');
});

test('refuses a folder that exists', async () => {
  const { code, stderr } = await runCli(file, ['backup', folder], settingsOf(service));
  assert.deepEqual([code, stderr], [1, `${folder} already exists. Name a new folder.\n`]);
  const taken = join(dataDir, 'file');
  writeFileSync(taken, 'existing');
  assert.match(
    (await runCli(file, ['backup', taken], settingsOf(service))).stderr,
    /^\S+file already exists\. Name a new folder\.\n$/,
  );
  assert.equal(readFileSync(taken, 'utf8'), 'existing');
});

test('refuses a missing encryption key and names it', async () => {
  const { keyIds } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
  const key = Buffer.from(readFileSync(join(dataDir, 'encryption-key'), 'utf8'), 'base64');
  assert.deepEqual(keyIds, openSealer([key]).keyIds);
  const other = randomBytes(32);
  const { code, stderr } = await runCli(file, ['restore', folder], {
    ...settingsOf(at),
    ENCRYPTION_KEY: other.toString('base64'),
  });
  const [known] = openSealer([other]).keyIds;
  assert.equal(
    stderr,
    `The backup is sealed with encryption key ${keyIds}, which is not available (available: ${known}). Set ENCRYPTION_KEY to it.\n`,
  );
  assert.deepEqual([code, await tablesOf(restored)], [1, []]);
});

test('restores into an empty database and passes the ledger check', async () => {
  const fresh = join(dataDir, 'fresh');
  const { code, stdout, stderr } = await runCli(file, ['restore', folder, '--json'], settingsOf({ ...at, dataDir: fresh }));
  assert.equal(code, 0, stderr);
  assert.equal(JSON.parse(stdout).ledger, 'consistent');
  assert.equal(readFileSync(join(fresh, 'encryption-key'), 'utf8'), readFileSync(join(dataDir, 'encryption-key'), 'utf8'));
  const { tables } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
  for (const { name, rows } of tables) {
    const [counted] = await query<{ count: number }>(restored, `select count(*)::int as count from ${name}`);
    assert.equal(counted!.count, rows, name);
  }
  const now = await query<Balance>(restored, 'select id, balance::text, version::text from ledger_account order by id');
  // The service kept running: compare each balance with the one after the same number of entries.
  const wanted = await query<Balance>(
    service.databaseUrl,
    `select a.id, coalesce(e.balance, 0)::text as balance, w.version
     from ledger_account a
     join unnest($1::uuid[], $2::text[]) as w (id, version) on w.id = a.id
     left join ledger_entry e on e.bucket = a.bucket and e.ledger_account_id = a.id and e.sequence = w.version::bigint
     order by a.id`,
    [now.map(({ id }) => id), now.map(({ version }) => version)],
  );
  assert.ok(now.filter(({ balance }) => balance !== '0').length >= 4);
  assert.deepEqual(now, wanted);
});

test('serves the restored database: tokens, keys, events and the next reallocation', async (t) => {
  const again = await startService(t, {
    beside: { databaseUrl: restored, dataDir, besides: [] },
    env: { PUBLIC_URL: service.url },
  });
  t.after(again.stop);
  const token = await again.tokenOf(service.client);
  const repeated = await again.call('POST', '/label-reallocations', { token, body: move, key: 'k0' });
  assert.equal(repeated.headers['idempotent-replayed'], 'true');
  assert.equal((await again.call('POST', '/label-reallocations', { token, body: move, key: 'new' })).status, 201);
  const { body } = await again.call('GET', '/events?limit=1', { token });
  assert.equal(body._embedded.events[0].topic, 'customer_label_reallocation_created');
  assert.equal((await runCli(file, ['verify', '--full'], settingsOf(at))).code, 0);
});

test('refuses a database that has tables', async () => {
  const { code, stderr } = await runCli(file, ['restore', folder], settingsOf(at));
  assert.deepEqual([code, stderr], [1, 'The database already has tables. Restore into an empty one.\n']);
});

test('refuses a damaged backup without changing anything', async (t) => {
  const empty = { databaseUrl: await makeDatabase(t, { empty: true }), dataDir };
  appendFileSync(join(folder, 'transfer.tsv.gz'), 'x');
  const { code, stderr } = await runCli(file, ['restore', folder], settingsOf(empty));
  assert.deepEqual([code, stderr], [1, 'The backup is damaged: transfer.tsv.gz is modified.\n']);
  rmSync(join(folder, 'transfer.tsv.gz'));
  assert.match(
    (await runCli(file, ['restore', folder], settingsOf(empty))).stderr,
    /^The backup is damaged: transfer.tsv.gz is missing\.\n$/,
  );
  assert.match((await runCli(file, ['restore', dataDir], settingsOf(empty))).stderr, /is not a backup: it has no manifest.json/);
  assert.equal((await runCli(file, ['migrate', '--plan', '--json'], settingsOf(empty))).code, 0);
});

test('lists pending migrations in the plan without applying them', async (t) => {
  const empty = { databaseUrl: await makeDatabase(t, { empty: true }), dataDir };
  const plan = async (on: typeof empty) =>
    JSON.parse((await runCli(file, ['migrate', '--plan', '--json'], settingsOf(on))).stdout).pending;
  const first = await plan(empty);
  assert.equal(first[0].name, '0001-accounts.sql');
  assert.match(first[0].about, /^Accounts /);
  assert.deepEqual(await plan(empty), first, 'still pending');
  assert.deepEqual(await plan(at), []);
});

test('backs up a running embedded server and restores it into a new data directory', async (t) => {
  const folder = scratch(t);
  const [data, backup, fresh] = [join(folder, 'data'), join(folder, 'backup'), join(folder, 'fresh')];
  const service = await serve(t, { DATA_DIR: data });
  t.after(() => endServer(fresh));
  const { code, stderr } = await runCli(t, ['backup', backup], { DATA_DIR: data });
  assert.equal(code, 0, stderr);
  const sandbox = sandboxOf(data);
  assert.ok(await tokenOf(service.url, sandbox), 'the restored service issues tokens');
  const keyless = join(folder, 'keyless');
  assert.equal((await runCli(t, ['backup', keyless, '--without-key'], { DATA_DIR: data })).code, 0);
  const files = readdirSync(keyless).filter((name) => !name.endsWith('.gz'));
  assert.deepEqual(files.sort(), ['manifest.json', 'manifest.sig', 'sandbox.json']);
  assertOneLine(await runCli(t, ['restore', keyless], { DATA_DIR: fresh }), /^The backup is sealed with encryption key \w{8}, /);
  assert.ok(!existsSync(fresh), 'nothing was created');
  const restored = await runCliJson<{ ledger: string }>(t, ['restore', backup], { DATA_DIR: fresh });
  assert.equal(restored.ledger, 'consistent');
  assert.equal(readFileSync(join(fresh, 'encryption-key'), 'utf8'), readFileSync(join(data, 'encryption-key'), 'utf8'));
  assert.deepEqual(sandboxOf(fresh), sandbox);
  assertOneLine(
    await runCli(t, ['restore', backup], { DATA_DIR: fresh }),
    /encryption-key already exists\. Restore into a new data /,
  );
  const again = await serve(t, { DATA_DIR: fresh });
  const { status } = await callAt(sandboxOf(fresh).labels[0], (await tokenOf(again.url, sandbox))!);
  assert.equal(status, 200, 'the restored sandbox serves requests');
});

test('does not migrate an older schema for read-only commands, and backs it up as it is', async (t) => {
  const at = { databaseUrl: await makeDatabase(t, { empty: true }), dataDir: scratch(t) };
  const nothing = await runCli(t, ['backup', join(at.dataDir, 'nothing')], settingsOf(at));
  assert.deepEqual([nothing.code, nothing.stderr], [1, 'The database has no Earmark tables.\n']);
  const old = ['0001-accounts.sql', '0002-customers.sql'];
  await migrate(at.databaseUrl, { only: old });
  const before = await tablesOf(at.databaseUrl);
  const readers = [['verify'], ['jobs', 'list'], ['keys', 'list'], ['review', 'list']];
  for (const { code, stderr } of await Promise.all(readers.map((args) => runCli(t, args, settingsOf(at))))) {
    assert.match(
      stderr,
      /^The schema of the database is older than this version: it lacks 0003-\S+\.sql\. Run earmark migrate\.\n$/,
    );
    assert.equal(code, 1);
  }
  const folder = join(at.dataDir, 'backup');
  const { code, stderr } = await runCli(t, ['backup', folder], settingsOf(at));
  assert.equal(code, 0, stderr);
  const { migrations } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
  assert.deepEqual(
    migrations.map(({ name }: { name: string }) => name),
    old,
  );
  assert.deepEqual(await tablesOf(at.databaseUrl), before);
  assert.ok(!existsSync(join(at.dataDir, 'encryption-key')), 'makes no key');
});

type Balance = { id: string; balance: string; version: string };

function tablesOf(url: string): Promise<{ name: string }[]> {
  return query(
    url,
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`,
  );
}
