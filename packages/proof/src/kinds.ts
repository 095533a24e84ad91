// What the transfer of an entry is, and the kinds of its two accounts.
import type { Entry } from './entry.ts';

/** A label, the money of a customer that is on no label, the outside world, or what the customer owes. */
export type Kind = 'label' | 'available' | 'external' | 'owed';
/** As statements and lists name it. */
export type TransferKind = (typeof TRANSFER_KINDS)[number];

export const TRANSFER_KINDS = [
  ...(['deposit', 'withdrawal', 'reallocation', 'reversal', 'label', 'allocation', 'repayment'] as const),
  ...(['deposit-return', 'withdrawal-return', 'recovery', 'debt'] as const),
];

type Sides = { from: Kind; to: Kind };

const LEG_DIGIT = { from: '1', to: '2' };

/** The kind of the transfer of an entry, or undefined if its topic reports none. */
export function transferKindOf({
  topic,
  deposit,
  return: returned,
  reverses,
}: Pick<Entry, 'topic' | 'deposit' | 'return' | 'reverses'>): TransferKind | undefined {
  switch (topic) {
    case 'customer_deposit_created':
      return 'deposit';
    case 'customer_withdrawal_created':
      return 'withdrawal';
    case 'customer_deposit_returned':
      return 'deposit-return';
    case 'customer_withdrawal_returned':
      return 'withdrawal-return';
    case 'customer_label_reallocation_created':
      return reverses === undefined ? 'reallocation' : 'reversal';
    case 'customer_owed_entry_created':
      return deposit === undefined ? 'debt' : 'repayment';
    case 'customer_label_ledger_entry_created':
      if (returned !== undefined) return 'recovery';
      return deposit === undefined ? 'label' : 'allocation';
    default:
      return undefined;
  }
}

const SIDES: Partial<Record<TransferKind, Sides>> = {
  deposit: { from: 'external', to: 'available' },
  withdrawal: { from: 'available', to: 'external' },
  reallocation: { from: 'label', to: 'label' },
  reversal: { from: 'label', to: 'label' },
  repayment: { from: 'available', to: 'owed' },
  debt: { from: 'owed', to: 'available' },
  'deposit-return': { from: 'available', to: 'external' },
  'withdrawal-return': { from: 'external', to: 'available' },
};

/**
 * The kinds of the accounts of a transfer. An entry of a label is named by its side in the last digit of its id. A withdrawal may also be
 * from a label, and come back to it, which only the entries before it show.
 */
export function kindsOf(entry: Entry): Sides | undefined {
  const kind = transferKindOf(entry);
  if (kind === undefined) return undefined;
  const sides = SIDES[kind];
  if (sides) return sides;
  return entry.resourceId.endsWith(LEG_DIGIT.from) ? { from: 'label', to: 'available' } : { from: 'available', to: 'label' };
}

/** What is wrong with the transfer of an entry beside its numbers. */
export function faultOfKinds(entry: Entry): string | undefined {
  const kind = transferKindOf(entry);
  if (kind === undefined) return `an event of the topic ${entry.topic} moves no money`;
  const { rule, deposit, reverses, return: returned } = entry;
  if (kind === 'allocation' && rule === undefined) return 'an allocation has no rule';
  if (rule !== undefined && kind !== 'allocation' && kind !== 'deposit') return `a ${kind} has a rule`;
  if (deposit !== undefined && kind !== 'allocation' && kind !== 'repayment') return `a ${kind} has a deposit`;
  const isReturn = kind === 'deposit-return' || kind === 'withdrawal-return';
  if (isReturn && reverses === undefined) return `a ${kind} has no original`;
  if (reverses !== undefined && !isReturn && kind !== 'reversal') return `a ${kind} has an original`;
  if (kind === 'debt' && returned === undefined) return 'a debt has no return';
  if (returned !== undefined && kind !== 'debt' && kind !== 'recovery') return `a ${kind} has a return`;
  return undefined;
}

/** The id of the transfer of an entry. */
export function transferIdOf({ resourceId }: Pick<Entry, 'resourceId'>): string {
  return `${resourceId.slice(0, -1)}0`;
}

/** The id of the ledger entry on a side. */
export function legIdOf(entry: Entry, side: 'from' | 'to'): string {
  return entry.resourceId.slice(0, -1) + LEG_DIGIT[side];
}
