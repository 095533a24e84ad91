// Money: finds transfers of all customers.
import { isId, parseLegId } from '../../../core/ids.ts';
import type { StoredTransfer } from '../../../ledger/transfers/transfer.ts';
import {
  countTransfers,
  type FoundTransfers,
  searchTransfers,
  type TransferSearch,
} from '../../../ledger/transfers/transfer-search.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { card, emptyState, field, icon, notice, pageHeader, pages as pageLinks } from '../../../platform/pages/parts.ts';
import { type ChangeRequest, listOpenRequests } from '../../../resources/change-requests/change-request.ts';
import type { Service } from '../../service/service.ts';
import { MONEY as HREF } from '../addresses.ts';
import { amountText, readTypedAmount, type TypedAmount } from '../amount.ts';
import { csvFile } from '../csv-file.ts';
import { endOfDay, startOfDay } from '../days.ts';
import { addAccountLedger } from '../ledger/account-ledger.ts';
import { TEXT_LENGTH } from '../ledger/ledger-query.ts';
import { csvOfTransfers, type Described, describeTransfers, transferTable } from '../ledger/transfer-table.ts';
import { requestsCard } from '../requests/requests-card.ts';
import type { Screen } from '../screen.ts';
import { addMove } from './move.ts';
import { addReceipt } from './receipt.ts';
import { addReturn } from './return.ts';
import { addReverse } from './reverse.ts';
import { addTransfer } from './transfer-page.ts';

const LIVE = `${HREF}/live`;
const PAGE_SIZE = 50;

export const money: Screen = {
  href: HREF,
  label: 'Money',
  icon: 'arrows-right-left',
  group: 'Work',
  permission: 'readMoney',
  async count({ database }) {
    const waiting = (await listMoves(database.sql)).filter(({ state }) => state === 'waits').length;
    return waiting > 0 ? String(waiting) : undefined;
  },
  done: { moved: 'The money is moved.', returned: 'The return is recorded.' },
  add(pages, service) {
    const { sql } = service.database;
    pages.page(HREF, 'readMoney', async ({ query, zone, may }) => {
      const wanted = readQuery(query);
      const { problem, money, transfers, next } = await find(service, wanted, zone);
      const listed = await describeTransfers(sql, transfers, { withCustomers: true });
      const isNewest = !isNarrowed(wanted) && !wanted.after && !wanted.before && !problem;
      return {
        title: 'Money',
        live: isNewest ? { path: LIVE, newest: transfers[0]?.id } : undefined,
        main: html`${pageHeader({ title: 'Money', lead: 'Deposits, withdrawals and moves between labels, of all customers.', actions: !problem && html`<a class="button" href=${`${HREF}/transfers.csv${queryOf(wanted)}`} download>${icon('arrow-down-tray', 'small')}CSV</a>` })}
          ${may('moveMoney') && requestsCard(await listMoves(sql))} ${searchForm(wanted, zone)} ${problem && notice(html`<p>${problem}</p>`, 'warn')}
          ${card(
            { title: isNarrowed(wanted) ? 'Matches' : 'Newest transfers', lead: money && leadOf(money, wanted), isBare: true },
            listOf(wanted, listed, next),
          )}`,
      };
    });
    pages.live(LIVE, 'readMoney', (newest) => countTransfers(sql, newest));
    pages.file(`${HREF}/transfers.csv`, 'readMoney', async ({ query, zone, audit }) => {
      const wanted = readQuery(query);
      if ((await find(service, wanted, zone)).problem) return undefined;
      await audit({ action: 'download_list', detail: { list: 'transfers' } });
      return csvFile('transfers.csv', csvOfTransfers(sql, pagesOf(service, wanted, zone)));
    });
    addTransfer(pages, service);
    addAccountLedger(pages, service);
    addMove(pages, service);
    addReverse(pages, service);
    addReturn(pages, service);
    addReceipt(pages, service);
  },
};

/** The moves that wait for a second person, or for the ledger. */
async function listMoves(sql: Sql): Promise<ChangeRequest[]> {
  return (await listOpenRequests(sql)).filter(({ wanted }) => wanted.kind === 'move_money');
}

type Wanted = Record<'search' | 'amount' | 'currency' | 'day' | 'after' | 'before', string>;

function readQuery(query: URLSearchParams): Wanted {
  const text = (name: string) => (query.get(name) ?? '').trim().slice(0, TEXT_LENGTH);
  const amount = text('amount');
  return {
    search: text('search'),
    amount,
    currency: text('currency').toUpperCase() || (amount === '' ? '' : 'USD'),
    day: text('day'),
    after: text('after'),
    before: text('before'),
  };
}

function leadOf({ typed, minorUnits }: TypedAmount, { currency }: Wanted): string {
  return `The amount “${typed}” is read as ${amountText(minorUnits, currency)} ${currency}.`;
}

function isNarrowed({ search, currency, day }: Wanted): boolean {
  return search !== '' || currency !== '' || day !== '';
}

/** `money`: what the amount was read as. */
type Result = { problem?: string; money?: TypedAmount; transfers: StoredTransfer[]; next: FoundTransfers['next'] };

