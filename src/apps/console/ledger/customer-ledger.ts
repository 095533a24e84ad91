// The ledger of a customer: every transfer with both sides, and the balances of all accounts as of any day.
import { isId } from '../../../core/ids.ts';
import { type LedgerAccount, listFunding } from '../../../ledger/transfers/ledger-account.ts';
import { findPositions, justBefore } from '../../../ledger/transfers/past.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { card, emptyState, icon, notice, pageHeader, pages as pageLinks, table } from '../../../platform/pages/parts.ts';
import { time } from '../../../platform/pages/time.ts';
import { type Customer, findCustomer } from '../../../resources/customers/customer.ts';
import { listLabels } from '../../../resources/labels/label.ts';
import type { Service } from '../../service/service.ts';
import { amountText } from '../amount.ts';
import { csvFile } from '../csv-file.ts';
import { nameOf } from '../customer-name.ts';
import type { Content, Pages, Visit } from '../screen.ts';
import { findOfCustomer, type Place, pagesOfCustomer } from './customer-transfers.ts';
import { readUpTo } from './entry-page.ts';
import { labelScripts, offerLabels } from './label-choice.ts';
import { ledgerForm } from './ledger-form.ts';
import {
  isFiltered,
  type LedgerFields,
  type LedgerFilter,
  ledgerQuery,
  readLedgerFields,
  readLedgerFilter,
} from './ledger-query.ts';
import { csvOfTransfers, describeTransfers, transferTable } from './transfer-table.ts';
import { sideLink } from './transfer-words.ts';

const PAGE_SIZE = 50;
const LABELS_MAX = 100;
/** Balances above the filter; the others are behind a click. */
const OPEN_MAX = 8;
/** Of a customer without money. */
const ANY_CURRENCY = 'USD';

export function addCustomerLedger(pages: Pages, service: Service): void {
  const { sql } = service.database;
  const find = async (id: string) => (isId(id) ? findCustomer(sql, id) : undefined);
  pages.page('/console/customers/:id/ledger', 'readMoney', async (visit) => {
    const customer = await find(visit.params.id!);
    return customer && showLedger(service, visit, customer);
  });
  pages.file('/console/customers/:id/ledger.csv', 'readMoney', async ({ params, query, zone, audit }) => {
    const customer = await find(params.id!);
    if (!customer) return undefined;
    const [currency, offered] = await Promise.all([currencyOf(sql, customer), offerLabels(service, customer, query)]);
    const filter = readLedgerFilter(readLedgerFields(query), { zone, currency, offered });
    if ('fault' in filter) return undefined;
    const { id } = customer;
    await audit({ action: 'download_list', resource: { type: 'customer', id }, detail: { list: 'ledger' } });
    return csvFile(`ledger-${id}.csv`, csvOfTransfers(sql, pagesOfCustomer(sql, customer, filter)));
  });
}

async function showLedger(service: Service, { query, zone }: Visit, customer: Customer): Promise<Content> {
  const { sql } = service.database;
  const { id } = customer;
  const action = `/console/customers/${id}/ledger`;
  const fields = readLedgerFields(query);
  const [currency, offered] = await Promise.all([currencyOf(sql, customer), offerLabels(service, customer, query)]);
  const filter = readLedgerFilter(fields, { zone, currency, offered });
  const name = nameOf({ ...customer, businessName: customer.profile.businessName });
  const isWrong = 'fault' in filter;
  const found = isWrong ? undefined : await findOfCustomer(sql, customer, { filter, limit: PAGE_SIZE, place: readPlace(query) });
  const listed = found && (await describeTransfers(sql, found.transfers, { withCustomers: false }));
  return {
    title: `Ledger of ${name}`,
    scripts: labelScripts(offered),
    main: html`${pageHeader({
      title: `Ledger of ${name}`,
      lead: 'Every transfer, with both sides. A click on a side shows its own ledger.',
      back: { href: `/console/customers/${id}`, label: name },
      actions:
        !isWrong &&
        html`<a class="button" href=${`${action}.csv${ledgerQuery(fields)}`} download>${icon('arrow-down-tray', 'small')}CSV</a>`,
    })}
    ${isWrong ? notice(html`<p>${filter.fault}</p>`, 'warn') : await balanceCard(sql, customer, { filter, now: service.clock.now(customer.accountId) })}
    ${ledgerForm(fields, { action, zone, labelled: 'Label', offered })}
    ${listed && card({ title: isFiltered(fields) ? 'Matching transfers' : 'Transfers', isBare: true }, listOf(action, fields, { listed, next: found.next }))}`,
  };
}

