// Claims deliveries: retries that are due, and new events of the feed, which it turns into webhooks.
import { later } from '../../core/clock.ts';
import { bucketOf, FIRST_ID } from '../../core/ids.ts';
import { type Event, eventColumns, feed } from '../../ledger/feed/event.ts';
import type { GroupTransaction } from '../../platform/db/groups.ts';
import { type Fragment, fragment, type Sql } from '../../platform/db/sql.ts';
import type { Connections } from './connections.ts';
import type { SealedSecrets } from './subscription.ts';
import { type Webhook, webhookColumns, webhookIdOf } from './webhook.ts';

/** The lease under which a worker claims deliveries. */
export const LEASE_MS = 60_000;

/** The steps of a delivery, in order. Tests stop or kill a worker at each of them. */
export type Step = 'settled' | 'claimed' | 'sending' | 'answered' | 'recording' | 'recorded';

/** A webhook that this worker must send before its lease ends. */
export type Delivery = {
  webhook: Webhook;
  /** The number of earlier attempts, and the time of the first. */
  attempts: number;
  first: Date | null;
  /** The end of the lease. It also identifies the lease: an outcome is written only if no other worker has claimed the delivery since. */
  due: Date;
};

type Claim = { subscription: LockedSubscription; deliveries: Delivery[] };
/** A subscription's primary key. Claims go through subscriptions in this order. */
export type SubscriptionKey = { bucket: number; id: string };
export type LiveSubscription = SealedSecrets & { url: string; failures: number };
type LockedSubscription = LiveSubscription & {
  accountId: string;
  topics: string[] | null;
  position: bigint;
  head: bigint;
};

/** How many deliveries a worker can take for a subscription; 0 or less means none. */
type Capacity = (subscription: { id: string; failures: number }) => number;

type Wanted = {
  group: number;
  now: Date;
  leaseMs: number;
  capacity: Capacity;
  full: string[];
  after?: SubscriptionKey | undefined;
};

const SUBSCRIPTIONS_MAX = 200;
const DELIVERIES_MAX = 2_000;
/** The most events per claim that are searched for a subscription's topics. */
const SCANNED_MAX = 1_000n;

/** Precedes every subscription. */
const START: SubscriptionKey = { bucket: -1, id: FIRST_ID };

/**
 * Claims deliveries of a group under a lease, in one short transaction, for up to 200 subscriptions after the key `after`. Skips
 * subscriptions that another worker has locked, and those in `full`. Returns the key to continue after, or undefined at the end.
 */
export async function claim(
  { feed, isFeedApart, groups }: Pick<Connections, 'feed' | 'isFeedApart' | 'groups'>,
  { group, now, leaseMs, capacity, full, after = START }: Wanted,
): Promise<{ claims: Claim[]; last: SubscriptionKey | undefined }> {
  return groups.transaction(group, async (part) => {
    const heads = isFeedApart ? await findHeads(part, feed) : fragment`event_head`;
    const subscriptions = await lockSubscriptions(part, now, { full, after, heads });
    if (subscriptions.length === 0) return { claims: [], last: undefined };
    const share = Math.max(1, Math.floor(DELIVERIES_MAX / subscriptions.length));
    const capacities = new Map(subscriptions.map((one) => [one.id, Math.max(0, Math.min(share, capacity(one)))]));
    const due = later(now, leaseMs);
    const retries = await claimRetries(part, subscriptions, capacities, now, due);
    for (const { webhook } of retries) capacities.set(webhook.subscriptionId, capacities.get(webhook.subscriptionId)! - 1);
    const firstAttempts = await claimEvents({ ...part, feed: isFeedApart ? feed : part.tx }, subscriptions, capacities, due);
    const bySubscription = Map.groupBy([...retries, ...firstAttempts], ({ webhook }) => webhook.subscriptionId);
    const claims = subscriptions.map((subscription) => ({ subscription, deliveries: bySubscription.get(subscription.id) ?? [] }));
    const { id } = subscriptions.at(-1)!;
    return { claims, last: subscriptions.length < SUBSCRIPTIONS_MAX ? undefined : { bucket: bucketOf(id), id } };
  });
}

