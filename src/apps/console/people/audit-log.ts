// The audit log: who did and looked at what, newest first.
import { isId } from '../../../core/ids.ts';
import { ACTIONS, type AuditEntry, listAudit } from '../../../ledger/audit/audit.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { card, emptyState, field, pageHeader, pages as pageLinks, table, time } from '../../../platform/pages/parts.ts';
import { listOperators } from '../../../resources/operators/operator.ts';
import type { Screen } from '../screen.ts';

const HREF = '/console/audit-log';
const PAGE_SIZE = 50;

/** Where the console shows a resource. */
const PLACES: Record<string, string> = {
  operator: '/console/people/',
  customer: '/console/customers/',
  transfer: '/console/money/transfers/',
  'webhook-subscription': '/console/webhooks/',
  webhook: '/console/webhooks/deliveries/',
  application: '/console/applications/',
  'change-request': '/console/people/requests/',
};

export const auditLog: Screen = {
  href: HREF,
  label: 'Audit log',
  icon: 'clipboard-document-list',
  group: 'Access',
  permission: 'readAuditLog',
  add(pages, { database }) {
    pages.page(HREF, 'readAuditLog', async ({ query }) => {
      const filter = readFilter(query);
      const [entries, operators] = await Promise.all([
        listAudit(database.sql, filter, PAGE_SIZE + 1),
        listOperators(database.sql),
      ]);
      const shown = entries.slice(0, PAGE_SIZE);
      const next = entries.length > PAGE_SIZE ? hrefOf({ ...filter, before: shown.at(-1)!.id }) : undefined;
      const people = operators.map(({ id, name }) => ({ value: id, label: name }));
      return {
        title: 'Audit log',
        main: html`${pageHeader({ title: 'Audit log', lead: 'What people did and looked at. Entries are never changed.' })}
        ${filterForm(filter, people)}
        ${card({ title: filter.before ? 'Older entries' : 'Latest entries', isBare: true }, listOf(shown, next))}`,
      };
    });
  },
};

type Filter = { operatorId?: string | undefined; action?: string | undefined; before?: string | undefined };

function readFilter(query: URLSearchParams): Filter {
  const idIn = (name: string) => [query.get(name) ?? ''].find(isId);
  const action = query.get('action') ?? '';
  return { operatorId: idIn('person'), action: Object.hasOwn(ACTIONS, action) ? action : undefined, before: idIn('before') };
}

function hrefOf({ operatorId, action, before }: Filter): string {
  const query = new URLSearchParams({
    ...(operatorId && { person: operatorId }),
    ...(action && { action }),
    ...(before && { before }),
  });
  return `${HREF}?${query}`;
}

type Choice = { value: string; label: string };

function filterForm({ operatorId, action }: Filter, people: Choice[]): Html {
  const actions = Object.entries(ACTIONS).map(([value, label]) => ({ value, label }));
  return html`<form class="filters" method="get" action=${HREF}>
    ${field({ id: 'person', label: 'Person' }, select('person', { all: 'Everybody', choices: people, chosen: operatorId }))}
    ${field({ id: 'action', label: 'Action' }, select('action', { all: 'Everything', choices: actions, chosen: action }))}
    <button class="button" type="submit">Filter</button>
  </form>`;
}

function select(name: string, { all, choices, chosen }: { all: string; choices: Choice[]; chosen: string | undefined }): Html {
  return html`<select class="input" id=${name} name=${name}>
    <option value="">${all}</option>
    ${choices.map(({ value, label }) => html`<option value=${value} selected=${value === chosen}>${label}</option>`)}
  </select>`;
}

function listOf(entries: AuditEntry[], next: string | undefined): Html {
  if (entries.length === 0) {
    return emptyState({ icon: 'clipboard-document-list', title: 'Nothing here', text: 'No entry matches this filter.' });
  }
  const columns = [{ label: 'Time' }, { label: 'Person' }, { label: 'Action' }, { label: 'About' }, { label: 'From' }];
  const rows = entries.map((entry) => [
    time(entry.created, 'seconds'),
    entry.actor,
    html`${ACTIONS[entry.action] ?? entry.action} ${detailOf(entry)}`,
    aboutOf(entry),
    html`<span class="mono">${entry.place}</span>`,
  ]);
  return html`${table({ caption: 'Entries of the audit log', columns, rows })}
  ${pageLinks({ text: entries.length === 1 ? 'One entry' : `${entries.length} entries`, next })}`;
}

function detailOf({ detail }: AuditEntry): Html {
  const texts = Object.entries(detail).map(
    ([name, value]) => `${name}: ${Array.isArray(value) ? value.join(', ') || 'none' : String(value)}`,
  );
  return texts.length > 0 && html`<span class="muted small">${texts.join(' · ')}</span>`;
}

function aboutOf({ resourceType, resourceId }: AuditEntry): Html {
  if (!resourceType || !resourceId) return undefined;
  const place = PLACES[resourceType];
  return place ? html`<a href=${`${place}${resourceId}`}>${resourceType}</a>` : `${resourceType} ${resourceId}`;
}
