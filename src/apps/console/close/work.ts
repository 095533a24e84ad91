// The work on the close of a month: the file of the bank, what its comparison with the ledger left open, and what became of that.
import { ENCODINGS } from '../../../core/bank-formats.ts';
import { CURRENCIES } from '../../../core/money/currencies.ts';
import { refuse } from '../../../core/problems.ts';
import { UserError } from '../../../core/user-error.ts';
import { dayOfZone } from '../../../core/zone.ts';
import { type BankAccount, readBankFile } from '../../../ledger/bank-files/read.ts';
import type { BankLine } from '../../../ledger/bank-files/statement.ts';
import { daysLater } from '../../../ledger/bank-files/values.ts';
import { type Movement, type Pairing, sum } from '../../../ledger/reconciliation/match.ts';
import { readLedgerSide } from '../../../ledger/reconciliation/movements.ts';
import type { CurrencyResult, Previous, Reconciliation } from '../../../ledger/reconciliation/reconcile.ts';
import { fromJson, toJson } from '../../../ledger/reconciliation/saved.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { type Month, readMonth } from '../../../resources/statements/month.ts';
import { compareWithLedger, DAYS } from '../../reconciliation/compare.ts';
import type { Service } from '../../service/service.ts';
import { amountText } from '../amount.ts';
import { KINDS } from '../ledger/transfer-words.ts';

/** The choices of the form. `map`, `currency`: of a CSV file. `encoding`: empty if the file says it. `bankAccount`: of a file with several. */
export type Choices = Record<'account' | 'month' | 'zone' | 'map' | 'currency' | 'encoding' | 'bankAccount' | 'file', string>;

/** `minorUnits`: those of the item that people saw. `with`: the other item of a link. */
export type Settled = { minorUnits: string } & ({ how: 'explained'; text: string } | { how: 'linked'; with: string });

/** Something that only one side has, that differs, a difference of the closing balances, or what the file lacks. `minorUnits`: positive if money entered. */
export type Item = {
  key: string;
  kind: 'bank' | 'ledger' | 'different' | 'balance' | 'coverage';
  currency: string;
  minorUnits: string;
  day: string;
  text: string;
  transfers: string[];
  /** What the close of the month before said about it, or people did when its amount was another. */
  before?: string;
  /** The month before left it open. */
  isCarried?: boolean;
};

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
    const wanted = { accounts, zone, days: DAYS, previous: carried, now };
    const found = await compareWithLedger(sql, account, wanted);
    const uncovered = [
      ...missingDays(accounts[0]!, month, carried),
      ...(await missingCurrencies(sql, { account, accounts, month })),
    ];
    return { found, uncovered, carried, now };
  } catch (error) {
    throw asRefusal(error);
  }
}

/** The days of the month that neither the file covers nor what the month before left open. */
function missingDays({ from, to, currency }: BankAccount, month: Month, carried: Previous | undefined): Item[] {
  const whole = daysOf(month);
  const first = carried && carried.to >= whole.from ? daysLater(carried.to, 1) : whole.from;
  if (from <= first && to >= whole.to) return [];
  const text = `The file covers ${from} to ${to}, not all of ${month.text}.`;
  return [{ key: 'coverage', kind: 'coverage', currency, minorUnits: '0', day: to, text, transfers: [] }];
}

