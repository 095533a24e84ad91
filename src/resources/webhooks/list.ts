// Lists a subscription's webhooks: all, or filtered by time, resource or status. Each filter uses an index.
import { later } from '../../core/clock.ts';
import { bucketOf, FIRST_ID, firstIdOf, LAST_ID } from '../../core/ids.ts';
import { eventsAbout } from '../../ledger/feed/feed.ts';
import { fragment, type Sql } from '../../platform/db/sql.ts';
import { beforeLastPage } from '../../platform/http/paging.ts';
import { countWithStatus, idsWithStatus, keepStatus, type Range } from './status.ts';
import { type Subscription, subscriptionColumns, subscriptionsOf } from './subscription.ts';
import {
  type Attempt,
  aheadOf,
  attemptColumns,
  byAccountClock,
  LISTED_BODY_MAX,
  nextAttempt,
  type StoredWebhook,
  type Webhook,
  type WebhookQuery,
  type WebhookStatus,
  webhookColumns,
  webhookIdOf,
} from './webhook.ts';

/** The maximum total of a filtered list. */
export const COUNT_MAX = 10_000;
const DAY = /^\d{4}-\d\d-\d\d$/;
const DAY_MS = 86_400_000;

type ScheduledWebhook = Webhook & { nextAttempt: Date | null };

/** A page of a subscription's webhooks, newest events first. The unfiltered total is stored; a filtered one is counted up to `COUNT_MAX`. */
export async function listWebhooks(
  sql: Sql,
  subscription: Subscription,
  query: WebhookQuery,
): Promise<{ elements: StoredWebhook[]; total: number; beforeLast: string | undefined }> {
  const { ids, total } = await findPage(sql, subscription, query);
  // A filtered total never exceeds the maximum offset, so the id is looked up for unfiltered lists only.
  const beforeLast = await beforeLastPage(query, total, (size) => idBeforeOldest(sql, subscription, size));
  return { elements: await readWebhooks(sql, subscription, ids), total, beforeLast };
}

/** The id of the webhook before the `size` oldest. */
async function idBeforeOldest(sql: Sql, { bucket, id }: Subscription, size: number): Promise<string | undefined> {
  const [row] = await sql<{ id: string }>`
    select id from webhook where bucket = ${bucket} and subscription_id = ${id}
    order by id limit 1 offset ${size}`;
  return row?.id;
}

/** The newest webhooks of every subscription that is not removed, or of one. Undefined if that one does not exist. */
export async function listNewest(
  sql: Sql,
  wanted: { subscriptionId: string | undefined; status: WebhookStatus | undefined; limit: number },
): Promise<StoredWebhook[] | undefined> {
  const { subscriptionId, status, limit } = wanted;
  const one = subscriptionId && fragment`and bucket = ${bucketOf(subscriptionId)} and id = ${subscriptionId}`;
  const subscriptions = await sql<Subscription>`
    select ${subscriptionColumns} from webhook_subscription where removed is null ${one ?? fragment``}`;
  if (subscriptionId !== undefined && subscriptions.length === 0) return undefined;
  const found: { id: string; subscription: Subscription }[] = [];
  for (const subscription of subscriptions) {
    const { ids } = await findPage(sql, subscription, { limit, offset: 0, status });
    found.push(...ids.map((id) => ({ id, subscription })));
  }
  const newest = found.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit);
  const bySubscription = Map.groupBy(newest, ({ subscription }) => subscription);
  const read = [...bySubscription].map(([subscription, some]) =>
    readWebhooks(
      sql,
      subscription,
      some.map(({ id }) => id),
    ),
  );
  return (await Promise.all(read)).flat().sort((a, b) => (a.id < b.id ? 1 : -1));
}

/** The webhooks of events of an account, for every subscription that is not removed. Their ids are computed. */
export async function listOfEvents(sql: Sql, accountId: string, eventIds: string[]): Promise<StoredWebhook[]> {
  if (eventIds.length === 0) return [];
  const subscriptions = await subscriptionsOf(sql, accountId);
  const read = subscriptions.map((subscription) =>
    readWebhooks(
      sql,
      subscription,
      eventIds.map((id) => webhookIdOf(subscription.id, id)),
    ),
  );
  return (await Promise.all(read)).flat();
}

async function findPage(sql: Sql, subscription: Subscription, query: WebhookQuery): Promise<{ ids: string[]; total: number }> {
  const range = await rangeOf(sql, subscription, query);
  const { resourceId, status, startDate, endDate, after, limit, offset } = query;
  // One more than the page.
  const page = {
    start: range.start,
    end: after !== undefined && after < range.end ? after : range.end,
    limit: limit + 1,
    offset,
  };
  if (resourceId !== undefined) {
    const about = await idsAbout(sql, subscription, resourceId, range);
    const ids = status === undefined ? about : await keepStatus(sql, subscription.bucket, status, about);
    return { ids: pageOf(ids, query), total: ids.length };
  }
  if (status !== undefined) {
    const total = await countWithStatus(sql, subscription, status, { ...range, limit: COUNT_MAX });
    return { ids: await idsWithStatus(sql, subscription, status, page), total };
  }
  const isDated = startDate !== undefined || endDate !== undefined;
  const total = isDated ? await countRange(sql, subscription, range) : Number(subscription.webhooks);
  return { ids: await idsInRange(sql, subscription, page), total };
}

