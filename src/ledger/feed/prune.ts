// Retention of events: deletes the oldest of an account's feed first, so that its positions stay without gaps.
import { inBatches } from '../../platform/db/in-batches.ts';
import type { Sql } from '../../platform/db/sql.ts';
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
  await cleanOutbox(sql, oldest);
  return deleteOldest(sql, oldest);
}

/** Records what may be deleted, in a separate and earlier transaction, because settling waits for the lock on the head of a feed. */
async function announce(sql: Sql, { accountId, before }: Oldest): Promise<void> {
  await sql`
    update event_head set pruned = ${before}
    where account_id = ${accountId} and (pruned is null or pruned < ${before})
      and (select created from event where account_id = ${accountId} order by position limit 1) < ${before}`;
}

/** On a cluster, events may be in the feed and still in the outbox. Without the place of the first one they would be settled again. */
async function cleanOutbox(sql: Sql, { accountId, before, limit }: Oldest): Promise<void> {
  const settled = await sql<{ bucket: number; id: string }>`
    select outbox_bucket(bucket) as bucket, id
    from (select bucket, id, created from event where account_id = ${accountId} order by position limit ${limit}) oldest
    where created < ${before}`;
  if (settled.length === 0) return;
  await sql`
    delete from event_outbox
    where bucket = any(${[...new Set(settled.map(({ bucket }) => bucket))]}) and ids[1][1] = any(${settled.map(({ id }) => id)})`;
}

/** Deletes without announcing, and only what the transparency log contains already, and what balance monitors have seen. Locks only the deleted rows. */
export async function deleteOldest(sql: Sql, { accountId, before, limit }: Oldest): Promise<number> {
  const rows = await sql`
    with oldest as materialized (
      select position, created from event where account_id = ${accountId} order by position limit ${limit}
    )
    delete from event e using oldest o
    where e.account_id = ${accountId} and e.position = o.position
      and o.position < coalesce((select min(position) from oldest where created >= ${before}), ${BEYOND})
      and o.position <= coalesce((select start + size from transparency_log where account_id = ${accountId}), ${BEYOND})
      and o.position <= coalesce((select position from monitored_feed where account_id = ${accountId}), ${BEYOND})
    returning 1`;
  return rows.length;
}
