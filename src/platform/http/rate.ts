// Rate limits: in-memory token buckets, one per key.

export type Rate = {
  /** Takes one token. Returns 0, or the milliseconds until a token is available. */
  take(key: string): number;
  /** Returns a token that should not count. */
  giveBack(key: string): void;
  /** Counts tokens that other processes took, or gave back if negative. */
  note(key: string, taken: number): void;
};

/** Above this number of keys the oldest is forgotten, which bounds the memory that invented keys can use. */
const KEYS_MAX = 10_000;
/** A shorter wait is the rounding of times. Requests of the same millisecond would not get the last token. */
const ROUNDED_MS = 0.001;

/**
 * Creates a bucket of `burst` tokens for each key, refilled at `perSecond`. Uses the generic cell rate algorithm (ITU-T I.371):
 * a bucket is stored as the time at which it will be full.
 */
export function openRate({ perSecond, burst }: { perSecond: number; burst: number }): Rate {
  const eachMs = 1000 / perSecond;
  const aheadMaxMs = (burst - 1) * eachMs;
  const fullAt = new Map<string, number>();
  return {
    take(key) {
      const nowMs = performance.now();
      const fullAtMs = fullAt.get(key);
      const aheadMs = Math.max((fullAtMs ?? 0) - nowMs, 0);
      if (aheadMs > aheadMaxMs + ROUNDED_MS) return aheadMs - aheadMaxMs;
      if (fullAtMs === undefined && fullAt.size >= KEYS_MAX) fullAt.delete(fullAt.keys().next().value!);
      fullAt.set(key, nowMs + aheadMs + eachMs);
      return 0;
    },
    giveBack(key) {
      const fullAtMs = fullAt.get(key);
      if (fullAtMs !== undefined) fullAt.set(key, fullAtMs - eachMs);
    },
    note(key, taken) {
      const nowMs = performance.now();
      const aheadMs = Math.max((fullAt.get(key) ?? 0) - nowMs, 0);
      if (!fullAt.has(key) && fullAt.size >= KEYS_MAX) fullAt.delete(fullAt.keys().next().value!);
      // At most one token of debt: processes that take the last token at the same time do not lock the key for long.
      fullAt.set(key, nowMs + Math.min(aheadMs + taken * eachMs, aheadMaxMs + eachMs));
    },
  };
}

/** The Retry-After header (RFC 9110 §10.2.3) for a wait in milliseconds. */
export function retryAfter(ms: number): { 'retry-after': string } {
  return { 'retry-after': String(Math.max(1, Math.ceil(ms / 1000))) };
}
