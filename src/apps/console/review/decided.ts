// The decided documents: searched by name, reviewer, result and day.
import { later } from '../../../core/clock.ts';
import { textCell } from '../../../core/csv.ts';
import { isId } from '../../../core/ids.ts';
import { dayOfZone } from '../../../core/zone.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { badge, card, emptyState, field, icon, pageHeader, pages as pageLinks, table } from '../../../platform/pages/parts.ts';
import { time } from '../../../platform/pages/time.ts';
import { type Decided, listDecided } from '../../../resources/documents/decided.ts';
import { describe } from '../../../resources/documents/reason.ts';
import type { Service } from '../../service/service.ts';
import { type CsvList, csvFile, csvOf } from '../csv-file.ts';
import { nameOf } from '../customer-name.ts';
import { endOfDay, startOfDay } from '../days.ts';
import type { Pages } from '../screen.ts';
import { DECIDED, REVIEW } from './address.ts';
import { reviewerName } from './history.ts';
import { queueTabs } from './queue-tabs.ts';
import { TYPE_NAMES } from './type-name.ts';

const CSV = `${DECIDED}.csv`;
const PAGE_SIZE = 50;
const TEXT_LENGTH = 100;
/** Without a first day. */
const DAYS_SHOWN = 30;
const DAY_MS = 86_400_000;
const RESULTS = ['accepted', 'rejected'] as const;

type Fields = Record<'name' | 'reviewer' | 'result' | 'from' | 'until', string>;

export function addDecided(pages: Pages, { database, clock }: Service): void {
  const earliest = (zone: string) => dayOfZone(zone)(later(clock.now(), -DAYS_SHOWN * DAY_MS));
  pages.page(DECIDED, 'reviewDocuments', async ({ query, zone }) => {
    const fields = readFields(query, earliest(zone));
    const found = await search(database.sql, { fields, zone }, { after: readAfter(query), limit: PAGE_SIZE + 1 });
    const csv = `${CSV}?${new URLSearchParams(given(fields))}`;
    return {
      title: 'Decided',
      main: html`${pageHeader({ title: 'Review', lead: 'Documents that were decided, the latest first.', actions: html`<a class="button" href=${csv} download>${icon('arrow-down-tray', 'small')}CSV</a>` })} ${queueTabs('decided')}
      ${filterForm(fields, zone)} ${card({ title: 'Decided', isBare: true }, listOf(found, fields))}`,
    };
  });
  pages.file(CSV, 'reviewDocuments', async ({ query, zone, audit }) => {
    const fields = readFields(query, earliest(zone));
    await audit({ action: 'download_list', detail: { list: 'decided documents' } });
    return csvFile('decided-documents.csv', csvOf(csvList(database.sql, { fields, zone })));
  });
}

type After = { id: string; decided: Date };
type Asked = { fields: Fields; zone: string };

function search(sql: Sql, { fields, zone }: Asked, how: { after: After | undefined; limit: number }): Promise<Decided[]> {
  const { name, reviewer, from, until } = fields;
  const status = RESULTS.find((result) => result === fields.result);
  return listDecided(sql, { ...{ name, reviewer, status }, from: startOfDay(from, zone), before: endOfDay(until, zone), ...how });
}

function csvList(sql: Sql, asked: Asked): CsvList<Decided> {
  const columns = ['decided', 'document', 'type', 'result', 'reasons', 'reviewer'];
  return {
    columns: [...columns, 'firstName', 'lastName', 'customer', 'businessName'],
    find: (after, limit) => search(sql, asked, { after, limit }),
    cells: ({ decided, id, type, status, reasons, reviewer, firstName, lastName, customerId, businessName }) => [
      ...[decided.toISOString(), id, type, status, (reasons ?? []).join(' ')],
      ...[textCell(reviewer ? reviewerName(reviewer) : null), textCell(firstName), textCell(lastName)],
      ...[customerId, textCell(businessName)],
    ],
  };
}

function given(fields: Fields): [name: string, value: string][] {
  return Object.entries(fields).filter(([, value]) => value !== '');
}

function readFields(query: URLSearchParams, earliest: string): Fields {
  const text = (name: string) => (query.get(name) ?? '').trim().slice(0, TEXT_LENGTH);
  return {
    ...{ name: text('name'), reviewer: text('reviewer'), result: text('result') },
    ...{ from: text('from') || earliest, until: text('until') },
  };
}

function readAfter(query: URLSearchParams): After | undefined {
  const [decided, id] = [new Date(query.get('before') ?? ''), query.get('after') ?? ''];
  return isId(id) && !Number.isNaN(decided.getTime()) ? { id, decided } : undefined;
}

function filterForm({ name, reviewer, result, from, until }: Fields, zone: string): Html {
  const input = (id: string, label: string, value: string, type = 'text') =>
    field(
      { id, label },
      html`<input class="input" type=${type} id=${id} name=${id} value=${value} maxlength=${TEXT_LENGTH} autocomplete="off" />`,
    );
  return html`<form class="filters filters-many" method="get" action=${DECIDED} role="search">
    ${input('name', 'Person or business', name)} ${input('reviewer', 'Reviewer', reviewer)}
    ${field(
      { id: 'result', label: 'Result' },
      html`<select class="input" id="result" name="result">
        <option value="">Any</option>
        ${RESULTS.map((one) => html`<option value=${one} selected=${one === result}>${one}</option>`)}
      </select>`,
    )}
    ${input('from', `From (${zone})`, from, 'date')} ${input('until', `Until (${zone})`, until, 'date')}
    <div class="buttons"><button class="button" type="submit">${icon('magnifying-glass', 'small')}Filter</button></div>
  </form>`;
}

function listOf(found: Decided[], fields: Fields): Html {
  const shown = found.slice(0, PAGE_SIZE);
  if (shown.length === 0) {
    return emptyState({
      icon: 'magnifying-glass',
      title: 'No decision here',
      text: `Nothing that matches was decided from ${fields.from} on. An earlier first day looks further back.`,
    });
  }
  const last = shown.at(-1)!;
  const next =
    found.length > PAGE_SIZE &&
    `${DECIDED}?${new URLSearchParams([...given(fields), ['before', last.decided.toISOString()], ['after', last.id]])}`;
  const columns = ['Person', 'Business', 'Document', 'Result', 'Reviewer', 'Decided'].map((label) => ({ label }));
  const rows = shown.map((document) => [
    html`<a href=${`${REVIEW}/${document.id}`}>${nameOf({ ...document, businessName: undefined })}</a>`,
    html`<a href=${`/console/customers/${document.customerId}`}>${document.businessName ?? 'the customer'}</a>`,
    TYPE_NAMES[document.type],
    html`${badge(document.status, document.status === 'accepted' ? 'good' : 'bad')}
      ${document.reasons?.map((reason) => html`<div class="small muted">${describe(reason).description}</div>`)}`,
    document.reviewer ? reviewerName(document.reviewer) : '',
    time(document.decided),
  ]);
  return html`${table({ caption: 'Decided documents', columns, rows })}
  ${pageLinks({ text: shown.length === 1 ? 'One document' : `${shown.length} documents`, ...(next && { next }) })}`;
}
