// Rate limit of failed client authentication, per client and address: slows down guessing without affecting other addresses.
import { hash } from 'node:crypto';
import { refuse } from '../../core/problems.ts';
import { openRate, retryAfter } from '../../platform/http/rate.ts';
import type { Peers } from '../../platform/worker-coordination.ts';

type Attempts = {
  /**
   * Starts an attempt and returns a function to call when it succeeds. Refuses with 429 after too many failures, even if the
   * secret is now correct. The same client at another address is not affected.
   */
  begin(clientId: string, address: string): () => void;
};

const MINUTE_SECONDS = 60;

/** `failuresPerMinute` is also the burst size; 0: unlimited. `name`: of the limit, which all processes of the service share. */
export function openAttempts(failuresPerMinute: number, { name, peers }: { name: string; peers: Peers | undefined }): Attempts {
  if (failuresPerMinute === 0) return { begin: () => () => {} };
  const rate = openRate({ perSecond: failuresPerMinute / MINUTE_SECONDS, burst: failuresPerMinute });
  const failures = peers?.shareRate(name, rate) ?? rate;
  return {
    begin(clientId, address) {
      // Hashed, as the client id is untrusted and may be long.
      const key = hash('sha256', `${address} ${clientId}`, 'base64');
      const waitMs = failures.take(key);
      if (waitMs > 0) throw refuse('tooManyRequests', { headers: retryAfter(waitMs) });
      return () => failures.giveBack(key);
    },
  };
}
