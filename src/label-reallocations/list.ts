// Lists a customer's reallocations, newest first, by one index scan.
import { fragment, type Sql } from '../db/sql.ts';
import { beforeLastPage, type Page } from '../http/paging.ts';
import { bucketOf, LAST_ID } from '../ids.ts';
import type { StoredTransfer } from '../ledger/transfer.ts';

/** `after` is the id before the page. With `after`, the offset is ignored, as in every list. */
type Query = Page & { after?: string | undefined; reference?: string | undefined; correlationId?: string | undefined };
type Customer = { id: string; accountId: string };
type Id = { id: string };

/** A page of a customer's reallocations, one more if there is a next page, and the total of matches. */
export async function listReallocations(
  sql: Sql,
  customer: Customer,
  query: Query,
): Promise<{ elements: StoredTransfer[]; total: number; beforeLast: string | undefined }> {
  const { limit, offset, after } = query;
  const matches = matching(customer, query);
  const [page, total] = await Promise.all([
    sql<Id>`
      select id ${matches} and id < ${after ?? LAST_ID}
      order by id desc
      limit ${limit + 1} offset ${after === undefined ? offset : 0}`,
    countMatches(sql, customer, query),
  ]);
  const rows = await read(sql, customer, page);
  const beforeLast = await beforeLastPage(query, total, async (size) => {
    const [row] = await sql<Id>`select id ${matches} order by id limit 1 offset ${size}`;
    return row?.id;
  });
  return { elements: rows.map((row) => ({ ...row, accountId: customer.accountId })), total, beforeLast };
}

/** The reallocations that match a query, by the index of its filter. */
function matching({ id }: Customer, { reference, correlationId }: Query) {
  return fragment`
    from transfer
    where bucket = ${bucketOf(id)} and customer_id = ${id} and kind = 'reallocation'
      ${reference === undefined ? fragment`` : fragment`and reference = ${reference}`}
      ${correlationId === undefined ? fragment`` : fragment`and correlation_id = ${correlationId}`}`;
}

/** Without a filter, the sum of a counter on each label, so that the cost does not depend on the number of reallocations. */
async function countMatches(sql: Sql, customer: Customer, query: Query): Promise<number> {
  const isFiltered = query.reference !== undefined || query.correlationId !== undefined;
  const [count] = isFiltered
    ? await sql<{ total: bigint }>`select count(*) as total ${matching(customer, query)}`
    : await sql<{ total: bigint }>`
        select coalesce(sum(reallocations_out), 0)::bigint as total from ledger_account
        where bucket = ${bucketOf(customer.id)} and customer_id = ${customer.id} and kind = 'label'`;
  return Number(count?.total);
}

/** Reads each row by its key: `lateral … limit 1` keeps the planner from scanning the table. */
function read(sql: Sql, customer: Customer, ids: Id[]): Promise<Omit<StoredTransfer, 'accountId'>[]> {
  return sql<Omit<StoredTransfer, 'accountId'>>`
    select t.id, t.customer_id, t.from_id, t.to_id, t.amount, t.currency, t.reference,
      t.correlation_id, t.created
    from unnest(${ids.map(({ id }) => id)}::uuid[]) as w (id)
    join lateral (select * from transfer t where t.bucket = ${bucketOf(customer.id)} and t.id = w.id limit 1) t on true
    order by t.id desc`;
}
