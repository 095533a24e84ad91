// Retention of events: deletes the oldest of an account's feed first, so that its positions stay without gaps.
import { inBatches } from '../db/in-batches.ts';
import type { Sql } from '../db/sql.ts';
import { BEYOND } from './feed.ts';

const BATCH = 1_000;

/** Deletes settled events created before a time, in batches. Safe to run concurrently. Returns the number of deleted events. */
export async function pruneEvents(sql: Sql, { before, signal }: { before: Date; signal?: AbortSignal }): Promise<number> {
  const accounts = await sql<{ accountId: string }>`select account_id from event_head`;
  let pruned = 0;
  for (const { accountId } of accounts) {
    pruned += await inBatches({ size: BATCH, signal }, () => pruneSomeEvents(sql, { accountId, before, limit: BATCH }));
  }
  return pruned;
}

type Oldest = { accountId: string; before: Date; limit: number };

/** Deletes at most `limit` of an account's oldest events, up to the first created at `before` or later. Returns the number of deleted events. */
export async function pruneSomeEvents(sql: Sql, oldest: Oldest): Promise<number> {
  await announce(sql, oldest);
  return deleteOldest(sql, oldest);
}

/** Records what may be deleted, in a separate and earlier transaction, because settling waits for the lock on the head of a feed. */
async function announce(sql: Sql, { accountId, before }: Oldest): Promise<void> {
  await sql`
    update event_head set pruned = ${before}
    where account_id = ${accountId} and (pruned is null or pruned < ${before})
      and exists (
        select from (select bucket, event_id from event_feed where account_id = ${accountId} order by position limit 1) f
        join event e on e.bucket = f.bucket and e.id = f.event_id
        where e.created < ${before}
      )`;
}

/** Deletes without announcing. Locks only the deleted rows. */
export async function deleteOldest(sql: Sql, { accountId, before, limit }: Oldest): Promise<number> {
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
    events as (delete from event e using gone where e.bucket = gone.bucket and e.id = gone.event_id),
    deleted as (
      delete from event_feed f using gone where f.account_id = ${accountId} and f.position = gone.position returning 1
    )
    select count(*) as deleted from deleted`;
  return Number(row?.deleted);
}