/** The currencies that moved in the ledger, and that the file lacks. */
async function missingCurrencies(
  sql: Sql,
  { account, accounts, month }: { account: string; accounts: BankAccount[]; month: Month },
): Promise<Item[]> {
  const currencies = CURRENCIES.filter((currency) => accounts.every((one) => one.currency !== currency));
  const range = { currencies, from: month.from, before: month.before, balancesAt: [] };
  const { movements } = await readLedgerSide(sql, account, range, dayOfZone(month.zone));
  return [...Map.groupBy(movements, ({ currency }) => currency)].map(([currency, moved]) => ({
    ...{ key: `coverage-${currency}`, kind: 'coverage', currency, minorUnits: `${sum(moved)}`, transfers: [] },
    ...{ day: daysOf(month).to, text: `The ledger moved in ${currency}, of which the file has no account.` },
  }));
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
  try {
    const characters = { encoding: ENCODINGS.find((one) => one === encoding) };
    const { format, accounts } = readBankFile(bytes, {
      dayOf,
      ...characters,
      ...(map && { map }),
      ...(currency && { currency }),
    });
    const plain = (text: string) => text.replace(/\s+/g, '');
    const chosen = accounts.filter((one) => !bankAccount || plain(one.account) === plain(bankAccount));
    const names = accounts.map((one) => one.account).join(', ');
    if (chosen.length === 0) throw new UserError(`The file has no account ${bankAccount}, but ${names}.`);
    if (!bankAccount && new Set(accounts.map((one) => one.account)).size > 1)
      throw new UserError(`The file has several accounts: name that of the customers. It has ${names}.`);
    const whole = daysOf(month);
    const other = chosen.find(({ from, to }) => from < whole.from || to > whole.to);
    if (other) throw new UserError(`The file covers ${other.from} to ${other.to}, which is not within ${month.text}.`);
    const [{ from, to }] = chosen as [BankAccount];
    if (chosen.some((one) => one.from !== from || one.to !== to))
      throw new UserError('The accounts of the file do not cover the same days.');
    // A CSV file does not say which days it covers: what only the ledger has before its first line or after its last one is open, too.
    return format === 'csv' ? chosen.map((one) => ({ ...one, ...whole })) : chosen;
  } catch (error) {
    throw asRefusal(error);
  }
}

/** The first and the last day. */
function daysOf({ text, zone, before }: Month): { from: string; to: string } {
  return { from: `${text}-01`, to: dayOfZone(zone)(new Date(before.getTime() - 1)) };
}

function itemsOf({ onlyAtBank, onlyInLedger, different, currencies, to }: Reconciliation): Item[] {
  return [
    ...onlyAtBank.map(
      (line): Item => ({ ...bankPart(line), key: line.id, kind: 'bank', minorUnits: `${line.amount}`, transfers: [] }),
    ),
    ...onlyInLedger.map(ledgerItem),
    ...different.map(differentItem),
    ...currencies.flatMap(({ currency, unexplained }): Item[] =>
      unexplained
        ? [
            {
              ...{ key: `balance-${currency}`, kind: 'balance', currency, minorUnits: `${unexplained}`, day: to, transfers: [] },
              text: 'The closing balances differ by this, beside what is listed.',
            },
          ]
        : [],
    ),
  ];
}

function ledgerItem({ id, currency, amount, day, kind, reference, externalId }: Movement): Item {
  const name = (KINDS as Record<string, { name: string }>)[kind]?.name ?? kind;
  const text = [name, reference ?? externalId].filter(Boolean).join(' · ');
  return { key: id, kind: 'ledger', currency, minorUnits: `${amount}`, day, text, transfers: [id] };
}

function differentItem({ lines, movements }: Pairing): Item {
  const transfers = movements.map(({ id }) => id);
  return {
    ...bankPart(lines[0]!),
    key: `different-${lines[0]!.id}`,
    kind: 'different',
    minorUnits: `${sum(lines) - sum(movements)}`,
    transfers,
  };
}

function bankPart({ currency, booked, references, text, counterparty }: BankLine) {
  return { currency, day: booked, text: [counterparty, references[0], text].filter(Boolean).join(' · ') };
}

function totalsOf({ currency, bank, ledger, matched }: CurrencyResult): Totals {
  const value = (amount: bigint | undefined) => (amount === undefined ? undefined : amountText(amount, currency));
  return {
    ...{ currency, opening: value(bank.opening), closing: value(bank.closing), matched: matched.count },
    ...{ ledgerOpening: value(ledger.opening), ledgerClosing: value(ledger.closing) },
  };
}
