// Claims deliveries: retries that are due, and new events of the feed, which it turns into webhooks.
import type { Database, Sql } from '../db/sql.ts';
import { type Event, eventColumns, feed } from '../events/event.ts';
import { bucketOf, FIRST_ID } from '../ids.ts';
import type { SealedSecrets } from './subscription.ts';
import { type Webhook, webhookColumns, webhookIdOf } from './webhook.ts';

/** A webhook that this worker must send before its lease ends. */
export type Delivery = {
  webhook: Webhook;
  /** The number of earlier attempts, and the time of the first. */
  attempts: number;
  first: Date | null;
  /** The end of the lease. It also identifies the lease: an outcome is written only if no other worker has claimed the delivery since. */
  due: Date;
};

export type Claim = { subscription: LockedSubscription; deliveries: Delivery[] };
/** A subscription's primary key. Claims go through subscriptions in this order. */
export type SubscriptionKey = { bucket: number; id: string };
type LockedSubscription = SealedSecrets & {
  accountId: string;
  url: string;
  failures: number;
  position: bigint;
  head: bigint;
};

/** How many deliveries a worker can take for a subscription; 0 or less means none. */
type Capacity = (subscription: { id: string; failures: number }) => number;

const SUBSCRIPTIONS_MAX = 200;
const DELIVERIES_MAX = 2_000;
/** The most events per claim that are searched for a subscription's topics. */
const SCANNED_MAX = 1_000n;

/** Precedes every subscription. */
const START: SubscriptionKey = { bucket: -1, id: FIRST_ID };

/**
 * Claims deliveries under a lease, in one short transaction, for up to 200 subscriptions after the key `after`. Skips subscriptions
 * that another worker has locked, and those in `full`. Returns the key to continue after, or undefined at the end.
 */
export async function claim(
  database: Database,
  {
    now,
    leaseMs,
    capacity,
    full,
    after = START,
  }: { now: Date; leaseMs: number; capacity: Capacity; full: string[]; after?: SubscriptionKey | undefined },
): Promise<{ claims: Claim[]; last: SubscriptionKey | undefined }> {
  return database.transaction(async (tx) => {
    const subscriptions = await lockSubscriptions(tx, now, { full, after });
    if (subscriptions.length === 0) return { claims: [], last: undefined };
    const share = Math.max(1, Math.floor(DELIVERIES_MAX / subscriptions.length));
    const capacities = new Map(subscriptions.map((one) => [one.id, Math.max(0, Math.min(share, capacity(one)))]));
    const due = new Date(now.getTime() + leaseMs);
    const retries = await claimRetries(tx, subscriptions, capacities, now, due);
    for (const { webhook } of retries) capacities.set(webhook.subscriptionId, capacities.get(webhook.subscriptionId)! - 1);
    const firstAttempts = await claimEvents(tx, subscriptions, capacities, due);
    const bySubscription = Map.groupBy([...retries, ...firstAttempts], ({ webhook }) => webhook.subscriptionId);
    const claims = subscriptions.map((subscription) => ({ subscription, deliveries: bySubscription.get(subscription.id) ?? [] }));
    const { id } = subscriptions.at(-1)!;
    return { claims, last: subscriptions.length < SUBSCRIPTIONS_MAX ? undefined : { bucket: bucketOf(id), id } };
  });
}

async function lockSubscriptions(
  tx: Sql,
  now: Date,
  { full, after }: { full: string[]; after: SubscriptionKey },
): Promise<LockedSubscription[]> {
  return tx<LockedSubscription>`
    select s.id, s.account_id, s.url, s.secret, s.secret_before,
      s.secret_before_expires, s.failures, s.position, coalesce(h.position, 0) as head
    from webhook_subscription s
    left join event_head h on h.account_id = s.account_id
    where (s.bucket, s.id) > (${after.bucket}, ${after.id}) and s.removed is null and not s.paused and s.id <> all (${full}::uuid[])
      and (s.position < h.position
        or exists (select 1 from webhook_due d where d.bucket = s.bucket and d.subscription_id = s.id and d.due <= ${now}))
    order by s.bucket, s.id
    limit ${SUBSCRIPTIONS_MAX}
    for update of s skip locked`;
}

async function claimRetries(
  tx: Sql,
  subscriptions: LockedSubscription[],
  capacities: Map<string, number>,
  now: Date,
  due: Date,
): Promise<Delivery[]> {
  const rows = await tx<Webhook & { attempts: number; first: Date | null }>`
    with locked as (
      select d.*
      from unnest(${subscriptions.map(({ id }) => bucketOf(id))}::int[], ${subscriptions.map(({ id }) => id)}::uuid[], ${subscriptions.map(({ id }) => capacities.get(id))}::int[])
        as s (bucket, id, capacity),
        lateral (
          select * from webhook_due d where d.bucket = s.bucket and d.subscription_id = s.id and d.due <= ${now}
          order by d.due limit s.capacity
          for update skip locked
        ) d
    ),
    leased as (
      update webhook_due d set due = ${due}
      from locked t
      where d.bucket = t.bucket and d.subscription_id = t.subscription_id and d.due = t.due and d.webhook_id = t.webhook_id
      returning d.bucket, d.webhook_id, d.attempts, d.first
    )
    select ${webhookColumns}, l.attempts, l.first
    from leased l
    join lateral (select * from webhook w where w.bucket = l.bucket and w.id = l.webhook_id limit 1) w on true`;
  return rows.map(({ attempts, first, ...webhook }) => ({ webhook, attempts, first, due }));
}

