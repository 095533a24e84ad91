// The items of a month that is being closed: what a comparison left open, and what the file of the bank does not cover.
import { CURRENCIES } from '../../../core/money/currencies.ts';
import { dayOfZone } from '../../../core/zone.ts';
import type { BankAccount } from '../../../ledger/bank-files/read.ts';
import type { BankLine } from '../../../ledger/bank-files/statement.ts';
import { daysLater } from '../../../ledger/bank-files/values.ts';
import { type Movement, type Pairing, sum } from '../../../ledger/reconciliation/match.ts';
import { readLedgerSide } from '../../../ledger/reconciliation/movements.ts';
import type { Previous, Reconciliation } from '../../../ledger/reconciliation/reconcile.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import type { Month } from '../../../resources/statements/month.ts';
import { KINDS } from '../ledger/transfer-words.ts';

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
  /** It is of a day before the file: the month before left it open, or the bank booked it back. */
  isCarried?: boolean;
};

/** What a comparison left open. */
export function itemsOf({ onlyAtBank, onlyInLedger, different, currencies, to }: Reconciliation): Item[] {
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

type Covered = { accounts: BankAccount[]; month: Month; carried: Previous | undefined };

/** What the accounts of a file do not cover: days of the month, and currencies in which the ledger moved. */
export async function uncoveredItems(sql: Sql, account: string, { accounts, month, carried }: Covered): Promise<Item[]> {
  return [...missingDays(accounts[0]!, month, carried), ...(await missingCurrencies(sql, { account, accounts, month }))];
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

/** The first and the last day of a month. */
export function daysOf({ text, zone, before }: Month): { from: string; to: string } {
  return { from: `${text}-01`, to: dayOfZone(zone)(new Date(before.getTime() - 1)) };
}
