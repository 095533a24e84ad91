// How long uploads may take to arrive: whoever stalls, or sends a byte now and then, does not hold a place. A service that stops cuts them off itself (server.ts).
import type { Readable } from 'node:stream';

export type Arrivals = {
  /** How long an upload may take to arrive. */
  limitMs: number;
  /** Aborts when a body has taken too long, and soon after ends its connection, also when it was refused before. */
  watch(body: Readable): AbortSignal;
};

// Before Node's own limit of a request (app.ts).
const LIMIT_MS = 25_000;
// For the answer to get out.
const ANSWER_MS = 500;

export function openArrivals(): Arrivals {
  return {
    limitMs: LIMIT_MS,
    watch(body) {
      const late = new AbortController();
      const end = () => {
        late.abort();
        setTimeout(() => body.destroy(), ANSWER_MS).unref();
      };
      const timer = setTimeout(end, this.limitMs).unref();
      body.once('close', () => clearTimeout(timer));
      return late.signal;
    },
  };
}
