// Reconciles statements of a bank with the ledger: what matches, what does not, and what explains the difference of the balances. Pure.
import type { BankAccount } from '../bank-files/read.ts';
import type { BankLine } from '../bank-files/statement.ts';
import { daysLater } from '../bank-files/values.ts';
import { type Matching, type Movement, match, type Pairing, sum } from './match.ts';
import type { LedgerSide } from './movements.ts';

/** In minor units. `bank`: undefined where the file has no balance. */
type Balances = { opening: bigint | undefined; closing: bigint | undefined };
type Total = { count: number; amount: bigint };

export type CurrencyResult = {
  currency: string;
  bank: Balances;
  ledger: { opening: bigint; closing: bigint };
  /** The lines of the bank, those carried from before included. */
  matched: Total;
  onlyAtBank: Total;
  onlyInLedger: Total;
  /** The bank's amounts less those of the ledger. */
  different: Total;
  /** Matched, now or before, but the ledger recorded it after the period. */
  recordedLater: bigint;
  /** The difference of the closing balances that none of these explains; undefined if the file has no closing balance. */
  unexplained: bigint | undefined;
};

/** What an earlier reconciliation left open, what it settled, and what people said about the former, by the id of the line or movement. */
export type Previous = {
  to: string;
  lines: BankLine[];
  movements: Movement[];
  settled: Movement[];
  explained: Map<string, string>;
};

export type Reconciliation = Matching & {
  from: string;
  to: string;
  /** What reconciliations before settled, and one of the next periods may read again. */
  settled: Movement[];
  currencies: CurrencyResult[];
  /** Nothing is open, and nothing of a difference is unexplained. */
  isComplete: boolean;
};

/** How far apart the days of bank and ledger may be at most. */
export const DAYS_MAX = 60;

type Input = { accounts: BankAccount[]; ledger: LedgerSide; previous: Previous | undefined; days: number };

/** `accounts` cover one period. The balances of `ledger` are those before its first day, and after its last. */
export function reconcile({ accounts, ledger, previous, days }: Input): Reconciliation {
  const { from, to } = accounts[0]!;
  const lines = [...(previous?.lines ?? []), ...accounts.flatMap((account) => account.lines)];
  const carried = previous?.movements ?? [];
  const known = new Set(carried.map(({ id }) => id));
  const settled = (previous?.settled ?? []).filter(({ day }) => day >= daysLater(from, -DAYS_MAX));
  const used = new Set([...known, ...settled.map(({ id }) => id)]);
  const read = ledger.movements.filter(({ id }) => !used.has(id));
  const matching = match(lines, [...carried, ...read], { days });
  // Those before and after belong to other statements, which have their lines.
  const onlyInLedger = matching.onlyInLedger.filter(({ id, day }) => known.has(id) || (day >= from && day <= to));
  const found = { ...matching, onlyInLedger, settled };
  const currencies = [...ledger.balances].map(([currency, balances]) =>
    currencyResult(currency, accounts, { found, to, balances }),
  );
  const isSettled = [found.different, found.onlyAtBank, onlyInLedger].every(({ length }) => length === 0);
  return { ...found, from, to, currencies, isComplete: isSettled && currencies.every(({ unexplained }) => !unexplained) };
}

function currencyResult(
  currency: string,
  accounts: BankAccount[],
  { found, to, balances }: { found: Matching & Pick<Reconciliation, 'settled'>; to: string; balances: bigint[] },
): CurrencyResult {
  const isOf = (one: { currency: string }) => one.currency === currency;
  const own = accounts.filter(isOf);
  const total = (parts: (BankAccount['opening'] | undefined)[]) =>
    parts.some((part) => part === undefined) ? undefined : parts.reduce<bigint>((all, part) => all + part!, 0n);
  const bank = { opening: total(own.map(({ opening }) => opening)), closing: total(own.map(({ closing }) => closing)) };
  const ledger = { opening: balances[0]!, closing: balances[1]! };
  const pairings = (all: Pairing[]) => all.filter(({ lines }) => isOf(lines[0]!));
  const [matched, different] = [pairings(found.matched), pairings(found.different)];
  const [onlyAtBank, onlyInLedger] = [found.onlyAtBank.filter(isOf), found.onlyInLedger.filter(isOf)];
  const settled = [...matched.flatMap(({ movements }) => movements), ...found.settled.filter(isOf)];
  const recordedLater = sum(settled.filter(({ day }) => day > to));
  const laterOfDifferent = sum(different.flatMap(({ movements }) => movements).filter(({ day }) => day > to));
  const explained = sum(onlyAtBank) - sum(onlyInLedger) + differenceOf(different) + laterOfDifferent + recordedLater;
  return {
    currency,
    bank,
    ledger,
    matched: { count: matched.flatMap(({ lines }) => lines).length, amount: sum(matched.flatMap(({ lines }) => lines)) },
    onlyAtBank: { count: onlyAtBank.length, amount: sum(onlyAtBank) },
    onlyInLedger: { count: onlyInLedger.length, amount: sum(onlyInLedger) },
    different: { count: different.length, amount: differenceOf(different) },
    recordedLater,
    unexplained: bank.closing === undefined ? undefined : bank.closing - ledger.closing - explained,
  };
}

function differenceOf(pairings: Pairing[]): bigint {
  return pairings.reduce((all, { lines, movements }) => all + sum(lines) - sum(movements), 0n);
}
