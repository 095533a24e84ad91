// A label reallocation: an amount moved from one label to another of the same customer, with a ledger entry on each.
import Type, { type Static } from 'typebox';
import type { Sql } from '../db/sql.ts';
import { LinkSchema, type Links } from '../http/links.ts';
import { IdSchema, type Page } from '../http/paging.ts';
import { bucketOf, legId } from '../ids.ts';
import type { StoredTransfer } from '../ledger/transfer.ts';
import { AmountSchema, ReferenceSchema } from '../money/amount.ts';
import { formatAmount } from '../money/money.ts';

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
  query: Page & { after?: string | undefined; reference?: string | undefined },
): Promise<{ elements: StoredTransfer[]; total: number }> {
  const bucket = bucketOf(customer.id);
  const elements =
    query.reference === undefined ? await newest(sql, customer, query) : await newestWith(sql, customer, query, query.reference);
  // Each label counts the reallocations it sent, so that nothing is counted here however many there are.
  const [count] =
    query.reference === undefined
      ? await sql<{ total: bigint }>`
          select coalesce(sum(reallocations_out), 0)::bigint as total from ledger_account
          where bucket = ${bucket} and customer_id = ${customer.id} and kind = 'label'`
      : await sql<{ total: bigint }>`
          select count(*) as total from transfer
          where bucket = ${bucket} and customer_id = ${customer.id} and reference = ${query.reference} and kind = 'reallocation'`;
  return { elements: elements.map((row) => ({ ...row, accountId: customer.accountId })), total: Number(count?.total) };
}

type Row = Omit<StoredTransfer, 'accountId'>;
/** `after` names the place by itself: an offset beside it counts for nothing, as in every list. */
type ListQuery = Page & { after?: string | undefined };

const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

function newest(sql: Sql, customer: { id: string }, { limit, offset, after }: ListQuery): Promise<Row[]> {
  return sql<Row>`
    select id, customer_id as "customerId", from_id as "fromId", to_id as "toId", amount, currency, reference, created
    from transfer
    where bucket = ${bucketOf(customer.id)} and customer_id = ${customer.id} and kind = 'reallocation' and id < ${after ?? LAST_ID}
    order by id desc
    limit ${limit + 1} offset ${after === undefined ? offset : 0}`;
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
