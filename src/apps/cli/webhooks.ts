// `earmark webhooks list|replay`: lists webhooks with their attempts, and delivers events again.
import { setTimeout as sleep } from 'node:timers/promises';
import { bucketOf, isId } from '../../core/ids.ts';
import { headOf, settleEvents } from '../../ledger/feed/feed.ts';
import { requireMigrated } from '../../platform/db/migrate.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { listNewest } from '../../resources/webhooks/list.ts';
import { replaySince } from '../../resources/webhooks/subscribe.ts';
import type { StoredWebhook } from '../../resources/webhooks/webhook.ts';
import { LISTED_WEBHOOKS_MAX } from './bounds.ts';
import { UsageError } from './command.ts';
import { print, printTable } from './output.ts';
import { openProgress } from './progress.ts';
import { readTime } from './read-time.ts';
import { withDatabase } from './with-database.ts';

const POLL_MS = 200;

type ListCall = { options: { subscription: string | undefined; failed: boolean }; json: boolean };
type ReplayCall = { options: { subscription: string; since: string; wait: boolean }; json: boolean };

export async function list({ options: { subscription, failed }, json }: ListCall): Promise<number> {
  if (subscription !== undefined && !isId(subscription)) throw new UsageError(`${subscription} is not a subscription id.`);
  const status = failed ? 'failed' : undefined;
  const listed = await withDatabase(
    ({ database }) => listNewest(database.sql, { subscriptionId: subscription, status, limit: LISTED_WEBHOOKS_MAX }),
    requireMigrated,
  );
  if (!listed) throw new UsageError(`There is no webhook subscription ${subscription}.`);
  const rows = listed.map(rowOf);
  if (json) print({ webhooks: rows }, true);
  else printTable(rows, failed ? 'No webhook has failed.' : 'There are no webhooks.');
  return 0;
}

function rowOf({ id, subscriptionId, topic, created, attempts, nextAttempt, live }: StoredWebhook) {
  const last = attempts.at(-1);
  return {
    webhook_id: id,
    subscription_id: subscriptionId,
    created: created.toISOString(),
    attempts: attempts.length,
    // A network error, or the status of the response.
    last_result: last?.error ?? String(last?.status ?? ''),
    next_attempt: live ? (nextAttempt?.toISOString() ?? '') : 'paused',
    topic,
  };
}

export async function replay({ options: { subscription, since, wait }, json }: ReplayCall): Promise<number> {
  const time = readTime('--since', since);
  if (!isId(subscription)) throw new UsageError(`${subscription} is not a subscription id.`);
  const events = await withDatabase(async ({ database }) => {
    await settleEvents(database.sql);
    const replayed = await database.transaction(async (tx) => {
      const events = await replaySince(tx, subscription, time);
      return events === undefined ? undefined : { events, start: await positionOf(tx, subscription) };
    });
    if (replayed && wait) await waitUntilQueued(database.sql, subscription, replayed);
    return replayed?.events;
  });
  if (events === undefined) throw new UsageError(`There is no webhook subscription ${subscription}.`);
  print({ subscription, since: time.toISOString(), events: Number(events) }, json);
  return 0;
}

type Position = { position: bigint; paused: boolean; head: bigint };

/** Returns the position of a subscription in the event feed of its account, even after its removal, and the head of that feed. */
async function positionOf(sql: Sql, id: string): Promise<Position> {
  const [row] = await sql<{ accountId: string; position: bigint; paused: boolean }>`
    select account_id, position, paused or removed is not null as paused
    from webhook_subscription where bucket = ${bucketOf(id)} and id = ${id}`;
  const { accountId, ...subscription } = row!;
  return { ...subscription, head: await headOf(sql, accountId) };
}

/** Waits until the delivery workers have queued the feed up to its head at the time of the call. */
async function waitUntilQueued(sql: Sql, id: string, { events, start }: { events: bigint; start: Position }): Promise<void> {
  const progress = openProgress('queued');
  try {
    for (let now = start; ; now = await positionOf(sql, id)) {
      const [queued, total] = [now.position - start.position, start.head - start.position];
      if (events === 0n || queued >= total) return;
      progress.show(Number(queued) / Number(total), `${queued} of ${total} events`);
      if (now.paused) throw new UsageError('The subscription is paused: the remaining events are delivered after it is resumed.');
      await sleep(POLL_MS);
    }
  } finally {
    progress.end();
  }
}
