// Tests of `earmark export` and `earmark statement` on the database of a running service.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { amountOf } from '../../../test/support/data.ts';
import { type Body, HAL, idOf } from '../../../test/support/http.ts';
import { assertOneLine, runCli, runCliJson, settingsOf } from '../../../test/support/process.ts';
import { startService } from '../../../test/support/service.ts';
import { FIRST_ID } from '../../core/ids.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { exportLedger } from './export.ts';

type Exported = { folder: string; to: string; rows: number; files: string[] };

const CUSTOMERS = 3;

const shared = await startService({ after });
const folder = mkdtempSync(join(tmpdir(), 'earmark-exports-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const env = { ...settingsOf(shared), PUBLIC_URL: shared.url };
const { call, create, newCustomer, reallocation, client } = shared;
const step = (seconds: number) => call('POST', '/sandbox/clock', { body: { advanceSeconds: seconds } });
const account = ['--account', client.account_id];

const customers: string[] = [];
for (let n = 0; n < CUSTOMERS; n++) {
  const customer = await newCustomer({ available: '100.00' });
  const label = (name: string, value: string) => create(`${customer}/labels`, { name, ...amountOf(value) });
  const [tax, rent] = [await label('=Tax', '40.00'), await label('Rent', '0')];
  const texts = { reference: '+a "b"', correlationId: 'c', externalId: 'x' };
  await create('/label-reallocations', { ...reallocation(tax, rent, '15.50'), ...texts });
  customers.push(customer);
}
await step(300);
const border = (await call('GET', '/sandbox/clock')).body.now as string;
await step(300);
await create(`${customers[0]}/withdrawals`, amountOf('1.00'));
await step(300);

const contentOf = ({ folder, files }: Exported) => files.map((file) => readFileSync(join(folder, file), 'utf8')).join('');

test('exports entries, transfers and balances in each format', async (t) => {
  const run = (kind: string, format: string, ...more: string[]) =>
    runCliJson<Exported>(
      t,
      ['export', kind, ...account, '--format', format, '--output', join(folder, `${kind}-${format}`), ...more],
      env,
    );
  const rowsIn = (exported: Exported): Body[] =>
    contentOf(exported)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  const jsonRows = async (kind: string) => rowsIn(await run(kind, 'ndjson', '--output', join(folder, `${kind}-all`)));
  const entries = await run('entries', 'ndjson');
  const rows = rowsIn(entries);
  // A deposit, two entries of a label and two of a reallocation per customer, and the withdrawal: each has two sides.
  assert.equal(rows.length, CUSTOMERS * 6 + 2);
  assert.equal(entries.rows, rows.length);
  assert.equal(
    rows.reduce((sum, { amountMinor }) => sum + BigInt(amountMinor), 0n),
    0n,
    'double entry',
  );
  const moved = rows.find(
    ({ kind, accountKind, amount }) => kind === 'reallocation' && accountKind === 'label' && amount === '-15.50',
  );
  assert.deepEqual([moved.name, moved.balance], ['=Tax', '24.50']);
  assert.deepEqual([moved.reference, moved.correlationId, moved.externalId], ['+a "b"', 'c', 'x']);
  // The types of the JSON of the API: an amount is a string, in minor units too, and a sequence is a number.
  const { created, sequence, amount } = (await call('GET', `/ledger-entries/${moved.entry}`)).body;
  assert.deepEqual([moved.created, moved.sequence, moved.amount, moved.amountMinor], [created, sequence, amount.value, '-1550']);
  const isNumber = ['sequence', 'entries'];
  for (const row of [...rows, ...(await jsonRows('balances')), ...(await jsonRows('transfers'))])
    for (const [name, value] of Object.entries(row))
      assert.ok(value === null || typeof value === (isNumber.includes(name) ? 'number' : 'string'), `${name}: ${value}`);

  const csv = contentOf(await run('entries', 'csv'));
  assert.ok(csv.includes(`,'=Tax,`) && csv.includes(`"'+a ""b""",c,x\r\n`), 'safe in spreadsheets');
  assert.equal(csv.split('\r\n').length, rows.length + 2);
  const parquet = await run('entries', 'parquet');
  const file = await asyncBufferFromFile(join(parquet.folder, parquet.files[0]!));
  const read = (await parquetReadObjects({ file })) as Record<string, unknown>[];
  const text = (cell: unknown) => (cell instanceof Date ? cell.toISOString() : cell == null ? null : String(cell));
  assert.deepEqual(
    read.map((row) => Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, text(cell)]))),
    rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, text(cell)]))),
  );

  const transfers = rowsIn(await run('transfers', 'ndjson', '--from', border));
  assert.deepEqual(
    transfers.map(({ customer, kind, fromKind, toKind, amount }) => [customer, kind, fromKind, toKind, amount]),
    [[idOf(customers[0]!), 'withdrawal', 'available', 'external', '1.00']],
  );
  const balancesAt = async (name: string, to: string) =>
    contentOf(await run('balances', 'csv', '--to', to, '--output', join(folder, name)))
      .split('\r\n')
      .filter((line) => line.startsWith(idOf(customers[0]!)))
      .map((line) =>
        line
          .split(',')
          .filter((_cell, index) => [2, 4, 6].includes(index))
          .join(' '),
      );
  assert.deepEqual(await balancesAt('then', border), [
    'available 2 60.00',
    'external 1 -100.00',
    'label 2 24.50',
    'label 1 15.50',
  ]);
});

