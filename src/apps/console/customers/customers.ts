// Customers: search in all accounts, and the page of each.
import { textCell } from '../../../core/csv.ts';
import { isId } from '../../../core/ids.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { card, emptyState, field, icon, pageHeader, pages as pageLinks, table } from '../../../platform/pages/parts.ts';
import { time } from '../../../platform/pages/time.ts';
import type { CustomerStatus } from '../../../resources/customers/customer.ts';
import { countCustomers, type FoundCustomer, searchCustomers } from '../../../resources/customers/search.ts';
import { CUSTOMERS as HREF } from '../addresses.ts';
import { type CsvList, csvFile, csvOf } from '../csv-file.ts';
import { nameOf, statusBadge, statusTones } from '../customer-name.ts';
import { addCustomerLedger } from '../ledger/customer-ledger.ts';
import { addLabelChoices } from '../ledger/label-choice.ts';
import { addPlanned, PLANNED_DONE } from '../planned/planned.ts';
import type { Screen, Visit } from '../screen.ts';
import { addChangeOfStatus } from './change-status.ts';
import { addCustomer } from './customer-page.ts';
import { addLabels } from './labels.ts';
import { addOwner } from './owner-page.ts';
import { addStatements } from './statements.ts';

const LIVE = `${HREF}/live`;
const CSV = `${HREF}.csv`;
const PAGE_SIZE = 50;
const SEARCH_LENGTH = 200;

export const customers: Screen = {
  href: HREF,
  label: 'Customers',
  icon: 'users',
  group: 'Work',
  permission: 'readCustomers',
  done: {
    suspended: 'The customer is suspended. Money cannot be moved until it is reactivated.',
    deactivated: 'The customer is deactivated.',
    reactivated: 'The customer has its former status again.',
    ...PLANNED_DONE,
  },
  add(pages, service) {
    pages.page(HREF, 'readCustomers', async (visit) => {
      const filter = readFilter(visit.query);
      const inEmail = visit.may('readPersonalData');
      const found = await search(service.database.sql, filter, { inEmail, limit: PAGE_SIZE + 1 });
      const shown = found.slice(0, PAGE_SIZE);
      const next = found.length > PAGE_SIZE ? hrefOf({ ...filter, after: shown.at(-1)!.id }) : undefined;
      const isNewest = !filter.text && !filter.status && !filter.after;
      return {
        title: 'Customers',
        live: isNewest ? { path: LIVE, newest: shown[0]?.id } : undefined,
        main: html`${pageHeader({
          title: 'Customers',
          lead: 'Of all accounts, newest first.',
          actions: html`<a class="button" href=${hrefOf({ ...filter, after: undefined }, CSV)} download>${icon('arrow-down-tray', 'small')}CSV</a>`,
        })} ${filterForm(filter, inEmail)}
        ${card({ title: titleOf(filter), isBare: true }, listOf(visit, shown, { filter, next }))}`,
      };
    });
    pages.file(CSV, 'readCustomers', async ({ query, may, audit }) => {
      const withEmail = may('readPersonalData');
      await audit({ action: 'download_list', detail: { list: 'customers' } });
      return csvFile('customers.csv', csvOf(csvList(service.database.sql, readFilter(query), withEmail)));
    });
    pages.live(LIVE, 'readCustomers', (newest) => countCustomers(service.database.sql, newest));
    addOwner(pages, service);
    addCustomer(pages, service);
    addLabels(pages, service);
    addLabelChoices(pages, service);
    addCustomerLedger(pages, service);
    addStatements(pages, service);
    addPlanned(pages, service);
    addChangeOfStatus(pages, service);
  },
};

type Filter = { text: string; status: CustomerStatus | undefined; after: string | undefined };

function readFilter(query: URLSearchParams): Filter {
  const status = query.get('status') ?? '';
  return {
    text: (query.get('search') ?? '').trim().slice(0, SEARCH_LENGTH),
    status: Object.hasOwn(statusTones, status) ? (status as CustomerStatus) : undefined,
    after: [query.get('after') ?? ''].find(isId),
  };
}

/** A text that is an id finds the customer with it. */
async function search(sql: Sql, filter: Filter, how: { inEmail: boolean; limit: number }): Promise<FoundCustomer[]> {
  const sought = isId(filter.text) ? { id: filter.text, text: '' } : { text: filter.text };
  return searchCustomers(sql, { ...filter, ...sought, ...how });
}

function csvList(sql: Sql, filter: Filter, withEmail: boolean): CsvList<FoundCustomer> {
  const columns = ['created', 'customer', 'account', 'accountName', 'type', 'status', 'businessName', 'firstName', 'lastName'];
  return {
    columns: withEmail ? [...columns, 'email'] : columns,
    find: (after, limit) => search(sql, { ...filter, after: after?.id }, { inEmail: withEmail, limit }),
    cells: ({ created, id, accountId, accountName, type, status, businessName, firstName, lastName, email }) => [
      ...[created.toISOString(), id, accountId, textCell(accountName), type, status],
      ...[textCell(businessName), textCell(firstName), textCell(lastName), ...(withEmail ? [textCell(email)] : [])],
    ],
  };
}

function hrefOf({ text, status, after }: Filter, path = HREF): string {
  return `${path}?${new URLSearchParams({ ...(text && { search: text }), ...(status && { status }), ...(after && { after }) })}`;
}

function titleOf({ text, status, after }: Filter): string {
  const what = text || status ? 'Matches' : 'All customers';
  return after ? `${what}, continued` : what;
}

function filterForm({ text, status }: Filter, inEmail: boolean): Html {
  const label = inEmail ? 'Name, e-mail or id' : 'Name or id';
  return html`<form class="filters" method="get" action=${HREF} role="search">
    <div class="grow">
      ${field(
        { id: 'search', label },
        html`<input class="input" type="search" id="search" name="search" value=${text} maxlength=${SEARCH_LENGTH} autocomplete="off" />`,
      )}
    </div>
    ${field(
      { id: 'status', label: 'Status' },
      html`<select class="input" id="status" name="status">
        <option value="">Any</option>
        ${Object.keys(statusTones).map((name) => html`<option value=${name} selected=${name === status}>${name}</option>`)}
      </select>`,
    )}
    <button class="button" type="submit">${icon('magnifying-glass', 'small')}Search</button>
  </form>`;
}

function listOf({ may }: Visit, found: FoundCustomer[], { filter, next }: { filter: Filter; next: string | undefined }): Html {
  if (found.length === 0) {
    const isFiltered = filter.text !== '' || filter.status !== undefined;
    return isFiltered
      ? emptyState({
          icon: 'magnifying-glass',
          title: 'No customer matches',
          text: 'Try a part of the name, or another status.',
          action: html`<a class="button" href=${HREF}>Show all customers</a>`,
        })
      : emptyState({ icon: 'users', title: 'No customers yet', text: 'Customers appear here when an application creates them.' });
  }
  const withEmail = may('readPersonalData');
  const columns = ['Customer', 'Type', 'Status', 'Account', 'Created'];
  const rows = found.map((customer) => [
    html`<a href=${`${HREF}/${customer.id}`}>${nameOf(customer)}</a> ${withEmail && html`<div class="muted small">${customer.email}</div>`}`,
    customer.type,
    statusBadge(customer.status),
    customer.accountName,
    time(customer.created),
  ]);
  return html`${table({ caption: 'Customers', columns: columns.map((label) => ({ label })), rows })}
  ${pageLinks({ text: found.length === 1 ? 'One customer' : `${found.length} customers${next ? ' shown, more follow' : ''}`, next })}`;
}
