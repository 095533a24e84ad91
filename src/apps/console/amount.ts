// Amounts for people: writes them with grouped digits, and reads what people type.
import { minorDigits } from '../../core/money/currencies.ts';
import { formatAmount, parseAmount } from '../../core/money/money.ts';

/** An amount as a person typed it, and as it was understood: minor units, and the value as the API takes it. */
export type TypedAmount = { typed: string; minorUnits: bigint; value: string };

const GROUPED = /^[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?$/;
const GROUP = 3;

/** `123456789n USD` → `1,234,567.89` */
export function amountText(minorUnits: bigint, currency: string): string {
  const [whole, part] = formatAmount(minorUnits < 0n ? -minorUnits : minorUnits, currency).value.split('.');
  const sign = minorUnits < 0n ? '−' : '';
  const grouped = BigInt(whole!).toLocaleString('en');
  return part === undefined ? `${sign}${grouped}` : `${sign}${grouped}.${part}`;
}

/**
 * Reads an amount with a decimal point, with or without commas between groups of three digits: `1250`, `1250.00`, `1,250.00`.
 * Returns a fault for a comma that may be a decimal comma: `12,50` is 12.50 to some people, and 1,250 if commas were ignored.
 */
export function readTypedAmount(typed: string, currency: string): TypedAmount | { fault: string } {
  if (typed.includes(',') && !isGrouped(typed, currency)) {
    return {
      fault: `“${typed}” is ambiguous: a comma may group digits or begin the decimals. Write decimals after a point, and commas only between complete groups of three digits, such as 12.50 or 1,250.00.`,
    };
  }
  const parsed = parseAmount({ value: typed.replaceAll(',', ''), currency });
  if ('code' in parsed) return { fault: parsed.message };
  return { typed, minorUnits: parsed.minorUnits, value: formatAmount(parsed.minorUnits, currency).value };
}

/** `1,250` may be a decimal in a currency with three decimals. */
function isGrouped(typed: string, currency: string): boolean {
  return GROUPED.test(typed) && (typed.includes('.') || minorDigits(currency) !== GROUP);
}
