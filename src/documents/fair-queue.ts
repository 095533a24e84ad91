// Runs the work of many accounts: each account has one piece running at most, and accounts take turns.
import { openConcurrencyLimit } from '../http/concurrency-limit.ts';
import { refuse } from '../problems.ts';

export type FairQueue = {
  /** Runs work once it is its account's turn. Refused with 503 when the account has too much of it here already, or all together have. */
  run<T>(accountId: string, work: () => Promise<T>): Promise<T>;
};

const RUNNING_MAX = 2;
/** Running and waiting. One account may have as many as it leaves free: eight where no other has any. */
const QUEUED_MAX = 16;
const RETRY_AFTER_SECONDS = '5';

export function openFairQueue(): FairQueue {
  const places = openConcurrencyLimit(QUEUED_MAX);
  const running = new Set<string>();
  /** What each account waits with; the account whose turn is next comes first. */
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

  function turnOf(accountId: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.set(accountId, [...(waiting.get(accountId) ?? []), resolve]);
    startNext();
    return promise;
  }

  return {
    async run(accountId, work) {
      const leave = places.acquire(accountId);
      if (typeof leave === 'string') throw refuse('unavailable', { headers: { 'retry-after': RETRY_AFTER_SECONDS } });
      await turnOf(accountId);
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
