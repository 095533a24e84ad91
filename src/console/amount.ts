// Amounts for people: grouped digits and the currency.
import { formatAmount } from '../money/money.ts';

/** `123456789n USD` → `1,234,567.89` */
export function amountText(minorUnits: bigint, currency: string): string {
  const [whole, part] = formatAmount(minorUnits < 0n ? -minorUnits : minorUnits, currency).value.split('.');
  const sign = minorUnits < 0n ? '−' : '';
  const grouped = BigInt(whole!).toLocaleString('en');
  return part === undefined ? `${sign}${grouped}` : `${sign}${grouped}.${part}`;
}
