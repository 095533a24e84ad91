// The kinds and sides of transfers in words.
import type { AccountKind } from '../../../ledger/transfers/entries.ts';
import type { StoredTransfer } from '../../../ledger/transfers/transfer.ts';
import type { Html } from '../../../platform/pages/html.ts';
import { badge } from '../../../platform/pages/parts.ts';

const KINDS = {
  deposit: { name: 'Deposit', tone: 'good' },
  withdrawal: { name: 'Withdrawal', tone: 'warn' },
  reallocation: { name: 'Reallocation', tone: 'accent' },
  label: { name: 'Label entry', tone: 'neutral' },
  allocation: { name: 'Allocation', tone: 'neutral' },
} as const satisfies Record<StoredTransfer['kind'], object>;

const SHORT_ID = 8;

export function kindName(kind: StoredTransfer['kind']): string {
  return KINDS[kind].name;
}

export function kindBadge(kind: StoredTransfer['kind']): Html {
  return badge(KINDS[kind].name, KINDS[kind].tone);
}

/** The account on one side: the name of a label, or the end of its id. */
export function sideName({ kind, name, id }: { kind: AccountKind; name: string | null; id: string }): string {
  if (kind === 'external') return 'Outside, at the bank';
  if (kind === 'available') return 'Available';
  return name ?? `Label …${id.slice(-SHORT_ID)}`;
}
