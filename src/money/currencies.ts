// Currencies and their minor digits, from ISO 4217 as kept by the `currency-codes` package.
import currencyCodes from 'currency-codes';

// The table marks what is not money of a place (gold, test codes, "no currency") with countries that begin with Zz.
const digits = new Map(
  currencyCodes.data
    .filter((entry) => !entry.countries.some((country) => country.startsWith('Zz')))
    .map((entry) => [entry.code, entry.digits]),
);

/** The number of decimals of a currency's minor unit (`USD` 2, `JPY` 0, `BHD` 3), or undefined for an unknown code. */
export function minorDigits(currency: string): number | undefined {
  return digits.get(currency);
}
