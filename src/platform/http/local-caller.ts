// Detects callers on the machine of the service.
import type { FastifyRequest } from 'fastify';

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;
/** Headers that proxies add. */
const FORWARDING_HEADERS = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via'];

/** Returns whether the caller is on this machine and is not a proxy that forwards a request. A unix socket has no address. */
export function isLocal({ raw, headers }: FastifyRequest): boolean {
  const { remoteAddress } = raw.socket;
  return (
    (remoteAddress === undefined || LOOPBACK.test(remoteAddress)) &&
    FORWARDING_HEADERS.every((name) => headers[name] === undefined)
  );
}
