// What `earmark reconcile` prints for people: what does not match, then the totals and balances of each currency.
import { formatAmount } from '../../core/money/money.ts';
import type { BankLine } from '../../ledger/bank-files/statement.ts';
import { type Movement, type Pairing, sum } from '../../ledger/reconciliation/match.ts';
import type { CurrencyResult, Reconciliation } from '../../ledger/reconciliation/reconcile.ts';
import type { Recorded } from '../../resources/bank-lines/record.ts';
import { bad, good, heading, print, printTable, printText } from './output.ts';

const TEXT_MAX = 60;

export function printReconciliation(found: Reconciliation, recorded: Recorded[]): void {
  const made = recorded.filter((one) => 'depositId' in one);
  printPart('Recorded', made.map(recordedRow));
  printPart('Different amounts', found.different.map(differentRow));
  const reasons = new Map(recorded.flatMap((one) => ('reason' in one ? [[one.line.id, one.reason] as const] : [])));
  printPart(
    'Only at the bank',
    found.onlyAtBank.map((line) => ({ ...lineRow(line), ...(reasons.size > 0 && { reason: reasons.get(line.id) ?? '' }) })),
  );
  printPart('Only in the ledger', found.onlyInLedger.map(movementRow));
  for (const currency of found.currencies) {
    printText(`${heading(`${currency.currency}, ${found.from} to ${found.to}`)}\n`);
    print(totalsOf(currency), false);
    printText('\n');
  }
  printText(found.isComplete ? `${good('Everything matches.')}\n` : `${bad('Not everything matches.')}\n`);
}

export function recordedJson(one: Recorded): Record<string, unknown> {
  const { line, ...rest } = one;
  return 'depositId' in rest
    ? { line: line.at, id: line.id, customer: rest.customerId, deposit: rest.depositId }
    : { line: line.at, id: line.id, reason: rest.reason };
}

function printPart(title: string, rows: Record<string, string | number>[]): void {
  if (rows.length === 0) return;
  printText(`${heading(`${title}: ${rows.length}`)}\n`);
  printTable(rows, '');
  printText('\n');
}

function recordedRow(one: Recorded) {
  const { line } = one;
  return { line: line.at, amount: amountOf(line), customer: 'customerId' in one ? one.customerId : '', text: textOf(line) };
}

function lineRow(line: BankLine): Record<string, string | number> {
  return { line: line.at, booked: line.booked, amount: amountOf(line), text: textOf(line) };
}

function movementRow(movement: Movement) {
  const { day, kind, id, reference, externalId } = movement;
  return { day, kind, amount: amountOf(movement), id, text: shorten(reference ?? externalId ?? '') };
}

function differentRow({ lines, movements }: Pairing) {
  const { currency } = lines[0]!;
  const value = (amount: bigint) => `${formatAmount(amount, currency).value} ${currency}`;
  return {
    lines: lines.map(({ at }) => at).join(' '),
    bank: value(sum(lines)),
    ledger: value(sum(movements)),
    movements: movements.map(({ id }) => id).join(' '),
    text: textOf(lines[0]!),
  };
}

function totalsOf({ currency, bank, ledger, ...rest }: CurrencyResult): Record<string, string> {
  const value = (amount: bigint | undefined) => (amount === undefined ? 'not in the file' : formatAmount(amount, currency).value);
  const total = ({ count, amount }: { count: number; amount: bigint }) => `${value(amount)} (${count})`;
  return {
    'opening balance of the bank': value(bank.opening),
    'opening balance of the ledger': value(ledger.opening),
    matched: total(rest.matched),
    'only at the bank': total(rest.onlyAtBank),
    'only in the ledger': total(rest.onlyInLedger),
    'different amounts': total(rest.different),
    'recorded after the period': value(rest.recordedLater),
    'closing balance of the bank': value(bank.closing),
    'closing balance of the ledger': value(ledger.closing),
    'unexplained difference': value(rest.unexplained),
  };
}

function amountOf({ amount, currency }: { amount: bigint; currency: string }): string {
  return `${formatAmount(amount, currency).value} ${currency}`;
}

function textOf({ references, text, counterparty }: BankLine): string {
  return shorten([references[0], text, counterparty].filter((part) => part).join(' · '));
}

/** Strangers wrote it: without control characters, which a terminal would obey. */
function shorten(text: string): string {
  const plain = text.replace(/[\p{Cc}\p{Cf}]+/gu, ' ');
  return plain.length > TEXT_MAX ? `${plain.slice(0, TEXT_MAX)}…`.toWellFormed() : plain;
}
