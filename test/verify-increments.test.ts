// Increments of the ledger check: they find what is wrong with new transfers and with any balance, and leave the rest to the complete check.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { declared, proveAll, proveNew } from '../src/apps/service/ledger-check.ts';
import { PROVEN_BY_INCREMENTS } from '../src/ledger/verification/increment.ts';
import { startVerification } from '../src/ledger/verification/verification.ts';
import type { Database, Sql } from '../src/platform/db/sql.ts';
import { EDITS, withBooks } from './support/books.ts';
import { runCli } from './support/process.ts';
import { startService, type TestService } from './support/service.ts';
import { waitUntil } from './support/wait.ts';

/** A later transfer counts as committed, and is added to the proof. */
const COMMITTED_AFTER_MS = 5_500;

const usd = (value: string) => ({ amount: { value, currency: 'USD' } });
const run = (sql: Sql, statement: string) => sql(Object.assign([statement], { raw: [statement] }) as TemplateStringsArray);

/** A database whose transactions are savepoints of one that is taken back at the end. */
async function takenBack<Result>({ service }: TestService, work: (database: Database) => Promise<Result>): Promise<Result> {
  const taken: { result?: Result } = {};
  const back = new Error('taken back');
  await service.database
    .transaction(async (tx) => {
      const transaction: Database['transaction'] = async (inside) => {
        await tx`savepoint part`;
        const result = await inside(tx);
        const [{ isReadOnly }] = (await tx`select current_setting('transaction_read_only') = 'on' as is_read_only`) as [
          { isReadOnly: boolean },
        ];
        // Settings of the transaction end with the savepoint.
        if (isReadOnly) await tx`rollback to savepoint part`;
        await tx`release savepoint part`;
        return result;
      };
      // A cluster tells no size of a table in a transaction that has changed rows on several servers.
      const sql = ((text, ...values) => (/relation_size/.test(text.join('')) ? [{ bytes: 1n }] : tx(text, ...values))) as Sql;
      taken.result = await work({ ...service.database, sql, transaction });
      throw back;
    })
    .catch((error: unknown) => assert.equal(error, back, String(error)));
  return taken.result!;
}

/** The rules that an increment finds broken after statements. */
function brokenAfter(service: TestService, statements: string): Promise<Set<string>> {
  return takenBack(service, async (database) => {
    for (const statement of statements.split(';')) await run(database.sql, statement);
    const { violations } = await proveNew(database);
    return new Set(violations.map(({ rule }) => rule));
  });
}

