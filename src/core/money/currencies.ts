// Currencies and their minor digits (ISO 4217). `Intl` follows CLDR instead, whose digits differ.
import { CODES_BY_MINOR_DIGITS } from './iso-4217.ts';

const digits = new Map(
  Object.entries(CODES_BY_MINOR_DIGITS).flatMap(([minor, codes]) => codes.split(' ').map((code) => [code, Number(minor)])),
);

/** Every currency code. */
export const CURRENCIES: readonly string[] = [...digits.keys()];

/** The number of decimals of a currency's minor unit (`USD` 2, `JPY` 0, `BHD` 3), or undefined for an unknown code. */
export function minorDigits(currency: string): number | undefined {
  return digits.get(currency);
}
