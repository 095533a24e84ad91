// Answers a page of a customer's transfers: of all kinds, or of one for the lists of deposits, withdrawals and reallocations.
import { type Fault, invalid } from '../../core/problems.ts';
import type { StoredTransfer } from '../../ledger/transfers/transfer.ts';
import {
  countTransfers,
  findBeforeLast,
  findPlace,
  listTransfers,
  type TransferFilter,
} from '../../ledger/transfers/transfer-list.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { metadataParameters } from '../../platform/forms/external.ts';
import type { Links } from '../../platform/http/links.ts';
import { type PeriodQuery, periodOf } from '../../platform/http/moments.ts';
import { beforeLastPage, listPage, type Page } from '../../platform/http/paging.ts';

type Query = Page &
  PeriodQuery &
  Pick<TransferFilter, 'reference' | 'correlationId' | 'externalId' | 'metadata'> & { after?: string | undefined };

type Listed<T> = {
  kinds: TransferFilter['kinds'];
  /** The plural of the resource: the last segment of the path, and the name of the elements. */
  name: string;
  resourceType: string;
  represent(transfers: StoredTransfer[]): T[] | Promise<T[]>;
};

const notListed: Fault = { code: 'Invalid', message: 'after must be the id of an element of this list.', path: '/query/after' };

/** Refuses with ValidationError for an `after` that the customer does not have. With `after`, the offset is ignored, as in every list. */
export async function transferPage<T extends { id: string }>(
  { links, sql }: { links: Links; sql: Sql },
  customer: { id: string; accountId: string },
  query: Query,
  { kinds, name, resourceType, represent }: Listed<T>,
) {
  const { limit, offset, createdFrom, createdBefore, reference, correlationId, externalId, metadata } = query;
  const filter: TransferFilter = { kinds, ...periodOf(query), reference, correlationId, externalId, metadata };
  const after = query.after === undefined ? undefined : await findPlace(sql, customer, kinds, query.after);
  if (query.after !== undefined && !after) throw invalid(notListed);
  const [transfers, total] = await Promise.all([
    listTransfers(sql, customer, filter, { limit, offset: after ? 0 : offset, after }),
    countTransfers(sql, customer, filter),
  ]);
  return listPage(links, query, {
    path: `/customers/${customer.id}/${name}`,
    name,
    resourceType,
    elements: await represent(transfers),
    total,
    beforeLast: await beforeLastPage(query, total, (size) => findBeforeLast(sql, customer, filter, size)),
    filters: { createdFrom, createdBefore, reference, correlationId, externalId, ...metadataParameters(metadata) },
    byId: true,
  });
}
