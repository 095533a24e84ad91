// Retention: deletes events and webhooks that are older than they are kept, a small batch at a time, so that nobody waits for it.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from '../db/sql.ts';
import { pruneEvents } from '../events/prune.ts';
import { bucketOf } from '../ids.ts';
import { firstIdOf } from './webhook.ts';

const BATCH = 1_000;
const PAUSE_MS = 20;

/** Deletes what is of before a time. Two at once do no harm. Returns how many. */
export async function prune(
  sql: Sql,
  { before, signal }: { before: Date; signal: AbortSignal },
): Promise<{ events: number; webhooks: number }> {
  let [events, webhooks] = [0, 0];
  const accounts = await sql<{ account_id: string }>`select account_id from event_head`;
  for (const { account_id } of accounts) {
    events += await inBatches(signal, () => pruneEvents(sql, { accountId: account_id, before, limit: BATCH }));
  }
  const subscriptions = await sql<{ id: string }>`select id from webhook_subscription`;
  for (const { id } of subscriptions) webhooks += await inBatches(signal, () => pruneWebhooks(sql, id, before));
  await sql`delete from webhook_subscription where removed < ${before} and webhooks = 0`;
  return { events, webhooks };
}

async function inBatches(signal: AbortSignal, deleteSome: () => Promise<number>): Promise<number> {
  for (let total = 0; ; await sleep(PAUSE_MS)) {
    const deleted = signal.aborted ? 0 : await deleteSome();
    total += deleted;
    if (deleted < BATCH) return total;
  }
}

async function pruneWebhooks(sql: Sql, subscriptionId: string, before: Date): Promise<number> {
  const bucket = bucketOf(subscriptionId);
  const [row] = await sql<{ deleted: bigint }>`
    with old as (
      select bucket, id from webhook
      where bucket = ${bucket} and subscription_id = ${subscriptionId} and id < ${firstIdOf(before, bucket)}
      order by id limit ${BATCH}
    ),
    attempts as (delete from webhook_attempt a using old where a.bucket = old.bucket and a.webhook_id = old.id),
    retries as (delete from webhook_retry r using old where r.bucket = old.bucket and r.webhook_id = old.id),
    due as (
      delete from webhook_due d using old where d.bucket = old.bucket and d.subscription_id = ${subscriptionId} and d.webhook_id = old.id
    ),
    deleted as (delete from webhook w using old where w.bucket = old.bucket and w.id = old.id returning 1),
    counted as (
      update webhook_subscription s set webhooks = s.webhooks - (select count(*) from deleted)
      where s.bucket = ${bucket} and s.id = ${subscriptionId} and exists (select from deleted)
    )
    select count(*) as deleted from deleted`;
  return Number(row?.deleted);
}
