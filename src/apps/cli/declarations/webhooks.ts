// Declarations of the commands that deliver, list and replay webhooks.
import { LISTED_WEBHOOKS_MAX } from '../bounds.ts';
import { command } from '../command.ts';
import { catchReloadSignals } from '../until-signal.ts';
import { migrateOption } from './operation.ts';

/** Maximum number of webhooks in `webhooks list`. */
export const deliver = command({
  name: 'deliver',
  about: 'Delivers webhooks until SIGTERM or Ctrl-C. Any number of these processes and of services share the work.',
  options: migrateOption,
  examples: ['PUBLIC_URL=https://pay.example.com earmark deliver'],
  isService: true,
  async run(call) {
    const reloads = catchReloadSignals();
    return (await import('../deliver.ts')).deliver({ ...call, reloads });
  },
});

const list = command({
  name: 'webhooks list',
  about: `Lists the newest ${LISTED_WEBHOOKS_MAX} webhooks of all subscriptions, with their attempts and the time of the next one.`,
  options: {
    subscription: { value: 'ID', about: 'only webhooks of this subscription' },
    failed: { about: 'only webhooks whose last attempt failed' },
  },
  examples: [
    'earmark webhooks list --failed',
    'earmark webhooks list --subscription 01890000-0000-7000-8000-000000000000 --json',
  ],
  run: async (call) => (await import('../webhooks.ts')).list(call),
});

const replay = command({
  name: 'webhooks replay',
  about: 'Delivers all events since a time to a subscription again, with the same webhook ids.',
  options: {
    subscription: { value: 'ID', about: 'the subscription', required: true },
    since: { value: 'TIME', about: 'a date or time: 2026-05-01 or 2026-05-01T12:00:00Z', required: true },
    wait: { about: 'waits until all of these events are queued for delivery' },
  },
  examples: ['earmark webhooks replay --subscription 01890000-0000-7000-8000-000000000000 --since 2026-05-01 --wait'],
  run: async (call) => (await import('../webhooks.ts')).replay(call),
});

export const webhookCommands = [list, replay];
