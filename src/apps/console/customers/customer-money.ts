// The money of a customer: balances, labels with their shares, and what moved last.
import type { findBalances } from '../../../ledger/transfers/balance.ts';
import type { StoredTransfer } from '../../../ledger/transfers/transfer.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { badge, card, emptyState, table } from '../../../platform/pages/parts.ts';
import { time } from '../../../platform/pages/time.ts';
import type { Label } from '../../../resources/labels/label.ts';
import { amountText } from '../amount.ts';
import type { Described } from '../ledger/transfer-table.ts';
import { kindBadge, ledgerHref, routeOf, shownKind, stateBadges, textsOf } from '../ledger/transfer-words.ts';
import { shortId } from '../short-id.ts';

type Balances = Awaited<ReturnType<typeof findBalances>>;

/** Labels of the table; the page of the labels has the others. */
const TABLE_MAX = 10;
const SERIES = ['series-1', 'series-2', 'series-3', 'series-4'];
/** The width of the bar in the units of its SVG. */
const BAR_WIDTH = 1000;

export function balanceCards(balances: Balances): Html {
  if (balances.length === 0) return undefined;
  return html`<ul class="grid">
    ${balances.map(
      ({ currency, available, held, labelled, owed }) => html`<li class="card">
        <div class="figure">
          <span class="label">Balance in ${currency}</span>
          <span class="value">${amountText(available + held + labelled, currency)} <span class="unit">${currency}</span></span>
          <span class="note"
            >${amountText(available, currency)} available, ${held > 0n && `${amountText(held, currency)} held, `}${amountText(labelled, currency)} on labels</span
          >
          ${owed > 0n && html`<span class="note">${badge(`${amountText(owed, currency)} ${currency} owed`, 'bad')} for a returned deposit</span>`}
        </div>
      </li>`,
    )}
  </ul>`;
}

/** `href`: the page of all labels. `mayMake`: a new one. */
export function labelCard(
  { elements, total }: { elements: Label[]; total: number },
  { href, mayOpen, mayMake }: { href: string; mayOpen: boolean; mayMake: boolean },
): Html {
  const newLink = mayMake && html`<a class="button button-small" href=${`${href}/new`}>New label</a>`;
  if (total === 0) {
    return card(
      { title: 'Labels' },
      emptyState({
        icon: 'tag',
        title: 'No labels',
        text: 'All money of this customer is available. An application divides it into labels, or somebody in finance does.',
        action: newLink,
      }),
    );
  }
  const columns = [{ label: 'Label' }, { label: 'Entries', isNumber: true }, { label: 'Amount', isNumber: true }];
  const largest = elements.toSorted((one, other) => (one.balance < other.balance ? 1 : -1));
  const rows = largest
    .slice(0, TABLE_MAX)
    .map((label) => [
      html`${keyOf(largest, label)} ${mayOpen ? html`<a href=${ledgerHref(label.id)}>${nameOf(label)}</a>` : nameOf(label)}`,
      label.version.toLocaleString('en'),
      labelAmount(label),
    ]);
  const all = total.toLocaleString('en');
  const among = total > elements.length ? `the newest ${elements.length} of ${all}` : all;
  return card(
    {
      title: 'Labels',
      lead: total > rows.length ? `the largest ${rows.length} of ${among}` : `${all} in all`,
      actions: html`${total > rows.length && html`<a href=${href}>All labels</a>`} ${newLink}`,
      isBare: true,
    },
    html`${currenciesOf(largest).map((currency) => shareBar(largest, currency))} ${table({ caption: 'Labels', columns, rows })}`,
  );
}

export function labelAmount({ balance, currency, held }: Pick<Label, 'balance' | 'currency' | 'held'>): string {
  return `${amountText(balance, currency)} ${currency}${held > 0n ? ` (${amountText(held, currency)} held)` : ''}`;
}