test('increments of the ledger check', async (t) => {
  const service = await withBooks(t, { VERIFY_EVERY_SECONDS: '0' });
  const { sql } = service;
  const { database } = service.service;

  await t.test('prove a database from its first transfer on', async () => {
    await setTimeout(COMMITTED_AFTER_MS);
    const [{ count }] = (await sql<{ count: bigint }>`select count(*) from transfer`) as [{ count: bigint }];
    const { transfers, buckets, complete, violations } = await proveNew(database);
    assert.deepEqual([transfers, buckets, complete, violations], [Number(count), 4096, undefined, []]);
  });

  await t.test('leave a database of which nothing is proven to the complete check, and then prove everything', async () => {
    await sql`update ledger_proof set hashes = array_fill(null::bigint, array[4096])`;
    const before = await proveNew(database);
    assert.deepEqual([before.buckets, before.violations], [0, []]);
    assert.deepEqual(await proveAll(database), []);
    const after = await proveNew(database);
    assert.deepEqual([after.buckets, after.violations], [4096, []]);
    assert.ok(after.complete);
  });

  await t.test('find each edit of a balance', async () => {
    const edits = PROVEN_BY_INCREMENTS.flatMap((rule) => EDITS[rule]!.map((edit) => ({ rule, edit })));
    for (const { rule, edit } of edits.filter(({ edit }) => / ledger_account/.test(edit)))
      assert.ok((await brokenAfter(service, edit)).has(rule), edit);
  });

  await t.test('find each edit of a transfer that is new', async () => {
    // As if the database had been proven while it was empty.
    const [first] = await sql<{ until: string }>`select (min(created) - interval '1 second')::text as until from transfer`;
    await sql`update ledger_proof set until = ${first!.until}::timestamptz, hashes = array_fill(0::bigint, array[4096])`;
    for (const rule of [...PROVEN_BY_INCREMENTS, 'entries in time order'])
      for (const edit of EDITS[rule]!) assert.ok((await brokenAfter(service, edit)).has(rule), edit);
    const { transfers, violations } = await proveNew(database);
    const [{ count }] = (await sql<{ count: bigint }>`select count(*) from transfer`) as [{ count: bigint }];
    assert.deepEqual([transfers, violations], [Number(count), []]);
  });

  await t.test('are what `earmark verify` does, and --full finds an edit of what was proven', async () => {
    const env = { DATABASE_URL: service.databaseUrl, DATA_DIR: service.dataDir };
    const verify = (...options: string[]) => runCli(t, ['verify', ...options], env);
    const [customer] = await sql<{ id: string }>`
      select id from customer where status = 'verified' and account_id = ${service.client.account_id} limit 1`;
    assert.equal((await service.call('POST', `/customers/${customer!.id}/deposits`, { body: usd('1.00') })).status, 201);
    await setTimeout(COMMITTED_AFTER_MS);
    const good = await verify();
    assert.equal(good.code, 0, good.stdout);
    assert.match(good.stdout, /^holds {3}sequences without gaps: /m);
    assert.doesNotMatch(good.stdout, /schedules/);
    assert.match(good.stdout, /^The money is proven up to \S+Z: [1-9] new transfers and all balances, checked in /m);

    const edit = async (by: number) => {
      await sql`update transfer set amount = amount + ${by} where kind = 'withdrawal'`;
    };
    await edit(1);
    assert.equal((await verify()).code, 0);
    const full = await verify('--full');
    assert.equal(full.code, 1);
    assert.match(full.stdout, /^BROKEN {2}entries explain balances: /m);
    await edit(-1);

    await sql`update ledger_account set balance = balance + 1 where kind = 'available'`;
    const bad = await verify('--json');
    const { violations } = JSON.parse(bad.stdout) as { violations: { rule: string }[] };
    assert.equal(bad.code, 1);
    assert.ok(violations.some(({ rule }) => rule === 'conservation'));
  });
});

test('a service proves what is new while the complete check runs', async (t) => {
  const { service } = await startService(t, { env: { VERIFY_EVERY_SECONDS: '1' } });
  let before: { progress?: number | undefined; asOf?: Date | undefined } = {};
  await waitUntil('an increment has ended during a slice of the complete check', () => {
    const { progress, newest } = service.verification.check();
    const isDuringSlice = progress !== undefined && progress === before.progress;
    const isNew = before.asOf !== undefined && newest?.asOf !== before.asOf;
    before = { progress, asOf: newest?.asOf };
    return isDuringSlice && isNew;
  });
});

test('the periodic check logs once that the database is away, and once that it is back', async (t) => {
  const { service } = await startService(t, { env: { VERIFY_EVERY_SECONDS: '0' } });
  let attempts = 0;
  let isAway = true;
  const database = {
    ...service.database,
    get sql() {
      if (isAway) attempts += 1;
      if (isAway) throw new Error('away');
      return service.database.sql;
    },
  };
  const lines: [object, string][] = [];
  const note = (fields: object, message: string) => lines.push([fields, message]);
  const log = { ...service.log, warn: note, info: note } as unknown as typeof service.log;
  const verification = startVerification({ database, declared, everySeconds: 0.1, clock: service.clock, log });
  t.after(verification.stop);
  await waitUntil('it has tried more than once', () => attempts > 2);
  isAway = false;
  await waitUntil('it has checked', () => verification.check().newest !== undefined);
  const message = 'the ledger check ended with an error';
  assert.deepEqual(lines, [
    [{ err: new Error('away') }, message],
    [{ times: attempts }, `resolved: ${message}`],
  ]);
});
