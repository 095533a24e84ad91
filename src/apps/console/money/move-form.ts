// The form of a move, and its confirmation with the balances afterwards.
import { type Html, html } from '../../../platform/pages/html.ts';
import { card, field, table } from '../../../platform/pages/parts.ts';
import { amountText } from '../amount.ts';
import { balanceOf, type Checked, type Fields, type Place } from './move-check.ts';
import { kindBadge, sideName } from './transfer-words.ts';

const ACTION = '/console/money/move';

export function moveForm(customerId: string, places: Place[], fields: Fields): Html {
  return card(
    { title: 'What to move' },
    html`<form method="get" action=${ACTION}>
      <input type="hidden" name="customer" value=${customerId} />
      ${choice({ id: 'from', label: 'From', value: fields.from }, places)}
      ${choice({ id: 'to', label: 'To', value: fields.to }, places)}
      ${field(
        { id: 'amount', label: 'Amount' },
        html`<input class="input" id="amount" name="amount" value=${fields.amount} required inputmode="decimal" autocomplete="off" />`,
      )}
      ${field(
        { id: 'currency', label: 'Currency' },
        html`<input class="input input-short" id="currency" name="currency" value=${fields.currency} required maxlength="3" autocomplete="off" />`,
      )}
      ${field(
        { id: 'reference', label: 'Reference', hint: 'Optional. Stands on statements.' },
        html`<input class="input" id="reference" name="reference" value=${fields.reference} maxlength="255" autocomplete="off" aria-describedby="reference-hint" />`,
      )}
      <div class="buttons">
        <button class="button button-primary" type="submit">Continue</button>
        <a class="button" href=${`/console/customers/${customerId}`}>Cancel</a>
      </div>
    </form>`,
  );
}

function choice({ id, label, value }: { id: string; label: string; value: string }, places: Place[]): Html {
  return field(
    { id, label },
    html`<select class="input" id=${id} name=${id}>
      ${places.map((place) => html`<option value=${place.value} selected=${place.value === value}>${optionText(place)}</option>`)}
    </select>`,
  );
}

function optionText(place: Place): string {
  const name = sideName({ ...place, id: place.value });
  const amounts = place.label
    ? [`${amountText(place.label.balance, place.label.currency)} ${place.label.currency}`]
    : (place.balances ?? []).map(({ available, currency }) => `${amountText(available, currency)} ${currency}`);
  return amounts.length > 0 ? `${name} (${amounts.join(', ')})` : name;
}

/** The form that sends what was confirmed. `hidden`: its fields, with a key that makes it work once, however often it is sent. */
type Sending = { action: string; hidden: Record<string, string>; reference: string; back: string; verb: string };

export function confirmation(checked: Checked, { action, hidden, reference, back, verb }: Sending): Html {
  const { kind, from, to, amount, currency } = checked;
  const sides = [
    { place: from, change: -amount.minorUnits },
    { place: to, change: amount.minorUnits },
  ];
  const rows = sides.map(({ place, change }) => {
    const before = balanceOf(place, currency);
    return [
      sideName({ ...place, id: place.value }),
      before === undefined ? '' : amountText(before, currency),
      `${change > 0n ? '+' : ''}${amountText(change, currency)}`,
      before === undefined ? '' : html`<b>${amountText(before + change, currency)}</b>`,
    ];
  });
  const columns = [
    { label: 'Ledger account' },
    { label: 'Now', isNumber: true },
    { label: 'Change', isNumber: true },
    { label: 'Afterwards', isNumber: true },
  ];
  return html`${card(
    { title: `${amountText(amount.minorUnits, currency)} ${currency}`, lead: kindBadge(kind), isBare: true },
    table({ caption: 'Balances afterwards', columns, rows }),
  )}
  <p>The amount “${amount.typed}” is read as <b>${amountText(amount.minorUnits, currency)} ${currency}</b>.</p>
  ${reference && html`<p>Reference: ${reference}</p>`}
  <p class="muted">The ledger checks the balances again when the money moves. A transfer is never changed or deleted.</p>
  <form method="post" action=${action}>
    ${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name=${name} value=${value} />`)}
    <div class="buttons">
      <button class="button button-primary" type="submit">${verb}</button>
      <a class="button" href=${back}>Back</a>
    </div>
  </form>`;
}
