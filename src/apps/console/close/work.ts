// The work on the close of a month: the file of the bank, what its comparison with the ledger left open, and what became of that.
import { ENCODINGS } from '../../../core/bank-formats.ts';
import { refuse } from '../../../core/problems.ts';
import { UserError } from '../../../core/user-error.ts';
import { dayOfZone } from '../../../core/zone.ts';
import { type BankAccount, readBankFile } from '../../../ledger/bank-files/read.ts';
import type { BankLine } from '../../../ledger/bank-files/statement.ts';
import type { CurrencyResult, Previous, Reconciliation } from '../../../ledger/reconciliation/reconcile.ts';
import { fromJson, toJson } from '../../../ledger/reconciliation/saved.ts';
import { type Month, readMonth } from '../../../resources/statements/month.ts';
import { compareWithLedger, DAYS } from '../../reconciliation/compare.ts';
import type { Service } from '../../service/service.ts';
import { amountText } from '../amount.ts';
import { daysOf, type Item, itemsOf, uncoveredItems } from './items.ts';

/** The choices of the form. `map`, `currency`: of a CSV file. `encoding`: empty if the file says it. `bankAccount`: of a file with several. */
export type Choices = Record<'account' | 'month' | 'zone' | 'map' | 'currency' | 'encoding' | 'bankAccount' | 'file', string>;

/** `minorUnits`: those of the item that people saw. `with`: the other item of a link. */
export type Settled = { minorUnits: string } & ({ how: 'explained'; text: string } | { how: 'linked'; with: string });

type Totals = { currency: string } & Record<'opening' | 'closing' | 'ledgerOpening' | 'ledgerClosing', string | undefined> & {
    matched: number;
  };

/** JSON, as it is kept. `file`: base64. `previous`: the JSON that the close of the month before saved. */
export type Work = {
  choices: Choices;
  file: string;
  previous?: string;
  compared: string;
  covers: { from: string; to: string };
  totals: Totals[];
  items: Item[];
  settled: Record<string, Settled>;
  /** It is recorded as it is here. */
  isClosed?: boolean;
};

/** `items`: of the comparison before, if there was one. */
type Begun = Pick<Work, 'choices' | 'file' | 'previous' | 'settled'> & Partial<Pick<Work, 'items'>>;

/** Reads the files and compares them with the ledger as it is now. Refuses files that are not of the month, or of that before. */
export async function compareMonth(service: Pick<Service, 'database' | 'clock'>, begun: Begun): Promise<Work> {
  const { choices, file, previous, settled } = begun;
  const { found, uncovered, carried, now } = await compare(service, begun);
  const said = textsOf(begun);
  const items = [...uncovered, ...itemsOf(found)].map((item): Item => {
    const before = said.get(item.key) ?? carried?.explained.get(item.key);
    return { ...item, ...(item.day < found.from && { isCarried: true }), ...(before !== undefined && { before }) };
  });
  const known = new Map(items.map(({ key, minorUnits }) => [key, minorUnits]));
  return {
    ...{ choices, file, compared: now.toISOString(), covers: { from: found.from, to: found.to }, items },
    ...(previous !== undefined && { previous }),
    totals: found.currencies.map(totalsOf),
    settled: Object.fromEntries(
      Object.entries(settled).filter(
        ([key, how]) => known.get(key) === how.minorUnits && (how.how === 'explained' || known.has(how.with)),
      ),
    ),
  };
}

/** What people said about each item before the comparison. */
function textsOf({ items = [], settled }: Begun): Map<string, string> {
  const suggested = items.flatMap(({ key, before }): [string, string][] => (before === undefined ? [] : [[key, before]]));
  const explained = Object.entries(settled).flatMap(([key, how]): [string, string][] =>
    how.how === 'explained' ? [[key, how.text]] : [],
  );
  return new Map([...suggested, ...explained]);
}

/**
 * What the close of the next month gets, in the format of `earmark reconcile --save`. What people linked is settled; what they explained stays
 * open, with their words.
 */
export async function saveOpen(service: Pick<Service, 'database' | 'clock'>, work: Work): Promise<object> {
  const { found } = await compare(service, work);
  const { settled, choices } = work;
  const linked = (id: string) => settled[id]?.how === 'linked';
  const pairs = found.onlyAtBank.flatMap((line) => {
    const how = settled[line.id];
    const movements = found.onlyInLedger.filter(({ id }) => how?.how === 'linked' && id === how.with);
    return movements.length > 0 ? [{ by: 'person' as const, lines: [line], movements }] : [];
  });
  const rest = {
    ...found,
    matched: [...found.matched, ...pairs],
    onlyAtBank: found.onlyAtBank.filter(({ id }) => !linked(id)),
    onlyInLedger: found.onlyInLedger.filter(({ id }) => !linked(id)),
  };
  const explained = Object.entries(settled).flatMap(([key, how]) => (how.how === 'explained' ? [[key, how.text]] : []));
  return toJson(rest, choices.account, Object.fromEntries(explained));
}

