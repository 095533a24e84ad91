// Retention of events: the oldest of an account's feed go first, so that its positions stay without gaps.
import type { Sql } from '../db/sql.ts';

/** Deletes at most `limit` of an account's oldest events, up to the first that is not of before a time. Returns how many. */
export async function pruneEvents(
  sql: Sql,
  { accountId, before, limit }: { accountId: string; before: Date; limit: number },
): Promise<number> {
  const [row] = await sql<{ deleted: bigint }>`
    with oldest as (
      select f.position, f.bucket, f.event_id, coalesce(e.created < ${before}, true) as old
      from (select * from event_feed where account_id = ${accountId} order by position limit ${limit}) f
      left join lateral (select created from event e where e.bucket = f.bucket and e.id = f.event_id limit 1) e on true
    ),
    gone as (
      select * from oldest
      where old and position < coalesce((select min(position) from oldest where not old), ${BEYOND})
    ),
    told as (
      update event_head set pruned = greatest(pruned, ${before}) where account_id = ${accountId} and exists (select from gone)
    ),
    events as (delete from event e using gone where e.bucket = gone.bucket and e.id = gone.event_id),
    deleted as (
      delete from event_feed f using gone where f.account_id = ${accountId} and f.position = gone.position returning 1
    )
    select count(*) as deleted from deleted`;
  return Number(row?.deleted);
}

/** Past every position. */
const BEYOND = 2n ** 63n - 1n;
