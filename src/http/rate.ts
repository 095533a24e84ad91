// Rates: how often something may happen under each key, as token buckets in memory.

export type Rate = {
  /** Takes one token; 0 when there was one, else the milliseconds until there is. */
  take(key: string): number;
  /** Puts a token back that should not count. */
  giveBack(key: string): void;
};

/** Beyond it the oldest key starts anew, so that made-up keys cost no more than this. */
const KEYS_MAX = 10_000;

/**
 * A bucket of `burst` tokens for each key, refilled at `perSecond`. By the generic cell rate algorithm (ITU-T I.371): what is
 * kept of a bucket is the time at which it will be full.
 */
export function openRate({ perSecond, burst }: { perSecond: number; burst: number }): Rate {
  const eachMs = 1000 / perSecond;
  const aheadMaxMs = (burst - 1) * eachMs;
  const fullAt = new Map<string, number>();
  return {
    take(key) {
      const nowMs = performance.now();
      const known = fullAt.get(key);
      const aheadMs = Math.max((known ?? 0) - nowMs, 0);
      if (aheadMs > aheadMaxMs) return aheadMs - aheadMaxMs;
      if (known === undefined && fullAt.size >= KEYS_MAX) fullAt.delete(fullAt.keys().next().value!);
      fullAt.set(key, nowMs + aheadMs + eachMs);
      return 0;
    },
    giveBack(key) {
      const known = fullAt.get(key);
      if (known !== undefined) fullAt.set(key, known - eachMs);
    },
  };
}

/** A Retry-After (RFC 9110 §10.2.3) for a wait. */
export function retryAfter(ms: number): { 'retry-after': string } {
  return { 'retry-after': String(Math.max(1, Math.ceil(ms / 1000))) };
}