/** The heads of the feeds of accounts with a subscription that is behind, as a relation: another server has the feeds. */
async function findHeads({ tx, table }: GroupTransaction, feed: Sql): Promise<Fragment> {
  const lowest = await tx<Head>`
    select account_id, min(position) as position from ${table('webhook_subscription')}
    where removed is null and not paused group by account_id`;
  return relationOf(lowest.length === 0 ? [] : await headsBeyond(feed, lowest));
}

async function lockSubscriptions(
  { tx, table }: GroupTransaction,
  now: Date,
  { full, after, heads }: { full: string[]; after: SubscriptionKey; heads: Fragment },
): Promise<LockedSubscription[]> {
  return tx<LockedSubscription>`
    select s.id, s.account_id, s.url, s.secret, s.secret_before,
      s.secret_before_expires, s.topics, s.failures, s.position, coalesce(h.position, 0) as head
    from ${table('webhook_subscription')} s
    left join ${heads} as h (account_id, position) on h.account_id = s.account_id
    where (s.bucket, s.id) > (${after.bucket}, ${after.id}) and s.removed is null and not s.paused and s.id <> all (${full}::uuid[])
      and (s.position < h.position
        or (select d.due from ${table('webhook_due')} d
          where d.bucket = s.bucket and d.subscription_id = s.id and d.attempts >= 0 order by d.due limit 1) <= ${now})
    order by s.bucket, s.id
    limit ${SUBSCRIPTIONS_MAX}
    for update of s skip locked`;
}

/** Those of these subscriptions of a group that are neither removed nor paused. */
export async function findLive({ tx, table }: GroupTransaction, ids: string[]): Promise<LiveSubscription[]> {
  return tx<LiveSubscription>`
    select s.id, s.url, s.secret, s.secret_before, s.secret_before_expires, s.failures
    from unnest(${ids.map(bucketOf)}::int[], ${ids}::uuid[]) as w (bucket, id)
    join ${table('webhook_subscription')} s on s.bucket = w.bucket and s.id = w.id
    where s.removed is null and not s.paused`;
}

