// Changes every column of the ledger, of customers, of events and of logs by SQL, one at a time, and asserts who notices: an audit from
// outside, the ledger check on the stored rows, both, or neither for the reason that is listed. A new column fails until it is listed. Here
// once for each column and answer; `npm run long -- audit-matrix` changes the column in every kind of row.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type Edit, MATRIX, ROWS } from './support/audit-matrix.ts';
import { openAudited } from './support/audited.ts';
import { ROOT } from './support/paths.ts';
import { startService } from './support/service.ts';

const NEITHER = 'neither: ';
const EVERY_KIND = process.env.MATRIX === 'full';
const COLUMNS_MAX_MS = 1_800_000;

const shared = await startService({ after }, { env: { EVENT_RETENTION_DAYS: '400' }, processes: 1 });
const run = <Row>(statement: string) => shared.sql<Row>(Object.assign([statement], { raw: [statement] }) as TemplateStringsArray);
const account = await openAudited(shared);
const own = `'${shared.client.account_id}'`;

/** The rows of the account: the service has another one, which it shows under *Try it*. */
const OWNED: Record<string, string> = {
  transfer: `customer_id in (select id from customer where account_id = ${own})`,
  log_key: 'true',
};

// The builder would repair what it can.
await run(`update transparency_log set held = now() where account_id = ${own}`);
for (const table of Object.keys(MATRIX)) await run(`create table before_${table} as table ${table}`);
// Whoever changes rows by hand can also drop constraints.
const constraints = await run<{ name: string; relation: string }>(`
  select conname as name, conrelid::regclass as relation from pg_constraint
  where contype in ('c', 'f') and connamespace = current_schema()::regnamespace order by contype desc`);
for (const { name, relation } of constraints) await run(`alter table ${relation} drop constraint ${name}`);
await run('drop index ledger_account_own, event_by_topic');

/** Who notices a change of a column of one row, which is then taken back. */
async function noticedAfter(table: string, column: string, { row, set }: { row: string; set: string }): Promise<string> {
  const changed = await run(`
    update ${table} x set ${column} = ${set}
    where ctid = (select ctid from ${table} x where ${row} and ${OWNED[table] ?? `account_id = ${own}`} order by ctid limit 1)
    returning 1`);
  assert.equal(changed.length, 1, `${table}.${column}: there is a row with ${row}`);
  try {
    return await noticed();
  } finally {
    await run(`delete from ${table}`);
    await run(`insert into ${table} select * from before_${table}`);
  }
}

async function noticed(): Promise<string> {
  const { contradictions } = await account.audit();
  const broken = await account.verify();
  if (broken.length === 0) return contradictions.length > 0 ? 'audit' : 'neither';
  return contradictions.length > 0 ? 'both' : 'verify';
}

/** All edits, or the first with each answer. Different rules notice what becomes of each kind of ledger account. */
function chosen(column: string, edits: [string, Edit][]): [string, Edit][] {
  if (EVERY_KIND || column === 'ledger_account.kind') return edits;
  return edits.filter(([, { by }], index) => edits.findIndex(([, one]) => one.by === by) === index);
}

test('an audit and the ledger check accept what nobody changed', async () => {
  const { contradictions, statements, labels, customers } = await account.audit();
  assert.deepEqual([contradictions, await account.verify()], [[], []]);
  assert.deepEqual([customers, labels, statements], [4, 4, 9]);
});

for (const [table, columns] of Object.entries(MATRIX)) {
  test(`every column of ${table} is listed, and its change is noticed as listed`, { timeout: COLUMNS_MAX_MS }, async () => {
    const stored = await run<{ name: string }>(
      `select attname as name from pg_attribute where attrelid = '${table}'::regclass and attnum > 0 and not attisdropped order by attnum`,
    );
    assert.deepEqual(
      Object.keys(columns),
      stored.map(({ name }) => name),
    );
    const wrong: string[] = [];
    for (const [column, edits] of Object.entries(columns)) {
      for (const [kind, { set, by }] of chosen(`${table}.${column}`, Object.entries<Edit>(edits))) {
        const rows: Record<string, string> = ROWS[table as keyof typeof ROWS];
        const row = rows[kind] ?? rows[kind.split(' ')[0]!]!;
        const noticed = await noticedAfter(table, column, { row, set });
        if (noticed !== by.split(':')[0]) wrong.push(`${table}.${column} of ${kind}: ${noticed}, listed ${by}`);
      }
    }
    assert.deepEqual(wrong, []);
  });
}

test('all tables of logs are listed', async () => {
  const tables = await run<{ name: string }>(`
    select relname as name from pg_class
    where relkind = 'r' and relnamespace = current_schema()::regnamespace and relname like 'log\\_%'`);
  assert.deepEqual(
    tables.map(({ name }) => name).filter((name) => !(name in MATRIX)),
    [],
  );
});

test('SECURITY.md lists the columns whose change nobody notices', () => {
  const text = readFileSync(join(ROOT, 'SECURITY.md'), 'utf8');
  const unnoticed = Object.entries(MATRIX).flatMap(([table, columns]) =>
    Object.entries(columns)
      .filter(([, edits]) => Object.values(edits).some(({ by }) => by.startsWith(NEITHER)))
      .map(([column]) => `\`${table}.${column}\``),
  );
  assert.deepEqual(
    unnoticed.filter((column) => !text.includes(column)),
    [],
  );
});
