// The headers of every response: request id, no caching, and what browsers must not do with it.
import type { FastifyReply, FastifyRequest } from 'fastify';

/** For a year, and for this host only: others of the domain may not have TLS (RFC 6797). */
const HSTS = 'max-age=31536000';

export type SetHeaders = (request: FastifyRequest, reply: FastifyReply) => void;

export function openResponseHeaders({ publicUrl }: { publicUrl: string | undefined }): SetHeaders {
  const isSecure = publicUrl?.startsWith('https:');
  return (request, reply) => {
    reply.header('x-request-id', request.id).header('cache-control', 'no-store').header('x-content-type-options', 'nosniff');
    if (isSecure) reply.header('strict-transport-security', HSTS);
  };
}
