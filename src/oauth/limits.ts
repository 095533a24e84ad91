// Limits of each application: requests in flight, and requests per second.
import type { ConcurrencyLimit } from '../http/concurrency-limit.ts';
import { openRate, type Rate, retryAfter } from '../http/rate.ts';
import type { App } from '../http/route.ts';
import { refuse } from '../problems.ts';

type Limits = {
  /** Bounds the requests in flight of all applications. */
  concurrencyLimit: ConcurrencyLimit;
  /** Requests per second of one application, also the burst size; 0: unlimited. */
  rateLimitReads: number;
  rateLimitWrites: number;
};

/** Installs the limits. Must be installed after authentication, as they depend on the caller. */
export function useLimits(app: App, { concurrencyLimit, rateLimitReads, rateLimitWrites }: Limits): void {
  const [reads, writes] = [rateOf(rateLimitReads), rateOf(rateLimitWrites)];

  app.addHook('onRequest', (request, reply, done) => {
    if (!request.caller) return done();
    const { applicationId } = request.caller;
    const release = concurrencyLimit.acquire(applicationId);
    if (typeof release === 'string') return done(refuse(release));
    const waitMs = (request.method === 'GET' || request.method === 'HEAD' ? reads : writes)?.take(applicationId) ?? 0;
    if (waitMs > 0) {
      release();
      return done(refuse('tooManyRequests', { headers: retryAfter(waitMs) }));
    }
    // Also emitted for aborted requests.
    reply.raw.on('close', release);
    done();
  });
}

function rateOf(perSecond: number): Rate | undefined {
  return perSecond === 0 ? undefined : openRate({ perSecond, burst: perSecond });
}
