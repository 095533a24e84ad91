// `earmark webhooks list|replay`: what subscriptions were told and what failed, and all of it again since a time.
import { setTimeout as sleep } from 'node:timers/promises';
import { requireMigrated } from '../db/migrate.ts';
import type { Sql } from '../db/sql.ts';
import { settleEvents } from '../events/feed.ts';
import { bucketOf, isId } from '../ids.ts';
import { listNewest } from '../webhooks/list.ts';
import { replaySince } from '../webhooks/subscribe.ts';
import type { StoredWebhook } from '../webhooks/webhook.ts';
import { CallError, UsageError } from './command.ts';
import { LISTED_MAX } from './declarations/webhooks.ts';
import { print, printTable } from './output.ts';
import { openProgress } from './progress.ts';
import { withDatabase } from './with-database.ts';

const POLL_MS = 200;

type ListCall = { options: { subscription: string | undefined; failed: boolean }; json: boolean };
type ReplayCall = { options: { subscription: string; since: string; wait: boolean }; json: boolean };

export async function list({ options: { subscription, failed }, json }: ListCall): Promise<number> {
  if (subscription !== undefined && !isId(subscription)) throw new UsageError(`${subscription} is no id of a subscription.`);
  const status = failed ? 'failed' : undefined;
  const listed = await withDatabase(
    ({ database }) => listNewest(database.sql, { subscriptionId: subscription, status, limit: LISTED_MAX }),
    requireMigrated,
  );
  if (!listed) throw new UsageError(`There is no webhook subscription ${subscription}.`);
  const rows = listed.map(rowOf);
  if (json) print({ webhooks: rows }, true);
  else printTable(rows, failed ? 'No webhook has failed.' : 'There is no webhook.');
  return 0;
}

function rowOf({ id, subscriptionId, topic, created, attempts, nextAttempt, live }: StoredWebhook) {
  const last = attempts.at(-1);
  return {
    webhook_id: id,
    subscription_id: subscriptionId,
    created: created.toISOString(),
    attempts: attempts.length,
    // An error is of the network, in words; else the status that was answered.
    last_result: last?.error ?? String(last?.status ?? ''),
    next_attempt: live ? (nextAttempt?.toISOString() ?? '') : 'paused',
    topic,
  };
}

export async function replay({ options: { subscription, since, wait }, json }: ReplayCall): Promise<number> {
  const time = new Date(since);
  if (Number.isNaN(time.getTime())) throw new CallError(`${since} is no time. Write it as 2026-05-01T12:00:00Z.`);
  if (!isId(subscription)) throw new UsageError(`${subscription} is no id of a subscription.`);
  const events = await withDatabase(async ({ database }) => {
    await settleEvents(database.sql);
    const replayed = await database.transaction(async (tx) => {
      const events = await replaySince(tx, subscription, time);
      return events === undefined ? undefined : { events, place: await placeOf(tx, subscription) };
    });
    if (replayed && wait) await untilTaken(database.sql, subscription, replayed);
    return replayed?.events;
  });
  if (events === undefined) throw new UsageError(`There is no webhook subscription ${subscription}.`);
  print({ subscription, since: time.toISOString(), events: Number(events) }, json);
  return 0;
}

type Place = { position: bigint; paused: boolean; head: bigint };

/** Where a subscription stands in the feed of its account, also once it is removed, and where that feed ends now. */
async function placeOf(sql: Sql, id: string): Promise<Place> {
  const [place] = await sql<Place>`
    select s.position, s.paused or s.removed is not null as paused, coalesce(h.position, 0) as head
    from webhook_subscription s left join event_head h on h.account_id = s.account_id
    where s.bucket = ${bucketOf(id)} and s.id = ${id}`;
  return place!;
}

/** Waits until the delivery workers have come to where the feed ended: a subscription may have stood before the first of the events. */
async function untilTaken(sql: Sql, id: string, { events, place }: { events: bigint; place: Place }): Promise<void> {
  const progress = openProgress('taken up');
  try {
    for (let now = place; ; now = await placeOf(sql, id)) {
      const [taken, all] = [now.position - place.position, place.head - place.position];
      if (events === 0n || taken >= all) return;
      progress.show(Number(taken) / Number(all), `${taken} of ${all} events`);
      if (now.paused) throw new UsageError('The subscription is paused: the rest is delivered once it is resumed.');
      await sleep(POLL_MS);
    }
  } finally {
    progress.end();
  }
}
