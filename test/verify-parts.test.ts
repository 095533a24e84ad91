// The ledger check of one customer with many transfers: in parts with few rows each, which find what the rules find in the whole.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { declared, verifyInSlices, verifyLedger } from '../src/apps/service/ledger-check.ts';
import { ALL_BUCKETS } from '../src/ledger/slices.ts';
import { verifyRange } from '../src/ledger/verification/verify.ts';
import { type Database, openDatabase, type Sql } from '../src/platform/db/sql.ts';
import { clusterPorts } from './cluster/databases.ts';
import { EDITS, withBooks } from './support/books.ts';
import { idOf } from './support/http.ts';
import { coveredLog } from './support/logs.ts';
import { openLabels, startService } from './support/service.ts';

const PART_ROWS = 3;
/** All buckets are one slice. */
const PARTS = { partRows: PART_ROWS, sliceBytes: 2 ** 40 };
const TRANSFERS = 60;
/** Beside the rows of a part: those of their accounts, and as many that statements look up or compare with. */
const READ_MAX = 12 * PART_ROWS;

const text = (violations: object[]) => violations.map((one) => JSON.stringify(one)).sort();
const run = (sql: Sql, statement: string) => sql(Object.assign([statement], { raw: [statement] }) as TemplateStringsArray);

/** What the check finds in the whole and in parts after statements that are then rolled back. */
async function findBoth(database: Database, statements: string, options = PARTS): Promise<{ whole: string[]; parts: string[] }> {
  const found = { whole: [] as string[], parts: [] as string[] };
  const takeBack = new Error('take back');
  await database
    .transaction(async (tx) => {
      await tx`set local idle_in_transaction_session_timeout = 0`;
      for (const statement of statements.split(';')) await run(tx, statement);
      found.whole = text(await verifyLedger(tx));
      found.parts = text(
        await verifyRange({ ...database, sql: tx, transaction: (work) => work(tx) }, declared, ALL_BUCKETS, options),
      );
      throw takeBack;
    })
    .catch((error: unknown) => assert.equal(error, takeBack, String(error)));
  return found;
}

test('parts of a few rows find the same as the whole, for each rule', async (t) => {
  const { service } = await withBooks(t);
  for (const [rule, [edit]] of Object.entries(EDITS)) {
    const { whole, parts } = await findBoth(service.database, edit!, { ...PARTS, partRows: 10 });
    assert.ok(whole.length > 0, rule);
    assert.deepEqual(parts, whole, rule);
  }
});

/** Moves money between two labels, back and forth. */
async function openMany(t: TestContext) {
  const account = await openLabels(await startService(t, { processes: 1 }));
  const { sql, call, create, from, to, reallocation } = account;
  await create('/label-reallocations', reallocation(from, to, '50.00'));
  for (let made = 1; made < TRANSFERS; made++) {
    const [one, other] = made % 2 ? [from, to] : [to, from];
    assert.equal((await call('POST', '/label-reallocations', { body: reallocation(one, other, '0.01') })).status, 201);
  }
  await coveredLog(account);
  const transfers = await sql<{ id: string }>`
    select id from transfer where ${idOf(from)} in (from_id, to_id) and kind = 'reallocation' order by created, id`;
  return { ...account, transfers };
}

test('faults of one customer with many transfers are found wherever they are', async (t) => {
  const { service, transfers } = await openMany(t);
  // Each kind of fault at each place of a part: as its first, its middle and its last row.
  const edits = [
    (id: string) => `update transfer set amount = amount + 1 where id = '${id}'`,
    (id: string) => `update transfer set created = '2001-01-01T00:00:00Z' where id = '${id}'`,
    (id: string) => `delete from transfer where id = '${id}'`,
    (id: string) => `delete from event where resource_id = '${id}'`,
  ];
  for (const [place, { id }] of transfers.slice(20, 20 + edits.length * PART_ROWS).entries()) {
    const edit = edits[place % edits.length]!(id);
    const { whole, parts } = await findBoth(service.database, edit);
    assert.ok(whole.length > 0, edit);
    assert.deepEqual(parts, whole, edit);
  }
});

const notCounted = clusterPorts && 'a coordinator does not count what workers read';
test('no query of a check in parts reads many rows', { skip: notCounted }, async (t) => {
  const { databaseUrl, transfers } = await openMany(t);
  assert.ok(transfers.length === TRANSFERS && TRANSFERS > READ_MAX);
  const read = await mostRead(databaseUrl, (database) => verifyInSlices(database, PARTS));
  assert.ok(read.transfer! > 0 && read.transfer! <= READ_MAX && read.event! <= READ_MAX, JSON.stringify(read));
});

/** The most rows of a table that one transaction reads, except for the rule of logs, which reads its own pages. */
async function mostRead(databaseUrl: string, work: (database: Database) => Promise<unknown>): Promise<Record<string, number>> {
  const database = openDatabase(databaseUrl, { max: 1, onError: () => {} });
  const most: Record<string, number> = {};
  const transaction: Database['transaction'] = (inside) =>
    database.transaction(async (tx) => {
      const before = await readRows(tx);
      let isOfLogs = false;
      const result = await inside((statement, ...values) => {
        isOfLogs ||= statement.join('').includes('transparency_log');
        return tx(statement, ...values);
      });
      if (isOfLogs) return result;
      for (const [name, read] of await readRows(tx)) most[name] = Math.max(most[name] ?? 0, read - (before.get(name) ?? 0));
      return result;
    });
  await work({ ...database, transaction }).finally(() => database.close());
  return most;
}

/** What a session has read, and has not reported yet, as it does after a transaction at times. */
async function readRows(tx: Sql): Promise<Map<string, number>> {
  const rows = await tx<{ name: string; read: number }>`
    select relname as name, (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read from pg_stat_xact_user_tables
    where relname in ('event', 'transfer')`;
  return new Map(rows.map(({ name, read }) => [name, read]));
}
