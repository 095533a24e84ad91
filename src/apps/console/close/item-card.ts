// An item that is open in a month close, with what can be done about it: record, link or explain.
import { type Html, html } from '../../../platform/pages/html.ts';
import { badge } from '../../../platform/pages/parts.ts';
import { amountText } from '../amount.ts';
import { TEXT_LENGTH } from '../ledger/ledger-query.ts';
import { REQUESTS } from '../requests/request-href.ts';
import { shortId } from '../short-id.ts';
import type { Item } from './items.ts';

const KINDS = {
  bank: { name: 'only at the bank', tone: 'warn' },
  ledger: { name: 'only in the ledger', tone: 'warn' },
  different: { name: 'amounts differ', tone: 'bad' },
  balance: { name: 'unexplained difference', tone: 'bad' },
  coverage: { name: 'not in the file', tone: 'bad' },
} as const;

type Around = { href: string; others: Item[]; asked: string | undefined };

/** `others`: the open items, among which are those to link with. `asked`: the request to record it. */
export function itemCard(item: Item, { href, others, asked }: Around): Html {
  const { key, kind, currency, day, text, transfers, isCarried, before } = item;
  const minorUnits = BigInt(item.minorUnits);
  const isPair = (other: Item) =>
    other.currency === currency && other.minorUnits === item.minorUnits && other.kind === 'ledger' && kind === 'bank';
  const candidates = others.filter(isPair);
  const amount = `${minorUnits > 0n ? '+' : ''}${amountText(minorUnits, currency)} ${currency}`;
  return html`<li>
    <div>
      <p class="close-amount">${minorUnits !== 0n && amount} ${badge(KINDS[kind].name, KINDS[kind].tone)} ${isCarried && badge('from a month before', 'accent')}</p>
      <p class="muted small">${day} · ${text || 'without a text'}</p>
      ${transfers.map((id) => html`<p class="small"><a href=${`/console/money/transfers/${id}`}>Transfer ${shortId(id)}</a></p>`)}
    </div>
    <div class="close-actions">
      ${asked && html`<p><a href=${`${REQUESTS}/${asked}`}>Waits for a second person, who records it</a></p>`}
      ${kind === 'bank' && !asked && recordForm(item, { href, isCredit: minorUnits > 0n, label: amount })}
      ${candidates.length > 0 && linkForm(key, { href, candidates, label: amount })}
      <form method="post" action=${`${href}/settle`}>
        <input type="hidden" name="item" value=${key} />
        <input class="input" name="text" required maxlength=${TEXT_LENGTH} value=${before ?? ''} placeholder="Why it does not match" aria-label=${`Why ${amount} does not match`} autocomplete="off" />
        <button class="button button-small" type="submit">Explain</button>
      </form>
    </div>
  </li>`;
}

type Options = { href: string; label: string };

function recordForm({ key }: Item, { href, label, isCredit }: Options & { isCredit: boolean }): Html {
  return html`<form method="post" action=${`${href}/record`}>
    <input type="hidden" name="item" value=${key} />
    <input class="input" name="customer" required maxlength=${TEXT_LENGTH} placeholder="Customer: name, id or external id" aria-label=${`Customer of ${label}`} autocomplete="off" />
    <button class="button button-small" type="submit">${isCredit ? 'Record the deposit' : 'Record the withdrawal'}</button>
  </form>`;
}

function linkForm(key: string, { href, label, candidates }: Options & { candidates: Item[] }): Html {
  return html`<form method="post" action=${`${href}/settle`}>
    <input type="hidden" name="item" value=${key} />
    <select class="input" name="with" aria-label=${`Movement of ${label}`}>
      ${candidates.map(({ key, day, text }) => html`<option value=${key}>${day} ${text}</option>`)}
    </select>
    <button class="button button-small" type="submit">Link</button>
  </form>`;
}
