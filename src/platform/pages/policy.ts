// Security headers of web pages: only scripts, styles and pictures of this service, and no framing.
import type { FastifyReply } from 'fastify';

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

export function withPageHeaders(reply: FastifyReply): FastifyReply {
  return (
    reply
      .header('content-security-policy', POLICY)
      .header('cross-origin-opener-policy', 'same-origin')
      // With `no-referrer`, browsers would send `Origin: null` with the forms of the console.
      .header('referrer-policy', 'same-origin')
  );
}
