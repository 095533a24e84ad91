// The retry schedule of failed deliveries.

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Relative to the first attempt. */
const RETRIES_MS = [15 * MINUTE_MS, ...[1, 3, 6, 12, 24, 48, 72].map((hours) => hours * HOUR_MS)];
/** Spreads deliveries that failed together. */
const JITTER = 0.1;
const RETRY_AFTER_MAX_MS = 24 * HOUR_MS;

/**
 * The time of the next attempt after `attempts` attempts (1 or more), the first at `first`; undefined after the last attempt.
 * `chance` is a random number in [0, 1). Waits at least as long as the receiver's Retry-After, up to a day.
 */
export function nextAttempt(made: {
  attempts: number;
  first: Date;
  now: Date;
  chance: number;
  retryAfterMs?: number | undefined;
}): Date | undefined {
  const { attempts, first, now, chance, retryAfterMs = 0 } = made;
  const times = RETRIES_MS.slice(attempts - 1).map((afterMs) => first.getTime() + afterMs * (1 + JITTER * (2 * chance - 1)));
  // Skips times in the past: a retry on request came after them.
  const scheduled = times.find((time) => time > now.getTime());
  if (scheduled === undefined) return undefined;
  return new Date(Math.max(scheduled, now.getTime() + Math.min(retryAfterMs, RETRY_AFTER_MAX_MS)));
}

/** The milliseconds to wait according to a Retry-After header (RFC 9110 §10.2.3: seconds or a date), or undefined. */
export function readRetryAfter(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
}
