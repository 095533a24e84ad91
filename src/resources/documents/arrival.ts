// Time limit for receiving an upload: a slow or stalled client must not occupy an upload slot. On shutdown, server.ts closes the connections.
import type { Readable } from 'node:stream';

export type Arrivals = {
  /** Longest time for receiving the whole body. */
  limitMs: number;
  /** Returns a signal that aborts when the body exceeds the limit. Its connection is closed shortly after, even if the request was already refused. */
  abortWhenLate(body: Readable): AbortSignal;
};

// Below the request timeout of Node.js (app.ts).
const LIMIT_MS = 25_000;
// Leaves time to send the response.
const ANSWER_MS = 500;

export function openArrivals(): Arrivals {
  return {
    limitMs: LIMIT_MS,
    abortWhenLate(body) {
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
