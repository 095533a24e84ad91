// The ledger check: a sound ledger passes, each rule finds a row edited by hand, and the service reports it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openProgress } from '../src/apps/cli/progress.ts';
import { verifyInSlices, verifyLedger } from '../src/apps/service/ledger-check.ts';
import { pruneSomeEvents } from '../src/ledger/feed/prune.ts';
import { rules } from '../src/ledger/verification/rules.ts';
import { type Database, openDatabase, type Sql } from '../src/platform/db/sql.ts';
import { EDITS, topic, withBooks } from './support/books.ts';
import { assertRefused } from './support/http.ts';
import { openSession } from './support/operators.ts';
import { runCli, startCli } from './support/process.ts';
import { startService, type TestService } from './support/service.ts';
import { waitUntil } from './support/wait.ts';

/** So small that a few rows fill many slices. */
const SLICE_BYTES = 512;

const brokenIn = async (sql: Sql) => new Set((await verifyLedger(sql)).map(({ rule }) => rule));
const run = (sql: Sql, statement: string) => sql(Object.assign([statement], { raw: [statement] }) as TemplateStringsArray);

/** The rules that are broken after statements that are then rolled back. */
async function brokenAfter({ service }: TestService, statements: string): Promise<Set<string>> {
  let broken = new Set<string>();
  const takeBack = new Error('take back');
  await service.database
    .transaction(async (tx) => {
      for (const statement of statements.split(';')) await run(tx, statement);
      broken = await brokenIn(tx);
      throw takeBack;
    })
    .catch((error: unknown) => assert.equal(error, takeBack, String(error)));
  return broken;
}

/** The hot tables that some work scans sequentially. */
async function wholeReads({ databaseUrl }: TestService, work: (database: Database) => Promise<unknown>): Promise<string[]> {
  const database = openDatabase(databaseUrl, { max: 1, onError: () => {} });
  const read = new Set<string>();
  const transaction: Database['transaction'] = (inside) =>
    database.transaction(async (tx) => {
      const result = await inside(tx);
      const rows = await tx<{ relname: string }>`
        select relname from pg_stat_xact_user_tables
        where seq_scan > 0 and relname in ('event', 'idempotency_key', 'transfer')`;
      for (const { relname } of rows) read.add(relname);
      return result;
    });
  await work({ ...database, transaction }).finally(() => database.close());
  return [...read];
}

test('each rule finds the row that was edited by hand', async (t) => {
  const service = await withBooks(t);
  assert.deepEqual(await brokenIn(service.sql), new Set());
  assert.deepEqual(
    Object.keys(EDITS),
    rules.map(({ name }) => name),
    'every rule has its edits',
  );
  for (const [rule, edits] of Object.entries(EDITS)) {
    await t.test(rule, async () => {
      for (const edit of edits) assert.ok((await brokenAfter(service, edit)).has(rule), edit);
    });
  }

  await t.test('accepts what retention deletes, and finds other deletions', async () => {
    const { sql, client } = service;
    const [last] = await sql<{ created: Date }>`
      select e.created from event e join event_topic t on t.account_id = e.account_id and t.number = e.topic
      where e.account_id = ${client.account_id} and t.topic = 'customer_label_reallocation_created'
      order by e.created desc limit 1`;
    const pruned = await pruneSomeEvents(sql, { accountId: client.account_id, before: last!.created, limit: 1000 });
    assert.ok(pruned > 5, `${pruned} events are gone`);
    assert.deepEqual(await brokenIn(sql), new Set());
    const edit = `delete from event where topic = ${topic('customer_label_reallocation_created')}`;
    assert.deepEqual(await brokenAfter(service, edit), new Set(['transfers have events', 'log entries match transfers']));
    assert.deepEqual(await brokenAfter(service, 'delete from idempotency_key'), new Set(), 'an expired key is no violation');
    const begun = `update idempotency_key set status = null, resource_id = overlay(resource_id::text placing 'f' from 1)::uuid`;
    assert.deepEqual(await brokenAfter(service, begun), new Set(), 'what a request that has only begun makes does not exist yet');
  });

  await t.test('slices cover each bucket once', async () => {
    const { sql } = service;
    await sql`update ledger_account set balance = balance + 1 where kind = 'available'`;
    await sql`update idempotency_key set resource_id = overlay(resource_id::text placing 'f' from 1)::uuid`;
    const shares: number[] = [];
    const sliced = await verifyInSlices(service.service.database, {
      sliceBytes: SLICE_BYTES,
      onSlice: ({ share }) => void shares.push(share),
    });
    assert.ok(shares.length >= 8 && shares.at(-1) === 1, `${shares.length} slices`);
    const text = (violations: object[]) => violations.map((one) => JSON.stringify(one)).sort();
    assert.deepEqual(text(sliced), text(await verifyLedger(sql)));
    await sql`analyze`;
    assert.deepEqual(await wholeReads(service, verifyInSlices), [], 'a slice reads only its own rows');
    await sql`alter table transfer rename to lost`;
    await assert.rejects(verifyInSlices(service.service.database), /does not exist/, 'a failed check does not pass');
  });
});

