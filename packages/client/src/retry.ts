// Retry policy: which responses are retried, and after how long.
import { retryAfterOf } from './errors.ts';

/** Statuses of an overloaded service, and of gateways in front of an unavailable one. */
const RETRYABLE = [429, 502, 503, 504];
const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 5_000;
/** The longest Retry-After that is honoured; beyond it the error is thrown. */
export const RETRY_AFTER_MAX_MS = 60_000;

/** Whether a response with this status may be retried. */
export function isRetryable(status: number): boolean {
  return RETRYABLE.includes(status);
}

/** Milliseconds to wait after the `attempt`th attempt: Retry-After, or exponential backoff with 50 % jitter. */
export function waitOf(attempt: number, headers?: Headers): number {
  const asked = headers && retryAfterOf(headers);
  if (asked !== undefined) return asked * 1000;
  const ms = Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), LONGEST_WAIT_MS);
  return ms * (0.5 + Math.random() / 2);
}

/** Waits. Rejects with the signal's reason when it aborts. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted) return stop();
    signal?.addEventListener('abort', stop, { once: true });
  });
}
