// The kinds and sides of transfers in words.
import type { Entry } from '../../../ledger/transfers/entries.ts';
import type { Side } from '../../../ledger/transfers/ledger-account.ts';
import type { StoredTransfer } from '../../../ledger/transfers/transfer.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { badge, icon } from '../../../platform/pages/parts.ts';
import { endOf } from '../short-id.ts';

type ShownKind = Entry['kind'];

export const KINDS = {
  deposit: { name: 'Deposit', tone: 'good' },
  withdrawal: { name: 'Withdrawal', tone: 'warn' },
  reallocation: { name: 'Reallocation', tone: 'accent' },
  reversal: { name: 'Reversal', tone: 'warn' },
  label: { name: 'Label entry', tone: 'neutral' },
  allocation: { name: 'Allocation', tone: 'neutral' },
  repayment: { name: 'Repayment', tone: 'good' },
  'deposit-return': { name: 'Return of a deposit', tone: 'bad' },
  'withdrawal-return': { name: 'Return of a withdrawal', tone: 'good' },
  recovery: { name: 'Taken for a return', tone: 'warn' },
  debt: { name: 'Debt', tone: 'bad' },
} as const satisfies Record<ShownKind, object>;

/** What people see of a transfer: a reallocation that reverses another one is a reversal. */
export function shownKind({ kind, reverses }: Pick<StoredTransfer, 'kind' | 'reverses'>): ShownKind {
  return kind === 'reallocation' && reverses !== null ? 'reversal' : kind;
}

export function kindBadge(kind: ShownKind): Html {
  return badge(KINDS[kind].name, KINDS[kind].tone);
}

/** What else became of a transfer. */
export function stateBadges({
  kind,
  amount,
  reversed,
  holdId,
}: Pick<StoredTransfer, 'amount' | 'reversed' | 'holdId'> & { kind: ShownKind }): Html {
  const word = kind === 'reallocation' ? 'reversed' : 'returned';
  const isWhole = reversed === (amount < 0n ? -amount : amount);
  return html`${reversed > 0n && html` ${badge(isWhole ? word : `partly ${word}`, 'warn')}`}
  ${holdId !== null && html` ${badge('captured a hold', 'accent')}`}`;
}

/** The account on one side: the name of a label, or the end of its id. */
export function sideName({ kind, name, id }: Side): string {
  if (kind === 'external') return 'Outside, at the bank';
  if (kind === 'available') return 'Available';
  if (kind === 'owed') return 'Owed';
  return name ?? `Label\u00a0…\u2060${endOf(id)}`;
}

/** The account on one side, with a link to its ledger. */
export function sideLink(side: Side | undefined): Html {
  return side && html`<a href=${ledgerHref(side.id)}>${sideName(side)}</a>`;
}

export function ledgerHref(accountId: string): string {
  return `/console/money/accounts/${accountId}`;
}

/** From where to where money moved. */
export function routeOf(from: Side | undefined, to: Side | undefined): Html {
  return html`<span class="route">${sideLink(from)} ${icon('arrow-right', 'small')}<span class="visually-hidden">to</span> ${sideLink(to)}</span>`;
}

/** The reference of a transfer, and the ids by which the client knows it. */
export function textsOf({
  reference,
  correlationId,
  externalId,
}: Pick<StoredTransfer, 'reference' | 'correlationId' | 'externalId'>): Html {
  const ids = [externalId, correlationId].filter((text) => text !== null);
  if (reference === null && ids.length === 0) return undefined;
  return html`${reference} ${ids.map((id) => html`<div class="muted small mono">${id}</div>`)}`;
}
