// Attempts to authenticate as a client: wrong secrets are counted by client and address, so that guessing is slow where it comes from and nowhere else.
import { hash } from 'node:crypto';
import { openRate, retryAfter } from '../http/rate.ts';
import { refuse } from '../problems.ts';

export type Attempts = {
  /**
   * Begins an attempt and returns how to say that it succeeded. Refused with 429 after too many that failed, whatever it shows
   * now; the client itself, at another address, is not touched.
   */
  begin(clientId: string, address: string): () => void;
};

const MINUTE_SECONDS = 60;

/** `failuresPerMinute` is also how many may come at once; 0: any number. */
export function openAttempts(failuresPerMinute: number): Attempts {
  if (failuresPerMinute === 0) return { begin: () => () => {} };
  const failures = openRate({ perSecond: failuresPerMinute / MINUTE_SECONDS, burst: failuresPerMinute });
  return {
    begin(clientId, address) {
      // What is made up may be long.
      const key = hash('sha256', `${address} ${clientId}`, 'base64');
      const waitMs = failures.take(key);
      if (waitMs > 0) throw refuse('tooManyRequests', { headers: retryAfter(waitMs) });
      return () => failures.giveBack(key);
    },
  };
}
