// The ledger of one account: a label, or the available or outside money of a customer, as of any day.
import { isId } from '../../../core/ids.ts';
import type { EntryFilter, FoundEntry } from '../../../ledger/transfers/entry-search.ts';
import { findLedgerAccount, type LedgerAccount } from '../../../ledger/transfers/ledger-account.ts';
import { findSequences, type Period, type Sequences } from '../../../ledger/transfers/past.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { card, emptyState, icon, notice, pageHeader, pages as pageLinks, table } from '../../../platform/pages/parts.ts';
import { time } from '../../../platform/pages/time.ts';
import { type Customer, findCustomer } from '../../../resources/customers/customer.ts';
import type { Service } from '../../service/service.ts';
import { CUSTOMERS } from '../addresses.ts';
import { amountText } from '../amount.ts';
import { csvFile } from '../csv-file.ts';
import { nameOf } from '../customer-name.ts';
import type { Content, Pages, Visit } from '../screen.ts';
import { findEntryPage, readUpTo } from './entry-page.ts';
import { labelScripts, type Offered, offerLabels } from './label-choice.ts';
import { csvOfEntries } from './ledger-csv.ts';
import { ledgerForm } from './ledger-form.ts';
import { ledgerHead } from './ledger-head.ts';
import {
  isFiltered,
  type LedgerFields,
  type LedgerFilter,
  ledgerQuery,
  readLedgerFields,
  readLedgerFilter,
} from './ledger-query.ts';
import { kindBadge, ledgerHref, sideLink, sideName, stateBadges, textsOf } from './transfer-words.ts';

const PAGE_SIZE = 50;

type Owned = { account: LedgerAccount; customer: Customer };

export function addAccountLedger(pages: Pages, service: Service): void {
  pages.page('/console/money/accounts/:id', 'readMoney', async (visit) => {
    const owned = await find(service, visit.params.id!);
    return owned && showLedger(service, visit, owned);
  });
  pages.file('/console/money/accounts/:id/ledger.csv', 'readMoney', async ({ params, query, zone, audit }) => {
    const owned = await find(service, params.id!);
    if (!owned) return undefined;
    const { account } = owned;
    const offered = await offerLabels(service, owned.customer, query);
    const filter = readLedgerFilter(readLedgerFields(query), { zone, currency: account.currency, offered });
    if ('fault' in filter) return undefined;
    await audit({ action: 'download_list', resource: { type: 'ledger-account', id: account.id }, detail: { list: 'ledger' } });
    const { sql } = service.database;
    const sequences = await findSequences(sql, account, filter);
    return csvFile(`ledger-${account.id}.csv`, csvOfEntries(sql, account, { sequences, filter: entryFilter(filter) }));
  });
}

async function find({ database: { sql } }: Pick<Service, 'database'>, id: string): Promise<Owned | undefined> {
  const account = isId(id) ? await findLedgerAccount(sql, id) : undefined;
  const customer = account && (await findCustomer(sql, account.customerId));
  return customer && { account, customer };
}

async function showLedger(service: Service, { query, zone, may }: Visit, { account, customer }: Owned): Promise<Content> {
  const { id, currency } = account;
  const fields = readLedgerFields(query);
  const offered = await offerLabels(service, customer, query);
  const filter = readLedgerFilter(fields, { zone, currency, offered });
  const name = nameOf({ ...customer, businessName: customer.profile.businessName });
  const isWrong = 'fault' in filter;
  const listed = isWrong
    ? undefined
    : await findEntryPage(service.database.sql, account, {
        filter: entryFilter(filter),
        limit: PAGE_SIZE,
        upTo: readUpTo(query),
      });
  const now = service.clock.now(account.accountId);
  return {
    title: `Ledger of ${sideName(account)}`,
    scripts: labelScripts(offered),
    main: html`${pageHeader({
      title: sideName(account),
      lead: html`Ledger in ${currency} of <a href=${`/console/customers/${customer.id}`}>${name}</a>${account.removed && html`, removed ${time(account.removed)}`}`,
      back: { href: `/console/customers/${customer.id}/ledger`, label: `Ledger of ${name}` },
      actions: html`${may('moveMoney') && html`${labelLinks(account)} <a class="button" href=${moveHref(account)}>Move money</a>`}
        ${!isWrong && html`<a class="button" href=${`${ledgerHref(id)}/ledger.csv${ledgerQuery(fields)}`} download>${icon('arrow-down-tray', 'small')}CSV</a>`}`,
    })}
    ${isWrong ? notice(html`<p>${filter.fault}</p>`, 'warn') : await ledgerHead(service.database.sql, account, { filter, now })}
    ${ledgerForm(fields, { action: ledgerHref(id), zone, labelled: 'From or to', offered: othersOf(offered, id) })}
    ${listed && card({ title: isFiltered(fields) ? 'Matching entries' : 'Entries', lead: leadOf(account, fields), isBare: true }, listOf(account, listed, fields))}`,
  };
}

