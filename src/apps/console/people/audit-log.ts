// The audit log: who did and looked at what, newest first.
import { isId } from '../../../core/ids.ts';
import { ACTIONS, type AuditEntry, countAudit, listAudit } from '../../../ledger/audit/audit.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { card, emptyState, icon, notice, pageHeader, pages as pageLinks, table } from '../../../platform/pages/parts.ts';
import { time } from '../../../platform/pages/time.ts';
import { listOperators } from '../../../resources/operators/operator.ts';
import { AUDIT_FIELDS, auditHref, AUDIT_LOG as HREF } from '../audit-href.ts';
import { csvFile, csvOf } from '../csv-file.ts';
import type { Screen } from '../screen.ts';
import { auditCsv } from './audit-csv.ts';
import { auditForm, readAuditFields, readAuditFilter } from './audit-filter.ts';
import { namesOf } from './audit-names.ts';
import { findSubject } from './audit-subject.ts';

const CSV = `${HREF}.csv`;
const LIVE = `${HREF}/live`;
const PAGE_SIZE = 50;

/** Where the console shows a resource. */
const PLACES: Record<string, string> = {
  operator: '/console/people/',
  customer: '/console/customers/',
  document: '/console/review/',
  'ledger-account': '/console/money/accounts/',
  label: '/console/money/accounts/',
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
  add(pages, { database: { sql } }) {
    pages.page(HREF, 'readAuditLog', async ({ query, zone }) => {
      const fields = readAuditFields(query);
      const filter = readAuditFilter(fields, zone);
      const isWrong = 'fault' in filter;
      const subject = !isWrong && fields.about ? await findSubject(sql, fields.about) : undefined;
      const before = [query.get('before') ?? ''].find(isId);
      const [entries, operators] = await Promise.all([
        isWrong ? [] : listAudit(sql, { ...filter, ...(subject && { resourceId: subject.ids }), before }, PAGE_SIZE + 1),
        listOperators(sql),
      ]);
      const shown = entries.slice(0, PAGE_SIZE);
      const names = await namesOf(sql, shown, operators);
      const next = entries.length > PAGE_SIZE ? auditHref(fields, { before: shown.at(-1)!.id }) : undefined;
      const people = operators.map(({ id, name }) => ({ value: id, label: name }));
      const isNewest = !before && AUDIT_FIELDS.every((name) => !fields[name]);
      return {
        title: 'Audit log',
        live: isNewest ? { path: LIVE, newest: shown[0]?.id } : undefined,
        main: html`${pageHeader({
          title: 'Audit log',
          lead: subject ? html`About ${subject.title}.` : 'What people did and looked at. Entries are never changed.',
          actions: html`${subject && html`<a class="button" href=${HREF}>Show everything</a>`}
            ${!isWrong && html`<a class="button" href=${auditHref(fields, { path: CSV })} download>${icon('arrow-down-tray', 'small')}CSV</a>`}`,
        })}
        ${isWrong && notice(html`<p>${filter.fault}</p>`, 'warn')} ${auditForm(fields, { people, zone })}
        ${!isWrong && card({ title: before ? 'Older entries' : 'Latest entries', isBare: true }, listOf(shown, { names, next }))}`,
      };
    });
    pages.live(LIVE, 'readAuditLog', (newest) => countAudit(sql, newest));
    pages.file(CSV, 'readAuditLog', async ({ query, zone, audit }) => {
      const fields = readAuditFields(query);
      const filter = readAuditFilter(fields, zone);
      if ('fault' in filter) return undefined;
      const subject = fields.about ? await findSubject(sql, fields.about) : undefined;
      await audit({ action: 'download_list', detail: { list: 'audit log' } });
      return csvFile('audit-log.csv', csvOf(auditCsv(sql, { ...filter, ...(subject && { resourceId: subject.ids }) })));
    });
  },
};

type Listed = { names: Map<string, string>; next: string | undefined };

function listOf(entries: AuditEntry[], { names, next }: Listed): Html {
  if (entries.length === 0) {
    return emptyState({
      icon: 'clipboard-document-list',
      title: 'Nothing here',
      text: 'No entry matches this filter.',
      action: html`<a class="button" href=${HREF}>Show everything</a>`,
    });
  }
  const columns = [{ label: 'Time' }, { label: 'Person' }, { label: 'Action' }, { label: 'About' }, { label: 'From' }];
  const rows = entries.map((entry) => [
    time(entry.created, 'seconds'),
    entry.actor,
    html`${ACTIONS[entry.action] ?? entry.action} ${detailOf(entry)}`,
    aboutOf(entry, names),
    html`<span class="mono small nowrap">${entry.place}</span>`,
  ]);
  return html`${table({ caption: 'Entries of the audit log', columns, rows })}
  ${pageLinks({ text: entries.length === 1 ? 'One entry' : `${entries.length} entries`, next })}`;
}

function detailOf({ detail }: AuditEntry): Html {
  const texts = Object.entries(detail).map(([name, value]) => `${name}: ${textOf(value)}`);
  return texts.length > 0 && html`<span class="muted small">${texts.join(' · ')}</span>`;
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(', ') || 'none';
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, part]) => `${name} ${textOf(part)}`)
    .join(' ');
}

function aboutOf({ resourceType, resourceId }: AuditEntry, names: Map<string, string>): Html {
  if (!resourceType || !resourceId) return undefined;
  const place = PLACES[resourceType];
  if (!place) return `${resourceType} ${resourceId}`;
  const name = names.get(resourceId);
  return html`<a class=${name === undefined ? 'nowrap' : undefined} href=${`${place}${resourceId}`}>${name ?? resourceType}</a>
    ${name !== undefined && html`<div class="muted small">${resourceType}</div>`}`;
}
