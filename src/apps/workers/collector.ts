// Collects the metrics of all workers for the one that was asked, and keeps the counts of those that ended.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Channel } from './channel.ts';
import { addEnded, sumExpositions } from './exposition.ts';
import type { ToSupervisor, ToWorker } from './messages.ts';

/** The channel of a worker. */
type Line = Channel<ToSupervisor, ToWorker>;

type Collector = {
  /** Answers the requests of a worker. */
  serve(one: Line): void;
  /** Keeps the last counts of a worker that ended. */
  end(one: Line): void;
};

/** A worker that is too busy to answer is represented by its last metrics. */
const WAIT_MS = 2_000;

export function openCollector(running: () => Line[]): Collector {
  const last = new Map<Line, string>();
  const waiting = new Map<number, () => void>();
  let ended = '';
  let requests = 0;

  async function ask(one: Line): Promise<void> {
    const request = requests++;
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.set(request, resolve);
    one.send({ kind: 'expose', request });
    await Promise.race([promise, sleep(WAIT_MS, undefined, { ref: false })]);
    waiting.delete(request);
  }

  return {
    serve(one) {
      one.on('exposed', ({ request, text }) => {
        last.set(one, text);
        waiting.get(request)?.();
      });
      one.on('collect', async ({ request }) => {
        const all = running();
        await Promise.all(all.map(ask));
        const texts = all.map((worker) => last.get(worker) ?? '');
        one.send({ kind: 'exposition', request, text: sumExpositions(texts, [ended]) });
      });
    },
    end(one) {
      ended = addEnded(ended, last.get(one) ?? '');
      last.delete(one);
    },
  };
}