async function compare(
  service: Pick<Service, 'database' | 'clock'>,
  { choices, file, previous }: Begun,
): Promise<{ found: Reconciliation; uncovered: Item[]; carried: Previous | undefined; now: Date }> {
  const { account, zone } = choices;
  const { sql } = service.database;
  const now = service.clock.now(account);
  const month = monthOf(choices, now);
  const accounts = readAccounts(choices, Buffer.from(file, 'base64'), month);
  try {
    const carried = previous === undefined ? undefined : fromJson(previous, account);
    const wanted = { accounts, zone, zoneOption: 'Time zone of the bank', days: DAYS, previous: carried, now };
    const found = await compareWithLedger(sql, account, wanted);
    return { found, uncovered: await uncoveredItems(sql, account, { accounts, month, carried }), carried, now };
  } catch (error) {
    throw asRefusal(error);
  }
}

function asRefusal(error: unknown): unknown {
  return error instanceof UserError ? refuse('badRequest', { message: error.message }) : error;
}

/** The lines of the file, and those that the month before left open, by their ids. */
export function linesOf({ choices, file, previous }: Work, now: Date): Map<string, BankLine> {
  const accounts = readAccounts(choices, Buffer.from(file, 'base64'), monthOf(choices, now));
  const carried = previous === undefined ? [] : fromJson(previous, choices.account).lines;
  return new Map([...carried, ...accounts.flatMap(({ lines }) => lines)].map((line) => [line.id, line]));
}

/** Refuses what is not a month that has begun. */
export function monthOf({ month, zone }: Pick<Choices, 'month' | 'zone'>, now: Date): Month {
  const read = readMonth(month, zone);
  if (!read) throw refuse('badRequest', { message: 'Choose a month.' });
  if (read.from > now) throw refuse('badRequest', { message: 'The month has not begun.' });
  return read;
}

export function requireOpen(work: Work, key: string): Item {
  const item = openItems(work).find((one) => one.key === key);
  if (!item) throw refuse('badRequest', { message: 'This is not open any more.' });
  return item;
}

export function openItems({ items, settled }: Work): Item[] {
  return items.filter(({ key }) => !settled[key]);
}

function readAccounts({ zone, map, currency, encoding, bankAccount }: Choices, bytes: Buffer, month: Month): BankAccount[] {
  const dayOf = dayOfZone(zone);
  // A CSV file does not say which days it covers: what only the ledger has before its first line or after its last one is open, too.
  const whole = daysOf(month);
  try {
    const given = { encoding: ENCODINGS.find((one) => one === encoding), ...(map && { map }), ...(currency && { currency }) };
    const { accounts } = readBankFile(bytes, { dayOf, period: whole, ...given });
    const plain = (text: string) => text.replace(/\s+/g, '');
    const chosen = accounts.filter((one) => !bankAccount || plain(one.account) === plain(bankAccount));
    const names = accounts.map((one) => one.account).join(', ');
    if (chosen.length === 0) throw new UserError(`The file has no account ${bankAccount}, but ${names}.`);
    if (!bankAccount && new Set(accounts.map((one) => one.account)).size > 1)
      throw new UserError(`The file has several accounts: name that of the customers. It has ${names}.`);
    const other = chosen.find(({ from, to }) => from < whole.from || to > whole.to);
    if (other) throw new UserError(`The file covers ${other.from} to ${other.to}, which is not within ${month.text}.`);
    const [{ from, to }] = chosen as [BankAccount];
    if (chosen.some((one) => one.from !== from || one.to !== to))
      throw new UserError('The accounts of the file do not cover the same days.');
    return chosen;
  } catch (error) {
    throw asRefusal(error);
  }
}

function totalsOf({ currency, bank, ledger, matched }: CurrencyResult): Totals {
  const value = (amount: bigint | undefined) => (amount === undefined ? undefined : amountText(amount, currency));
  return {
    ...{ currency, opening: value(bank.opening), closing: value(bank.closing), matched: matched.count },
    ...{ ledgerOpening: value(ledger.opening), ledgerClosing: value(ledger.closing) },
  };
}