/** An account is never on both sides of a transfer. */
function othersOf(offered: Offered, accountId: string): Offered {
  return { ...offered, labels: offered.labels.filter(({ id }) => id !== accountId) };
}

function entryFilter({ label, ...filter }: LedgerFilter): EntryFilter & Period {
  return { ...filter, otherId: label?.id };
}

function leadOf({ version }: LedgerAccount, fields: LedgerFields): string {
  const all = version.toLocaleString('en');
  return isFiltered(fields) ? `of ${all} in all, newest first` : `${all} in all, newest first`;
}

/** What can be done with a label itself. Only an empty one can be removed. */
function labelLinks({ id, kind, customerId, removed, balance }: LedgerAccount): Html {
  if (kind !== 'label' || removed) return undefined;
  const href = `${CUSTOMERS}/${customerId}/labels/${id}`;
  return html`<a class="button" href=${`${href}/rename`}>Rename</a> ${balance === 0n && html`<a class="button" href=${`${href}/remove`}>Remove…</a>`}`;
}

function moveHref({ id, kind, customerId, currency }: LedgerAccount): string {
  const from = kind === 'label' ? id : kind === 'available' ? 'available' : 'outside';
  return `/console/money/move?${new URLSearchParams({ customer: customerId, from, currency })}`;
}

type Listed = { entries: FoundEntry[]; rest: Sequences | undefined };

function listOf(account: LedgerAccount, { entries, rest }: Listed, fields: LedgerFields): Html {
  const next = rest && `${ledgerHref(account.id)}${ledgerQuery(fields, { upTo: String(rest.last) })}`;
  if (entries.length === 0 && !next) {
    return isFiltered(fields)
      ? emptyState({
          icon: 'magnifying-glass',
          title: 'No entry matches',
          text: 'A part of the reference is enough. External ids, metadata and amounts match exactly.',
          action: html`<a class="button" href=${ledgerHref(account.id)}>Show all entries</a>`,
        })
      : emptyState({ icon: 'tag', title: 'No entries yet', text: 'The first money that moves here is its first entry.' });
  }
  const columns = [
    { label: 'Time' },
    { label: 'Kind' },
    { label: 'From or to' },
    { label: 'Reference' },
    { label: 'Change', isNumber: true },
    { label: 'Balance', isNumber: true },
  ];
  const rows = entries.map((entry) => [
    html`<a class="nowrap" href=${`/console/money/transfers/${entry.transferId}`}>${time(entry.created, 'seconds')}</a>`,
    html`${kindBadge(entry.kind)} ${stateBadges(entry)}`,
    html`<span class="route"><span class="muted">${entry.amount < 0n ? 'to' : 'from'}</span> ${sideLink({ id: entry.otherId, kind: entry.otherKind, name: entry.otherName })}</span>`,
    textsOf(entry),
    html`<span class=${entry.amount > 0n ? 'money-in' : undefined}>${entry.amount > 0n ? '+' : ''}${amountText(entry.amount, account.currency)}</span>`,
    amountText(entry.balance, account.currency),
  ]);
  const count = entries.length === 1 ? 'One entry' : `${entries.length} entries`;
  return html`${table({ caption: 'Entries', columns, rows })} ${pageLinks({ text: next ? `${count} shown, more may follow` : count, next })}`;
}
