// Lists a customer's reallocations, newest first, with one index scan per filter.
import type { Sql } from '../db/sql.ts';
import { beforeLastPage, type Page } from '../http/paging.ts';
import { bucketOf, LAST_ID } from '../ids.ts';
import type { StoredTransfer } from '../ledger/transfer.ts';

/** `after` is the id before the page. With `after`, the offset is ignored, as in every list. */
type Query = Page & { after?: string | undefined; reference?: string | undefined; correlationId?: string | undefined };
type Customer = { id: string; accountId: string };
type Id = { id: string };
type Count = { total: bigint };

/** The queries of a list: the ids of the page, the number of matches, and the id before the `size` oldest. */
type List = {
  ids: Promise<Id[]>;
  count: Promise<Count[]>;
  beforeOldest(size: number): Promise<Id[]>;
};

/** A page of a customer's reallocations, one more if there is a next page, and the total of matches. */
export async function listReallocations(
  sql: Sql,
  customer: Customer,
  query: Query,
): Promise<{ elements: StoredTransfer[]; total: number; beforeLast: string | undefined }> {
  const { ids, count, beforeOldest } = select(sql, customer, query);
  const [page, [counted]] = await Promise.all([ids, count]);
  const total = Number(counted?.total);
  const rows = await read(sql, customer, page);
  const beforeLast = await beforeLastPage(query, total, async (size) => (await beforeOldest(size))[0]?.id);
  return { elements: rows.map((row) => ({ ...row, accountId: customer.accountId })), total, beforeLast };
}

function select(sql: Sql, customer: Customer, query: Query): List {
  if (query.correlationId !== undefined) return withCorrelationId(sql, customer, query);
  if (query.reference !== undefined) return withReference(sql, customer, query);
  return all(sql, customer, query);
}

/** The total is the sum of a counter on each label, so that its cost does not depend on the number of reallocations. */
function all(sql: Sql, { id }: Customer, { limit, offset, after }: Query): List {
  const bucket = bucketOf(id);
  return {
    ids: sql<Id>`
      select id from transfer
      where bucket = ${bucket} and customer_id = ${id} and kind = 'reallocation' and id < ${after ?? LAST_ID}
      order by id desc
      limit ${limit + 1} offset ${after === undefined ? offset : 0}`,
    count: sql<Count>`
      select coalesce(sum(reallocations_out), 0)::bigint as total from ledger_account
      where bucket = ${bucket} and customer_id = ${id} and kind = 'label'`,
    beforeOldest: (size) => sql<Id>`
      select id from transfer
      where bucket = ${bucket} and customer_id = ${id} and kind = 'reallocation'
      order by id limit 1 offset ${size}`,
  };
}

function withReference(sql: Sql, { id }: Customer, { limit, offset, after, reference }: Query): List {
  const bucket = bucketOf(id);
  return {
    ids: sql<Id>`
      select id from transfer
      where bucket = ${bucket} and customer_id = ${id} and reference = ${reference} and kind = 'reallocation'
        and id < ${after ?? LAST_ID}
      order by id desc
      limit ${limit + 1} offset ${after === undefined ? offset : 0}`,
    count: sql<Count>`
      select count(*) as total from transfer
      where bucket = ${bucket} and customer_id = ${id} and reference = ${reference} and kind = 'reallocation'`,
    beforeOldest: (size) => sql<Id>`
      select id from transfer
      where bucket = ${bucket} and customer_id = ${id} and reference = ${reference} and kind = 'reallocation'
      order by id limit 1 offset ${size}`,
  };
}

function withCorrelationId(sql: Sql, { id }: Customer, { limit, offset, after, reference, correlationId }: Query): List {
  const bucket = bucketOf(id);
  return {
    ids: sql<Id>`
      select id from transfer
      where bucket = ${bucket} and customer_id = ${id} and correlation_id = ${correlationId} and kind = 'reallocation'
        and reference is not distinct from coalesce(${reference}, reference) and id < ${after ?? LAST_ID}
      order by id desc
      limit ${limit + 1} offset ${after === undefined ? offset : 0}`,
    count: sql<Count>`
      select count(*) as total from transfer
      where bucket = ${bucket} and customer_id = ${id} and correlation_id = ${correlationId} and kind = 'reallocation'
        and reference is not distinct from coalesce(${reference}, reference)`,
    beforeOldest: (size) => sql<Id>`
      select id from transfer
      where bucket = ${bucket} and customer_id = ${id} and correlation_id = ${correlationId} and kind = 'reallocation'
        and reference is not distinct from coalesce(${reference}, reference)
      order by id limit 1 offset ${size}`,
  };
}

/** Reads each row by its key: `lateral … limit 1` keeps the planner from scanning the table. */
function read(sql: Sql, customer: Customer, ids: Id[]): Promise<Omit<StoredTransfer, 'accountId'>[]> {
  return sql<Omit<StoredTransfer, 'accountId'>>`
    select t.id, t.customer_id as "customerId", t.from_id as "fromId", t.to_id as "toId", t.amount, t.currency, t.reference,
      t.correlation_id as "correlationId", t.created
    from unnest(${ids.map(({ id }) => id)}::uuid[]) as w (id)
    join lateral (select * from transfer t where t.bucket = ${bucketOf(customer.id)} and t.id = w.id limit 1) t on true
    order by t.id desc`;
}
