// What the transfer of an entry is, and the kinds of its two accounts.
import type { Entry } from './entry.ts';

/** A label, the money of a customer that is on no label, or the outside world. */
export type Kind = 'label' | 'available' | 'external';
/** As statements and lists name it. */
export type TransferKind = 'deposit' | 'withdrawal' | 'reallocation' | 'reversal' | 'label' | 'allocation';

const LEG_DIGIT = { from: '1', to: '2' };

/** The kind of the transfer of an entry, or undefined if its topic reports none. */
export function transferKindOf({
  topic,
  deposit,
  reverses,
}: Pick<Entry, 'topic' | 'deposit' | 'reverses'>): TransferKind | undefined {
  if (topic === 'customer_deposit_created') return 'deposit';
  if (topic === 'customer_withdrawal_created') return 'withdrawal';
  if (topic === 'customer_label_reallocation_created') return reverses === undefined ? 'reallocation' : 'reversal';
  if (topic === 'customer_label_ledger_entry_created') return deposit === undefined ? 'label' : 'allocation';
  return undefined;
}

/**
 * The kinds of the accounts of a transfer. An entry of a label is named by its side in the last digit of its id. A withdrawal may also be
 * from a label, which only the entries before it show.
 */
export function kindsOf(entry: Entry): { from: Kind; to: Kind } | undefined {
  const kind = transferKindOf(entry);
  if (kind === undefined) return undefined;
  if (kind === 'deposit') return { from: 'external', to: 'available' };
  if (kind === 'withdrawal') return { from: 'available', to: 'external' };
  if (kind === 'reallocation' || kind === 'reversal') return { from: 'label', to: 'label' };
  return entry.resourceId.endsWith(LEG_DIGIT.from) ? { from: 'label', to: 'available' } : { from: 'available', to: 'label' };
}

/** What is wrong with the transfer of an entry beside its numbers. */
export function faultOfKinds(entry: Entry): string | undefined {
  const kind = transferKindOf(entry);
  if (kind === undefined) return `an event of the topic ${entry.topic} moves no money`;
  const isAllocation = kind === 'allocation';
  if (isAllocation && entry.rule === undefined) return 'an allocation has no rule';
  if (entry.rule !== undefined && !isAllocation && kind !== 'deposit') return `a ${kind} has a rule`;
  if (entry.deposit !== undefined && !isAllocation) return `a ${kind} has a deposit`;
  if (entry.reverses !== undefined && kind !== 'reversal') return `a ${kind} has an original`;
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