test('resumes an interrupted export with the same result', async () => {
  const { sql } = shared;
  const request = { kind: 'entries', format: 'csv', account: client.account_id, from: null, to: border } as const;
  const how = { onShare: () => {}, partRows: 4 };
  const whole = await exportLedger(sql, request, { ...how, folder: join(folder, 'whole') });
  assert.equal(whole.parts.length, CUSTOMERS, 'a part ends with a customer');
  const resumed = join(folder, 'resumed');
  let runs = 0;
  for (let left = 3; ; left += 5) {
    runs += 1;
    let statements = left;
    const breaking = ((strings: TemplateStringsArray, ...values: unknown[]) => {
      if (statements-- === 0) throw new Error('the database is gone');
      return sql(strings, ...values);
    }) as Sql;
    const done = await exportLedger(breaking, request, { ...how, folder: resumed }).catch((error: Error) => {
      assert.equal(error.message, 'the database is gone');
    });
    if (!done) continue;
    assert.deepEqual(done, whole);
    break;
  }
  assert.ok(runs > 2, `${runs} runs`);
  for (const { file } of whole.parts)
    assert.equal(readFileSync(join(resumed, file), 'utf8'), readFileSync(join(folder, 'whole', file), 'utf8'));
});

test('refuses exports that would mix or be incomplete', async (t) => {
  const fails = async (args: string[], message: RegExp, code: 1 | 2 = 1) => {
    const ended = await runCli(t, ['export', ...args], env);
    assertOneLine(ended, message, code);
  };
  const done = join(folder, 'balances-done');
  await runCli(t, ['export', 'balances', ...account, '--output', done], env);
  const state = JSON.parse(readFileSync(join(done, 'export.json'), 'utf8'));
  writeFileSync(join(done, 'export.json'), JSON.stringify({ ...state, complete: false }));
  const again = await runCliJson<Exported>(t, ['export', 'balances', ...account, '--output', done], env);
  assert.equal(again.to, state.to, 'it continues with the time of its beginning');
  const unfinished = join(folder, 'balances-unfinished');
  mkdirSync(unfinished);
  writeFileSync(join(unfinished, 'export.json'), JSON.stringify({ ...state, complete: false }));
  const foreign = mkdtempSync(join(folder, 'foreign-'));
  writeFileSync(join(foreign, 'file'), '');
  const [file, damaged, blocked] = [join(folder, 'file.csv'), join(folder, 'damaged'), join(folder, 'blocked')];
  writeFileSync(file, '');
  mkdirSync(damaged);
  writeFileSync(join(damaged, 'export.json'), '{"kind":');
  mkdirSync(join(blocked, `${state.parts[0].file}.partial`), { recursive: true });
  const begun = { ...state, parts: [], after: FIRST_ID, complete: false };
  writeFileSync(join(blocked, 'export.json'), JSON.stringify(begun));
  await Promise.all([
    fails(['balances', ...account, '--output', file], /file\.csv cannot be used: ENOTDIR\./),
    fails(['balances', ...account, '--output', file, '--to', border], /file\.csv cannot be used: EEXIST\./),
    fails(['balances', ...account, '--output', damaged], /damaged cannot be used: its export\.json is damaged\./),
    fails(['balances', ...account, '--output', blocked], /blocked cannot be used: EISDIR\./),
    fails(['balances', ...account, '--output', done], /has a complete export/),
    fails(['balances', ...account, '--output', unfinished, '--format', 'ndjson'], /unfinished export with another format: csv/),
    fails(['entries', ...account, '--output', foreign], /is not empty and has no export/),
    fails(['entries', ...account, '--output', '-'], /^--output is a folder, so it cannot be standard output\./, 2),
    fails(['entries', '--output', join(folder, 'x')], /There are several accounts/),
    fails(['entries', ...account, '--to', '2999-01-01'], /at least one minute ago/),
    fails(['entries', ...account, '--from', '2999-01-01'], /--from must be before --to/),
    fails(['entries', ...account, '--from', 'yesterday'], /--from must be a date/, 2),
    fails(['entries', ...account, '--from', '2026-02-30'], /--from must be a date/, 2),
    fails(['balances', ...account, '--from', '2026-01-01'], /takes no --from/, 2),
  ]);
});

