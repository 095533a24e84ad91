// Increments of the ledger check: they find what is wrong with new transfers and with any balance, and leave the rest to the complete check.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proveAll, proveNew, verifyInSlices } from '../src/apps/service/ledger-check.ts';
import { PROVEN_BY_INCREMENTS } from '../src/ledger/verification/increment.ts';
import type { Database, Sql } from '../src/platform/db/sql.ts';
import { EDITS, withBooks } from './support/books.ts';
import type { TestService } from './support/service.ts';

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
      taken.result = await work({ ...service.database, sql: tx, transaction });
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

  await t.test('leave a new database to the complete check, and then prove everything', async () => {
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

  await t.test('do not find an edit of what was proven, which the complete check finds', async () => {
    const edit = `update transfer set amount = amount + 1 where kind = 'withdrawal'`;
    assert.deepEqual(await brokenAfter(service, edit), new Set());
    const found = await takenBack(service, async (one) => {
      await run(one.sql, edit);
      return verifyInSlices(one);
    });
    assert.ok(found.some(({ rule }) => rule === 'entries explain balances'));
  });
});
