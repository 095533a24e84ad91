// Makes, changes and removes webhook subscriptions.
import type { Sql } from '../db/sql.ts';
import { headOf, positionSince } from '../events/feed.ts';
import { bucketOf, newId } from '../ids.ts';
import { invalid, refuse } from '../problems.ts';
import type { Sealer } from '../sealing.ts';
import type { Guard } from './guard.ts';
import {
  faultOfSecret,
  requireSubscription,
  type Subscription,
  type SubscriptionChange,
  type SubscriptionRequest,
  sealSecret,
} from './subscription.ts';

type Caller = { accountId: string };

const SUBSCRIPTIONS_MAX = 10;
/** How long the secret before the newest signs too. */
const OVERLAP_MS = 24 * 3_600_000;

/** Makes a subscription, which is told of what happens from now on: the account's feed is settled before. Returns its id. */
export async function subscribe(
  tx: Sql,
  { sealer, guard }: { sealer: Sealer; guard: Guard },
  { accountId }: Caller,
  { url, secret, topics }: SubscriptionRequest,
  { bucket, now }: { bucket: number; now: Date },
): Promise<string> {
  const fault = guard.faultOf(url);
  if (fault) throw invalid({ code: URL.canParse(url) ? 'NotAllowed' : 'InvalidFormat', message: fault, path: '/url' });
  const wrongSecret = faultOfSecret(secret);
  if (wrongSecret) throw invalid(wrongSecret);
  await requireRoom(tx, accountId);
  const id = newId(bucket);
  await tx`
    insert into webhook_subscription (bucket, id, account_id, url, secret, topics, position, healthy, created)
    values (${bucket}, ${id}, ${accountId}, ${url}, ${sealSecret(sealer, id, secret)}, ${topics}, ${await headOf(tx, accountId)}, ${now}, ${now})`;
  return id;
}

/** Pauses or resumes a subscription. Resumed, it goes on from here; with `replay`, from where it was paused. */
export async function changeSubscription(
  tx: Sql,
  caller: Caller,
  id: string,
  { paused, replay }: SubscriptionChange,
  now: Date,
): Promise<Subscription> {
  const { bucket, accountId, paused: before } = await hold(tx, caller, id);
  if (replay && (paused || !before)) {
    throw invalid({ code: 'NotAllowed', message: 'Replay goes with resuming a paused subscription only.', path: '/replay' });
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

/** Gives a subscription a new secret; the one before signs too for a day, any older one ends now. */
export async function rotateSecret(
  tx: Sql,
  sealer: Sealer,
  caller: Caller,
  { id, secret }: { id: string; secret: string },
  now: Date,
): Promise<void> {
  const wrongSecret = faultOfSecret(secret);
  if (wrongSecret) throw invalid(wrongSecret);
  const { bucket } = await hold(tx, caller, id);
  await tx`
    update webhook_subscription
    set secret_before = secret, secret_before_expires = ${new Date(now.getTime() + OVERLAP_MS)}, secret = ${sealSecret(sealer, id, secret)}
    where bucket = ${bucket} and id = ${id}`;
}

/** Removes a subscription: nothing more is delivered. Its webhooks stay to be read one by one. */
export async function unsubscribe(tx: Sql, caller: Caller, id: string, now: Date): Promise<Subscription> {
  const subscription = await hold(tx, caller, id);
  await tx`update webhook_subscription set removed = ${now} where bucket = ${subscription.bucket} and id = ${id}`;
  await tx`delete from webhook_due where bucket = ${subscription.bucket} and subscription_id = ${id}`;
  return subscription;
}

/**
 * Sets a subscription back in the feed, so that everything since a time is delivered again, under the same ids.
 * Returns how many events that are (before the topics are looked at), or undefined when there is no such subscription.
 */
export async function replaySince(tx: Sql, id: string, since: Date): Promise<bigint | undefined> {
  const bucket = bucketOf(id);
  const [held] = await tx<{ accountId: string; position: bigint }>`
    select account_id as "accountId", position from webhook_subscription
    where bucket = ${bucket} and id = ${id} and removed is null
    for no key update`;
  if (!held) return undefined;
  const [head, from] = [await headOf(tx, held.accountId), await positionSince(tx, held.accountId, since)];
  const position = from === undefined ? held.position : from - 1n;
  if (position < held.position) {
    await tx`update webhook_subscription set position = ${position} where bucket = ${bucket} and id = ${id}`;
  }
  return from === undefined ? 0n : head - position;
}

/** The subscription, held so that changes go one after the other. */
async function hold(tx: Sql, caller: Caller, id: string): Promise<Subscription> {
  await tx`select 1 from webhook_subscription where bucket = ${bucketOf(id)} and id = ${id} for no key update`;
  return requireSubscription(tx, caller, id);
}

/** Holds the account, so that two at once do not both take the last place. */
async function requireRoom(tx: Sql, accountId: string): Promise<void> {
  await tx`select 1 from account where id = ${accountId} for no key update`;
  const [count] = await tx<{ held: bigint }>`
    select count(*) as held from webhook_subscription where account_id = ${accountId} and removed is null`;
  if (Number(count?.held) >= SUBSCRIPTIONS_MAX) throw refuse('tooManySubscriptions');
}
