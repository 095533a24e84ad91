// `earmark webhooks replay`: delivers again what a subscription was told, or should have been, since a time.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from '../db/sql.ts';
import { settleEvents } from '../events/feed.ts';
import { bucketOf, isId } from '../ids.ts';
import { replaySince } from '../webhooks/subscribe.ts';
import { CallError, command, UsageError } from './command.ts';
import { print } from './output.ts';
import { openProgress } from './progress.ts';
import { withDatabase } from './with-database.ts';

const POLL_MS = 200;

const replay = command({
  name: 'webhooks replay',
  about: 'Delivers every event since a time to a subscription again, under the same ids.',
  options: {
    subscription: { value: 'ID', about: 'whom to tell again', required: true },
    since: { value: 'TIME', about: '2026-05-01, or 2026-05-01T12:00:00Z', required: true },
    wait: { about: 'waits until every one of them has been taken up for delivery' },
  },
  examples: ['earmark webhooks replay --subscription 01890000-0000-7000-8000-000000000000 --since 2026-05-01 --wait'],
  async run({ options: { subscription, since, wait }, json }) {
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
  },
});

export const webhooks = [replay];

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
