// What a person asks to move: the two sides, and what the move means for their balances.
import type { findBalances } from '../../../ledger/transfers/balance.ts';
import type { AccountKind } from '../../../ledger/transfers/entries.ts';
import type { Label } from '../../../resources/labels/label.ts';
import { amountText, type TypedAmount } from '../amount.ts';

type Balances = Awaited<ReturnType<typeof findBalances>>;

/** A side of a move. `value`: of the form: `outside`, `available` or the id of a label. */
export type Place = { value: string; kind: AccountKind; name: string | null; balances?: Balances; label?: Label };

/** The fields of the form, as text. */
export type Fields = Record<'from' | 'to' | 'amount' | 'currency' | 'reference', string>;

export type Checked = {
  kind: 'deposit' | 'withdrawal' | 'label' | 'reallocation';
  from: Place;
  to: Place;
  amount: TypedAmount;
  currency: string;
};

/** The sides of a move and its kind, or why there is none. */
export function placeOf(from: Place, to: Place): Pick<Checked, 'kind' | 'from' | 'to'> | { fault: string } {
  if (from.value === to.value) return { fault: 'Choose two different sides.' };
  if (from.kind === 'label' && to.kind === 'label') return { kind: 'reallocation', from, to };
  if (from.kind === 'external' && to.kind === 'available') return { kind: 'deposit', from, to };
  if (from.kind === 'available' && to.kind === 'external') return { kind: 'withdrawal', from, to };
  if (from.kind === 'external' || to.kind === 'external') {
    return { fault: 'Money enters and leaves through the available balance. Move it in two steps.' };
  }
  return { kind: 'label', from, to };
}

/** Why the ledger would refuse the move now, or undefined. */
export function faultIn({ from, to, amount: { minorUnits }, currency }: Checked): string | undefined {
  const other = [from, to].find(({ label }) => label && label.currency !== currency);
  if (other) return `The label is in ${other.label!.currency}.`;
  const balance = balanceOf(from, currency);
  if (balance !== undefined && balance < minorUnits) {
    return `Only ${amountText(balance, currency)} ${currency} is there.`;
  }
  return undefined;
}

/** The balance of a side now; undefined outside, which has none. */
export function balanceOf({ kind, balances, label }: Place, currency: string): bigint | undefined {
  if (kind === 'external') return undefined;
  return label ? label.balance : (balances?.find((balance) => balance.currency === currency)?.available ?? 0n);
}
