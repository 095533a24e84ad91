// The limits of one application: how much of the service it may have under way at once, and how often it may call.
import { openRate, type Rate, retryAfter } from '../http/rate.ts';
import type { App } from '../http/route.ts';
import { refuse } from '../problems.ts';

export type Limits = {
  /** Most requests under way at once, of all applications. */
  maxRequests: number;
  /** Calls a second of one application, and as many at once; 0: any number. */
  rateLimitReads: number;
  rateLimitWrites: number;
};

/** Installs the limits; after authentication, as they are of who asks. */
export function useLimits(app: App, { maxRequests, rateLimitReads, rateLimitWrites }: Limits): void {
  const [reads, writes] = [rateOf(rateLimitReads), rateOf(rateLimitWrites)];
  const underWay = new Map<string, number>();
  let all = 0;

  function leave(applicationId: string): void {
    const own = underWay.get(applicationId)!;
    if (own === 1) underWay.delete(applicationId);
    else underWay.set(applicationId, own - 1);
    all -= 1;
  }

  app.addHook('onRequest', (request, reply, done) => {
    if (!request.caller) return done();
    const { applicationId } = request.caller;
    const own = underWay.get(applicationId) ?? 0;
    // An application may have as many as there is room beside them: however much one sends, another finds a place.
    if (all >= maxRequests) return done(refuse('unavailable'));
    if (own >= maxRequests - all) return done(refuse('tooManyRequests'));
    const waitMs = (request.method === 'GET' || request.method === 'HEAD' ? reads : writes)?.take(applicationId) ?? 0;
    if (waitMs > 0) return done(refuse('tooManyRequests', { headers: retryAfter(waitMs) }));
    underWay.set(applicationId, own + 1);
    all += 1;
    // Also of who hangs up.
    reply.raw.once('close', () => leave(applicationId));
    done();
  });
}

function rateOf(perSecond: number): Rate | undefined {
  return perSecond === 0 ? undefined : openRate({ perSecond, burst: perSecond });
}