async function claimRetries(
  { tx, table }: GroupTransaction,
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
          select * from ${table('webhook_due')} d
          where d.bucket = s.bucket and d.subscription_id = s.id and d.due <= ${now} and d.attempts >= 0
          order by d.due limit s.capacity
          for update skip locked
        ) d
    ),
    leased as (
      update ${table('webhook_due')} d set due = ${due}
      from locked t
      where d.bucket = t.bucket and d.due = t.due and d.webhook_id = t.webhook_id
      returning d.bucket, d.webhook_id, d.attempts, d.first
    )
    select ${webhookColumns}, l.attempts, l.first
    from leased l
    join lateral (select * from ${table('webhook')} w where w.bucket = l.bucket and w.id = l.webhook_id limit 1) w on true`;
  return rows.map(({ attempts, first, ...webhook }) => ({ webhook, attempts, first, due }));
}

/** Turns the next events of each subscription into webhooks, and advances its feed position past them. */
async function claimEvents(
  { tx, table, feed }: GroupTransaction & { feed: Sql },
  subscriptions: LockedSubscription[],
  capacities: Map<string, number>,
  due: Date,
): Promise<Delivery[]> {
  const behind = subscriptions
    .filter((one) => one.position < one.head && capacities.get(one.id)! > 0)
    .map((one) => ({ ...one, end: one.position + SCANNED_MAX < one.head ? one.position + SCANNED_MAX : one.head }));
  if (behind.length === 0) return [];
  const events = await readBehind(feed, behind, capacities);
  const deliveries = events.map(({ subscriptionId, event }) => {
    const { id: eventId, ...rest } = event;
    const webhook: Webhook = { ...rest, id: webhookIdOf(subscriptionId, eventId), subscriptionId, eventId };
    return { webhook, attempts: 0, first: null, due };
  });
  const made = await insertWebhooks({ tx, table }, deliveries);
  const bySubscription = Map.groupBy(events, ({ subscriptionId }) => subscriptionId);
  const positions = behind.map(({ id, end }) => {
    const read = bySubscription.get(id) ?? [];
    return read.length === capacities.get(id) ? read.at(-1)!.position : end;
  });
  await tx`
    update ${table('webhook_subscription')} s set position = w.position, webhooks = s.webhooks + w.made
    from unnest(${behind.map(({ id }) => bucketOf(id))}::int[], ${behind.map(({ id }) => id)}::uuid[], ${positions}::bigint[],
      ${behind.map(({ id }) => made.get(id) ?? 0)}::int[]) as w (bucket, id, position, made)
    where s.bucket = w.bucket and s.id = w.id`;
  return deliveries;
}

type Behind = LockedSubscription & { end: bigint };
type Read = { subscriptionId: string; position: bigint; event: Event };

/** Reads events up to `end`: later ones may have been settled since the subscription was locked, and belong to the next claim. */
async function readBehind(sql: Sql, behind: Behind[], capacities: Map<string, number>): Promise<Read[]> {
  const each = <T>(column: (one: Behind) => T) => behind.map(column);
  const rows = await sql<Event & { subscriptionId: string; position: bigint }>`
    select s.id as subscription_id, e.*
    from unnest(${each(({ id }) => id)}::uuid[], ${each(({ accountId }) => accountId)}::uuid[], ${each(({ position }) => position)}::bigint[], ${each(({ end }) => end)}::bigint[],
      ${each(({ topics }) => topics?.join(' ') ?? null)}::text[], ${each(({ id }) => capacities.get(id))}::int[])
      as s (id, account_id, position, last, topics, capacity)
    cross join lateral (
      select e.position, ${eventColumns} from ${feed}
      where e.account_id = s.account_id and e.position > s.position and e.position <= s.last
        and (s.topics is null or t.topic = any (string_to_array(s.topics, ' ')))
      order by e.position
      limit s.capacity
    ) e
    order by s.id, e.position`;
  return rows.map(({ subscriptionId, position, ...event }) => ({ subscriptionId, position, event }));
}

/** Writes webhooks with their leases. Returns the number of new webhooks per subscription: in a replay they exist already. */
async function insertWebhooks({ tx, table }: GroupTransaction, deliveries: Delivery[]): Promise<Map<string, number>> {
  const each = <T>(column: (webhook: Webhook) => T) => deliveries.map(({ webhook }) => column(webhook));
  const [buckets, ids, subscriptions] = [each(({ id }) => bucketOf(id)), each(({ id }) => id), each((one) => one.subscriptionId)];
  const rows = await tx<{ subscriptionId: string }>`
    insert into ${table('webhook')} (bucket, id, subscription_id, account_id, customer_id, event_id, resource_id, topic, created, checkpoint)
    select * from unnest(${buckets}::int[], ${ids}::uuid[], ${subscriptions}::uuid[], ${each((one) => one.accountId)}::uuid[],
      ${each((one) => one.customerId)}::uuid[], ${each((one) => one.eventId)}::uuid[], ${each((one) => one.resourceId)}::uuid[],
      ${each((one) => one.topic)}::text[], ${each((one) => one.created)}::timestamptz[], ${each((one) => one.checkpoint)}::text[])
    on conflict do nothing
    returning subscription_id`;
  // A replay begins the retries of a webhook again, instead of a second series.
  if (rows.length < deliveries.length)
    await tx`
      delete from ${table('webhook_due')} d using unnest(${buckets}::int[], ${ids}::uuid[]) as w (bucket, webhook_id)
      where d.bucket = w.bucket and d.webhook_id = w.webhook_id`;
  await tx`
    insert into ${table('webhook_due')} (bucket, subscription_id, webhook_id, due)
    select bucket, subscription_id, webhook_id, due
    from unnest(${buckets}::int[], ${subscriptions}::uuid[], ${ids}::uuid[], ${deliveries.map(({ due }) => due)}::timestamptz[])
      as w (bucket, subscription_id, webhook_id, due)
    on conflict do nothing`;
  const made = new Map<string, number>();
  for (const { subscriptionId } of rows) made.set(subscriptionId, (made.get(subscriptionId) ?? 0) + 1);
  return made;
}

/** The head of the feed of an account, which a cluster has on the coordinator, while subscriptions are on the workers. */
export type Head = { accountId: string; position: bigint };

/** The heads that are greater than these positions. */
function headsBeyond(sql: Sql, positions: Head[]): Promise<Head[]> {
  return sql<Head>`
    select h.account_id, h.position
    from ${relationOf(positions)} as s (account_id, position)
    join event_head h on h.account_id = s.account_id and h.position > s.position`;
}

/** Heads as a relation of a statement that cannot join the feed. */
export function relationOf(heads: Head[]): Fragment {
  return fragment`unnest(${heads.map(({ accountId }) => accountId)}::uuid[], ${heads.map(({ position }) => position)}::bigint[])`;
}
