// Money: finds transfers of all customers.
import { later } from '../../../core/clock.ts';
import { isId } from '../../../core/ids.ts';
import type { StoredTransfer } from '../../../ledger/transfers/transfer.ts';
import { type FoundTransfers, searchTransfers, type TransferSearch } from '../../../ledger/transfers/transfer-search.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import {
  card,
  emptyState,
  field,
  icon,
  notice,
  pageHeader,
  pages as pageLinks,
  table,
  time,
} from '../../../platform/pages/parts.ts';
import { findNames } from '../../../resources/customers/search.ts';
import type { Service } from '../../service/service.ts';
import { amountText, readTypedAmount, type TypedAmount } from '../amount.ts';
import { nameOf } from '../customers/customer-status.ts';
import type { Screen } from '../screen.ts';
import { addMove } from './move.ts';
import { TEXT_LENGTH } from './move-check.ts';
import { addReverse } from './reverse.ts';
import { addTransfer } from './transfer-page.ts';
import { kindBadge } from './transfer-words.ts';

const HREF = '/console/money';
const PAGE_SIZE = 50;
const DAY = /^\d{4}-\d\d-\d\d$/;
const DAY_MS = 86_400_000;

export const money: Screen = {
  href: HREF,
  label: 'Money',
  icon: 'arrows-right-left',
  group: 'Work',
  permission: 'readMoney',
  done: { moved: 'The money is moved.' },
  add(pages, service) {
    pages.page(HREF, 'readMoney', async ({ query }) => {
      const wanted = readQuery(query);
      const { problem, money, transfers, next } = await find(service, wanted);
      const names = await findNames(
        service.database.sql,
        transfers.map(({ customerId }) => customerId),
      );
      return {
        title: 'Money',
        main: html`${pageHeader({ title: 'Money', lead: 'Deposits, withdrawals and moves between labels, of all customers.' })}
          ${searchForm(wanted)} ${problem && notice(html`<p>${problem}</p>`, 'warn')}
          ${card(
            { title: isNarrowed(wanted) ? 'Matches' : 'Newest transfers', lead: money && leadOf(money, wanted), isBare: true },
            listOf(wanted, { transfers, next, names }),
          )}`,
      };
    });
    addTransfer(pages, service);
    addMove(pages, service);
    addReverse(pages, service);
  },
};

type Wanted = Record<'search' | 'amount' | 'currency' | 'day' | 'after' | 'before', string>;

function readQuery(query: URLSearchParams): Wanted {
  const text = (name: string) => (query.get(name) ?? '').trim().slice(0, TEXT_LENGTH);
  return {
    search: text('search'),
    amount: text('amount'),
    currency: text('currency').toUpperCase() || 'USD',
    day: text('day'),
    after: text('after'),
    before: text('before'),
  };
}

function leadOf({ typed, minorUnits }: TypedAmount, { currency }: Wanted): string {
  return `The amount “${typed}” is read as ${amountText(minorUnits, currency)} ${currency}.`;
}

function isNarrowed({ search, amount, day }: Wanted): boolean {
  return search !== '' || amount !== '' || day !== '';
}

/** `money`: what the amount was read as. */
type Result = { problem?: string; money?: TypedAmount; transfers: StoredTransfer[]; next: FoundTransfers['next'] };

async function find({ database: { sql } }: Pick<Service, 'database'>, wanted: Wanted): Promise<Result> {
  const { search, amount, currency, day, after, before } = wanted;
  const failed = (problem: string) => ({ problem, transfers: [], next: undefined });
  const start = DAY.test(day) ? new Date(`${day}T00:00:00Z`) : undefined;
  if (day !== '' && (!start || Number.isNaN(start.getTime()))) return failed('The day is not a date.');
  const money = amount === '' ? undefined : readTypedAmount(amount, currency);
  if (money && 'fault' in money) return failed(money.fault);
  const end = Number.isNaN(Date.parse(before)) ? start && later(start, DAY_MS) : new Date(before);
  const filter: TransferSearch = {
    accountId: undefined,
    from: start,
    before: end,
    money: money && { amount: money.minorUnits, currency },
    after: isId(after) ? after : undefined,
    limit: PAGE_SIZE,
  };
  for (const by of textsOf(search)) {
    const found = await searchTransfers(sql, { ...filter, ...by });
    if (found === 'tooMany') return failed('Thousands of transfers have this text. Add a day.');
    if (found === 'afterUnknown') return failed('The list has changed. Search again.');
    if (found.transfers.length > 0 || found.next) return { ...found, money };
  }
  return { money, transfers: [], next: undefined };
}

