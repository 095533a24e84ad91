// Lists the reallocations of a customer, newest first, by the index of what they are filtered by.
import type { Sql } from '../db/sql.ts';
import type { Page } from '../http/paging.ts';
import { bucketOf, LAST_ID } from '../ids.ts';
import type { StoredTransfer } from '../ledger/transfer.ts';

/** `after` is the id that the page follows; an offset beside it is ignored, as in every list. */
type Query = Page & { after?: string | undefined; reference?: string | undefined; correlationId?: string | undefined };
type Customer = { id: string; accountId: string };
type Id = { id: string };
type Count = { total: bigint };

/** A page of a customer's reallocations and one more where there is a next page, with how many match in all. */
export async function listReallocations(
  sql: Sql,
  customer: Customer,
  query: Query,
): Promise<{ elements: StoredTransfer[]; total: number }> {
  const [ids, [count]] = await Promise.all(find(sql, customer, query));
  const rows = await read(sql, customer, ids);
  return { elements: rows.map((row) => ({ ...row, accountId: customer.accountId })), total: Number(count?.total) };
}

/** The ids of the page, and how many match. */
function find(sql: Sql, customer: Customer, query: Query): [Promise<Id[]>, Promise<Count[]>] {
  if (query.correlationId !== undefined) return withCorrelationId(sql, customer, query);
  if (query.reference !== undefined) return withReference(sql, customer, query);
  return all(sql, customer, query);
}

/** Each label counts the reallocations it sent, so that the total costs the same however many there are. */
function all(sql: Sql, { id }: Customer, { limit, offset, after }: Query): ReturnType<typeof find> {
  const ids = sql<Id>`
    select id from transfer
    where bucket = ${bucketOf(id)} and customer_id = ${id} and kind = 'reallocation' and id < ${after ?? LAST_ID}
    order by id desc
    limit ${limit + 1} offset ${after === undefined ? offset : 0}`;
  const counted = sql<Count>`
    select coalesce(sum(reallocations_out), 0)::bigint as total from ledger_account
    where bucket = ${bucketOf(id)} and customer_id = ${id} and kind = 'label'`;
  return [ids, counted];
}

function withReference(sql: Sql, { id }: Customer, { limit, offset, after, reference }: Query): ReturnType<typeof find> {
  const ids = sql<Id>`
    select id from transfer
    where bucket = ${bucketOf(id)} and customer_id = ${id} and reference = ${reference} and kind = 'reallocation'
      and id < ${after ?? LAST_ID}
    order by id desc
    limit ${limit + 1} offset ${after === undefined ? offset : 0}`;
  const counted = sql<Count>`
    select count(*) as total from transfer
    where bucket = ${bucketOf(id)} and customer_id = ${id} and reference = ${reference} and kind = 'reallocation'`;
  return [ids, counted];
}

function withCorrelationId(
  sql: Sql,
  { id }: Customer,
  { limit, offset, after, reference, correlationId }: Query,
): ReturnType<typeof find> {
  const ids = sql<Id>`
    select id from transfer
    where bucket = ${bucketOf(id)} and customer_id = ${id} and correlation_id = ${correlationId} and kind = 'reallocation'
      and reference is not distinct from coalesce(${reference}, reference) and id < ${after ?? LAST_ID}
    order by id desc
    limit ${limit + 1} offset ${after === undefined ? offset : 0}`;
  const counted = sql<Count>`
    select count(*) as total from transfer
    where bucket = ${bucketOf(id)} and customer_id = ${id} and correlation_id = ${correlationId} and kind = 'reallocation'
      and reference is not distinct from coalesce(${reference}, reference)`;
  return [ids, counted];
}

/** Reads each by its key: `lateral … limit 1` keeps the planner from scanning the table. */
function read(sql: Sql, customer: Customer, ids: Id[]): Promise<Omit<StoredTransfer, 'accountId'>[]> {
  return sql<Omit<StoredTransfer, 'accountId'>>`
    select t.id, t.customer_id as "customerId", t.from_id as "fromId", t.to_id as "toId", t.amount, t.currency, t.reference,
      t.correlation_id as "correlationId", t.created
    from unnest(${ids.map(({ id }) => id)}::uuid[]) as w (id)
    join lateral (select * from transfer t where t.bucket = ${bucketOf(customer.id)} and t.id = w.id limit 1) t on true
    order by t.id desc`;
}
