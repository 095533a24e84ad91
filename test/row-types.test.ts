// The row types of statements: each statement of the source is prepared on the real schema, and its columns are those that its row type
// declares, with the types and the nullability of the table.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { camelCase } from '../src/platform/db/sql.ts';
import { type Column, openDescriber } from './row-types/describe.ts';
import { type Member, readStatements } from './row-types/statements.ts';
import { makeDatabase } from './support/database.ts';

/** Statements with a part that only a run can tell. */
const OPEN: Record<string, string> = {
  'src/platform/manifest.ts': 'the table is one of a manifest',
  'src/platform/db/look-up.ts': 'the look-ups are checked where they are written',
  'src/platform/db/plan.ts': 'the settings are a loop',
  'src/platform/db/find-placement.ts': 'the statement is an argument',
  'src/ledger/transfers/post.ts': 'the function of a group has the columns of the one for all groups, which is checked',
  'src/ledger/verification/proof.ts': 'the columns that are hashed are arguments',
  'src/ledger/verification/parts.ts': 'table and columns are those of a division',
  'src/ledger/verification/event-rules.ts': 'the rows are those of a part',
  'src/ledger/verification/hold-rule.ts': 'the rows are those of a part',
  'src/ledger/verification/return-rule.ts': 'the rows are those of a part',
  'src/ledger/verification/rules.ts': 'the topics and types are those of the manifests',
  'src/ledger/verification/recreate-events.ts': 'the topics and types are those of the manifests',
  'src/resources/webhooks/claim.ts': 'the heads are read first',
  'src/apps/keys/sealed-column.ts': 'table and column are those of a manifest',
};
/** Only Citus has what they call; the suite on a cluster runs them. */
const OF_CITUS = 'src/platform/db/cluster/';
/** Columns that are null in some rows, and never in those of the statement. */
const NOT_NULL_HERE: Record<string, string> = {
  'src/apps/jobs/runs.ts succeeded': 'succeeded is not null',
  'src/ledger/log/logged-details.ts salt': 'log_salt is not null',
  'src/ledger/transfers/transfer.ts wholeId': 'deposit_id, or return_id, = any (…)',
  'src/ledger/transfers/transfer.ts holdId': 'hold_id = …',
  'src/resources/documents/checking/recheck.ts basis': 'basis is not null',
  'src/resources/documents/checking/checking.ts checkAt': 'check_at <= …',
  'src/resources/documents/claim.ts by': 'claimed_until > …, and the update sets both',
  'src/resources/documents/claim.ts until': 'claimed_until > …, and the update sets both',
};
/** Columns that a table requires, in rows that a left join may add. */
const NULL_BY_JOIN: string[] = [
  'src/ledger/verification/batch-rule.ts accountId',
  'src/ledger/transfers/balance.ts externalId',
  'src/resources/schedules/schedule.ts lastAt',
  'src/resources/schedules/schedule.ts lastStatus',
  'src/resources/schedules/schedule.ts lastOccurrenceId',
  'src/resources/documents/decide.ts reviewer',
  'src/resources/documents/decide.ts decision',
  'src/resources/documents/decide.ts reasons',
  'src/resources/oauth/application.ts hash',
  'src/resources/oauth/application.ts secretCreated',
];
const SCALARS = ['string', 'number', 'bigint', 'boolean', 'Date', 'Buffer'];

test('each statement returns the rows that its type declares', async (t) => {
  const client = new pg.Client({ connectionString: await makeDatabase(t) });
  // Ends with the database.
  client.on('error', () => {});
  await client.connect();
  const describe = await openDescriber(client);
  const statements = readStatements().filter(({ at }) => !at.startsWith(OF_CITUS));
  const problems: string[] = [];
  const used = new Set<string>();
  for (const { at, text, open, members } of statements) {
    const file = at.replace(/:\d+$/, '');
    if (open !== undefined) {
      used.add(file);
      if (!(file in OPEN)) problems.push(`${at} has a part that cannot be read from the source: ${open}`);
      continue;
    }
    const columns = await describe(text).catch((error: Error) => problems.push(`${at} ${error.message}`));
    if (typeof columns === 'object' && members)
      for (const [name, problem] of compare(columns, members)) {
        const key = `${file} ${name}`;
        used.add(key);
        if (!(key in NOT_NULL_HERE || NULL_BY_JOIN.includes(key))) problems.push(`${at} ${name}: ${problem}`);
      }
  }
  assert.deepEqual(problems, []);
  assert.ok(statements.length > 400, `${statements.length} statements`);
  const exceptions = [...Object.keys(OPEN), ...Object.keys(NOT_NULL_HERE), ...NULL_BY_JOIN];
  assert.deepEqual(
    exceptions.filter((key) => !used.has(key)),
    [],
    'exceptions that nothing needs',
  );
});

/** What differs, with the names of the columns. */
function compare(columns: Column[], members: Member[]): [name: string, problem: string][] {
  const declared = new Map(members.map((member) => [member.name, member]));
  const selected = new Map(columns.map((column) => [camelCase(column.name), column]));
  const problems: [string, string][] = [];
  for (const [name, column] of selected) {
    const member = declared.get(name);
    if (!member) problems.push([name, 'is selected, and its row type does not have it']);
    else if (!isOfType(column.type, member.type)) problems.push([name, `is ${column.type}, not ${member.type}`]);
    else if (column.isNullable === true && !member.isNullable && member.type !== 'unknown')
      problems.push([name, 'may be null, and its row type does not say so']);
    else if (column.isNullable === false && member.isNullable) problems.push([name, 'is never null, and its row type says null']);
  }
  for (const name of declared.keys()) if (!selected.has(name)) problems.push([name, 'is declared, and not selected']);
  return problems;
}

/** JSON is whatever object or list the row type says. */
function isOfType(column: string, declared: string): boolean {
  if (declared === 'unknown' || column === declared) return true;
  return column === 'JSON' && !SCALARS.includes(declared);
}
