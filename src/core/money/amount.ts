// Amounts in requests and responses: schemas, parsing and refusals.
import { type Fault, invalid, type Refusal } from '../problems.ts';
import { CHECKED_LATER, NO_CONTROL_CHARACTERS, STRICT } from '../schema.ts';
import { Type } from '../type.ts';
import { minorDigits } from './currencies.ts';
import { type Amount, type AmountFault, formatAmount, MAX_VALUE_LENGTH, parseAmount, SIGNED, UNSIGNED } from './money.ts';

const Currency = Type.String({
  description: 'ISO 4217 code.',
  examples: ['USD'],
  [CHECKED_LATER]: { pattern: '^[A-Z]{3}$' },
});

export const AmountSchema = Type.Object(
  {
    value: Type.String({
      description: 'Decimal digits, optionally followed by a point and at most the minor digits of the currency.',
      examples: ['10.50'],
      [CHECKED_LATER]: { maxLength: MAX_VALUE_LENGTH, pattern: UNSIGNED.source },
    }),
    currency: Currency,
  },
  { title: 'Amount' },
);

export const AmountRequest = Type.Object(
  { ...AmountSchema.properties, value: { ...AmountSchema.properties.value, examples: ['10.00'] } },
  { title: 'AmountRequest', ...STRICT },
);

/** The value of an amount that is everything the source holds. */
const ALL = 'all';

export const AmountOrAllSchema = Type.Object(
  {
    value: Type.String({
      description: `Decimal digits as in Amount, or \`${ALL}\`: what the source has available, or the original has left, at that moment.`,
      examples: ['10.00', ALL],
      [CHECKED_LATER]: { maxLength: MAX_VALUE_LENGTH, pattern: `^${ALL}$|${UNSIGNED.source}` },
    }),
    currency: Currency,
  },
  { title: 'AmountOrAll', ...STRICT },
);

export const SignedAmountSchema = Type.Object(
  {
    value: Type.String({
      description: 'A decimal amount, with a minus sign if money is returned to the available balance.',
      examples: ['-10.50'],
      [CHECKED_LATER]: { maxLength: MAX_VALUE_LENGTH, pattern: SIGNED.source },
    }),
    currency: Currency,
  },
  { title: 'SignedAmount' },
);

export const SignedAmountRequest = Type.Object(
  { ...SignedAmountSchema.properties, value: { ...SignedAmountSchema.properties.value, examples: ['-10.00'] } },
  { title: 'SignedAmountRequest', ...STRICT },
);

export const ReferenceSchema = Type.String({ minLength: 1, maxLength: 255, pattern: NO_CONTROL_CHARACTERS });

type AllowedSign = 'positive' | 'zero or more' | 'signed';

/** Parses the `amount` of a request into minor units, or returns a fault with its JSON pointer. */
export function readAmount(amount: Amount, allowed: AllowedSign): { minorUnits: bigint } | { fault: Fault } {
  const parsed = parseAmount(amount, { signed: allowed === 'signed' });
  if ('code' in parsed) return { fault: toFault(parsed) };
  if (parsed.minorUnits === 0n && allowed !== 'zero or more') {
    const message = allowed === 'signed' ? 'Amount must not be zero.' : 'Amount must be greater than zero.';
    return { fault: { code: 'Invalid', message, path: '/amount/value' } };
  }
  return parsed;
}

/** Like `readAmount` for a positive amount or `all`, which is 0 minor units: the ledger then moves what the source has available. */
export function readAmountOrAll(amount: Amount): ReturnType<typeof readAmount> {
  const isAll = amount.value === ALL && minorDigits(amount.currency) !== undefined;
  return isAll ? { minorUnits: 0n } : readAmount(amount, 'positive');
}

/** Like `readAmountOrAll`, but throws ValidationError with the fault. */
export function requireAmountOrAll(amount: Amount): bigint {
  const read = readAmountOrAll(amount);
  if ('fault' in read) throw invalid(read.fault);
  return read.minorUnits;
}

/** Like `readAmount`, but throws ValidationError with the fault. */
export function requireAmount(amount: Amount, allowed: AllowedSign): bigint {
  const read = readAmount(amount, allowed);
  if ('fault' in read) throw invalid(read.fault);
  return read.minorUnits;
}

/** In minor units: what a source has available, what is held of it, and what its customer owes in the currency. */
export type Funds = { available: bigint; held: bigint; owed: bigint };

/** The refusal of an amount above what its source has available. The message says that, and what is held and owed, unless that is zero. */
export function insufficientFunds({ available, held, owed }: Funds, currency: string): Refusal {
  const text = (minorUnits: bigint, what: string) => `${formatAmount(minorUnits, currency).value} ${currency} ${what}`;
  const parts = [
    text(available, 'available'),
    ...(held > 0n ? [text(held, 'held')] : []),
    ...(owed > 0n ? [text(owed, 'owed')] : []),
  ];
  return invalid({ code: 'InsufficientFunds', message: `Insufficient funds: ${parts.join(', ')}.`, path: '/amount/value' });
}

/** Of a customer without a ledger account in the currency. */
export const NOTHING: Funds = { available: 0n, held: 0n, owed: 0n };

export const balanceLimit: Fault = {
  code: 'Invalid',
  message: 'Amount would take a balance past 18 digits.',
  path: '/amount/value',
};
export const otherCurrency: Fault = { code: 'Invalid', message: 'Currency must be that of the label.', path: '/amount/currency' };

function toFault({ code, message, member }: AmountFault): Fault {
  return { code, message, path: `/amount/${member}` };
}
