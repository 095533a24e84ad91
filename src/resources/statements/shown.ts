// Texts of a PDF: names, descriptions, amounts, and dates.
import { formatAmount } from '../../core/money/money.ts';
import type { Entry } from '../../ledger/transfers/entries.ts';
import type { StatementAccount } from './statement.ts';
import { isolate } from './typesetter.ts';

const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const DAY_MS = 86_400_000;

/** Descriptions of entries that add to their account, and of those that take from it. */
const NAMES_IN: Partial<Record<Entry['kind'], string>> = {
  deposit: 'Deposit',
  allocation: 'Allocated from a deposit',
  repayment: 'Paid by a deposit',
  'withdrawal-return': 'Returned withdrawal',
  debt: 'Owed for a returned deposit',
};
const NAMES_OUT: Partial<Record<Entry['kind'], string>> = {
  withdrawal: 'Withdrawal',
  repayment: 'Payment of what was owed',
  'deposit-return': 'Returned deposit',
  recovery: 'Taken for a returned deposit',
  debt: 'Owed for a returned deposit',
};

export function titleOf({ kind, name }: Pick<StatementAccount, 'kind' | 'name'>): string {
  if (kind === 'label') return name ?? 'Unnamed label';
  return kind === 'owed' ? 'Owed by the customer' : 'Available balance';
}

export function descriptionOf({ kind, amount, otherKind, otherName }: Entry): string {
  const name = amount > 0n ? NAMES_IN[kind] : NAMES_OUT[kind];
  if (name !== undefined) return name;
  const other = otherKind === 'available' ? 'available balance' : isolate(otherName ?? 'unnamed label');
  if (kind === 'allocation') return `Allocated to ${other}`;
  if (kind === 'reversal') return amount < 0n ? `Reversal to ${other}` : `Reversal from ${other}`;
  return amount < 0n ? `To ${other}` : `From ${other}`;
}

/** What the platform calls an entry: its reference, external id and correlation id. */
export function referencesOf({ reference, externalId, correlationId }: Entry): string[] {
  return [
    ...(reference === null ? [] : [reference]),
    ...(externalId === null ? [] : [`External id ${externalId}`]),
    ...(correlationId === null ? [] : [`Correlation id ${correlationId}`]),
  ];
}

/** `1,234.50`, with a minus sign for a negative amount. */
export function moneyOf(minorUnits: bigint, { currency }: { currency: string }): string {
  const isNegative = minorUnits < 0n;
  const [whole = '', decimals] = formatAmount(isNegative ? -minorUnits : minorUnits, currency).value.split('.');
  const grouped = `${isNegative ? '−' : ''}${BigInt(whole).toLocaleString('en')}`;
  return decimals === undefined ? grouped : `${grouped}.${decimals}`;
}

/** `2026-01` → `January 2026`. Not from `Intl`, whose names change with its data. */
export function monthOf(month: string): string {
  const [year, number] = month.split('-');
  return `${MONTHS[Number(number) - 1]} ${year}`;
}

export function dayOf(wallMs: number): string {
  const date = new Date(Math.floor(wallMs / DAY_MS) * DAY_MS);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]!.slice(0, 3)} ${date.getUTCFullYear()}`;
}

export function timeOf(wallMs: number): string {
  return new Date(wallMs).toISOString().slice(11, 16);
}
