// Lists a customer's reallocations, newest first, by one index scan, and the reversals of one.
import { fragment, type Sql } from '../db/sql.ts';
import { beforeLastPage, type Page } from '../http/paging.ts';
import { bucketOf, LAST_ID } from '../ids.ts';
import { type StoredTransfer, transferColumns } from '../ledger/transfer.ts';

/** `after` is the id before the page. With `after`, the offset is ignored, as in every list. */
type Query = Page & {
  after?: string | undefined;
  reference?: string | undefined;
  correlationId?: string | undefined;
  externalId?: string | undefined;
};
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
  const elements = await read(sql, { bucket: bucketOf(customer.id), accountId: customer.accountId }, page);
  const beforeLast = await beforeLastPage(query, total, async (size) => {
    const [row] = await sql<Id>`select id ${matches} order by id limit 1 offset ${size}`;
    return row?.id;
  });
  return { elements, total, beforeLast };
}

/** A page of the reversals of a reallocation, newest first, one more if there is a next page, and their number. */
export async function listReversals(
  sql: Sql,
  { id, accountId }: StoredTransfer,
  { limit, offset }: Page,
): Promise<{ elements: StoredTransfer[]; total: number }> {
  const bucket = bucketOf(id);
  const page = await sql<Id>`
    select id from transfer where bucket = ${bucket} and reverses = ${id} order by id desc limit ${limit + 1} offset ${offset}`;
  const [count] = await sql<{ total: bigint }>`
    select count(*) as total from transfer where bucket = ${bucket} and reverses = ${id}`;
  return { elements: await read(sql, { bucket, accountId }, page), total: Number(count!.total) };
}

/** The reallocations that match a query, by the index of its filter. */
function matching({ id }: Customer, { reference, correlationId, externalId }: Query) {
  return fragment`
    from transfer
    where bucket = ${bucketOf(id)} and customer_id = ${id} and kind = 'reallocation'
      ${reference === undefined ? fragment`` : fragment`and reference = ${reference}`}
      ${correlationId === undefined ? fragment`` : fragment`and correlation_id = ${correlationId}`}
      ${externalId === undefined ? fragment`` : fragment`and external_id = ${externalId}`}`;
}

/** Without a filter, the sum of a counter on each label, so that the cost does not depend on the number of reallocations. */
async function countMatches(sql: Sql, customer: Customer, query: Query): Promise<number> {
  const isFiltered = [query.reference, query.correlationId, query.externalId].some((filter) => filter !== undefined);
  const [count] = isFiltered
    ? await sql<{ total: bigint }>`select count(*) as total ${matching(customer, query)}`
    : await sql<{ total: bigint }>`
        select coalesce(sum(reallocations_out), 0)::bigint as total from ledger_account
        where bucket = ${bucketOf(customer.id)} and customer_id = ${customer.id} and kind = 'label'`;
  return Number(count?.total);
}

/** Reads each row by its key: `lateral … limit 1` keeps the planner from scanning the table. */
async function read(
  sql: Sql,
  { bucket, accountId }: { bucket: number; accountId: string },
  ids: Id[],
): Promise<StoredTransfer[]> {
  const rows = await sql<Omit<StoredTransfer, 'accountId'>>`
    select ${transferColumns(bucket)}
    from unnest(${ids.map(({ id }) => id)}::uuid[]) as w (id)
    join lateral (select * from transfer t where t.bucket = ${bucket} and t.id = w.id limit 1) t on true
    order by t.id desc`;
  return rows.map((row) => ({ ...row, accountId }));
}
