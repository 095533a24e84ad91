// A webhook: what one subscription is told of one event, and every attempt to tell it.
import { hash } from 'node:crypto';
import Type, { type Static } from 'typebox';
import type { Sql } from '../db/sql.ts';
import { type Event, represent as representEvent } from '../events/event.ts';
import { eventsAbout } from '../events/feed.ts';
import { LinkSchema, type Links, linkWhen } from '../http/links.ts';
import { beforeLastPage, IdSchema, type Page } from '../http/paging.ts';
import { bucketOf, FIRST_ID, firstIdOf, LAST_ID } from '../ids.ts';
import { refuse } from '../problems.ts';
import type { Header } from './sign.ts';
import type { Subscription } from './subscription.ts';

/** The event of a webhook, copied when the webhook was made; `eventId` is null on a ping. */
export type Webhook = Omit<Event, 'id'> & { id: string; subscriptionId: string; eventId: string | null };

export type Attempt = {
  webhookId: string;
  id: string;
  url: string;
  requested: Date;
  requestHeaders: Header[];
  requestBody: string;
  responded: Date | null;
  status: number | null;
  responseHeaders: Header[] | null;
  responseBody: string | null;
  error: string | null;
};

/** A webhook with its attempts, and whether another may be asked for. */
export type StoredWebhook = Webhook & { attempts: Attempt[]; live: boolean };

export type WebhookQuery = Page & {
  after?: string | undefined;
  startDate?: string | undefined;
  endDate?: string | undefined;
  resourceId?: string | undefined;
};

export const PING = 'webhook_subscription_pinged';

/** In a list the body of an answer is cut to this many characters. */
export const LISTED_BODY_MAX = 1024;
/** Most that the total of a filtered list counts to. */
export const COUNT_MAX = 10_000;

const Headers = Type.Array(Type.Object({ name: Type.String(), value: Type.String() }, { title: 'WebhookHeader' }));
const Timestamp = Type.String({ format: 'date-time' });

export const WebhookSchema = Type.Object(
  {
    _links: Type.Object({
      self: LinkSchema,
      subscription: LinkSchema,
      event: linkWhen('Except on a ping.'),
      retry: linkWhen('While its subscription is neither paused nor removed.'),
    }),
    id: IdSchema,
    topic: Type.String(),
    accountId: IdSchema,
    eventId: Type.Optional({ ...IdSchema, description: 'Left out on a ping, which has no event.' }),
    subscriptionId: IdSchema,
    attempts: Type.Array(
      Type.Object(
        {
          id: IdSchema,
          request: Type.Object({ timestamp: Timestamp, url: Type.String(), headers: Headers, body: Type.String() }),
          response: Type.Optional(
            Type.Object({ timestamp: Timestamp, statusCode: Type.Integer(), headers: Headers, body: Type.String() }),
          ),
          error: Type.Optional(Type.String({ description: 'In words, where there was no whole answer.' })),
        },
        { title: 'WebhookAttempt' },
      ),
    ),
  },
  { title: 'Webhook', description: `What a subscription is told of an event. The topic of a ping is \`${PING}\`.` },
);

/**
 * The id of the webhook that tells a subscription of an event: always the same, so that whatever is sent twice carries the
 * same id. It has the event's time, and the subscription's bucket.
 */
export function webhookIdOf(subscriptionId: string, eventId: string): string {
  const digest = hash('sha256', `${subscriptionId} ${eventId}`, 'hex');
  return `${eventId.slice(0, 13)}-7${subscriptionId.slice(15, 18)}-8${digest.slice(0, 3)}-${digest.slice(3, 15)}`;
}

/** The body that is sent: the event as it is read, with its time under the name `timestamp` too. */
export function bodyOf(links: Links, webhook: Webhook): string {
  const { eventId, resourceId, accountId, created, topic, id } = webhook;
  if (eventId !== null)
    return JSON.stringify({ ...representEvent(links, { ...webhook, id: eventId }), timestamp: created.toISOString() });
  return JSON.stringify({
    _links: { resource: links.to('webhook-subscription', resourceId), account: links.to('account', accountId) },
    id,
    created: created.toISOString(),
    topic,
    resourceId,
    timestamp: created.toISOString(),
  });
}

