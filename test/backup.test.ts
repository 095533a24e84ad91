// Backup and restore by the command: whole while money moves, proven before it is used, and into an empty place only.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { migrate } from '../src/db/migrate.ts';
import { openSealer } from '../src/sealing.ts';
import { createDatabase, dropDatabase, query } from './support/database.ts';
import { call as callAt, tokenOf } from './support/http.ts';
import { assertOneLine, endServer, runCli, runCliJson, sandboxOf, scratch, serve, settingsOf } from './support/process.ts';
import { startService } from './support/service.ts';

test('a backup of a busy service, restored', async (t) => {
  const service = await startService(t);
  const { call, newCustomer, newLabel, dataDir } = service;
  const customer = await newCustomer({ available: '1000' });
  const [from, to] = [await newLabel(customer, '1000'), await newLabel(customer)];
  const move = { _links: { from: { href: from }, to: { href: to } }, amount: { value: '0.01', currency: 'USD' } };
  const folder = join(dataDir, 'backup');
  const restored = await emptyDatabase(t);
  const at = { databaseUrl: restored, dataDir };

  await t.test('money moves while it is written, and nobody waits', async () => {
    mkdirSync(folder);
    let busy = true;
    let moved = 0;
    const moving = (async () => {
      for (; busy; moved++)
        assert.equal((await call('POST', '/label-reallocations', { body: move, key: `k${moved}` })).status, 201);
    })();
    const { code, stdout, stderr } = await runCli(t, ['backup', folder, '--json'], settingsOf(service));
    busy = false;
    await moving;
    assert.equal(code, 0, stderr);
    assert.ok(moved > 0);
    const told = JSON.parse(stdout);
    assert.ok(told.tables > 10 && told.rows > 5);
    assert.equal(statSync(folder).mode & 0o77, 0, 'for its owner only');
    for (const file of readdirSync(folder)) assert.equal(statSync(join(folder, file)).mode & 0o77, 0, file);
  });

  await t.test('a folder that is there already is left alone', async () => {
    const { code, stderr } = await runCli(t, ['backup', folder], settingsOf(service));
    assert.deepEqual([code, stderr], [1, `${folder} is there already. Name a new folder.\n`]);
    const file = join(dataDir, 'file');
    writeFileSync(file, 'of somebody');
    assert.match(
      (await runCli(t, ['backup', file], settingsOf(service))).stderr,
      /^\S+file is there already\. Name a new folder\.\n$/,
    );
    assert.equal(readFileSync(file, 'utf8'), 'of somebody');
  });

  await t.test('without the key that it was sealed under it is refused, and the key is named', async () => {
    const { keyIds } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
    const key = Buffer.from(readFileSync(join(dataDir, 'encryption-key'), 'utf8'), 'base64');
    assert.deepEqual(keyIds, openSealer([key]).keyIds);
    const other = randomBytes(32);
    const { code, stderr } = await runCli(t, ['restore', folder], {
      ...settingsOf(at),
      ENCRYPTION_KEY: other.toString('base64'),
    });
    const [known] = openSealer([other]).keyIds;
    assert.equal(
      stderr,
      `The backup is sealed under encryption key ${keyIds}, which is not here (${known}). Set ENCRYPTION_KEY to it.\n`,
    );
    assert.deepEqual([code, await tablesOf(restored)], [1, []]);
  });

  await t.test('it is restored into an empty database, and its books hold', async () => {
    const { code, stdout, stderr } = await runCli(t, ['restore', folder, '--json'], settingsOf(at));
    assert.equal(code, 0, stderr);
    assert.equal(JSON.parse(stdout).books, 'hold');
    const { tables } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
    for (const { name, rows } of tables) {
      const [counted] = await query<{ count: number }>(restored, `select count(*)::int as count from ${name}`);
      assert.equal(counted!.count, rows, name);
    }
    const now = await query<Balance>(restored, 'select id, balance::text, version::text from ledger_account order by id');
    // The service went on meanwhile: what each balance was when so many entries had changed it.
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

  await t.test('a service goes on with it: tokens, keys, events and the next movement', async (t) => {
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
    assert.equal((await runCli(t, ['verify'], settingsOf(at))).code, 0);
  });

  await t.test('into a database with tables it is refused', async () => {
    const { code, stderr } = await runCli(t, ['restore', folder], settingsOf(at));
    assert.deepEqual([code, stderr], [1, 'The database has tables already. Restore into an empty one.\n']);
  });

  await t.test('a damaged one is refused before anything is touched', async (t) => {
    const empty = { databaseUrl: await emptyDatabase(t), dataDir };
    appendFileSync(join(folder, 'transfer.tsv.gz'), 'x');
    const { code, stderr } = await runCli(t, ['restore', folder], settingsOf(empty));
    assert.deepEqual([code, stderr], [1, 'The backup is damaged: transfer.tsv.gz is not as it was.\n']);
    rmSync(join(folder, 'transfer.tsv.gz'));
    assert.match(
      (await runCli(t, ['restore', folder], settingsOf(empty))).stderr,
      /^The backup is damaged: transfer.tsv.gz is missing\.\n$/,
    );
    assert.match((await runCli(t, ['restore', dataDir], settingsOf(empty))).stderr, /is no backup: it has no manifest.json/);
    assert.equal((await runCli(t, ['migrate', '--plan', '--json'], settingsOf(empty))).code, 0);
  });

  await t.test('the plan of a migration names what is pending, and changes nothing', async (t) => {
    const empty = { databaseUrl: await emptyDatabase(t), dataDir };
    const plan = async (on: typeof empty) =>
      JSON.parse((await runCli(t, ['migrate', '--plan', '--json'], settingsOf(on))).stdout).pending;
    const first = await plan(empty);
    assert.equal(first[0].name, '0001-accounts.sql');
    assert.match(first[0].about, /^Accounts /);
    assert.deepEqual(await plan(empty), first, 'still pending');
    assert.deepEqual(await plan(at), []);
  });
});

test('a backup of the embedded server, while it serves, restored into a new data directory', async (t) => {
  const folder = scratch(t);
  const [data, backup, fresh] = [join(folder, 'data'), join(folder, 'backup'), join(folder, 'fresh')];
  const service = await serve(t, { DATA_DIR: data });
  t.after(() => endServer(fresh));
  const { code, stderr } = await runCli(t, ['backup', backup], { DATA_DIR: data });
  assert.equal(code, 0, stderr);
  const sandbox = sandboxOf(data);
  assert.ok(await tokenOf(service.url, sandbox), 'it goes on');
  const keyless = join(folder, 'keyless');
  assert.equal((await runCli(t, ['backup', keyless, '--without-key'], { DATA_DIR: data })).code, 0);
  const files = readdirSync(keyless).filter((name) => !name.endsWith('.gz'));
  assert.deepEqual(files.sort(), ['manifest.json', 'sandbox.json']);
  assertOneLine(await runCli(t, ['restore', keyless], { DATA_DIR: fresh }), /^The backup is sealed under encryption key \w{8}, /);
  assert.ok(!existsSync(fresh), 'nothing was begun');
  const restored = await runCliJson<{ books: string }>(t, ['restore', backup], { DATA_DIR: fresh });
  assert.equal(restored.books, 'hold');
  assert.equal(readFileSync(join(fresh, 'encryption-key'), 'utf8'), readFileSync(join(data, 'encryption-key'), 'utf8'));
  assert.deepEqual(sandboxOf(fresh), sandbox);
  assertOneLine(
    await runCli(t, ['restore', backup], { DATA_DIR: fresh }),
    /encryption-key is there already\. Restore into a new data /,
  );
  const again = await serve(t, { DATA_DIR: fresh });
  const { status } = await callAt(sandboxOf(fresh).labels[0], (await tokenOf(again.url, sandbox))!);
  assert.equal(status, 200, 'the sandbox goes on there');
});

test('what only reads leaves an older schema as it is, and a backup of it is one of that schema', async (t) => {
  const at = { databaseUrl: await emptyDatabase(t), dataDir: scratch(t) };
  const nothing = await runCli(t, ['backup', join(at.dataDir, 'nothing')], settingsOf(at));
  assert.deepEqual([nothing.code, nothing.stderr], [1, 'The database has no tables of Earmark.\n']);
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
  assert.deepEqual(JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')).migrations, old);
  assert.deepEqual(await tablesOf(at.databaseUrl), before);
  assert.ok(!existsSync(join(at.dataDir, 'encryption-key')), 'and makes no key');
});

type Balance = { id: string; balance: string; version: string };

function tablesOf(url: string): Promise<{ name: string }[]> {
  return query(
    url,
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`,
  );
}

/** A database without any table. */
async function emptyDatabase(t: { after(work: () => Promise<void>): void }): Promise<string> {
  const url = await createDatabase({ empty: true });
  t.after(() => dropDatabase(url));
  return url;
}
