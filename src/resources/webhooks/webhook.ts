// Webhooks: schema, queries and representation. A webhook is one event for one subscription, with its delivery attempts.
import { hash } from 'node:crypto';
import type { Static } from 'typebox';
import { later } from '../../core/clock.ts';
import { bucketOf } from '../../core/ids.ts';
import { Type } from '../../core/type.ts';
import type { Event } from '../../ledger/feed/event.ts';
import { lookUp } from '../../platform/db/look-up.ts';
import { type Fragment, fragment, type Sql } from '../../platform/db/sql.ts';
import { LinkSchema, type Links, linkWhen } from '../../platform/http/links.ts';
import { requireOwned } from '../../platform/http/owned.ts';
import { IdSchema, type Page } from '../../platform/http/paging.ts';
import type { Header } from '../../platform/http/send.ts';
import { represent as representEvent } from '../events/event.ts';

/** The event of a webhook, copied when the webhook was made; `eventId` is null on a ping. */
export type Webhook = Omit<Event, 'id'> & { id: string; subscriptionId: string; eventId: string | null };

/** `requested` and `responded`: by the clock of the account. */
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

/** Delivered, not attempted yet, or failed at the last attempt. */
export type WebhookStatus = (typeof STATUSES)[number];

/** A webhook with its attempts and the time of the next. `live`: its subscription is neither paused nor removed. */
export type StoredWebhook = Webhook & { attempts: Attempt[]; nextAttempt: Date | null; live: boolean };

export type WebhookQuery = Page & {
  after?: string | undefined;
  startDate?: string | undefined;
  endDate?: string | undefined;
  resourceId?: string | undefined;
  status?: WebhookStatus | undefined;
};

export const STATUSES = ['delivered', 'pending', 'failed'] as const;

export const PING = 'webhook_subscription_pinged';

/** In a list, the body of a response is cut to this many characters. */
export const LISTED_BODY_MAX = 1024;

const Headers = Type.Array(Type.Object({ name: Type.String(), value: Type.String() }, { title: 'WebhookHeader' }));
const Timestamp = Type.String({ format: 'date-time' });

export const WebhookSchema = Type.Object(
  {
    _links: Type.Object({
      self: LinkSchema,
      subscription: LinkSchema,
      event: linkWhen('Present except on a ping.'),
      retry: linkWhen('Present unless the subscription is paused or removed.'),
    }),
    id: IdSchema,
    topic: Type.String(),
    accountId: IdSchema,
    eventId: Type.Optional({ ...IdSchema, description: 'Absent on a ping, which has no event.' }),
    subscriptionId: IdSchema,
    nextAttempt: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'Present while an attempt is planned and the subscription is not paused.',
      }),
    ),
    attempts: Type.Array(
      Type.Object(
        {
          id: IdSchema,
          request: Type.Object({ timestamp: Timestamp, url: Type.String(), headers: Headers, body: Type.String() }),
          response: Type.Optional(
            Type.Object({ timestamp: Timestamp, statusCode: Type.Integer(), headers: Headers, body: Type.String() }),
          ),
          error: Type.Optional(Type.String({ description: 'Error message, if there was no complete response.' })),
        },
        { title: 'WebhookAttempt' },
      ),
    ),
  },
  { title: 'Webhook', description: `The delivery of an event to a subscription. The topic of a ping is \`${PING}\`.` },
);

/**
 * The id of the webhook for a subscription and an event. It is deterministic, so that repeated deliveries carry the same id, and
 * contains the event's time and the subscription's bucket.
 */
export function webhookIdOf(subscriptionId: string, eventId: string): string {
  const digest = hash('sha256', `${subscriptionId} ${eventId}`, 'hex');
  return `${eventId.slice(0, 13)}-7${subscriptionId.slice(15, 18)}-8${digest.slice(0, 3)}-${digest.slice(3, 15)}`;
}

/** The request body: the event's representation, with its time also as `timestamp`. */
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

/** Of `webhook w`. */
export const webhookColumns = fragment`w.id, w.subscription_id, w.account_id, w.customer_id, w.event_id, w.resource_id, w.topic, w.created, w.checkpoint`;

/** The time of the next attempt of `webhook w`, which is in this bucket, by the system clock. */
export const nextAttempt = (bucket: number | Fragment) =>
  fragment`(select min(d.due) from webhook_due d where d.bucket = ${bucket} and d.webhook_id = w.id) as next_attempt`;

/** Shows the next attempts by the clock of their account, which a cluster keeps on another server than webhooks. */
export async function byAccountClock<One extends { nextAttempt: Date | null }>(
  sql: Sql,
  accountId: string,
  webhooks: One[],
): Promise<One[]> {
  const aheadMs = await aheadOf(sql, accountId);
  return webhooks.map((webhook) => ({ ...webhook, nextAttempt: webhook.nextAttempt && later(webhook.nextAttempt, aheadMs) }));
}

/** How far the clock of an account is ahead of the system clock (ms): only in a sandbox. */
export async function aheadOf(sql: Sql, accountId: string): Promise<number> {
  const [clock] = await sql<{ aheadMs: bigint }>`select ahead_ms from account_clock where account_id = ${accountId}`;
  return Number(clock?.aheadMs ?? 0n);
}

/** All but the body of the response. */
export const attemptColumns = fragment`
  webhook_id, id, url, requested, request_headers, request_body, responded, status, response_headers, error`;

/** Returns a webhook of the caller's account. Refuses as requireOwned does. */
export async function requireWebhook(sql: Sql, caller: { accountId: string }, id: string): Promise<StoredWebhook> {
  return requireOwned(await findWebhook(sql, id), caller);
}

const findShown = lookUp<Webhook & { nextAttempt: Date | null }>(
  ({ bucket, id }) => fragment`
    select ${webhookColumns}, ${nextAttempt(bucket)} from webhook w where w.bucket = ${bucket} and w.id = ${id}`,
);

/** The webhook with this id and its attempts, or undefined. */
export async function findWebhook(sql: Sql, id: string): Promise<StoredWebhook | undefined> {
  const bucket = bucketOf(id);
  const found = await findShown(sql, id);
  if (!found) return undefined;
  const [webhook] = (await byAccountClock(sql, found.accountId, [found])) as [typeof found];
  const [subscription] = await sql<{ live: boolean }>`
    select removed is null and not paused as live from webhook_subscription
    where bucket = ${bucket} and id = ${webhook.subscriptionId}`;
  const attempts = await sql<Attempt>`
    select ${attemptColumns}, response_body
    from webhook_attempt
    where bucket = ${bucket} and webhook_id = ${id}
    order by id`;
  return { ...webhook, live: subscription?.live ?? false, attempts };
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
    ...(webhook.live && webhook.nextAttempt !== null && { nextAttempt: webhook.nextAttempt.toISOString() }),
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
