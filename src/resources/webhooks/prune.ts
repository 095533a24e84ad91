// Retention: deletes old events, and old webhooks with their attempts and retries, in batches small enough not to delay requests.
import { bucketOf, firstIdOf, LAST_ID } from '../../core/ids.ts';
import { pruneEvents, pruneSomeEvents } from '../../ledger/feed/prune.ts';
import { inBatches } from '../../platform/db/in-batches.ts';
import type { Sql } from '../../platform/db/sql.ts';

const BATCH = 1_000;

/** Deletes events created before a time, and the webhooks of such events. Returns the number of each. */
export async function prune(
  sql: Sql,
  until: { before: Date; signal?: AbortSignal },
): Promise<{ events: number; webhooks: number }> {
  const events = await pruneEvents(sql, until);
  return { events, webhooks: await pruneWebhooks(sql, until) };
}

/** Deletes webhooks of events created before a time, and removed subscriptions without webhooks. Safe to run concurrently. Returns the number of webhooks. */
async function pruneWebhooks(sql: Sql, { before, signal }: { before: Date; signal?: AbortSignal }): Promise<number> {
  const subscriptions = await sql<{ id: string }>`select id from webhook_subscription`;
  let pruned = 0;
  for (const { id } of subscriptions) {
    pruned += await inBatches({ size: BATCH, signal }, () => pruneSomeWebhooks(sql, id, before));
  }
  await sql`delete from webhook_subscription where removed < ${before} and webhooks = 0`;
  return pruned;
}

/** Like `prune`, for one account whose sandbox clock was advanced. Ids carry the system time, so this ignores the time in them. */
export async function pruneAccount(sql: Sql, accountId: string, before: Date): Promise<void> {
  await inBatches({ size: BATCH }, () => pruneSomeEvents(sql, { accountId, before, limit: BATCH }));
  const subscriptions = await sql<{ id: string }>`select id from webhook_subscription where account_id = ${accountId}`;
  for (const { id } of subscriptions) await inBatches({ size: BATCH }, () => pruneSomeWebhooks(sql, id, before, LAST_ID));
}

/** Deletes at most a batch of a subscription's webhooks, with ids below `below`. Returns the number of deleted webhooks. */
export async function pruneSomeWebhooks(
  sql: Sql,
  subscriptionId: string,
  before: Date,
  below: string = firstIdOf(before, bucketOf(subscriptionId)),
): Promise<number> {
  const bucket = bucketOf(subscriptionId);
  const deleted = await sql<{ id: string }>`
    with old as (
      select id from webhook
      where bucket = ${bucket} and subscription_id = ${subscriptionId} and (subscription_id, id) < (${subscriptionId}, ${below})
        and created < ${before}
      order by id limit ${BATCH}
    ),
    attempts as (delete from webhook_attempt a using old where a.bucket = ${bucket} and a.webhook_id = old.id),
    retries as (delete from webhook_retry r using old where r.bucket = ${bucket} and r.webhook_id = old.id),
    due as (
      delete from webhook_due d using old where d.bucket = ${bucket} and d.webhook_id = old.id
    ),
    deleted as (delete from webhook w using old where w.bucket = ${bucket} and w.id = old.id returning w.id),
    counted as (
      update webhook_subscription s set webhooks = s.webhooks - (select count(*) from deleted)
      where s.bucket = ${bucket} and s.id = ${subscriptionId} and exists (select 1 from deleted)
    )
    select id from deleted`;
  // Attempts that were recorded while the statement waited for their worker.
  await sql`delete from webhook_attempt where bucket = ${bucket} and webhook_id = any(${deleted.map(({ id }) => id)})`;
  return deleted.length;
}
