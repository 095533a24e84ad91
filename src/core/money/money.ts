// Money: decimal strings at the interface, bigint minor units inside.
import { minorDigits } from './currencies.ts';

export type Amount = { value: string; currency: string };
export type AmountFault = { code: 'InvalidFormat' | 'Invalid'; message: string; member: 'value' | 'currency' };

/** The largest amount and balance, in minor units: 18 digits. */
export const MAX_MINOR_UNITS = 10n ** 18n - 1n;

export const UNSIGNED = /^[0-9]+(?:\.([0-9]+))?$/;
export const SIGNED = /^[+-]?[0-9]+(?:\.([0-9]+))?$/;
export const MAX_VALUE_LENGTH = 40;

/**
 * Parses an amount into minor units, or returns its fault. `"10"`, `"10.0"` and `"10.00"` USD are all 1000. A sign is accepted only
 * with `signed`; the caller checks whether the amount may be zero or negative.
 */
export function parseAmount(amount: Amount, options: { signed?: boolean } = {}): { minorUnits: bigint } | AmountFault {
  const digits = minorDigits(amount.currency);
  if (digits === undefined) {
    return { code: 'Invalid', message: 'Currency is not a known ISO 4217 code.', member: 'currency' };
  }
  const match = amount.value.length <= MAX_VALUE_LENGTH && (options.signed ? SIGNED : UNSIGNED).exec(amount.value);
  if (!match) {
    return { code: 'InvalidFormat', message: 'Amount must be a decimal number such as "10.50".', member: 'value' };
  }
  const decimals = match[1] ?? '';
  if (decimals.length > digits) {
    return {
      code: 'InvalidFormat',
      message: `Amount has more than the ${digits} decimals of ${amount.currency}.`,
      member: 'value',
    };
  }
  const minorUnits = BigInt(amount.value.replace('.', '') + '0'.repeat(digits - decimals.length));
  if (minorUnits > MAX_MINOR_UNITS || minorUnits < -MAX_MINOR_UNITS) {
    return { code: 'Invalid', message: 'Amount has more than 18 digits.', member: 'value' };
  }
  return { minorUnits };
}

/** Formats minor units with all minor digits: 1050n USD is `{value: "10.50", currency: "USD"}`. */
export function formatAmount(minorUnits: bigint, currency: string): Amount {
  return { value: formatMinorUnits(`${minorUnits}`, currency), currency };
}

/** Formats an integer of minor units, as text, with all minor digits: `1050` USD is `10.50`. */
export function formatMinorUnits(integer: string, currency: string): string {
  const digits = minorDigits(currency) ?? 0;
  if (digits === 0) return integer;
  const sign = integer.startsWith('-') ? '-' : '';
  const text = integer.slice(sign.length).padStart(digits + 1, '0');
  return `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}