/** The shares of the labels of one currency as one bar; the table has the amounts. */
function shareBar(labels: Label[], currency: string): Html {
  const filled = labels.filter((label) => label.currency === currency && label.balance > 0n);
  const total = filled.reduce((sum, { balance }) => sum + balance, 0n);
  if (total === 0n) return undefined;
  let x = 0;
  return html`<div class="share-box">
    <svg class="share" viewBox=${`0 0 ${BAR_WIDTH} 10`} preserveAspectRatio="none" aria-hidden="true">
      ${filled.map((label) => {
        const width = Number((label.balance * BigInt(BAR_WIDTH)) / total);
        const start = x;
        x += width;
        return html`<rect class=${seriesOf(labels, label)} x=${start} y="0" width=${Math.max(0, width - 2)} height="10" />`;
      })}
    </svg>
  </div>`;
}

/** The largest labels of a currency have a colour each, the others share one. */
function seriesOf(labels: Label[], label: Label): string {
  const rank = labels.filter(({ currency, balance }) => currency === label.currency && balance > 0n).indexOf(label);
  return SERIES[rank] ?? 'series-rest';
}

function keyOf(labels: Label[], label: Label): Html {
  return (
    label.balance > 0n &&
    html`<svg class=${`key ${seriesOf(labels, label)}`} viewBox="0 0 10 10" aria-hidden="true"><rect width="10" height="10" rx="3" /></svg>`
  );
}

function currenciesOf(labels: Label[]): string[] {
  return [...new Set(labels.map(({ currency }) => currency))];
}

/** A label without a name is shown by the end of its id, which is random. */
export function nameOf({ name, id }: Pick<Label, 'name' | 'id'>): Html {
  return name ?? html`<span class="mono muted nowrap" title=${id}>${shortId(id)}</span>`;
}

/** Everything that moved, for people who read money. `href`: the ledger. */
export function activityCard({ transfers, sides }: Described, href: string): Html {
  if (transfers.length === 0) {
    return card(
      { title: 'Recent activity' },
      emptyState({ icon: 'arrows-right-left', title: 'Nothing has moved', text: 'The first deposit appears here.' }),
    );
  }
  const columns = [{ label: 'Time' }, { label: 'What' }, { label: 'Reference and ids' }, { label: 'Amount', isNumber: true }];
  const rows = transfers.map((transfer) => [
    html`<a href=${`/console/money/transfers/${transfer.id}`}>${time(transfer.created)}</a>`,
    html`<div>${kindBadge(shownKind(transfer))} ${stateBadges(transfer)}</div>${routeOf(sides.get(transfer.fromId), sides.get(transfer.toId))}`,
    textsOf(transfer),
    html`<span class="nowrap">${amountText(transfer.amount, transfer.currency)} ${transfer.currency}</span>`,
  ]);
  return card(
    { title: 'Recent activity', actions: html`<a href=${href}>Ledger</a>`, isBare: true },
    table({ caption: 'Recent activity', columns, rows }),
  );
}

export function reallocationCard(reallocations: StoredTransfer[], labels: Label[]): Html {
  if (reallocations.length === 0) {
    const text = 'Moves between the labels of this customer appear here.';
    return card({ title: 'Recent reallocations' }, emptyState({ icon: 'arrows-right-left', title: 'No reallocations', text }));
  }
  const known = new Map(labels.map((label) => [label.id, label]));
  const nameIn = (id: string) => nameOf(known.get(id) ?? { id, name: null });
  const columns = [
    { label: 'Time' },
    { label: 'From' },
    { label: 'To' },
    { label: 'Reference' },
    { label: 'Amount', isNumber: true },
  ];
  const rows = reallocations.map(({ created, fromId, toId, reference, amount, currency }) => [
    html`<span class="nowrap">${time(created)}</span>`,
    nameIn(fromId),
    nameIn(toId),
    reference ?? '',
    html`<span class="nowrap">${amountText(amount, currency)} ${currency}</span>`,
  ]);
  return card({ title: 'Recent reallocations', isBare: true }, table({ caption: 'Recent reallocations', columns, rows }));
}
