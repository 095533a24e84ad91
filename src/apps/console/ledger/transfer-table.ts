// Transfers as a table and as CSV: from where to where, and what is known about each.
import { csvLine, textCell } from '../../../core/csv.ts';
import { formatAmount } from '../../../core/money/money.ts';
import { findSides, type Side } from '../../../ledger/transfers/ledger-account.ts';
import type { StoredTransfer } from '../../../ledger/transfers/transfer.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { table } from '../../../platform/pages/parts.ts';
import { time } from '../../../platform/pages/time.ts';
import { findNames } from '../../../resources/customers/search.ts';
import { amountText } from '../amount.ts';
import { nameOf } from '../customer-name.ts';
import { kindBadge, routeOf, shownKind, stateBadges, textsOf } from './transfer-words.ts';

type Names = Awaited<ReturnType<typeof findNames>>;
/** `names`: of the customers, where they are shown. */
export type Described = { transfers: StoredTransfer[]; sides: Map<string, Side>; names: Names | undefined };

const CSV_COLUMNS = [
  ...['created', 'transfer', 'kind', 'customer', 'customerName', 'from', 'fromName', 'to', 'toName', 'currency', 'amount'],
  ...['reference', 'correlationId', 'externalId', 'metadata', 'reverses', 'reversed', 'hold'],
];

/** Reads what the rows of transfers name. */
export async function describeTransfers(
  sql: Sql,
  transfers: StoredTransfer[],
  { withCustomers }: { withCustomers: boolean },
): Promise<Described> {
  const customers = transfers.map(({ customerId }) => customerId);
  const [sides, names] = await Promise.all([
    findSides(
      sql,
      transfers.flatMap(({ fromId, toId }) => [fromId, toId]),
    ),
    withCustomers ? findNames(sql, customers) : undefined,
  ]);
  return { transfers, sides, names };
}

export function transferTable({ transfers, sides, names }: Described): Html {
  const columns = [
    { label: 'Time' },
    { label: 'Kind' },
    { label: 'From → to' },
    { label: 'Reference and ids' },
    ...(names ? [{ label: 'Customer' }] : []),
    { label: 'Amount', isNumber: true },
  ];
  const rows = transfers.map((transfer) => {
    const { id, created, customerId, fromId, toId, amount, currency } = transfer;
    return [
      html`<a class="nowrap" href=${`/console/money/transfers/${id}`}>${time(created, 'seconds')}</a>`,
      html`${kindBadge(shownKind(transfer))} ${stateBadges(transfer)}`,
      routeOf(sides.get(fromId), sides.get(toId)),
      textsOf(transfer),
      ...(names ? [html`<a href=${`/console/customers/${customerId}`}>${nameIn(names, customerId)}</a>`] : []),
      `${amountText(amount, currency)} ${currency}`,
    ];
  });
  return table({ caption: 'Transfers', columns, rows });
}

/** Pages of transfers as CSV. */
export async function* csvOfTransfers(sql: Sql, pages: AsyncIterable<StoredTransfer[]>): AsyncGenerator<string> {
  yield csvLine(CSV_COLUMNS);
  for await (const page of pages) {
    const { transfers, sides, names } = await describeTransfers(sql, page, { withCustomers: true });
    yield transfers.map((transfer) => lineOf(transfer, sides, names!)).join('');
  }
}

function lineOf(transfer: StoredTransfer, sides: Described['sides'], names: Names): string {
  const { id, created, customerId, fromId, toId, currency, amount, reference, correlationId, externalId, metadata } = transfer;
  const nameOfSide = (side: Side | undefined) => textCell(side?.name ?? side?.kind ?? null);
  const money = (minorUnits: bigint) => formatAmount(minorUnits, currency).value;
  return csvLine([
    ...[created.toISOString(), id, shownKind(transfer), customerId, textCell(nameIn(names, customerId))],
    ...[fromId, nameOfSide(sides.get(fromId)), toId, nameOfSide(sides.get(toId)), currency, money(amount)],
    ...[textCell(reference), textCell(correlationId), textCell(externalId), textCell(metadata && JSON.stringify(metadata))],
    ...[transfer.reverses ?? '', money(transfer.reversed), transfer.holdId ?? ''],
  ]);
}

function nameIn(names: Names, id: string): string {
  const found = names.get(id);
  return found ? nameOf(found) : id;
}
