// The form of a move, and its confirmation with the balances afterwards.
import { type Html, html } from '../../../platform/pages/html.ts';
import { card, field, table } from '../../../platform/pages/parts.ts';
import { amountText } from '../amount.ts';
import { formKey } from '../form-key.ts';
import { labelField } from '../ledger/label-choice.ts';
import { kindBadge, sideName } from '../ledger/transfer-words.ts';
import { balanceOf, type Checked, type Fields, type Place } from './move-check.ts';
import { otherSides, type Sides } from './move-sides.ts';

const ACTION = '/console/money/move';

export function moveForm(sides: Sides, fields: Fields): Html {
  const { offered, now } = sides;
  const { customerId } = offered;
  const others = otherSides(sides);
  return card(
    { title: 'What to move' },
    html`<form method="get" action=${ACTION}>
      <input type="hidden" name="customer" value=${customerId} />
      ${formKey(now)}
      ${labelField({ id: 'from', label: 'From' }, offered, { others, chosen: fields.from })}
      ${labelField({ id: 'to', label: 'To' }, offered, { others, chosen: fields.to })}
      ${field(
        { id: 'amount', label: 'Amount' },
        html`<input class="input" id="amount" name="amount" value=${fields.amount} required inputmode="decimal" autocomplete="off" />`,
      )}
      ${field(
        { id: 'currency', label: 'Currency', hint: 'For money that enters or leaves. A label has its own.' },
        html`<input class="input input-short" id="currency" name="currency" aria-describedby="currency-hint" value=${fields.currency} required maxlength="3" autocomplete="off" />`,
      )}
      ${field(
        { id: 'reference', label: 'Reference', hint: 'Stands on statements. Needed if money enters or leaves.' },
        html`<input class="input" id="reference" name="reference" value=${fields.reference} maxlength="255" autocomplete="off" aria-describedby="reference-hint" />`,
      )}
      <div class="buttons">
        <button class="button button-primary" type="submit">Continue</button>
        <a class="button" href=${`/console/customers/${customerId}`}>Cancel</a>
      </div>
    </form>`,
  );
}

/**
 * The form that sends what was confirmed. `hidden`: its fields, with a key that makes it work once, however often it is sent. `asks`: what is
 * said about a second person.
 */
type Sending = { action: string; hidden: Record<string, string>; reference: string; back: string; verb: string; asks: Html };

export function confirmation(checked: Checked, sending: Sending): Html {
  const { kind, from, to, amount, currency } = checked;
  const sideOf = (place: Place, change: bigint) => ({
    name: sideName({ ...place, id: place.value }),
    before: balanceOf(place, currency),
    change,
  });
  const sides = [sideOf(from, -amount.minorUnits), sideOf(to, amount.minorUnits)];
  return html`${balancesAfterwards(sides, { currency, title: `${amountText(amount.minorUnits, currency)} ${currency}`, lead: kindBadge(kind) })}
  <p>The amount “${amount.typed}” is read as <b>${amountText(amount.minorUnits, currency)} ${currency}</b>.</p>
  ${sending.reference && html`<p>Reference: ${sending.reference}</p>`}
  ${sendingForm(sending)}`;
}

/** `before`: undefined outside, which has no balance. */
type Change = { name: string; before: bigint | undefined; change: bigint };

/** What each ledger account has now and afterwards. */
export function balancesAfterwards(
  changes: Change[],
  { currency, title, lead }: { currency: string; title: string; lead: Html },
): Html {
  const rows = changes.map(({ name, before, change }) => [
    name,
    before === undefined ? '' : amountText(before, currency),
    `${change > 0n ? '+' : ''}${amountText(change, currency)}`,
    before === undefined ? '' : html`<b>${amountText(before + change, currency)}</b>`,
  ]);
  const columns = [
    { label: 'Ledger account' },
    { label: 'Now', isNumber: true },
    { label: 'Change', isNumber: true },
    { label: 'Afterwards', isNumber: true },
  ];
  return card({ title, lead, isBare: true }, table({ caption: 'Balances afterwards', columns, rows }));
}

export function sendingForm({ action, hidden, back, verb, asks }: Omit<Sending, 'reference'>): Html {
  return html`${asks} <p class="muted">The ledger checks the balances again when the money moves. A transfer is never changed or deleted.</p>
    <form method="post" action=${action}>
      ${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name=${name} value=${value} />`)}
      <div class="buttons">
        <button class="button button-primary" type="submit">${verb}</button>
        <a class="button" href=${back}>Back</a>
      </div>
    </form>`;
}
