// Callers on the machine of the service, for what is only for them.
import type { FastifyRequest } from 'fastify';

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;
/** What proxies add for whom they speak. */
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via'];

/** Whether the caller itself is on this machine, and not only a proxy that speaks for others. A unix socket has no address. */
export function isLocal({ raw, headers }: FastifyRequest): boolean {
  const { remoteAddress } = raw.socket;
  return (remoteAddress === undefined || LOOPBACK.test(remoteAddress)) && FORWARDED.every((name) => headers[name] === undefined);
}