async function idsInRange(
  sql: Sql,
  subscription: Subscription,
  { limit, offset, ...range }: Range & { limit: number; offset: number },
): Promise<string[]> {
  const newest = await sql<{ id: string }>`
    select id ${inRange(subscription, range)}
    order by id desc
    limit ${limit} offset ${offset}`;
  return newest.map(({ id }) => id);
}

async function countRange(sql: Sql, subscription: Subscription, range: Range): Promise<number> {
  const [count] = await sql<{ total: bigint }>`
    select count(*) as total from (select ${inRange(subscription, range)} limit ${COUNT_MAX}) counted`;
  return Number(count?.total);
}

/** Compares whole rows, so that the index of all ids is no choice. */
function inRange({ bucket, id }: Subscription, { start, end }: Range) {
  return fragment`from webhook
    where bucket = ${bucket} and subscription_id = ${id} and (subscription_id, id) >= (${id}, ${start}) and (subscription_id, id) < (${id}, ${end})`;
}

function pageOf(ids: string[], { after, limit, offset }: WebhookQuery): string[] {
  const left = after === undefined ? ids : ids.filter((id) => id < after);
  return left.slice(offset, offset + limit + 1);
}

/** Dates are a range of ids. An end date without a time includes the whole day. */
async function rangeOf(sql: Sql, subscription: Subscription, { startDate, endDate }: WebhookQuery): Promise<Range> {
  const end = endDate && new Date(Date.parse(endDate) + (DAY.test(endDate) ? DAY_MS : 1));
  return {
    start: startDate ? await firstIdSince(sql, subscription, new Date(startDate)) : FIRST_ID,
    end: end ? await firstIdSince(sql, subscription, end) : LAST_ID,
  };
}

/** The least id of the webhooks of events since a time. Ids carry the system time; the clock of the account may have been ahead of it. */
async function firstIdSince(sql: Sql, subscription: Subscription, time: Date): Promise<string> {
  const aheadMs = await aheadOf(sql, subscription.accountId);
  const end = firstIdOf(time, subscription.bucket);
  if (aheadMs === 0) return end;
  const start = firstIdOf(later(time, -aheadMs), subscription.bucket);
  const [first] = await sql<{ id: string }>`
    select id ${inRange(subscription, { start, end })} and created >= ${time} order by id limit 1`;
  return first?.id ?? end;
}

/** The webhooks for a resource, newest first: their ids are computed from its newest events. */
async function idsAbout(sql: Sql, { bucket, id, accountId }: Subscription, resourceId: string, range: Range): Promise<string[]> {
  const candidates = (await eventsAbout(sql, accountId, resourceId)).map((eventId) => webhookIdOf(id, eventId));
  const rows = await sql<{ id: string }>`
    select id from webhook
    where bucket = ${bucket} and id = any (${candidates}) and id >= ${range.start} and id < ${range.end}
    order by id desc`;
  return rows.map(({ id }) => id);
}

/** Webhooks, in the order of their ids, with their attempts. */
async function readWebhooks(sql: Sql, subscription: Subscription, ids: string[]): Promise<StoredWebhook[]> {
  const { bucket } = subscription;
  const webhooks = await sql<ScheduledWebhook>`
    select ${webhookColumns}, ${nextAttempt(bucket)}
    from webhook w
    where w.bucket = ${bucket} and w.id = any (${ids})`;
  const shown = await byAccountClock(sql, subscription.accountId, webhooks);
  const byId = new Map(shown.map((webhook) => [webhook.id, webhook]));
  return withAttempts(
    sql,
    subscription,
    ids.flatMap((id) => byId.get(id) ?? []),
  );
}

async function withAttempts(sql: Sql, subscription: Subscription, webhooks: ScheduledWebhook[]): Promise<StoredWebhook[]> {
  const attempts = await sql<Attempt>`
    select ${attemptColumns}, left(response_body, ${LISTED_BODY_MAX}) as response_body
    from webhook_attempt
    where bucket = ${subscription.bucket} and webhook_id = any (${webhooks.map(({ id }) => id)})
    order by id`;
  const byWebhook = Map.groupBy(attempts, ({ webhookId }) => webhookId);
  return webhooks.map((webhook) => ({ ...webhook, attempts: byWebhook.get(webhook.id) ?? [], live: !subscription.paused }));
}
