// A label reallocation: an amount moved from one label to another of the same customer, with a ledger entry on each.
import Type, { type Static } from 'typebox';
import type { Sql } from '../db/sql.ts';
import { LinkSchema, type Links } from '../http/links.ts';
import { IdSchema, type Page } from '../http/paging.ts';
import { bucketOf, LAST_ID, legId } from '../ids.ts';
import type { StoredTransfer } from '../ledger/transfer.ts';
import { AmountSchema, ReferenceSchema } from '../money/amount.ts';
import { formatAmount } from '../money/money.ts';
import { findMark, type Mark } from './mark.ts';

export type ReallocationRequest = Static<typeof ReallocationRequest>;

const Href = Type.Object({ href: Type.String({ description: 'URL of a label, {base}/labels/{id}.' }) });

export const ReallocationRequest = Type.Object(
  { _links: Type.Object({ from: Href, to: Href }), amount: AmountSchema, reference: Type.Optional(ReferenceSchema) },
  { title: 'LabelReallocationRequest' },
);

export const LabelReallocation = Type.Object(
  {
    _links: Type.Object({
      self: LinkSchema,
      from: LinkSchema,
      to: LinkSchema,
      'from-ledger-entry': LinkSchema,
      'to-ledger-entry': LinkSchema,
      customer: LinkSchema,
    }),
    id: IdSchema,
    created: Type.String({ format: 'date-time' }),
    amount: AmountSchema,
    reference: Type.Optional(Type.String()),
  },
  { title: 'LabelReallocation' },
);

export function represent(links: Links, transfer: StoredTransfer): Static<typeof LabelReallocation> {
  return {
    _links: {
      self: links.to('label-reallocation', transfer.id),
      from: links.to('label', transfer.fromId),
      to: links.to('label', transfer.toId),
      'from-ledger-entry': links.to('ledger-entry', legId(transfer.id, 'from')),
      'to-ledger-entry': links.to('ledger-entry', legId(transfer.id, 'to')),
      customer: links.to('customer', transfer.customerId),
    },
    id: transfer.id,
    created: transfer.created.toISOString(),
    amount: formatAmount(transfer.amount, transfer.currency),
    ...(transfer.reference !== null && { reference: transfer.reference }),
  };
}

/** A page of a customer's reallocations, newest first, with how many there are in all. */
export async function listReallocations(
  sql: Sql,
  customer: { id: string; accountId: string },
  query: ListQuery & { reference?: string | undefined },
): Promise<{ elements: StoredTransfer[]; total: number }> {
  const { rows, total } = await find(sql, customer, query);
  return { elements: rows.map((row) => ({ ...row, accountId: customer.accountId })), total };
}

type Row = Omit<StoredTransfer, 'accountId'>;
type Found = { rows: Row[]; total: number };
/** `after` names the place by itself: an offset beside it counts for nothing, as in every list. */
type ListQuery = Page & { after?: string | undefined };

/** Up to this offset a page is read from the newest on. */
const NEAR = 2_000;

async function find(sql: Sql, customer: { id: string }, query: ListQuery & { reference?: string | undefined }): Promise<Found> {
  const { reference, after, offset } = query;
  if (reference !== undefined) {
    return { rows: await newestWith(sql, customer, query, reference), total: await countWith(sql, customer, reference) };
  }
  if (after === undefined && offset > NEAR) return farWithin(sql, customer, query);
  return { rows: await newest(sql, customer, query), total: await count(sql, customer) };
}

function newest(sql: Sql, customer: { id: string }, { limit, offset, after }: ListQuery): Promise<Row[]> {
  return sql<Row>`
    select id, customer_id as "customerId", from_id as "fromId", to_id as "toId", amount, currency, reference, created
    from transfer
    where bucket = ${bucketOf(customer.id)} and customer_id = ${customer.id} and kind = 'reallocation' and id < ${after ?? LAST_ID}
    order by id desc
    limit ${limit + 1} offset ${after === undefined ? offset : 0}`;
}

/** Each label counts the reallocations it sent, so that nothing is counted here however many there are. */
async function count(sql: Sql, customer: { id: string }): Promise<number> {
  const [row] = await sql<{ total: bigint }>`
    select coalesce(sum(reallocations_out), 0)::bigint as total from ledger_account
    where bucket = ${bucketOf(customer.id)} and customer_id = ${customer.id} and kind = 'label'`;
  return Number(row?.total);
}

/** A page at its place from the oldest, which stays while new ones come: read from the mark before it, or from the newest if that is nearer. */
async function farWithin(sql: Sql, customer: { id: string }, { limit, offset }: Page): Promise<Found> {
  const { total, mark } = await findMark(sql, customer.id, { limit, offset });
  const first = Math.max(1, total - offset - limit);
  const length = Math.max(0, total - offset - first + 1);
  const skip = first - mark.position - 1;
  const ids =
    skip < offset ? await idsBehind(sql, customer, { mark, skip, length }) : await newestIds(sql, customer, { offset, length });
  return { rows: await read(sql, customer, ids), total };
}

/** By the index alone; oldest first. */
function idsBehind(
  sql: Sql,
  customer: { id: string },
  { mark, skip, length }: { mark: Mark; skip: number; length: number },
): Promise<{ id: string }[]> {
  return sql<{ id: string }>`
    select id from transfer
    where bucket = ${bucketOf(customer.id)} and customer_id = ${customer.id} and kind = 'reallocation' and id > ${mark.id}
    order by id
    limit ${length} offset ${skip}`;
}

function newestIds(
  sql: Sql,
  customer: { id: string },
  { offset, length }: { offset: number; length: number },
): Promise<{ id: string }[]> {
  return sql<{ id: string }>`
    select id from transfer
    where bucket = ${bucketOf(customer.id)} and customer_id = ${customer.id} and kind = 'reallocation'
    order by id desc
    limit ${length} offset ${offset}`;
}

/** Newest first. Each is found by its key: `lateral … limit 1` leaves the planner no other way. */
function read(sql: Sql, customer: { id: string }, ids: { id: string }[]): Promise<Row[]> {
  return sql<Row>`
    select t.id, t.customer_id as "customerId", t.from_id as "fromId", t.to_id as "toId", t.amount, t.currency, t.reference, t.created
    from unnest(${ids.map(({ id }) => id)}::uuid[]) as w (id)
    join lateral (select * from transfer t where t.bucket = ${bucketOf(customer.id)} and t.id = w.id limit 1) t on true
    order by t.id desc`;
}

function newestWith(sql: Sql, customer: { id: string }, { limit, offset, after }: ListQuery, reference: string): Promise<Row[]> {
  return sql<Row>`
    select id, customer_id as "customerId", from_id as "fromId", to_id as "toId", amount, currency, reference, created
    from transfer
    where bucket = ${bucketOf(customer.id)} and customer_id = ${customer.id} and reference = ${reference} and kind = 'reallocation'
      and id < ${after ?? LAST_ID}
    order by id desc
    limit ${limit + 1} offset ${after === undefined ? offset : 0}`;
}

async function countWith(sql: Sql, customer: { id: string }, reference: string): Promise<number> {
  const [row] = await sql<{ total: bigint }>`
    select count(*) as total from transfer
    where bucket = ${bucketOf(customer.id)} and customer_id = ${customer.id} and reference = ${reference} and kind = 'reallocation'`;
  return Number(row?.total);
}