function readPlace(query: URLSearchParams): Place | undefined {
  const [after, upTo] = [query.get('after') ?? '', readUpTo(query)];
  if (isId(after)) return { after };
  return upTo === undefined ? undefined : { upTo };
}

/** Amounts of the filter are in the first currency of the customer. */
async function currencyOf(sql: Sql, { id }: Customer): Promise<string> {
  return (await listFunding(sql, id))[0]?.currency ?? ANY_CURRENCY;
}

type Shown = Pick<LedgerAccount, 'id' | 'kind' | 'name' | 'currency' | 'balance'>;

/** The balance of each account, now or as of the last day of the filter. */
async function balanceCard(
  sql: Sql,
  { id }: Customer,
  { filter: { before }, now }: { filter: LedgerFilter; now: Date },
): Promise<Html> {
  const [funding, labels] = await Promise.all([listFunding(sql, id), listLabels(sql, id, { limit: LABELS_MAX, offset: 0 })]);
  const accounts: Shown[] = [
    ...funding.filter(({ kind, version }) => kind === 'available' || (kind === 'owed' && version > 0n)),
    ...labels.elements.map((label) => ({ ...label, kind: 'label' as const })),
  ];
  if (accounts.length === 0) return undefined;
  const end = before && before <= now ? justBefore(before) : undefined;
  const ids = accounts.map((account) => account.id);
  const past = end && new Map((await findPositions(sql, ids, end)).map(({ id, balance }) => [id, balance]));
  const rows = accounts.map((account) => [
    sideLink(account),
    ...(past ? [amountText(past.get(account.id) ?? 0n, account.currency)] : []),
    amountText(account.balance, account.currency),
    account.currency,
  ]);
  const columns = [
    { label: 'Account' },
    ...(end ? [{ label: 'Then', isNumber: true }] : []),
    { label: 'Now', isNumber: true },
    { label: 'Currency' },
  ];
  const isPart = labels.total > labels.elements.length;
  const lead = isPart ? `with the newest ${LABELS_MAX} of ${labels.total.toLocaleString('en')} labels` : undefined;
  const tableOf = (rows: Html[][]) => table({ caption: 'Balances', columns, rows });
  const rest = rows.slice(OPEN_MAX);
  return card(
    {
      title: end ? 'Balances then and now' : 'Balances',
      lead: end ? html`as of ${time(end)} ${lead}` : lead,
      actions: isPart && html`<a href=${`/console/customers/${id}/labels`}>All labels</a>`,
      isBare: true,
    },
    html`${tableOf(rows.slice(0, OPEN_MAX))}
    ${rest.length > 0 && html`<details class="card-body"><summary>${rest.length} more</summary>${tableOf(rest)}</details>`}`,
  );
}

type Listed = { listed: Parameters<typeof transferTable>[0]; next: Place | undefined };

function listOf(action: string, fields: LedgerFields, { listed, next }: Listed): Html {
  const following = next && `${action}${ledgerQuery(fields, next)}`;
  const { length } = listed.transfers;
  if (length === 0 && !following) {
    return isFiltered(fields)
      ? emptyState({
          icon: 'magnifying-glass',
          title: 'No transfer matches',
          text: 'A part of the reference is enough. External ids, metadata and amounts match exactly.',
          action: html`<a class="button" href=${action}>Show all transfers</a>`,
        })
      : emptyState({ icon: 'arrows-right-left', title: 'No transfers yet', text: 'The first deposit appears here.' });
  }
  const count = length === 1 ? 'One transfer' : `${length} transfers`;
  return html`${transferTable(listed)} ${pageLinks({ text: following ? `${count} shown, more may follow` : count, next: following })}`;
}
