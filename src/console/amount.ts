// Amounts for people: grouped digits and the currency.
import { formatAmount } from '../money/money.ts';

/** `123456789n USD` → `1,234,567.89` */
export function amountText(minorUnits: bigint, currency: string): string {
  const [whole, part] = formatAmount(minorUnits, currency).value.split('.');
  const grouped = whole!.replace(/\B(?=(\d{3})+$)/g, ',');
  return part === undefined ? grouped : `${grouped}.${part}`;
}
