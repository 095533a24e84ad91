// Webhooks by status: pending (not attempted yet), or delivered or failed according to the last attempt.
import { fragment, type Sql } from '../../platform/db/sql.ts';
import type { Subscription } from './subscription.ts';
import type { WebhookStatus } from './webhook.ts';

/** Ids from `start` (included) to `end` (excluded). */
export type Range = { start: string; end: string };
type Key = Pick<Subscription, 'bucket' | 'id'>;
type AttemptedStatus = Exclude<WebhookStatus, 'pending'>;
type RangePage = Range & { limit: number; offset: number };

/** Ids of webhooks with a status, newest first. Scans a range of an index, whatever the number of other webhooks. */
export async function idsWithStatus(sql: Sql, key: Key, status: WebhookStatus, page: RangePage): Promise<string[]> {
  const rows = status === 'pending' ? await pendingIds(sql, key, page) : await attemptedIds(sql, key, status, page);
  return rows.map(({ id }) => id);
}

/** The number of webhooks with a status, counted up to `limit`. */
export async function countWithStatus(
  sql: Sql,
  key: Key,
  status: WebhookStatus,
  { limit, ...range }: Range & { limit: number },
): Promise<number> {
  const counted = status === 'pending' ? pending(key, range) : fragment`select ${attempted(key, status, range)}`;
  const [count] = await sql<{ total: bigint }>`select count(*) as total from (${counted} limit ${limit}) counted`;
  return Number(count?.total);
}

/** Filters webhooks of a bucket by status; keeps their order. */
export async function keepStatus(sql: Sql, bucket: number, status: WebhookStatus, ids: string[]): Promise<string[]> {
  const rows = await sql<{ id: string; delivered: boolean }>`
    select distinct on (webhook_id) webhook_id as id, delivered from webhook_attempt
    where bucket = ${bucket} and webhook_id = any (${ids})
    order by webhook_id, id desc`;
  const outcomes = new Map(rows.map(({ id, delivered }) => [id, delivered ? 'delivered' : 'failed']));
  return ids.filter((id) => (outcomes.get(id) ?? 'pending') === status);
}

function pendingIds(sql: Sql, key: Key, { limit, offset, ...range }: RangePage): Promise<{ id: string }[]> {
  return sql`${pending(key, range)} order by webhook_id desc limit ${limit} offset ${offset}`;
}

function attemptedIds(
  sql: Sql,
  key: Key,
  status: AttemptedStatus,
  { limit, offset, ...range }: RangePage,
): Promise<{ id: string }[]> {
  // Two concurrent attempts may both be left without `superseded`: then the later one counts.
  return sql`
    select a.webhook_id as id ${attempted(key, status, range)}
      and a.id = (
        select b.id from webhook_attempt b where b.bucket = ${key.bucket} and b.webhook_id = a.webhook_id order by b.id desc limit 1
      )
    order by a.webhook_id desc
    limit ${limit} offset ${offset}`;
}

/** Selects the webhooks without an attempt. A replay makes such due rows for attempted webhooks too. */
function pending({ bucket, id }: Key, { start, end }: Range) {
  return fragment`
    select distinct webhook_id as id from webhook_due d
    where d.bucket = ${bucket} and d.subscription_id = ${id} and d.first is null
      and (d.subscription_id, d.webhook_id) >= (${id}, ${start}) and (d.subscription_id, d.webhook_id) < (${id}, ${end})
      and (select a.id from webhook_attempt a where a.bucket = ${bucket} and a.webhook_id = d.webhook_id limit 1) is null`;
}

/** The last attempts with an outcome. Compares whole rows, so that the index of all attempts is no choice. */
function attempted({ bucket, id }: Key, status: AttemptedStatus, { start, end }: Range) {
  return fragment`
    from webhook_attempt a
    where a.bucket = ${bucket} and a.subscription_id = ${id} and a.delivered = ${status === 'delivered'} and not a.superseded
      and (a.delivered, a.webhook_id) >= (${status === 'delivered'}, ${start})
      and (a.delivered, a.webhook_id) < (${status === 'delivered'}, ${end})`;
}