test('a service checks its ledger by itself, and its health reports the broken rule', async (t) => {
  const { sql, service, call, logs } = await withBooks(t, { VERIFY_EVERY_SECONDS: '1' });
  const { verification } = service;
  await waitUntil('a first run', () => verification.check().last);
  assert.deepEqual([verification.check().last!.violations, verification.check().broken], [[], []]);
  const ages = await waitUntil('all money is proven', async () => {
    const { body } = await call('GET', '/health/ready');
    return body.ledgerCheck?.moneyAge !== undefined && body.ledgerCheck;
  });
  assert.ok(ages.moneyAge >= 0 && ages.everyRuleAge >= 0, JSON.stringify(ages));

  await sql`update ledger_account set balance = balance + 1 where kind = 'available'`;
  const refused = await waitUntil('the check fails', async () => {
    const answer = await call('GET', '/health/ready');
    return answer.status === 503 ? answer : undefined;
  });
  const message = 'The ledger check failed: conservation, entries explain balances.';
  assertRefused(refused, { status: 503, code: 'ServiceUnavailable', message });
  assert.ok(refused.headers['retry-after']);
  assert.equal((await call('GET', '/health/live')).status, 200);
  assert.ok(logs.some((line) => line.includes('the ledger check failed') && line.includes('"level":50')));
  await waitUntil('a complete check fails', () => verification.check().last!.violations.length > 0);
  const { finished, durationMs, slices, violations } = verification.check().last!;
  assert.ok(Math.abs(finished.getTime() - Date.now()) < 60_000 && durationMs > 0 && slices >= 1);
  assert.deepEqual(Object.keys(violations[0]!), ['rule', 'bucket', 'id', 'detail']);

  await sql`update ledger_account set balance = balance - 1 where kind = 'available'`;
  await waitUntil('the ledger is sound again', async () => (await call('GET', '/health/ready')).status === 200);
});

test('a check that ends with an error again and again is not shown as passed', async (t) => {
  const service = await startService(t, { env: { VERIFY_EVERY_SECONDS: '1' } });
  const { load } = await openSession(service, 'admin');
  await service.sql`alter table ledger_proof rename to lost`;
  const ready = await waitUntil('it fails', async () => {
    const { status, body } = await service.call('GET', '/health/ready');
    assert.equal(status, 200);
    return body.status !== 'ok' && body;
  });
  assert.deepEqual([ready.status, ready.ledgerCheck.failing], ['degraded', true]);
  for (const path of ['/console', '/console/operations']) assert.match((await load(path)).text, /ends with an error/i, path);
});

test('earmark verify --watch checks the ledger repeatedly', async (t) => {
  const { databaseUrl, dataDir, sql } = await withBooks(t);
  const env = { DATABASE_URL: databaseUrl, DATA_DIR: dataDir };
  const watching = startCli(t, ['verify', '--watch', '--every', '1'], env);
  await watching.printed(/^\S+Z {2}holds {3}\d+ rules in \d+\.\d s\n\S+Z {2}holds/m);
  await sql`update ledger_account set reallocations_out = 7 where kind = 'external'`;
  await watching.printed(/^\S+Z {2}BROKEN {2}entries explain balances: .*\n +bucket \d+, \S+: .*, reallocations 7 of 0, /m);
  watching.child.kill('SIGINT');
  assert.equal((await watching.ended).code, 130);
  assert.equal(watching.stderr(), '', 'no progress without a terminal');

  for (const args of [
    ['--every', '5'],
    ['--watch', '--every', '0'],
    ['--watch', '--every', 'soon'],
  ]) {
    const { code, stderr } = await runCli(t, ['verify', ...args], env);
    assert.equal(code, 2);
    assert.match(stderr, /^--every (needs --watch|must be an integer from 1 to 604800)\.\n$/);
  }
});

test('shows progress in one cleared line on a terminal, and nowhere else', () => {
  const show = (isTTY: boolean) => {
    let text = '';
    const progress = openProgress('proving', { isTTY, write: (part) => (text += part) });
    for (const share of [0.001, 0.002, 0.5, 1]) progress.show(share);
    progress.end();
    return text;
  };
  const clear = '\r\x1b[K';
  const lines = [`${'░'.repeat(24)}   0`, `${'█'.repeat(12)}${'░'.repeat(12)}  50`, `${'█'.repeat(24)} 100`];
  assert.equal(show(true), `${lines.map((line) => `${clear}proving  ${line} %`).join('')}${clear}`);
  assert.equal(show(false), '');
});
