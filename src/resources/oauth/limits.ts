// Limits of each application: requests in flight, and requests per second.
import { refuse } from '../../core/problems.ts';
import type { ConcurrencyLimit } from '../../platform/http/concurrency-limit.ts';
import { openRate, type Rate, retryAfter } from '../../platform/http/rate.ts';
import type { App } from '../../platform/http/route.ts';
import type { Peers } from '../../platform/worker-coordination.ts';

type Limits = {
  /** Bounds the requests in flight of all applications. */
  concurrencyLimit: ConcurrencyLimit;
  /** Requests per second of one application, also the burst size; 0: unlimited. */
  rateLimitReads: number;
  rateLimitWrites: number;
  peers: Peers | undefined;
};

/** Installs the limits. Must be installed after authentication, as they depend on the caller. */
export function useLimits(app: App, { concurrencyLimit, rateLimitReads, rateLimitWrites, peers }: Limits): void {
  const [reads, writes] = [rateOf('reads', rateLimitReads, peers), rateOf('writes', rateLimitWrites, peers)];

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

function rateOf(name: string, perSecond: number, peers: Peers | undefined): Rate | undefined {
  if (perSecond === 0) return undefined;
  const rate = openRate({ perSecond, burst: perSecond });
  return peers?.shareRate(name, rate) ?? rate;
}