async function find({ database: { sql } }: Pick<Service, 'database'>, wanted: Wanted, zone: string): Promise<Result> {
  const { search, amount, currency, day, after, before } = wanted;
  const failed = (problem: string) => ({ problem, transfers: [], next: undefined });
  const start = startOfDay(day, zone);
  if (day !== '' && !start) return failed('The day is not a date.');
  const money = amount === '' ? undefined : readTypedAmount(amount, currency);
  if (money && 'fault' in money) return failed(money.fault);
  const end = Number.isNaN(Date.parse(before)) ? endOfDay(day, zone) : new Date(before);
  const filter: TransferSearch = {
    accountId: undefined,
    from: start,
    before: end,
    amount: money?.minorUnits,
    currency: currency || undefined,
    after: isId(after) ? after : undefined,
    limit: PAGE_SIZE,
  };
  const found: FoundTransfers[] = [];
  for (const result of await Promise.all(textsOf(search, filter).map((by) => searchTransfers(sql, { ...filter, ...by })))) {
    if (result === 'tooMany') return failed('Thousands of transfers have this text. Add a day.');
    if (result === 'afterUnknown') return failed('The list has changed. Search again.');
    found.push(result);
  }
  return { ...(search === '' ? found[0]! : merge(found, search)), money };
}

/** What a text may be. The transfer with an id is on the first page. */
function textsOf(search: string, { after }: TransferSearch): Partial<TransferSearch>[] {
  if (search === '') return [{}];
  const texts = [{ externalId: search }, { reference: search }, { correlationId: search }];
  return isId(search) && after === undefined ? [{ id: search }, ...texts] : texts;
}

/** A page of all that a text finds, each transfer once: the one with the id first, then the newest. */
function merge(found: FoundTransfers[], search: string): FoundTransfers {
  const named = parseLegId(search)?.transferId ?? search;
  const all = new Map(found.flatMap(({ transfers }) => transfers).map((transfer) => [transfer.id, transfer]));
  const sorted = [...all.values()].toSorted(
    (one, other) =>
      Number(other.id === named) - Number(one.id === named) ||
      other.created.getTime() - one.created.getTime() ||
      (one.id < other.id ? 1 : -1),
  );
  const transfers = sorted.slice(0, PAGE_SIZE);
  const hasMore = sorted.length > PAGE_SIZE || found.some(({ next }) => next);
  return { transfers, next: hasMore ? { after: transfers.at(-1)!.id } : undefined };
}

function searchForm({ search, amount, currency, day }: Wanted, zone: string): Html {
  return html`<form class="filters" method="get" action=${HREF} role="search">
    <div class="grow">
      ${field(
        { id: 'search', label: 'Id, external id, reference or correlation id' },
        html`<input class="input" type="search" id="search" name="search" value=${search} maxlength=${TEXT_LENGTH} autocomplete="off" />`,
      )}
    </div>
    ${field(
      { id: 'amount', label: 'Amount' },
      html`<input class="input input-short" id="amount" name="amount" value=${amount} inputmode="decimal" autocomplete="off" />`,
    )}
    ${field(
      { id: 'currency', label: 'Currency' },
      html`<input class="input input-short" id="currency" name="currency" value=${currency} maxlength="3" placeholder="Any" autocomplete="off" />`,
    )}
    ${field({ id: 'day', label: `Day (${zone})` }, html`<input class="input" type="date" id="day" name="day" value=${day} />`)}
    <button class="button" type="submit">${icon('magnifying-glass', 'small')}Find</button>
  </form>`;
}

function listOf(wanted: Wanted, listed: Described, next: FoundTransfers['next']): Html {
  const following = next && hrefAfter(wanted, next);
  const { length } = listed.transfers;
  if (length === 0 && !following) return nothing(isNarrowed(wanted));
  const count = length === 1 ? 'One transfer' : `${length} transfers`;
  return html`${transferTable(listed)} ${pageLinks({ text: following ? `${count} shown, more may follow` : count, next: following })}`;
}

function nothing(isNarrowed: boolean): Html {
  return isNarrowed
    ? emptyState({
        icon: 'magnifying-glass',
        title: 'Nothing matches',
        text: 'Ids, references and amounts match exactly here. The ledger of a customer finds a part of a reference.',
        action: html`<a class="button" href=${HREF}>Show the newest</a>`,
      })
    : emptyState({ icon: 'arrows-right-left', title: 'No transfers yet', text: 'The first deposit appears here.' });
}

function hrefAfter(wanted: Wanted, next: NonNullable<FoundTransfers['next']>): string {
  return HREF + queryOf(placeAfter(wanted, next));
}

function placeAfter(wanted: Wanted, next: NonNullable<FoundTransfers['next']>): Wanted {
  return { ...wanted, ...('after' in next ? { after: next.after } : { after: '', before: next.before.toISOString() }) };
}

function queryOf(wanted: Wanted): string {
  return `?${new URLSearchParams(Object.entries(wanted).filter(([, value]) => value !== ''))}`;
}

/** All pages of a search from one on, for a file. A search that fails on the way ends the file without its end. */
async function* pagesOf(service: Pick<Service, 'database'>, wanted: Wanted, zone: string): AsyncGenerator<StoredTransfer[]> {
  for (let place: Wanted | undefined = wanted; place; ) {
    const { transfers, next, problem }: Result = await find(service, place, zone);
    if (problem) throw new Error(problem);
    yield transfers;
    place = next && placeAfter(place, next);
  }
}
