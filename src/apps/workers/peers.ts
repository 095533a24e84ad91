// The worker's side of what processes share: metrics, rate limits and the result of the ledger check.
import type { Rate } from '../../platform/http/rate.ts';
import type { LedgerCheck, Peers } from '../../platform/worker-coordination.ts';
import type { Channel } from './channel.ts';
import type { ToSupervisor, ToWorker } from './messages.ts';

/** How often the other processes learn which tokens were taken. */
const SHARE_EVERY_MS = 50;

export function openPeers(channel: Channel<ToWorker, ToSupervisor>, start: { isFirst: boolean; check: LedgerCheck }): Peers {
  const rates = new Map<string, Rate>();
  const waiting = new Map<number, (text: string) => void>();
  let check = restore(start.check);
  let expose = async () => '';
  let requests = 0;

  channel.on('expose', async ({ request }) => channel.send({ kind: 'exposed', request, text: await expose() }));
  channel.on('exposition', ({ request, text }) => {
    waiting.get(request)?.(text);
    waiting.delete(request);
  });
  channel.on('taken', ({ taken: { name, tokens } }) => {
    for (const [key, count] of tokens) rates.get(name)?.note(key, count);
  });
  channel.on('checked', (checked) => {
    check = restore(checked.check);
  });

  return {
    isFirst: start.isFirst,
    provideMetrics(own) {
      expose = own;
    },
    exposeAll() {
      const { promise, resolve } = Promise.withResolvers<string>();
      const request = requests++;
      waiting.set(request, resolve);
      channel.send({ kind: 'collect', request });
      return promise;
    },
    shareRate(name, rate) {
      rates.set(name, rate);
      const taken = new Map<string, number>();
      const count = (key: string, tokens: number) => {
        if (taken.size === 0) setTimeout(send, SHARE_EVERY_MS).unref();
        taken.set(key, (taken.get(key) ?? 0) + tokens);
      };
      const send = () => {
        channel.send({ kind: 'taken', taken: { name, tokens: [...taken] } });
        taken.clear();
      };
      return {
        ...rate,
        take(key) {
          const waitMs = rate.take(key);
          if (waitMs === 0) count(key, 1);
          return waitMs;
        },
        giveBack(key) {
          rate.giveBack(key);
          count(key, -1);
        },
      };
    },
    reportCheck(reported) {
      check = reported;
      channel.send({ kind: 'checked', check });
    },
    check: () => check,
    requestCheck: () => channel.send({ kind: 'check' }),
    onCheckRequest: (run) => channel.on('check', run),
  };
}

/** The state in a message: as JSON, without the type of times and without what is undefined. */
function restore({ last, newest, complete, ...rest }: LedgerCheck): LedgerCheck {
  return {
    last: last && { ...last, finished: new Date(last.finished) },
    newest: newest && { ...newest, asOf: new Date(newest.asOf) },
    complete: complete && new Date(complete),
    ...rest,
  };
}
