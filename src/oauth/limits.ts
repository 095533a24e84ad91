// The limits of one application: how much of the service it may have under way at once, and how often it may call.
import type { Places } from '../http/places.ts';
import { openRate, type Rate, retryAfter } from '../http/rate.ts';
import type { App } from '../http/route.ts';
import { refuse } from '../problems.ts';

export type Limits = {
  /** For the requests under way at once, of all applications. */
  places: Places;
  /** Calls a second of one application, and as many at once; 0: any number. */
  rateLimitReads: number;
  rateLimitWrites: number;
};

/** Installs the limits; after authentication, as they are of who asks. */
export function useLimits(app: App, { places, rateLimitReads, rateLimitWrites }: Limits): void {
  const [reads, writes] = [rateOf(rateLimitReads), rateOf(rateLimitWrites)];

  app.addHook('onRequest', (request, reply, done) => {
    if (!request.caller) return done();
    const { applicationId } = request.caller;
    const leave = places.take(applicationId);
    if (typeof leave === 'string') return done(refuse(leave));
    const waitMs = (request.method === 'GET' || request.method === 'HEAD' ? reads : writes)?.take(applicationId) ?? 0;
    if (waitMs > 0) {
      leave();
      return done(refuse('tooManyRequests', { headers: retryAfter(waitMs) }));
    }
    // Also of who hangs up.
    reply.raw.on('close', leave);
    done();
  });
}

function rateOf(perSecond: number): Rate | undefined {
  return perSecond === 0 ? undefined : openRate({ perSecond, burst: perSecond });
}
