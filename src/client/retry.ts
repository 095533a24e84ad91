// When a request is sent again, and how long after.
import { retryAfterOf } from './errors.ts';

/** What busy services answer, and the gateways before a service that is away. */
const PASSING = [429, 502, 503, 504];
const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 5_000;
/** A service that asks for more than this is not waited for. */
export const PATIENCE_MS = 60_000;

/** Whether an answer is one that asks for another attempt. */
export function isPassing(status: number): boolean {
  return PASSING.includes(status);
}

/** Milliseconds before the attempt after the `attempt`th: what Retry-After asks, else twice as long each time, spread by a half. */
export function waitOf(attempt: number, headers?: Headers): number {
  const asked = headers && retryAfterOf(headers);
  if (asked !== undefined) return asked * 1000;
  const ms = Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), LONGEST_WAIT_MS);
  return ms * (0.5 + Math.random() / 2);
}

/** Waits; fails at once with the signal's reason when it is aborted. */
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
