// The address that a request came from, for the audit log.
import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** The address, or nothing: behind a proxy it is what X-Forwarded-For says, which can be any text. */
export function addressOf({ ip }: FastifyRequest): string {
  // Without the zone of an IPv6 address, which is any text of letters.
  const address = ip.split('%', 1)[0]!;
  return isIP(address) === 0 ? '' : address;
}
