// Marks: the id at every thousandth place of a customer's reallocations from the oldest, so that a page far within the list is not walked to.
import { inBatches } from '../db/in-batches.ts';
import type { Sql } from '../db/sql.ts';
import { bucketOf, FIRST_ID, firstIdOf } from '../ids.ts';

/** A reallocation and how many there are up to it; at position 0 it is before the first. */
export type Mark = { position: number; id: string };

/** Reallocations from one mark to the next. */
const SPACING = 1_000;
/** Reallocations behind the last mark that a customer gathers before the next are set; and as many of them are counted to prove it. */
const UNMARKED = 2_000;
/** Most marks that one statement sets. */
const BATCH = 50;
/** Ids are made before the commit: within this time theirs are all there, as a request ends within 30 s and a batch within 10 more. */
const SETTLED_AFTER_MS = 60_000;

/**
 * Sets the marks of every customer who has gathered enough reallocations, up to those that are `before` a time. Two at once do no harm.
 * Returns how many.
 */
export async function markReallocations(sql: Sql, options: { before?: Date; signal?: AbortSignal } = {}): Promise<number> {
  const before = options.before ?? new Date(Date.now() - SETTLED_AFTER_MS);
  const customers = await sql<{ id: string }>`
    select a.customer_id as id
    from (
      select bucket, customer_id, sum(reallocations_out) as total from ledger_account
      where kind = 'label' group by bucket, customer_id having sum(reallocations_out) >= ${UNMARKED}
    ) a
    left join lateral (
      select max(position) as last from reallocation_mark m where m.bucket = a.bucket and m.customer_id = a.customer_id
    ) m on true
    where a.total - coalesce(m.last, 0) >= ${UNMARKED}`;
  let marks = 0;
  for (const { id } of customers) {
    if (options.signal?.aborted) break;
    marks += await inBatches({ size: BATCH, signal: options.signal }, () => markSome(sql, { id, before }));
  }
  return marks;
}

/** Goes on from the customer's last mark; sets none while the customer is being deleted. */
async function markSome(sql: Sql, { id, before }: { id: string; before: Date }): Promise<number> {
  const bucket = bucketOf(id);
  const set = await sql`
    with held as (select bucket, id from customer where bucket = ${bucket} and id = ${id} for key share),
    last as (
      select position, id from reallocation_mark where bucket = ${bucket} and customer_id = ${id}
      union all select 0, ${FIRST_ID}
      order by position desc limit 1
    ),
    walked as (
      select id, row_number() over (order by id) as place
      from (
        select id from transfer
        where bucket = ${bucket} and customer_id = ${id} and kind = 'reallocation'
          and id > (select id from last) and id < ${firstIdOf(before, bucket)}
        order by id limit ${BATCH * SPACING}
      ) w
    )
    insert into reallocation_mark (bucket, customer_id, position, id)
    select held.bucket, held.id, last.position + walked.place, walked.id
    from held, last, walked where walked.place % ${SPACING} = 0
    on conflict do nothing
    returning 1`;
  return set.length;
}

/**
 * How many reallocations a customer has, and the last mark before a page of `limit` and one more at an `offset` from the newest.
 * Marks are wrong once a reallocation has come with an id before them, as from a process whose clock was set back: the last
 * one tells by the number behind it, and all are given up.
 */
export async function findMark(
  sql: Sql,
  customerId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ total: number; mark: Mark }> {
  const bucket = bucketOf(customerId);
  const [row] = await sql<{ total: bigint; position: bigint | null; id: string; holds: boolean | null }>`
    select c.total, near.position, near.id, case when near.id is not null then
      least(c.total - last.position, ${UNMARKED}) = (
        select count(*) from (
          select from transfer
          where bucket = ${bucket} and customer_id = ${customerId} and kind = 'reallocation' and id > last.id
          limit ${UNMARKED}
        ) counted
      ) end as holds
    from (
      select coalesce(sum(reallocations_out), 0)::bigint as total from ledger_account
      where bucket = ${bucket} and customer_id = ${customerId} and kind = 'label'
    ) c
    left join lateral (
      select position, id from reallocation_mark
      where bucket = ${bucket} and customer_id = ${customerId} and position < c.total - ${offset}::bigint - ${limit}::bigint
      order by position desc limit 1
    ) near on true
    left join lateral (
      select position, id from reallocation_mark
      where bucket = ${bucket} and customer_id = ${customerId}
      order by position desc limit 1
    ) last on true`;
  const { total, position, id, holds } = row!;
  if (holds) return { total: Number(total), mark: { position: Number(position), id } };
  if (holds === false) await sql`delete from reallocation_mark where bucket = ${bucket} and customer_id = ${customerId}`;
  return { total: Number(total), mark: { position: 0, id: FIRST_ID } };
}
