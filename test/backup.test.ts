// Backup and restore by the command: whole while money moves, proven before it is used, and into an empty place only.
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { earmark } from './command.ts';
import { assertOneLine, earmarkJson, endServer, earmark as run, sandboxOf, scratch, serve, tokenOf } from './earmark.ts';
import { createDatabase, dropDatabase, startService } from './harness.ts';

test('a backup of a busy service, restored', async (t) => {
  const service = await startService(t);
  const { call, newCustomer, newLabel, dataDir, sql } = service;
  const customer = await newCustomer({ available: '1000' });
  const [from, to] = [await newLabel(customer, '1000'), await newLabel(customer)];
  const move = { _links: { from: { href: from }, to: { href: to } }, amount: { value: '0.01', currency: 'USD' } };
  const folder = join(dataDir, 'backup');
  const restored = await emptyDatabase(t);
  const at = { databaseUrl: restored, dataDir };

  await t.test('money moves while it is written, and nobody waits', async () => {
    let busy = true;
    let moved = 0;
    const moving = (async () => {
      for (; busy; moved++)
        assert.equal((await call('POST', '/label-reallocations', { body: move, key: `k${moved}` })).status, 201);
    })();
    const { code, out, err } = await earmark(service, ['backup', folder, '--json']);
    busy = false;
    await moving;
    assert.equal(code, 0, err);
    assert.ok(moved > 0);
    const told = JSON.parse(out);
    assert.ok(told.tables > 10 && told.rows > 5);
    assert.equal(statSync(folder).mode & 0o77, 0, 'for its owner only');
    for (const file of readdirSync(folder)) assert.equal(statSync(join(folder, file)).mode & 0o77, 0, file);
  });

  await t.test('a folder that is there already is left alone', async () => {
    const { code, err } = await earmark(service, ['backup', folder]);
    assert.deepEqual([code, err], [1, `${folder} is there already. Name a new folder.\n`]);
  });

  await t.test('it is restored into an empty database, and its books hold', async () => {
    const { code, out, err } = await earmark(at, ['restore', folder, '--json']);
    assert.equal(code, 0, err);
    assert.equal(JSON.parse(out).books, 'hold');
    const { tables } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
    const client = new pg.Client({ connectionString: restored });
    await client.connect();
    for (const { name, rows } of tables) {
      const counted = await client.query(`select count(*)::int as count from ${name}`);
      assert.equal(counted.rows[0].count, rows, name);
    }
    const balances = 'select id, balance, version from ledger_account order by id';
    const [then] = (await client.query('select sum(balance)::text as sum, count(*)::int as count from ledger_account')).rows;
    assert.deepEqual(then, { sum: '0', count: 8 });
    assert.equal((await client.query(balances)).rows.length, (await sql([balances] as unknown as TemplateStringsArray)).length);
    await client.end();
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
    assert.equal((await earmark(at, ['verify'])).code, 0);
  });

  await t.test('into a database with tables it is refused', async () => {
    const { code, err } = await earmark(at, ['restore', folder]);
    assert.deepEqual([code, err], [1, 'The database has tables already. Restore into an empty one.\n']);
  });

  await t.test('a damaged one is refused before anything is touched', async (t) => {
    const empty = { databaseUrl: await emptyDatabase(t), dataDir };
    appendFileSync(join(folder, 'transfer.tsv.gz'), 'x');
    const { code, err } = await earmark(empty, ['restore', folder]);
    assert.deepEqual([code, err], [1, 'The backup is damaged: transfer.tsv.gz is not as it was.\n']);
    rmSync(join(folder, 'transfer.tsv.gz'));
    assert.match((await earmark(empty, ['restore', folder])).err, /^The backup is damaged: transfer.tsv.gz is missing\.\n$/);
    assert.match((await earmark(empty, ['restore', dataDir])).err, /is no backup: it has no manifest.json/);
    assert.equal((await earmark(empty, ['migrate', '--plan', '--json'])).code, 0);
  });

  await t.test('the plan of a migration names what is pending, and changes nothing', async (t) => {
    const empty = { databaseUrl: await emptyDatabase(t), dataDir };
    const plan = async (on: typeof empty) => JSON.parse((await earmark(on, ['migrate', '--plan', '--json'])).out).pending;
    assert.ok(!existsSync(join(dataDir, 'pending')));
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
  const { code, stderr } = await run(t, ['backup', backup], { DATA_DIR: data });
  assert.equal(code, 0, stderr);
  const sandbox = sandboxOf(data);
  assert.ok(await tokenOf(service.url, sandbox), 'it goes on');
  const restored = await earmarkJson<{ books: string }>(t, ['restore', backup], { DATA_DIR: fresh });
  assert.equal(restored.books, 'hold');
  assert.equal(readFileSync(join(fresh, 'encryption-key'), 'utf8'), readFileSync(join(data, 'encryption-key'), 'utf8'));
  assert.deepEqual(sandboxOf(fresh), sandbox);
  assertOneLine(
    await run(t, ['restore', backup], { DATA_DIR: fresh }),
    /encryption-key is there already\. Restore into a new data /,
  );
});

/** A database without any table. */
async function emptyDatabase(t: { after(work: () => Promise<void>): void }): Promise<string> {
  const url = await createDatabase({ empty: true });
  t.after(() => dropDatabase(url));
  return url;
}
