// Entity tags (RFC 9110 §8.8.3): a digest of what a GET answers, so that a caller who has it already is told 304.
import { hash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';

const TAG_LENGTH = 27;

export function useEtags(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isRead || reply.statusCode !== 200 || request.routeOptions.config.plain || typeof payload !== 'string')
      return done(null, payload);
    const tag = tagOf(payload);
    reply.header('etag', tag);
    if (!matches(request.headers['if-none-match'], tag)) return done(null, payload);
    reply.code(304).removeHeader('content-type').removeHeader('content-length');
    // Of a HEAD the payload says the length only.
    done(null, request.method === 'HEAD' ? payload : null);
  });
}

/** The tag of a representation. */
export function tagOf(payload: string | Buffer): string {
  return `"${hash('sha256', payload, 'base64url').slice(0, TAG_LENGTH)}"`;
}

/** Whether an If-None-Match names a tag (RFC 9110 §13.1.2). */
export function matches(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((given) => given.trim() === '*' || given.trim().replace(/^W\//, '') === tag);
}