/** A webhook that the caller may see: else 404, or 403 for another account's. */
export async function requireWebhook(sql: Sql, caller: { accountId: string }, id: string): Promise<StoredWebhook> {
  const [webhook] = await sql<Webhook & { live: boolean }>`
    select w.id, w.subscription_id as "subscriptionId", w.account_id as "accountId", w.customer_id as "customerId", w.event_id as "eventId",
      w.resource_id as "resourceId", w.topic, w.created, s.removed is null and not s.paused as live
    from webhook w
    join webhook_subscription s on s.bucket = w.bucket and s.id = w.subscription_id
    where w.bucket = ${bucketOf(id)} and w.id = ${id}`;
  if (!webhook) throw refuse('notFound');
  if (webhook.accountId !== caller.accountId) throw refuse('forbidden');
  const attempts = await sql<Attempt>`
    select webhook_id as "webhookId", id, url, requested, request_headers as "requestHeaders", request_body as "requestBody",
      responded, status, response_headers as "responseHeaders", response_body as "responseBody", error
    from webhook_attempt
    where bucket = ${bucketOf(id)} and webhook_id = ${id}
    order by id`;
  return { ...webhook, attempts };
}

/** A page of a subscription's webhooks, those of the newest events first. The total of all is kept, of some is counted up to a limit. */
export async function listWebhooks(
  sql: Sql,
  subscription: Subscription,
  query: WebhookQuery,
): Promise<{ elements: StoredWebhook[]; total: number; beforeLast: string | undefined }> {
  const range = rangeOf(subscription.bucket, query);
  const about = query.resourceId === undefined ? undefined : await idsAbout(sql, subscription, query.resourceId, range);
  const filtered = about !== undefined || query.startDate !== undefined || query.endDate !== undefined;
  const total = about?.length ?? (filtered ? await countRange(sql, subscription, range) : Number(subscription.webhooks));
  const ids = about
    ? pageOf(about, query)
    : await idsInRange(sql, subscription, { ...query, ...range, ...(!filtered && { total }) });
  // What is filtered is counted to a total that offsets lead through.
  const beforeLast = await beforeLastPage(query, total, (size) => idBeforeOldest(sql, subscription, size));
  return { elements: await readWebhooks(sql, subscription, ids), total, beforeLast };
}

/** The id of the webhook before the `size` oldest. */
async function idBeforeOldest(sql: Sql, { bucket, id }: Subscription, size: number): Promise<string | undefined> {
  const [row] = await sql<{ id: string }>`
    select id from webhook where bucket = ${bucket} and subscription_id = ${id}
    order by bucket, subscription_id, id limit 1 offset ${size}`;
  return row?.id;
}

type Range = { start: string; end: string };

/** The ids of a page and one more. Of a list whose total is known, the far half is counted off from its end. */
async function idsInRange(
  sql: Sql,
  { bucket, id }: Subscription,
  { start, end, after, limit, offset, total }: WebhookQuery & Range & { total?: number },
): Promise<string[]> {
  const upTo = after !== undefined && after < end ? after : end;
  const left = (total ?? Number.POSITIVE_INFINITY) - offset;
  if (after === undefined && left < offset) {
    const count = Math.max(0, Math.min(left, limit + 1));
    const oldest = await sql<{ id: string }>`
      select id from webhook
      where bucket = ${bucket} and subscription_id = ${id} and id >= ${start} and id < ${upTo}
      order by bucket, subscription_id, id
      limit ${count} offset ${Math.max(0, left - count)}`;
    return oldest.map(({ id }) => id).reverse();
  }
  const newest = await sql<{ id: string }>`
    select id from webhook
    where bucket = ${bucket} and subscription_id = ${id} and id >= ${start} and id < ${upTo}
    order by bucket desc, subscription_id desc, id desc
    limit ${limit + 1} offset ${offset}`;
  return newest.map(({ id }) => id);
}

async function countRange(sql: Sql, { bucket, id }: Subscription, { start, end }: Range): Promise<number> {
  const [count] = await sql<{ total: bigint }>`
    select count(*) as total
    from (
      select from webhook
      where bucket = ${bucket} and subscription_id = ${id} and id >= ${start} and id < ${end}
      limit ${COUNT_MAX}
    ) counted`;
  return Number(count?.total);
}

