// The filter of the audit log, as its form and its address have it.
import { isId } from '../../../core/ids.ts';
import { ACTIONS, type AuditFilter, LOOKS } from '../../../ledger/audit/audit.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { field } from '../../../platform/pages/parts.ts';
import { AUDIT_FIELDS, AUDIT_LOG, type AuditFields, LOOK } from '../audit-href.ts';
import { endOfDay, startOfDay } from '../days.ts';
import { TEXT_LENGTH } from '../ledger/ledger-query.ts';

export function readAuditFields(query: URLSearchParams): AuditFields {
  const text = (name: string) => (query.get(name) ?? '').trim().slice(0, TEXT_LENGTH);
  return Object.fromEntries(AUDIT_FIELDS.map((name) => [name, text(name)])) as AuditFields;
}

/** Returns a fault for what is not a day or an id. `resourceId` is that of the field. */
export function readAuditFilter(fields: AuditFields, zone: string): AuditFilter | { fault: string } {
  const { person, action, about, text, from, until } = fields;
  const [start, end] = [startOfDay(from, zone), endOfDay(until, zone)];
  if ((from && !start) || (until && !end)) return { fault: 'A day is written as 2026-11-25.' };
  if (start && end && start >= end) return { fault: 'The first day is after the last one.' };
  if (about && !isId(about)) return { fault: 'About takes the id of a customer, a document, a transfer or anything else.' };
  return {
    ...(isId(person) && { operatorId: person }),
    ...(about && { resourceId: about }),
    ...(action === LOOK ? { action: LOOKS } : Object.hasOwn(ACTIONS, action) && { action }),
    ...(text && { text }),
    from: start,
    until: end,
  };
}

type Choice = { value: string; label: string };

export function auditForm(fields: AuditFields, { people, zone }: { people: Choice[]; zone: string }): Html {
  const actions = [
    { value: LOOK, label: 'every look at pictures, records, statements and lists' },
    ...Object.entries(ACTIONS).map(([value, label]) => ({ value, label })),
  ];
  const input = (id: keyof AuditFields, label: string, type = 'text') =>
    field(
      { id, label },
      html`<input class="input" type=${type} id=${id} name=${id} value=${fields[id]} maxlength=${type === 'text' ? TEXT_LENGTH : undefined} autocomplete="off" />`,
    );
  return html`<form class="filters filters-many" method="get" action=${AUDIT_LOG} role="search">
    ${select('person', { label: 'Person', all: 'Everybody', choices: people, chosen: fields.person })}
    ${select('action', { label: 'Action', all: 'Everything', choices: actions, chosen: fields.action })}
    ${input('about', 'About (id)')} ${input('text', 'Text')}
    ${input('from', `From (${zone})`, 'date')} ${input('until', `Until (${zone})`, 'date')}
    <button class="button" type="submit">Filter</button>
  </form>`;
}

type Select = { label: string; all: string; choices: Choice[]; chosen: string };

function select(id: string, { label, all, choices, chosen }: Select): Html {
  return field(
    { id, label },
    html`<select class="input" id=${id} name=${id}>
      <option value="">${all}</option>
      ${choices.map(({ value, label }) => html`<option value=${value} selected=${value === chosen}>${label}</option>`)}
    </select>`,
  );
}
