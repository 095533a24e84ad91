// How long uploads may take to arrive: whoever stalls, or sends a byte now and then, holds neither a place nor a service that stops.
import type { Readable } from 'node:stream';

export type Arrivals = {
  /** How long an upload may take to arrive. */
  limitMs: number;
  /** Aborts when a body has taken too long, and soon after ends its connection, also when it was refused before. */
  watch(body: Readable): AbortSignal;
  /** Says that the service is stopping: what has not arrived after half the time for that comes too late. */
  hurry(): void;
};

// Before Node's own limit of a request (app.ts), which nobody looks after once a server closes.
const LIMIT_MS = 25_000;
// For the answer to get out.
const ANSWER_MS = 500;

export function openArrivals({ drainSeconds }: { drainSeconds: number }): Arrivals {
  const arriving = new Set<() => void>();
  return {
    limitMs: LIMIT_MS,
    watch(body) {
      const late = new AbortController();
      const end = () => {
        late.abort();
        setTimeout(() => body.destroy(), ANSWER_MS).unref();
      };
      const timer = setTimeout(end, this.limitMs).unref();
      arriving.add(end);
      body.once('close', () => {
        clearTimeout(timer);
        arriving.delete(end);
      });
      return late.signal;
    },
    hurry() {
      setTimeout(() => arriving.forEach((end) => void end()), drainSeconds * 500).unref();
    },
  };
}
