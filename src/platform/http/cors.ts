// Cross-origin requests (CORS, fetch.spec.whatwg.org): allowed origins, methods and headers.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { countHosts } from './errors.ts';

/** The methods and request headers that operations use, and the response headers beyond those that every page may read. */
const METHODS = 'GET, HEAD, POST, DELETE';
const REQUEST_HEADERS =
  'Accept, Authorization, Content-Digest, Content-Type, DPoP, Idempotency-Key, If-None-Match, Prefer, Signature, Signature-Input, Traceparent, Tracestate, X-Request-Id';
const RESPONSE_HEADERS =
  'DPoP-Nonce, ETag, Idempotent-Replayed, Location, Preference-Applied, Retry-After, WWW-Authenticate, X-Request-Id';
/** How long a browser may cache a preflight response; the maximum of Chromium. */
const PREFLIGHT_SECONDS = '7200';
const ANY_PORT = ':*';
const PORT = /:[0-9]{1,5}$/;

/** Sets the CORS headers for an allowed origin. Answers a preflight and then returns true: the request is finished. */
export type Cors = (request: FastifyRequest, reply: FastifyReply) => boolean;

/** Creates the handler for a list of origins; the port `*` matches any port. Undefined if the list is empty. */
export function openCors(origins: readonly string[]): Cors | undefined {
  if (origins.length === 0) return undefined;
  const exact = new Set(origins.filter((origin) => !origin.endsWith(ANY_PORT)));
  const anyPort = new Set(
    origins.filter((origin) => origin.endsWith(ANY_PORT)).map((origin) => origin.slice(0, -ANY_PORT.length)),
  );
  return (request, reply) => {
    const { origin } = request.headers;
    if (origin === undefined || !(exact.has(origin) || anyPort.has(origin.replace(PORT, '')))) return false;
    reply
      .header('access-control-allow-origin', origin)
      .header('access-control-expose-headers', RESPONSE_HEADERS)
      .header('vary', 'Origin');
    if (!isPreflight(request)) return false;
    reply
      .code(204)
      .header('access-control-allow-methods', METHODS)
      .header('access-control-allow-headers', REQUEST_HEADERS)
      .header('access-control-max-age', PREFLIGHT_SECONDS)
      .send();
    return true;
  };
}

/** Installs the handler. Must come before any hook that may refuse a request, so that pages can read the refusal. */
export function useCors(app: FastifyInstance, cors: Cors): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (!cors(request, reply)) done();
  });
  // In onSend, as a route may set other Vary headers. Also without an Origin, as a cache may store the response for both.
  app.addHook('onSend', (_request, reply, payload, done) => {
    const vary = reply.getHeader('vary');
    if (vary === undefined) reply.header('vary', 'Origin');
    else if (!/(^|, *)origin *(,|$)/i.test(String(vary))) reply.header('vary', `${vary}, Origin`);
    done(null, payload);
  });
}

/** Returns whether a request is a preflight. Without exactly one Host it is refused later, like any request (RFC 9112 §3.2). */
function isPreflight({ method, headers, raw }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined && countHosts(raw.rawHeaders) === 1;
}
