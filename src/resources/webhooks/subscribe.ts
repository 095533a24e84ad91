// Creates, changes and removes webhook subscriptions.
import { type Clock, later } from '../../core/clock.ts';
import { bucketOf, newId } from '../../core/ids.ts';
import { invalid, refuse } from '../../core/problems.ts';
import { headOf, positionSince } from '../../ledger/feed/feed.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { AddressPolicy } from '../../platform/http/address-policy.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import {
  faultOfSecret,
  openSecrets,
  requireSubscription,
  type SealedSecrets,
  type Subscription,
  type SubscriptionChange,
  type SubscriptionRequest,
  sealSecret,
  subscriptionsOf,
} from './subscription.ts';

type Caller = { accountId: string };

const SUBSCRIPTIONS_MAX = 10;
/** How long the previous secret still signs. */
const OVERLAP_MS = 24 * 3_600_000;

/** Creates a subscription to events from now on; settle the account's feed first. Returns its id. */
export async function subscribe(
  tx: Sql,
  { sealer, guard }: { sealer: Sealer; guard: AddressPolicy },
  { accountId }: Caller,
  { url, secret, topics }: SubscriptionRequest,
  { bucket, clock }: { bucket: number; clock: Clock },
): Promise<string> {
  requireAllowed(guard, url);
  const wrongSecret = faultOfSecret(secret);
  if (wrongSecret) throw invalid(wrongSecret);
  await requireBelowLimit(tx, accountId);
  const id = newId(bucket);
  await tx`
    insert into webhook_subscription (bucket, id, account_id, url, secret, topics, position, healthy, created)
    values (${bucket}, ${id}, ${accountId}, ${url}, ${sealSecret(sealer, id, secret)}, ${topics}, ${await headOf(tx, accountId)}, ${clock.now()}, ${clock.now(accountId)})`;
  return id;
}

/** Pauses or resumes a subscription. It resumes with new events, or with `replay` from the event where it was paused. */
export async function changeSubscription(
  tx: Sql,
  caller: Caller,
  id: string,
  { paused, replay }: SubscriptionChange,
  now: Date,
): Promise<Subscription> {
  const { bucket, accountId, paused: before } = await lockSubscription(tx, caller, id);
  if (replay && (paused || !before)) {
    throw invalid({
      code: 'NotAllowed',
      message: 'Replay is allowed only when a paused subscription is resumed.',
      path: '/replay',
    });
  }
  if (before && !paused) {
    const head = replay ? null : await headOf(tx, accountId);
    await tx`
      update webhook_subscription set paused = false, failures = 0, healthy = ${now}, position = coalesce(${head}, position)
      where bucket = ${bucket} and id = ${id}`;
  } else {
    await tx`update webhook_subscription set paused = ${paused} where bucket = ${bucket} and id = ${id}`;
  }
  return requireSubscription(tx, caller, id);
}

/**
 * Sets where a subscription is delivered to, and which topics: also those webhooks that wait for a retry. Another URL begins without
 * failures.
 */
export async function redirectSubscription(
  tx: Sql,
  guard: AddressPolicy,
  caller: Caller,
  { id, url, topics }: { id: string; url: string; topics: readonly string[] | undefined },
  now: Date,
): Promise<void> {
  requireAllowed(guard, url);
  const before = await lockSubscription(tx, caller, id);
  await tx`
    update webhook_subscription set url = ${url}, topics = ${topics}
    where bucket = ${before.bucket} and id = ${id}`;
  if (url !== before.url)
    await tx`
      update webhook_subscription set failures = 0, healthy = ${now} where bucket = ${before.bucket} and id = ${id}`;
}

/**
 * Sets a new secret. The previous one still signs for a day; any older one stops signing immediately. A repetition changes nothing, so
 * that the previous one signs on.
 */
export async function rotateSecret(
  tx: Sql,
  sealer: Sealer,
  caller: Caller,
  { id, secret }: { id: string; secret: string },
  now: Date,
): Promise<void> {
  const wrongSecret = faultOfSecret(secret);
  if (wrongSecret) throw invalid(wrongSecret);
  const { bucket } = await lockSubscription(tx, caller, id);
  const [sealed] = await tx<SealedSecrets>`
    select id, secret, secret_before, secret_before_expires from webhook_subscription where bucket = ${bucket} and id = ${id}`;
  if (openSecrets(sealer, sealed!, now)[0] === secret) return;
  await tx`
    update webhook_subscription
    set secret_before = secret, secret_before_expires = ${later(now, OVERLAP_MS)}, secret = ${sealSecret(sealer, id, secret)}
    where bucket = ${bucket} and id = ${id}`;
}

/** Removes a subscription and its planned deliveries. Its webhooks can still be retrieved. */
export async function unsubscribe(tx: Sql, caller: Caller, id: string, now: Date): Promise<Subscription> {
  const subscription = await lockSubscription(tx, caller, id);
  await tx`update webhook_subscription set removed = ${now} where bucket = ${subscription.bucket} and id = ${id}`;
  await tx`delete from webhook_due where bucket = ${subscription.bucket} and subscription_id = ${id} and attempts >= 0`;
  return subscription;
}

/**
 * Moves a subscription back in the feed, so that events since a time are delivered again with the same webhook ids. Returns the number
 * of these events before filtering by topic, or undefined if the subscription does not exist.
 */
export async function replaySince(tx: Sql, id: string, since: Date): Promise<bigint | undefined> {
  const bucket = bucketOf(id);
  const [subscription] = await tx<{ accountId: string; position: bigint }>`
    select account_id, position from webhook_subscription
    where bucket = ${bucket} and id = ${id} and removed is null
    for no key update`;
  if (!subscription) return undefined;
  const [head, from] = [await headOf(tx, subscription.accountId), await positionSince(tx, subscription.accountId, since)];
  const position = from === undefined ? subscription.position : from - 1n;
  if (position < subscription.position) {
    await tx`update webhook_subscription set position = ${position} where bucket = ${bucket} and id = ${id}`;
  }
  return from === undefined ? 0n : head - position;
}

function requireAllowed(guard: AddressPolicy, url: string): void {
  const fault = guard.faultOf(url);
  if (fault) throw invalid({ code: URL.canParse(url) ? 'NotAllowed' : 'InvalidFormat', message: fault, path: '/url' });
}

/** Locks a subscription, so that concurrent changes and retries wait, and returns it. */
async function lockSubscription(tx: Sql, caller: Caller, id: string): Promise<Subscription> {
  await tx`select 1 from webhook_subscription where bucket = ${bucketOf(id)} and id = ${id} for update`;
  return requireSubscription(tx, caller, id);
}

/** Throws if the account has the maximum number of subscriptions. Locks the account, so that concurrent calls cannot exceed it. */
async function requireBelowLimit(tx: Sql, accountId: string): Promise<void> {
  await tx`select 1 from account where id = ${accountId} for no key update`;
  if ((await subscriptionsOf(tx, accountId)).length >= SUBSCRIPTIONS_MAX) throw refuse('tooManySubscriptions');
}
