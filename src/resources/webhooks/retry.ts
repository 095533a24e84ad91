// Deliveries on request: retries of a webhook, and pings.
import type { Static } from 'typebox';
import type { Clock } from '../../core/clock.ts';
import { bucketOf, newId } from '../../core/ids.ts';
import { refuse } from '../../core/problems.ts';
import { Type } from '../../core/type.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { LinkSchema, type Links } from '../../platform/http/links.ts';
import { IdSchema } from '../../platform/http/paging.ts';
import { requireSubscription } from './subscription.ts';
import { PING, requireWebhook } from './webhook.ts';

type Caller = { accountId: string };

type Retry = { id: string; webhookId: string; created: Date };

const RetrySchema = Type.Object(
  { _links: Type.Object({ webhook: LinkSchema }), id: IdSchema, timestamp: Type.String({ format: 'date-time' }) },
  { title: 'WebhookRetry', description: 'A delivery attempt that was requested.' },
);

/** Not paged, because retries are requested by hand. */
export const RetryList = Type.Object(
  {
    _links: Type.Object({ self: LinkSchema }),
    _embedded: Type.Object({ retries: Type.Array(RetrySchema) }),
    total: Type.Integer({ minimum: 0 }),
  },
  { title: 'WebhookRetryList' },
);

/** Schedules a webhook for immediate delivery, whatever its status. Throws 403 while its subscription is paused. */
export async function retryWebhook(tx: Sql, caller: Caller, id: string, clock: Clock): Promise<void> {
  const bucket = bucketOf(id);
  const [now, created] = [clock.now(), clock.now(caller.accountId)];
  // Locks the subscription: a reset of the account cannot delete it before this commits, nor a request remove it.
  await tx`
    select 1 from webhook_subscription
    where bucket = ${bucket} and id = (select subscription_id from webhook where bucket = ${bucket} and id = ${id})
    for key share`;
  // Retries of one webhook come one after the other: each replaces the due date of the one before.
  await tx`select 1 from webhook where bucket = ${bucket} and id = ${id} for no key update`;
  const { subscriptionId, live, attempts } = await requireWebhook(tx, caller, id);
  // The schedule of retries uses the system clock.
  const first = attempts[0] && new Date(attempts[0].requested.getTime() - (created.getTime() - now.getTime()));
  if (!live) throw refuse('subscriptionPaused');
  await tx`insert into webhook_retry (bucket, webhook_id, id, created) values (${bucket}, ${id}, ${newId(bucket)}, ${created})`;
  await tx`
    delete from webhook_due
    where bucket = ${bucket} and webhook_id = ${id}`;
  await tx`
    insert into webhook_due (bucket, subscription_id, webhook_id, due, attempts, first)
    values (${bucket}, ${subscriptionId}, ${id}, ${now}, ${attempts.length}, ${first})`;
}

/** The requested retries of a webhook, newest first. */
export async function listRetries(sql: Sql, webhookId: string): Promise<Retry[]> {
  return sql<Retry>`
    select id, webhook_id, created from webhook_retry
    where bucket = ${bucketOf(webhookId)} and webhook_id = ${webhookId}
    order by id desc`;
}

export function represent(links: Links, { id, webhookId, created }: Retry): Static<typeof RetrySchema> {
  return { _links: { webhook: links.to('webhook', webhookId) }, id, timestamp: created.toISOString() };
}

/** Creates a webhook without an event, to test a subscription. Returns its id. Throws 403 while the subscription is paused. */
export async function pingSubscription(tx: Sql, caller: Caller, subscriptionId: string, clock: Clock): Promise<string> {
  const { bucket, accountId, paused } = await requireSubscription(tx, caller, subscriptionId);
  if (paused) throw refuse('subscriptionPaused');
  // Comes first because it locks the subscription: a reset of the account cannot delete it before this commits.
  const counted = await tx`
    update webhook_subscription set webhooks = webhooks + 1
    where bucket = ${bucket} and id = ${subscriptionId} and removed is null returning id`;
  if (counted.length === 0) throw refuse('notFound');
  const id = newId(bucket);
  await tx`
    insert into webhook (bucket, id, subscription_id, account_id, resource_id, topic, created)
    values (${bucket}, ${id}, ${subscriptionId}, ${accountId}, ${subscriptionId}, ${PING}, ${clock.now(accountId)})`;
  await tx`insert into webhook_due (bucket, subscription_id, webhook_id, due) values (${bucket}, ${subscriptionId}, ${id}, ${clock.now()})`;
  return id;
}
