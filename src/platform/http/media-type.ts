// Media types: Accept negotiation, request body parsers and the Content-Type of responses.
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { refuse } from '../../core/problems.ts';
import { parseStrictJson } from './strict-json.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The bytes of a JSON body, only of a request with Signature-Input. */
    signedContent: Buffer | undefined;
  }
}

const UTF8 = /^"?utf-?8"?$/i;
// Match the text between separators; a separator inside a quoted string does not count (RFC 9110 §5.6.4).
const RANGES = /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g;
const PARAMETERS = /(?:[^;"]|"(?:[^"\\]|\\.)*"?)+/g;

/** Requires and sends the versioned HAL type except on `plain` routes and for `alsoServes`, and parses HAL and JSON bodies. */
export function useMediaTypes(app: FastifyInstance, mediaType: string): void {
  const responseType = `${mediaType}; charset=utf-8`;
  app.addHook('onRequest', (request, _reply, done) => {
    const accept = request.headers.accept;
    const { plain, alsoServes = [] } = request.routeOptions.config;
    const isServed =
      plain || accept === undefined || accept === mediaType || [mediaType, ...alsoServes].some((type) => accepts(accept, type));
    done(isServed ? undefined : refuse('invalidVersion'));
  });
  // This hook runs only for responses with a body, which alone have a type.
  app.addHook('preSerialization', (request, reply, payload, done) => {
    if (!request.routeOptions.config.plain) reply.header('content-type', responseType);
    done(null, payload);
  });
  app.addHook('preParsing', (request, _reply, payload, done) => {
    const { headers } = request.raw;
    // The content of a GET is not read.
    const readsContent = request.method !== 'GET' && request.method !== 'HEAD';
    if (readsContent && hasContent(headers)) return done(isCoded(headers) ? codingRefusal() : null, payload);
    // Many clients send a Content-Type with every request. Without content it is ignored.
    if (headers['content-type'] !== undefined) headers['content-type'] = undefined;
    done(null, payload);
  });
  app.decorateRequest('signedContent', undefined);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(['application/json', mediaType], { parseAs: 'buffer' }, (request, body, done) => {
    try {
      const type = request.headers['content-type'];
      if (type !== mediaType && !isUtf8(type ?? '')) throw refuse('unsupportedType');
      if (request.headers['signature-input'] !== undefined) request.signedContent = body as Buffer;
      done(null, body.length === 0 ? undefined : parseStrictJson(body as Buffer));
    } catch (error) {
      done(error instanceof SyntaxError ? unreadable(error) : (error as Error));
    }
  });
}

/** Returns whether an Accept header allows a media type. */
function accepts(accept: string, mediaType: string): boolean {
  return weightOf(accept, mediaType) > 0;
}

/**
 * Returns the weight of a media type in an Accept header (RFC 9110 §12.5.1), 0 to 1: that of the most specific matching range.
 * Ignores parameters other than q, as clients send various charset and profile values.
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

/** Returns whether the headers announce content (RFC 9112 §6.3). */
function hasContent(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function isCoded({ 'content-encoding': coding }: IncomingHttpHeaders): boolean {
  return coding !== undefined && coding.toLowerCase() !== 'identity';
}

/** The refusal of a Content-Encoding, with the supported codings (RFC 9110 §15.5.16). */
function codingRefusal() {
  const message = 'The Content-Encoding of the request is not supported.';
  return refuse('unsupportedType', { message, headers: { 'accept-encoding': 'identity' } });
}

function unreadable({ message }: SyntaxError) {
  return refuse('badRequest', {
    faults: [{ code: 'InvalidFormat', message: `The body cannot be read: ${message}.`, path: '' }],
  });
}

function isUtf8(contentType: string): boolean {
  return partsOf(contentType).every((part) => {
    const [name, value] = part.split('=', 2);
    return value === undefined || name!.trim().toLowerCase() !== 'charset' || UTF8.test(value.trim());
  });
}

/** Splits a media type or range into its name and parameters. */
function partsOf(range: string): string[] {
  return (range.match(PARAMETERS) ?? []).map((part) => part.trim());
}
