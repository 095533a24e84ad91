// `earmark webhooks replay`: delivers again what a subscription was told, or should have been, since a time.

import { settleEvents } from '../events/feed.ts';
import { isId } from '../ids.ts';
import { replaySince } from '../webhooks/subscribe.ts';
import { type Command, print, readArgs, UsageError } from './command.ts';
import { withDatabase } from './with-database.ts';

const USAGE = 'webhooks replay --subscription ID --since TIME';

export const webhooks: Command = {
  name: 'webhooks',
  usage: [USAGE],
  about: 'Delivers every event since a time (2026-05-01 or 2026-05-01T12:00:00Z) to a subscription again, under the same ids.',
  async run(args) {
    const { values, positionals } = readArgs(args, { subscription: { type: 'string' }, since: { type: 'string' } }, 1);
    const { subscription, since } = values;
    if (positionals.join(' ') !== 'replay' || !subscription || !since) throw new UsageError(`Call it as: earmark ${USAGE}`);
    const time = new Date(since);
    if (Number.isNaN(time.getTime())) throw new UsageError(`${since} is no time. Write it as 2026-05-01T12:00:00Z.`);
    if (!isId(subscription)) throw new UsageError(`${subscription} is no id of a subscription.`);
    const events = await withDatabase(async ({ database }) => {
      await settleEvents(database.sql);
      return database.transaction((tx) => replaySince(tx, subscription, time));
    });
    if (events === undefined) throw new UsageError(`There is no webhook subscription ${subscription}.`);
    print({ subscription, since: time.toISOString(), events: Number(events) }, values.json);
    return 0;
  },
};