function pageOf(ids: string[], { after, limit, offset }: WebhookQuery): string[] {
  const left = after === undefined ? ids : ids.filter((id) => id < after);
  return left.slice(offset, offset + limit + 1);
}

export function represent(links: Links, webhook: StoredWebhook): Static<typeof WebhookSchema> {
  const { id, topic, accountId, eventId, subscriptionId } = webhook;
  return {
    _links: {
      self: links.to('webhook', id),
      subscription: links.to('webhook-subscription', subscriptionId),
      ...(eventId !== null && { event: links.to('event', eventId) }),
      ...(webhook.live && { retry: links.link(`/webhooks/${id}/retries`, 'webhook-retry') }),
    },
    id,
    topic,
    accountId,
    ...(eventId !== null && { eventId }),
    subscriptionId,
    attempts: webhook.attempts.map(representAttempt),
  };
}

function representAttempt(attempt: Attempt) {
  const { id, url, requested, requestHeaders, requestBody, responded, status, responseHeaders, responseBody, error } = attempt;
  return {
    id,
    request: { timestamp: requested.toISOString(), url, headers: requestHeaders, body: requestBody },
    ...(status !== null && {
      response: { timestamp: responded!.toISOString(), statusCode: status, headers: responseHeaders!, body: responseBody! },
    }),
    ...(error !== null && { error }),
  };
}

const DAY = /^\d{4}-\d\d-\d\d$/;
const DAY_MS = 86_400_000;

/** Ids carry the time of their event: dates are a range of ids. A day without a time is meant whole. */
function rangeOf(bucket: number, { startDate, endDate }: WebhookQuery): Range {
  const end = endDate && new Date(Date.parse(endDate) + (DAY.test(endDate) ? DAY_MS : 1));
  return {
    start: startDate ? firstIdOf(new Date(startDate), bucket) : FIRST_ID,
    end: end ? firstIdOf(end, bucket) : LAST_ID,
  };
}

/** The webhooks about a resource, newest first: their ids follow from its events, of which the newest are looked at. */
async function idsAbout(sql: Sql, { bucket, id, accountId }: Subscription, resourceId: string, range: Range): Promise<string[]> {
  const told = (await eventsAbout(sql, accountId, resourceId)).map((eventId) => webhookIdOf(id, eventId));
  const rows = await sql<{ id: string }>`
    select id from webhook
    where bucket = ${bucket} and id = any (${told}) and id >= ${range.start} and id < ${range.end}
    order by id desc`;
  return rows.map(({ id }) => id);
}

/** Webhooks, in the order of their ids, with their attempts. */
async function readWebhooks(sql: Sql, subscription: Subscription, ids: string[]): Promise<StoredWebhook[]> {
  const webhooks = await sql<Webhook>`
    select w.id, w.subscription_id as "subscriptionId", w.account_id as "accountId", w.customer_id as "customerId", w.event_id as "eventId",
      w.resource_id as "resourceId", w.topic, w.created
    from unnest(${ids}::uuid[]) with ordinality as p (id, place)
    join lateral (select * from webhook w where w.bucket = ${subscription.bucket} and w.id = p.id limit 1) w on true
    order by p.place`;
  return withAttempts(sql, subscription, webhooks);
}

async function withAttempts(sql: Sql, subscription: Subscription, webhooks: Webhook[]): Promise<StoredWebhook[]> {
  const attempts = await sql<Attempt>`
    select webhook_id as "webhookId", id, url, requested, request_headers as "requestHeaders", request_body as "requestBody",
      responded, status, response_headers as "responseHeaders", left(response_body, ${LISTED_BODY_MAX}) as "responseBody", error
    from webhook_attempt
    where bucket = ${subscription.bucket} and webhook_id = any (${webhooks.map(({ id }) => id)})
    order by id`;
  const byWebhook = Map.groupBy(attempts, ({ webhookId }) => webhookId);
  return webhooks.map((webhook) => ({ ...webhook, attempts: byWebhook.get(webhook.id) ?? [], live: !subscription.paused }));
}