test('writes a statement to a file', async (t) => {
  const month = border.slice(0, 7);
  const { now } = (await call('GET', '/sandbox/clock')).body;
  const closed = now.slice(0, 7) > month;
  for (const [format, accept] of [
    ['hal', HAL],
    ['csv', 'text/csv'],
    ['pdf', 'application/pdf'],
  ] as const) {
    const file = join(folder, `statement.${format === 'hal' ? 'json' : format}`);
    const args = ['statement', customers[0]!, '--month', month, '--format', format, '--file', file];
    const result = await runCliJson<Record<string, unknown>>(t, args, env);
    assert.deepEqual(result, { file, closed, accounts: 3 });
    const { text } = await call('GET', `${customers[0]}/statements/${month}`, { headers: { accept } });
    assert.equal(readFileSync(file, 'utf8'), text, 'the same as over HTTP');
    const piped = await runCli(t, [...args.slice(0, -1), '-', '--json'], env);
    assert.deepEqual([piped.code, piped.stdout], [0, text], piped.stderr);
    assert.equal(piped.stderr, `${JSON.stringify({ ...result, file: '-' })}\n`);
  }
  const fails = async (args: string[], message: RegExp, code: 1 | 2) => {
    const ended = await runCli(t, ['statement', ...args], env);
    assertOneLine(ended, message, code);
  };
  const id = idOf(customers[0]!);
  await Promise.all([
    fails([id, '--month', '2026-13'], /--month must be a month/, 2),
    fails([id, '--month', '2999-01'], /has not begun/, 1),
    fails([id, '--month', month, '--file', 'a.png'], /^--file must end in \.pdf, \.csv, \.json, not \.png\./, 2),
    fails([id, '--month', month, '--file', 'a.csv', '--format', 'pdf'], /^--format pdf needs a file that ends in \.pdf\./, 2),
    fails([id, '--month', month, '--file', join(folder, 'none', 'a.csv')], /none\/a\.csv cannot be written: ENOENT\./, 1),
    fails([id, '--month', month, '--zone', 'Mars'], /--zone must be an IANA time zone/, 2),
    fails([id, '--month', month, '--label', client.account_id], /^The customer has no label /, 1),
    fails([client.account_id, '--month', month], /There is no customer/, 1),
  ]);
});

test('takes the format of a statement from the name of its file', async (t) => {
  const month = border.slice(0, 7);
  const file = join(folder, 'named.CSV');
  await runCliJson(t, ['statement', customers[0]!, '--month', month, '--file', file], env);
  const { text } = await call('GET', `${customers[0]}/statements/${month}`, { headers: { accept: 'text/csv' } });
  assert.equal(readFileSync(file, 'utf8'), text);
});
