// The commands that deliver webhooks, and show and repeat deliveries.
import { command } from '../command.ts';

/** Most webhooks that `webhooks list` shows. */
export const LISTED_MAX = 100;

export const deliver = command({
  name: 'deliver',
  about: 'Delivers webhooks until it is told to stop; any number of these, and of services, share the work.',
  examples: ['PUBLIC_URL=https://pay.example.com earmark deliver'],
  run: async (call) => (await import('../deliver.ts')).deliver(call),
});

const list = command({
  name: 'webhooks list',
  about: `Lists the newest ${LISTED_MAX} webhooks of all subscriptions, each with its attempts and the next one.`,
  options: {
    subscription: { value: 'ID', about: 'only those of this subscription' },
    failed: { about: 'only those whose last attempt failed' },
  },
  examples: [
    'earmark webhooks list --failed',
    'earmark webhooks list --subscription 01890000-0000-7000-8000-000000000000 --json',
  ],
  run: async (call) => (await import('../webhooks.ts')).list(call),
});

const replay = command({
  name: 'webhooks replay',
  about: 'Delivers every event since a time to a subscription again, under the same ids.',
  options: {
    subscription: { value: 'ID', about: 'whom to tell again', required: true },
    since: { value: 'TIME', about: '2026-05-01, or 2026-05-01T12:00:00Z', required: true },
    wait: { about: 'waits until every one of them has been taken up for delivery' },
  },
  examples: ['earmark webhooks replay --subscription 01890000-0000-7000-8000-000000000000 --since 2026-05-01 --wait'],
  run: async (call) => (await import('../webhooks.ts')).replay(call),
});

export const webhookCommands = [list, replay];
