// Work queue that is fair between accounts: at most one task per account runs at a time, and accounts are served round-robin.
import { refuse } from '../../core/problems.ts';
import { openConcurrencyLimit } from '../../platform/http/concurrency-limit.ts';

type FairQueue = {
  /** Queues work and returns its result. Refused with 503 when the account, or all accounts together, have too many tasks queued. */
  run<T>(accountId: string, work: () => Promise<T>): Promise<T>;
};

const RUNNING_MAX = 2;
/** Running and waiting. One account may use as many slots as it leaves free: eight when it is alone. */
const QUEUED_MAX = 16;
const RETRY_AFTER_SECONDS = '5';

export function openFairQueue(): FairQueue {
  const limit = openConcurrencyLimit(QUEUED_MAX);
  const running = new Set<string>();
  /** Waiting tasks per account; the next account comes first. */
  const waiting = new Map<string, (() => void)[]>();

  function startNext(): void {
    for (const [accountId, starts] of waiting) {
      if (running.size === RUNNING_MAX) return;
      if (running.has(accountId)) continue;
      const start = starts.shift()!;
      waiting.delete(accountId);
      if (starts.length > 0) waiting.set(accountId, starts);
      running.add(accountId);
      start();
    }
  }

  function waitInQueue(accountId: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.set(accountId, [...(waiting.get(accountId) ?? []), resolve]);
    startNext();
    return promise;
  }

  return {
    async run(accountId, work) {
      const leave = limit.acquire(accountId);
      if (typeof leave === 'string') throw refuse('unavailable', { headers: { 'retry-after': RETRY_AFTER_SECONDS } });
      await waitInQueue(accountId);
      try {
        return await work();
      } finally {
        running.delete(accountId);
        leave();
        startNext();
      }
    },
  };
}