/** What a text may be, in the order in which it is tried. */
function textsOf(search: string): Pick<TransferSearch, 'id' | 'reference' | 'correlationId'>[] {
  if (search === '') return [{}];
  return [...(isId(search) ? [{ id: search }] : []), { reference: search }, { correlationId: search }];
}

function searchForm({ search, amount, currency, day }: Wanted): Html {
  return html`<form class="filters" method="get" action=${HREF} role="search">
    <div class="grow">
      ${field(
        { id: 'search', label: 'Id, reference or correlation id' },
        html`<input class="input" type="search" id="search" name="search" value=${search} maxlength=${TEXT_LENGTH} autocomplete="off" />`,
      )}
    </div>
    ${field(
      { id: 'amount', label: 'Amount' },
      html`<input class="input input-short" id="amount" name="amount" value=${amount} inputmode="decimal" autocomplete="off" />`,
    )}
    ${field(
      { id: 'currency', label: 'Currency' },
      html`<input class="input input-short" id="currency" name="currency" value=${currency} maxlength="3" autocomplete="off" />`,
    )}
    ${field({ id: 'day', label: 'Day (UTC)' }, html`<input class="input" type="date" id="day" name="day" value=${day} />`)}
    <button class="button" type="submit">${icon('magnifying-glass', 'small')}Find</button>
  </form>`;
}

type Listed = FoundTransfers & { names: Awaited<ReturnType<typeof findNames>> };

function listOf(wanted: Wanted, { transfers, next, names }: Listed): Html {
  const following = next && hrefAfter(wanted, next);
  if (transfers.length === 0 && !following) return nothing(isNarrowed(wanted));
  const columns = [
    { label: 'Time' },
    { label: 'Kind' },
    { label: 'Reference' },
    { label: 'Correlation id' },
    { label: 'Customer' },
    { label: 'Amount', isNumber: true },
  ];
  const rows = transfers.map(({ id, created, kind, reference, correlationId, customerId, amount, currency }) => [
    html`<a class="nowrap" href=${`${HREF}/transfers/${id}`}>${time(created, 'seconds')}</a>`,
    kindBadge(kind),
    reference ?? '',
    correlationId ?? '',
    html`<a href=${`/console/customers/${customerId}`}>${nameIn(names, customerId)}</a>`,
    `${amountText(amount, currency)} ${currency}`,
  ]);
  const count = transfers.length === 1 ? 'One transfer' : `${transfers.length} transfers`;
  return html`${table({ caption: 'Transfers', columns, rows })}
  ${pageLinks({ text: following ? `${count} shown, more may follow` : count, next: following })}`;
}

function nameIn(names: Listed['names'], id: string): string {
  const found = names.get(id);
  return found ? nameOf(found) : id;
}

function nothing(isNarrowed: boolean): Html {
  return isNarrowed
    ? emptyState({
        icon: 'magnifying-glass',
        title: 'Nothing matches',
        text: 'References and amounts match exactly. The day is in UTC.',
        action: html`<a class="button" href=${HREF}>Show the newest</a>`,
      })
    : emptyState({ icon: 'arrows-right-left', title: 'No transfers yet', text: 'The first deposit appears here.' });
}

function hrefAfter(wanted: Wanted, next: NonNullable<FoundTransfers['next']>): string {
  const place = 'after' in next ? { after: next.after } : { after: '', before: next.before.toISOString() };
  const members = Object.entries({ ...wanted, ...place }).filter(([, value]) => value !== '');
  return `${HREF}?${new URLSearchParams(members)}`;
}