/** Turns the next events of each subscription into webhooks, and advances its feed position past them. */
async function claimEvents(
  tx: Sql,
  subscriptions: LockedSubscription[],
  capacities: Map<string, number>,
  due: Date,
): Promise<Delivery[]> {
  const behind = subscriptions.filter((one) => one.position < one.head && capacities.get(one.id)! > 0);
  if (behind.length === 0) return [];
  const events = await readBehind(tx, behind, capacities);
  const deliveries = events.map(({ subscriptionId, event }) => {
    const { id: eventId, ...rest } = event;
    const webhook: Webhook = { ...rest, id: webhookIdOf(subscriptionId, eventId), subscriptionId, eventId };
    return { webhook, attempts: 0, first: null, due };
  });
  const made = await insertWebhooks(tx, deliveries);
  const bySubscription = Map.groupBy(events, ({ subscriptionId }) => subscriptionId);
  const positions = behind.map(({ id, position, head }) => {
    const read = bySubscription.get(id) ?? [];
    const end = position + SCANNED_MAX < head ? position + SCANNED_MAX : head;
    return read.length === capacities.get(id) ? read.at(-1)!.position : end;
  });
  await tx`
    update webhook_subscription s set position = w.position, webhooks = s.webhooks + w.made
    from unnest(${behind.map(({ id }) => bucketOf(id))}::int[], ${behind.map(({ id }) => id)}::uuid[], ${positions}::bigint[],
      ${behind.map(({ id }) => made.get(id) ?? 0)}::int[]) as w (bucket, id, position, made)
    where s.bucket = w.bucket and s.id = w.id`;
  return deliveries;
}

type Read = { subscriptionId: string; position: bigint; event: Event };

async function readBehind(tx: Sql, behind: LockedSubscription[], capacities: Map<string, number>): Promise<Read[]> {
  const rows = await tx<Event & { subscriptionId: string; position: bigint }>`
    select s.id as subscription_id, e.*
    from unnest(${behind.map(({ id }) => bucketOf(id))}::int[], ${behind.map(({ id }) => id)}::uuid[], ${behind.map(({ id }) => capacities.get(id))}::int[])
      as w (bucket, id, capacity)
    join lateral (select * from webhook_subscription s where s.bucket = w.bucket and s.id = w.id limit 1) s on true
    cross join lateral (
      select e.position, ${eventColumns} from ${feed}
      where e.account_id = s.account_id and e.position > s.position and e.position <= s.position + ${SCANNED_MAX}
        and (s.topics is null or t.topic = any (s.topics))
      order by e.position
      limit w.capacity
    ) e
    order by s.id, e.position`;
  return rows.map(({ subscriptionId, position, ...event }) => ({ subscriptionId, position, event }));
}

/** Writes webhooks with their leases. Returns the number of new webhooks per subscription: in a replay they exist already. */
async function insertWebhooks(tx: Sql, deliveries: Delivery[]): Promise<Map<string, number>> {
  const each = <T>(column: (webhook: Webhook) => T) => deliveries.map(({ webhook }) => column(webhook));
  const [buckets, ids, subscriptions] = [each(({ id }) => bucketOf(id)), each(({ id }) => id), each((one) => one.subscriptionId)];
  const rows = await tx<{ subscriptionId: string }>`
    insert into webhook (bucket, id, subscription_id, account_id, customer_id, event_id, resource_id, topic, created)
    select * from unnest(${buckets}::int[], ${ids}::uuid[], ${subscriptions}::uuid[], ${each((one) => one.accountId)}::uuid[],
      ${each((one) => one.customerId)}::uuid[], ${each((one) => one.eventId)}::uuid[], ${each((one) => one.resourceId)}::uuid[],
      ${each((one) => one.topic)}::text[], ${each((one) => one.created)}::timestamptz[])
    on conflict do nothing
    returning subscription_id`;
  await tx`
    insert into webhook_due (bucket, subscription_id, webhook_id, due)
    select bucket, subscription_id, webhook_id, due
    from unnest(${buckets}::int[], ${subscriptions}::uuid[], ${ids}::uuid[], ${deliveries.map(({ due }) => due)}::timestamptz[])
      as w (bucket, subscription_id, webhook_id, due)
    on conflict do nothing`;
  const made = new Map<string, number>();
  for (const { subscriptionId } of rows) made.set(subscriptionId, (made.get(subscriptionId) ?? 0) + 1);
  return made;
}
