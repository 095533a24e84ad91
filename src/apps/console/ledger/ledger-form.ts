// The form that filters a ledger.
import { type Html, html } from '../../../platform/pages/html.ts';
import { field, icon } from '../../../platform/pages/parts.ts';
import { labelField, type Offered } from './label-choice.ts';
import { isFiltered, type LedgerFields, TEXT_LENGTH } from './ledger-query.ts';
import { KINDS } from './transfer-words.ts';

type Form = { action: string; zone: string; labelled: string; offered: Offered };

/** `action`: the page of the ledger. `labelled`: what the choice of a label is called. */
export function ledgerForm(fields: LedgerFields, { action, zone, labelled, offered }: Form): Html {
  const input = (id: 'text' | 'externalId' | 'metadata' | 'amount', label: string, more: Record<string, string> = {}) =>
    field(
      { id, label },
      html`<input class="input" id=${id} name=${id} value=${fields[id]} maxlength=${TEXT_LENGTH} autocomplete="off" ...${more} />`,
    );
  const day = (id: 'from' | 'until', label: string) =>
    field({ id, label }, html`<input class="input" type="date" id=${id} name=${id} value=${fields[id]} />`);
  return html`<form class="filters filters-many" method="get" action=${action} role="search">
    ${day('from', `From (${zone})`)} ${day('until', `As of (${zone})`)}
    ${field(
      { id: 'kind', label: 'Kind' },
      html`<select class="input" id="kind" name="kind">
        <option value="">Any</option>
        ${Object.entries(KINDS).map(([kind, { name }]) => html`<option value=${kind} selected=${kind === fields.kind}>${name}</option>`)}
      </select>`,
    )}
    ${labelField({ id: 'label', label: labelled }, offered, { others: [{ value: '', text: 'Any' }], chosen: fields.label })}
    ${input('text', 'Within the reference')} ${input('externalId', 'External id')}
    ${input('metadata', 'Metadata', { placeholder: 'key=value' })} ${input('amount', 'Amount', { inputmode: 'decimal' })}
    <div class="buttons">
      <button class="button" type="submit">${icon('magnifying-glass', 'small')}Filter</button>
      ${isFiltered(fields) && html`<a class="button button-quiet" href=${action}>Clear</a>`}
    </div>
  </form>`;
}
