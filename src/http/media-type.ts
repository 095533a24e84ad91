// Media types: which Accept headers are served, which request bodies are read, and in what type answers are written.
import type { FastifyInstance } from 'fastify';
import { refuse } from '../problems.ts';
import { parseStrictJson } from './strict-json.ts';

// Read on plain routes only: everywhere else its members would all be text.
const FORM = /^\s*application\/x-www-form-urlencoded\b/i;
// What stands between two of a mark, which divides nothing inside a quoted string (RFC 9110 §5.6.4).
const RANGES = /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g;
const PARAMETERS = /(?:[^;"]|"(?:[^"\\]|\\.)*"?)+/g;
const CHARSET = /^charset\s*=\s*"?([^"]*?)"?$/i;

/** Serves the versioned HAL type on every route that does not say `plain`, and reads HAL and JSON bodies. */
export function useMediaTypes(app: FastifyInstance, mediaType: string): void {
  const answerType = `${mediaType}; charset=utf-8`;
  app.addHook('onRequest', (request, _reply, done) => {
    const accept = request.headers.accept;
    const isServed =
      request.routeOptions.config.plain || accept === undefined || accept === mediaType || accepts(accept, mediaType);
    done(isServed ? undefined : refuse('invalidVersion'));
  });
  // Only where there is a body: an answer without one has no type.
  app.addHook('preSerialization', (request, reply, payload, done) => {
    if (!request.routeOptions.config.plain) reply.header('content-type', answerType);
    done(null, payload);
  });
  app.addHook('preParsing', (request, _reply, payload, done) => {
    // Of a GET no body is read, whatever comes with it.
    const reads = !request.routeOptions.config.plain && request.method !== 'GET' && request.method !== 'HEAD';
    const isForm = reads && FORM.test(request.headers['content-type'] ?? '');
    done(isForm ? refuse('unsupportedType') : null, payload);
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(['application/json', mediaType], { parseAs: 'buffer' }, (request, body, done) => {
    try {
      const type = request.headers['content-type'];
      if (type !== mediaType && !isUtf8(type ?? '')) throw refuse('unsupportedType');
      done(null, body.length === 0 ? undefined : parseStrictJson(body as Buffer));
    } catch (error) {
      done(error instanceof SyntaxError ? refuse('badRequest') : (error as Error));
    }
  });
}

/** Whether an Accept header allows a media type. */
export function accepts(accept: string, mediaType: string): boolean {
  return weightOf(accept, mediaType) > 0;
}

/**
 * The weight that an Accept header (RFC 9110 §12.5.1) gives a media type, 0 to 1: the most specific range that covers it decides.
 * Parameters other than q are ignored, as clients send charset and profile of their own.
 */
export function weightOf(accept: string, mediaType: string): number {
  const ranges = (accept.match(RANGES) ?? []).map((range) => {
    const [name = '', ...parameters] = partsOf(range.toLowerCase());
    const q = parameters.find((parameter) => parameter.startsWith('q='));
    return { name, weight: q === undefined ? 1 : Number(q.slice(2)) };
  });
  for (const name of [mediaType, mediaType.replace(/\/.*/, '/*'), '*/*']) {
    const covering = ranges.filter((range) => range.name === name);
    if (covering.length > 0) return Math.max(0, ...covering.map(({ weight }) => (weight > 0 && weight <= 1 ? weight : 0)));
  }
  return 0;
}

function isUtf8(contentType: string): boolean {
  const charsets = partsOf(contentType).flatMap((part) => CHARSET.exec(part)?.[1] ?? []);
  return charsets.every((charset) => /^utf-?8$/i.test(charset));
}

/** A media type or range and its parameters. */
function partsOf(range: string): string[] {
  return (range.match(PARAMETERS) ?? []).map((part) => part.trim());
}
