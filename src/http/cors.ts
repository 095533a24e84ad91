// Cross-origin requests (CORS, fetch.spec.whatwg.org): which web pages may call, what they may send, and what they can read.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { countHosts } from './errors.ts';

/** The methods and request headers that an operation reads, and the headers of answers beyond those that any page can read. */
const METHODS = 'GET, HEAD, POST, DELETE';
const REQUEST_HEADERS =
  'Accept, Authorization, Content-Type, Idempotency-Key, If-None-Match, Traceparent, Tracestate, X-Request-Id';
const ANSWER_HEADERS = 'ETag, Idempotent-Replayed, Location, Retry-After, WWW-Authenticate, X-Request-Id';
/** How long a browser may remember the answer to a preflight; Chromium allows no more. */
const PREFLIGHT_SECONDS = '7200';
const ANY_PORT = ':*';
const PORT = /:[0-9]{1,5}$/;

/** Lets an allowed page read the answer, and answers a preflight: true where nothing else should. */
export type Cors = (request: FastifyRequest, reply: FastifyReply) => boolean;

/** The rules for a list of origins; a port of `*` is any port. Undefined where no page may call: then a request costs nothing more. */
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
      .header('access-control-expose-headers', ANSWER_HEADERS)
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

/** Installs the rules; before whatever may refuse a request, as a page must be able to read the refusal. */
export function useCors(app: FastifyInstance, cors: Cors): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (!cors(request, reply)) done();
  });
  // Last, as a route may name other headers; also without an Origin, as a cache may keep the answer for both.
  app.addHook('onSend', (_request, reply, payload, done) => {
    const vary = reply.getHeader('vary');
    if (vary === undefined) reply.header('vary', 'Origin');
    else if (!/(^|, *)origin *(,|$)/i.test(String(vary))) reply.header('vary', `${vary}, Origin`);
    done(null, payload);
  });
}

/** Whether a browser asks for permission. Without exactly one Host it is refused like any other request (RFC 9112 §3.2). */
function isPreflight({ method, headers, raw }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined && countHosts(raw.rawHeaders) === 1;
}
