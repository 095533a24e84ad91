// `earmark reconcile`: compares a bank's statement with the ledger, and records what only the bank has.

import type { Encoding, FileFormat } from '../../core/bank-formats.ts';
import { dayOfZone, isZone } from '../../core/zone.ts';
import { writeAudit } from '../../ledger/audit/audit.ts';
import { readMap } from '../../ledger/bank-files/csv-map.ts';
import { type BankAccount, readBankFile } from '../../ledger/bank-files/read.ts';
import type { Period } from '../../ledger/bank-files/statement.ts';
import { isCalendarDay } from '../../ledger/bank-files/values.ts';
import { DAYS_MAX, type Previous, type Reconciliation } from '../../ledger/reconciliation/reconcile.ts';
import { fromJson, toJson } from '../../ledger/reconciliation/saved.ts';
import { requireMigrated } from '../../platform/db/migrate.ts';
import { type Recorded, type Rule, readRule, recordBankLines } from '../../resources/bank-lines/record.ts';
import { compareWithLedger, DAYS } from '../reconciliation/compare.ts';
import { accountClock, accountTime } from './account-time.ts';
import { commandLineActor } from './actor.ts';
import { readInput } from './bank-input.ts';
import { chooseAccount } from './choose-account.ts';
import { CallError, UsageError } from './command.ts';
import { print } from './output.ts';
import { printBeside, writeOutput } from './output-file.ts';
import { printReconciliation, recordedJson } from './reconcile-output.ts';
import { type Tools, withDatabase } from './with-database.ts';
import { withLanes } from './with-lanes.ts';

type Options = {
  account: string | undefined;
  format: string | undefined;
  encoding: string | undefined;
  'bank-account': string[];
  zone: string | undefined;
  days: string | undefined;
  from: string | undefined;
  to: string | undefined;
  map: string | undefined;
  currency: string | undefined;
  record: boolean;
  rule: string[];
  save: string | undefined;
  previous: string | undefined;
};
type Wanted = { accounts: BankAccount[]; zone: string; days: number; rules: Rule[]; record: boolean };

const INCOMPLETE = 1;

export async function reconcileCommand(call: {
  words: readonly [file: string];
  options: Options;
  json: boolean;
}): Promise<number> {
  const { words, options, json } = call;
  const [file] = words;
  const { zone = 'UTC', save } = options;
  if (!isZone(zone)) throw new CallError('--zone must be an IANA time zone such as Europe/Berlin.');
  const days = readDays(options.days);
  const period = readPeriod(options);
  const rules = readRules(options);
  if (options.map !== undefined) readMap(options.map);
  const previousText = options.previous === undefined ? undefined : await readInput(options.previous);
  const accounts = await readAccounts(file, options, { zone, period });
  printBeside(save);
  const wanted: Wanted = { accounts, zone, days, rules, record: options.record };
  const { account, found, recorded } = await withDatabase(async (tools) => {
    const account = await chooseAccount(tools.database, options.account);
    const previous = previousText && fromJson(new TextDecoder().decode(previousText), account);
    return { account, ...(await compare(tools, account, { ...wanted, previous: previous || undefined })) };
  }, requireMigrated);
  const result = { ...toJson(found, account), ...(options.record && { recorded: recorded.map(recordedJson) }) };
  if (save !== undefined) await writeOutput(save, [`${JSON.stringify(result, null, 2)}\n`]);
  if (json) print(result, true);
  else printReconciliation(found, recorded);
  return found.isComplete ? 0 : INCOMPLETE;
}

/** Compares, and with `record` compares again after what only the bank had is recorded. */
async function compare(tools: Tools, account: string, wanted: Wanted & { previous: Previous | undefined }) {
  const { record, rules } = wanted;
  const found = await compareOnce(tools, account, wanted);
  if (!record || found.onlyAtBank.length === 0) return { found, recorded: [] };
  const recorded = await recordLines(tools, account, { lines: found.onlyAtBank, rules });
  return { found: await compareOnce(tools, account, wanted), recorded };
}

async function compareOnce(
  { database: { sql } }: Tools,
  account: string,
  wanted: Wanted & { previous: Previous | undefined },
): Promise<Reconciliation> {
  return compareWithLedger(sql, account, { ...wanted, zoneOption: '--zone', now: await accountTime(sql, account) });
}

async function recordLines(tools: Tools, account: string, wanted: { lines: Reconciliation['onlyAtBank']; rules: Rule[] }) {
  const { database } = tools;
  const clock = await accountClock(database.sql, account);
  return withLanes(tools, clock, async ({ lanes }): Promise<Recorded[]> => {
    const recorded = await recordBankLines({ clock, database, lanes }, account, wanted);
    const deposits = recorded.filter((one) => 'depositId' in one).length;
    const resource = { type: 'account', id: account };
    await writeAudit(database.sql, commandLineActor(), { action: 'record_bank_lines', resource, detail: { deposits } });
    return recorded;
  });
}

async function readAccounts(
  file: string,
  options: Options,
  { zone, period }: { zone: string; period: Period | undefined },
): Promise<BankAccount[]> {
  const { encoding, format, map, currency } = options;
  const read = readBankFile(await readInput(file), {
    format: format as FileFormat | undefined,
    encoding: encoding as Encoding | undefined,
    dayOf: dayOfZone(zone),
    ...{ map, period, currency },
  });
  if (period && read.format !== 'csv') throw new CallError('--from and --to are for a CSV file: others say it themselves.');
  const accounts = chooseBankAccounts(read.accounts, options['bank-account']);
  const [first, ...others] = accounts as [BankAccount, ...BankAccount[]];
  const other = others.find(({ from, to }) => from !== first.from || to !== first.to);
  if (other)
    throw new UsageError(
      `The statements of ${first.account} cover ${first.from} to ${first.to}, those of ${other.account} ${other.from} to ${other.to}: name accounts of one period with --bank-account.`,
    );
  return accounts;
}

/** A file may have accounts that are not the customers'. */
function chooseBankAccounts(accounts: BankAccount[], names: string[]): BankAccount[] {
  const known = [...new Set(accounts.map(({ account }) => account))];
  const unknown = names.find((name) => !known.some((account) => isNamed(account, name)));
  if (unknown !== undefined) throw new UsageError(`The file has no account ${unknown}, but ${known.join(', ')}.`);
  if (names.length === 0 && known.length > 1)
    throw new UsageError(
      `The file has ${known.length} accounts: name those of the customers with --bank-account: ${known.join(', ')}.`,
    );
  return names.length === 0 ? accounts : accounts.filter(({ account }) => names.some((name) => isNamed(account, name)));
}

function isNamed(account: string, name: string): boolean {
  return account.replace(/\s+/g, '') === name.replace(/\s+/g, '');
}

function readDays(text: string | undefined): number {
  if (text === undefined) return DAYS;
  if (!/^\d{1,2}$/.test(text) || Number(text) > DAYS_MAX) throw new CallError(`--days must be a number from 0 to ${DAYS_MAX}.`);
  return Number(text);
}

function readPeriod({ from, to }: Options): Period | undefined {
  if (from === undefined && to === undefined) return undefined;
  if (from === undefined || to === undefined || ![from, to].every(isCalendarDay) || from > to)
    throw new CallError('--from and --to are given together, as days such as 2026-01-31.');
  return { from, to };
}

function readRules({ record, rule }: Options): Rule[] {
  if (record !== rule.length > 0) throw new CallError('--record and --rule are given together.');
  return rule.map((text) => {
    const read = readRule(text);
    if (!read) throw new CallError(`--rule has {externalId} once, such as KD-{externalId}, not ${text}.`);
    return read;
  });
}
