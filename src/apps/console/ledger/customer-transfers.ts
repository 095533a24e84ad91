// Finds transfers of one customer by label, kind, text, amount and time. Each page examines a bounded number of them.
import { findTransfer, type StoredTransfer } from '../../../ledger/transfers/transfer.ts';
import { findPlace, KINDS, listTransfers } from '../../../ledger/transfers/transfer-list.ts';
import { EXAMINED_MAX } from '../../../ledger/transfers/transfer-search.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import type { Label } from '../../../resources/labels/label.ts';
import { findEntryPage } from './entry-page.ts';
import type { LedgerFilter } from './ledger-query.ts';
import { shownKind } from './transfer-words.ts';

/** Where a page begins, as its address has it: after a transfer, or at the number of an entry of the label of the filter. */
export type Place = { after: string } | { upTo: string };

type Page = { transfers: StoredTransfer[]; next: Place | undefined };

const STEP = 500;

/** A page, newest first. `next`: behind the last one examined, when there are more. */
export async function findOfCustomer(
  sql: Sql,
  customer: { id: string },
  { filter, limit, place }: { filter: LedgerFilter; limit: number; place: Place | undefined },
): Promise<Page> {
  if (filter.label)
    return findOfLabel(sql, filter.label, { filter, limit, upTo: place && 'upTo' in place ? place.upTo : undefined });
  const found = await findOfAll(sql, customer, { filter, limit, after: place && 'after' in place ? place.after : undefined });
  return { ...found, next: found.next === undefined ? undefined : { after: found.next } };
}

/** By the entries of the label: a customer may have many more transfers. */
async function findOfLabel(
  sql: Sql,
  label: Label,
  { filter, limit, upTo }: { filter: LedgerFilter; limit: number; upTo: string | undefined },
): Promise<Page> {
  const { entries, rest } = await findEntryPage(sql, label, { filter, limit, upTo });
  const transfers = await Promise.all(entries.map(({ transferId }) => findTransfer(sql, transferId, ...KINDS)));
  return { transfers: transfers.filter((one) => one !== undefined), next: rest && { upTo: String(rest.last) } };
}

async function findOfAll(
  sql: Sql,
  customer: { id: string },
  { filter, limit, after }: { filter: LedgerFilter; limit: number; after: string | undefined },
): Promise<{ transfers: StoredTransfer[]; next: string | undefined }> {
  const { kind, externalId, metadata, from, before } = filter;
  const kinds = kind === undefined ? KINDS : [kind === 'reversal' ? 'reallocation' : kind];
  const isCompared = kind === 'reversal' || kind === 'reallocation' || filter.text !== undefined || filter.amount !== undefined;
  const step = isCompared ? STEP : limit;
  const found: StoredTransfer[] = [];
  let place: { id: string; created: Date } | undefined =
    after === undefined ? undefined : await findPlace(sql, customer, KINDS, after);
  for (let examined = 0; examined < EXAMINED_MAX; ) {
    const page = await listTransfers(
      sql,
      customer,
      { kinds, from, before, externalId, metadata },
      { limit: step, offset: 0, after: place },
    );
    for (const transfer of page.slice(0, step)) {
      if (found.length === limit) return { transfers: found, next: found.at(-1)!.id };
      if (isMatching(transfer, filter)) found.push(transfer);
      place = transfer;
    }
    examined += step;
    if (page.length <= step) return { transfers: found, next: undefined };
    if (found.length === limit) break;
  }
  return { transfers: found, next: place?.id };
}

/** All pages, for a file. */
export async function* pagesOfCustomer(
  sql: Sql,
  customer: { id: string },
  filter: LedgerFilter,
): AsyncGenerator<StoredTransfer[]> {
  for (let place: Place | undefined, isMore = true; isMore; ) {
    const { transfers, next } = await findOfCustomer(sql, customer, { filter, limit: STEP, place });
    yield transfers;
    place = next;
    isMore = next !== undefined;
  }
}

function isMatching(transfer: StoredTransfer, { kind, text, amount }: LedgerFilter): boolean {
  return (
    (kind === undefined || shownKind(transfer) === kind) &&
    (text === undefined || (transfer.reference ?? '').toLowerCase().includes(text.toLowerCase())) &&
    (amount === undefined || transfer.amount === amount)
  );
}
