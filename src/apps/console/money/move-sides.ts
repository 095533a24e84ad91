// The sides between which money of a customer can move: its labels, the available money, and the outside.
import { findBalances } from '../../../ledger/transfers/balance.ts';
import type { Customer } from '../../../resources/customers/customer.ts';
import type { Service } from '../../service/service.ts';
import { amountText } from '../amount.ts';
import { findChosen, type Offered, offerLabels, otherChosen } from '../ledger/label-choice.ts';
import { sideName } from '../ledger/transfer-words.ts';
import type { Choice } from '../select.ts';
import type { Place } from './move-check.ts';

/** `now`: by the clock of the account. */
export type Sides = { offered: Offered; balances: Awaited<ReturnType<typeof findBalances>>; now: Date };

/** `given`: what the form has so far. */
export async function readSides(
  service: Pick<Service, 'database' | 'clock'>,
  customer: Customer,
  given: URLSearchParams,
): Promise<Sides> {
  const now = service.clock.now(customer.accountId);
  const [balances, offered] = await Promise.all([
    findBalances(service.database.sql, customer.id, now),
    offerLabels(service, customer, given),
  ]);
  return { offered, balances, now };
}

/** The sides that are no labels. */
export function otherSides({ balances }: Sides): Choice[] {
  const amounts = balances.map(({ available, currency }) => `${amountText(available, currency)} ${currency}`);
  return [outside, available].map(({ value, kind }) => {
    const name = sideName({ id: value, kind, name: null });
    return { value, name, text: kind === 'available' && amounts.length > 0 ? `${name} (${amounts.join(', ')})` : name };
  });
}

const outside = { value: 'outside', kind: 'external', name: null } as const;
const available = { value: 'available', kind: 'available', name: null } as const;

/** The side that a form names. */
export function findSide(sides: Sides, text: string): Place | { fault: string } {
  const other = otherChosen(otherSides(sides), text);
  if (other === outside.value) return outside;
  if (other === available.value) return { ...available, balances: sides.balances };
  const label = findChosen(sides.offered, text, 'both sides');
  return 'fault' in label ? label : { value: label.id, kind: 'label', name: label.name, label };
}
