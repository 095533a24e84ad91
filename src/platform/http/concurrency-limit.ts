// A concurrency limit: bounds the work in flight, in total and under each key.
import type { ProblemName } from '../../core/problems.ts';

export type ConcurrencyLimit = {
  /** Returns the number of slots in use. */
  inUse(): number;
  /**
   * Takes a slot and returns a function that releases it, to be called once. If the limit is reached, in total or under this key,
   * returns the problem to refuse with.
   */
  acquire(key: string): (() => void) | Extract<ProblemName, 'unavailable' | 'tooManyRequests'>;
};

/** A key may use at most as many slots as are free, so one key cannot take all of them. */
export function openConcurrencyLimit(max: number): ConcurrencyLimit {
  const slots = new Map<string, number>();
  let total = 0;
  return {
    inUse: () => total,
    acquire(key) {
      const used = slots.get(key) ?? 0;
      if (total >= max) return 'unavailable';
      if (used >= max - total) return 'tooManyRequests';
      slots.set(key, used + 1);
      total += 1;
      return () => {
        const left = slots.get(key)! - 1;
        if (left === 0) slots.delete(key);
        else slots.set(key, left);
        total -= 1;
      };
    },
  };
}
