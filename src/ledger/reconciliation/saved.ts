// The JSON of a reconciliation: for --json, for the file that is kept, and to continue from that file.

import { formatAmount, parseAmount } from '../../core/money/money.ts';
import { UserError } from '../../core/user-error.ts';
import type { BankLine } from '../bank-files/statement.ts';
import type { Movement, Pairing } from './match.ts';
import type { CurrencyResult, Previous, Reconciliation } from './reconcile.ts';

/** A file is not a kept reconciliation. The message is one line. */
class SavedError extends UserError {}
const NOT_SAVED = 'The file of the period before is not a reconciliation that was saved.';

type Json = Record<string, unknown>;
type JsonLine = ReturnType<typeof lineJson>;
type JsonMovement = ReturnType<typeof movementJson>;
type JsonPairing = { by: string; lines: JsonLine[]; movements: JsonMovement[] };
type Saved = {
  reconciliation: number;
  account: string;
  to: string;
  matched: JsonPairing[];
  different: JsonPairing[];
  onlyAtBank: JsonLine[];
  onlyInLedger: JsonMovement[];
  settledBefore: JsonMovement[];
  explained?: Record<string, string>;
};

/** The version of the format. */
const VERSION = 1;

/**
 * `account`: the account of Earmark. Amounts are decimal texts; those of the bank are positive if money entered. `explained`: why something
 * that stays open does not match, by the id of the line or movement.
 */
export function toJson(
  { from, to, isComplete, ...found }: Reconciliation,
  account: string,
  explained: Record<string, string> = {},
): Json {
  return {
    reconciliation: VERSION,
    account,
    from,
    to,
    complete: isComplete,
    currencies: found.currencies.map(currencyJson),
    matched: found.matched.map(pairingJson),
    different: found.different.map(pairingJson),
    onlyAtBank: found.onlyAtBank.map(lineJson),
    onlyInLedger: found.onlyInLedger.map(movementJson),
    settledBefore: found.settled.map(movementJson),
    ...(Object.keys(explained).length > 0 && { explained }),
  };
}

/** Reads what toJson made. Throws a SavedError. */
export function fromJson(text: string, account: string): Previous {
  let saved: Saved;
  try {
    saved = JSON.parse(text) as Saved;
    if (saved.reconciliation !== VERSION) throw new Error();
    if (saved.account !== account)
      throw new SavedError(`The reconciliation of the period before is of the account ${saved.account}.`);
    const parted = saved.different;
    return {
      to: saved.to,
      lines: [...saved.onlyAtBank, ...parted.flatMap(({ lines }) => lines)].map(toLine),
      movements: [...saved.onlyInLedger, ...parted.flatMap(({ movements }) => movements)].map(toMovement),
      settled: [...saved.matched.flatMap(({ movements }) => movements), ...saved.settledBefore].map(toMovement),
      explained: new Map(Object.entries(saved.explained ?? {})),
    };
  } catch (error) {
    if (error instanceof SavedError) throw error;
    throw new SavedError(NOT_SAVED);
  }
}

function currencyJson({ currency, bank, ledger, ...rest }: CurrencyResult) {
  const value = (amount: bigint | undefined) => (amount === undefined ? null : formatAmount(amount, currency).value);
  const total = ({ count, amount }: { count: number; amount: bigint }) => ({ count, amount: value(amount) });
  return {
    currency,
    bank: { opening: value(bank.opening), closing: value(bank.closing) },
    ledger: { opening: value(ledger.opening), closing: value(ledger.closing) },
    matched: total(rest.matched),
    onlyAtBank: total(rest.onlyAtBank),
    onlyInLedger: total(rest.onlyInLedger),
    different: total(rest.different),
    recordedLater: value(rest.recordedLater),
    unexplained: value(rest.unexplained),
  };
}

function pairingJson({ by, lines, movements }: Pairing): JsonPairing {
  return { by, lines: lines.map(lineJson), movements: movements.map(movementJson) };
}

function lineJson({ at, account, amount, currency, valued, counterparty, ...rest }: BankLine) {
  const { id, booked, references, text } = rest;
  return {
    ...{ id, line: at, bankAccount: account, amount: formatAmount(amount, currency), booked, valued: valued ?? null },
    ...{ references, text, name: counterparty ?? null },
  };
}

function movementJson({ id, kind, customerId, amount, currency, created, day, externalId, reference, original }: Movement) {
  const value = formatAmount(amount, currency);
  return { id, kind, customer: customerId, amount: value, created, day, externalId, reference, original };
}

function toLine({ line, bankAccount, amount, valued, name, ...rest }: JsonLine): BankLine {
  const { id, booked, references, text } = rest;
  return {
    ...{ at: line, account: bankAccount, currency: amount.currency, amount: minorUnitsOf(amount), id, booked },
    ...{ valued: valued ?? undefined, references, text, counterparty: name ?? undefined },
  };
}

function toMovement({ customer, amount, ...rest }: JsonMovement): Movement {
  return { ...rest, customerId: customer, amount: minorUnitsOf(amount), currency: amount.currency };
}

function minorUnitsOf(amount: { value: string; currency: string }): bigint {
  const parsed = parseAmount(amount, { signed: true });
  if ('code' in parsed) throw new SavedError(NOT_SAVED);
  return parsed.minorUnits;
}
