// `earmark webhooks replay`: delivers again what a subscription was told, or should have been, since a time.

import { settleEvents } from '../events/feed.ts';
import { isId } from '../ids.ts';
import { replaySince } from '../webhooks/subscribe.ts';
import { CallError, command, UsageError } from './command.ts';
import { print } from './output.ts';
import { withDatabase } from './with-database.ts';

const replay = command({
  name: 'webhooks replay',
  about: 'Delivers every event since a time to a subscription again, under the same ids.',
  options: {
    subscription: { value: 'ID', about: 'whom to tell again', required: true },
    since: { value: 'TIME', about: '2026-05-01, or 2026-05-01T12:00:00Z', required: true },
  },
  examples: ['earmark webhooks replay --subscription 01890000-0000-7000-8000-000000000000 --since 2026-05-01'],
  async run({ options: { subscription, since }, json }) {
    const time = new Date(since);
    if (Number.isNaN(time.getTime())) throw new CallError(`${since} is no time. Write it as 2026-05-01T12:00:00Z.`);
    if (!isId(subscription)) throw new UsageError(`${subscription} is no id of a subscription.`);
    const events = await withDatabase(async ({ database }) => {
      await settleEvents(database.sql);
      return database.transaction((tx) => replaySince(tx, subscription, time));
    });
    if (events === undefined) throw new UsageError(`There is no webhook subscription ${subscription}.`);
    print({ subscription, since: time.toISOString(), events: Number(events) }, json);
    return 0;
  },
});

export const webhooks = [replay];
