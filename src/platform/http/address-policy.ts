// The guard: keeps webhooks, whose URLs subscribers choose, from reaching the operator's network (SSRF).
import { lookup as lookupSystem, Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Config } from '../config/config.ts';

export type Address = { address: string; family: number };

/** Resolves a host name to its addresses; rejects if there are none. */
type Resolve = (hostname: string) => Promise<Address[]>;

export type AddressPolicy = {
  /** Checks a URL without DNS. Returns a sentence that says what is wrong, or undefined. */
  faultOf(url: string): string | undefined;
  /** Resolves a host name and checks every address as part of connecting, so that DNS cannot change in between. */
  lookup: LookupFunction;
};

/** The guard refused a connection. */
export class AddressRefusedError extends Error {}

const INSIDE = 'URL must not point to a private or local address.';
const INSIDE_SANDBOX =
  'To receive webhooks on this machine, run `earmark listen --forward` with this URL, or start the service with WEBHOOK_ALLOW_PRIVATE=true.';
const DNS = { timeout: 3_000, tries: 2 };
const LOCAL_NAME = /(^|\.)(localhost|local|internal|home\.arpa)$/;
/** Azure serves instance metadata at an address in a public range. */
const METADATA = new Set(['168.63.129.16']);
/** The global unicast range (RFC 4291 §2.4, IANA). Special-purpose ranges are outside it. */
const PUBLIC_V6 = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];

/** Opens the guard for a configuration. */
export function createAddressPolicy(
  config: Pick<Config, 'mode' | 'webhookAllowPrivate' | 'webhookPorts'>,
  resolve: Resolve = config.webhookAllowPrivate ? resolveAsSystem : resolveByDns,
): AddressPolicy {
  const { mode, webhookAllowPrivate, webhookPorts } = config;
  const isAllowed = (address: string) => webhookAllowPrivate || isPublicAddress(address);

  return {
    faultOf(text) {
      if (!URL.canParse(text)) return 'URL must be an absolute URL.';
      const url = new URL(text);
      if (url.protocol !== 'https:' && (url.protocol !== 'http:' || mode === 'production')) {
        return mode === 'production' ? 'URL must begin with https://.' : 'URL must begin with https:// or http://.';
      }
      if (url.username || url.password) return 'URL must not contain a user name or password.';
      const host = hostOf(url);
      const inside = isIP(host) ? !isAllowed(host) : !webhookAllowPrivate && LOCAL_NAME.test(host);
      // Before the port: a URL of this machine usually has an unusual one, which WEBHOOK_ALLOW_PRIVATE allows too.
      if (inside) return mode === 'sandbox' ? `${INSIDE} ${INSIDE_SANDBOX}` : INSIDE;
      const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
      return webhookPorts && !webhookPorts.includes(port) ? `URL must not use port ${port}.` : undefined;
    },
    lookup(hostname, options, callback) {
      resolve(hostname.replace(/\.$/, '')).then(
        (addresses) => {
          const refused = addresses.find(({ address }) => !isAllowed(address));
          const [first] = addresses;
          if (refused)
            // Not the address: subscribers read the message, and it would tell them what is inside the network.
            callback(new AddressRefusedError(`${hostname} resolves to a private or local address.`), '');
          else if (!first) callback(new AddressRefusedError(`${hostname} has no address.`), '');
          else if (options.all) callback(null, addresses);
          else callback(null, first.address, first.family);
        },
        (error: NodeJS.ErrnoException) => callback(error, ''),
      );
    },
  };
}

/** The host of a URL for a connection: an IPv6 address without brackets, a name without its final dot. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

/** Whether an IP address, in any notation, is on the public internet. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  // An IPv4 address mapped into IPv6 (RFC 4291 §2.5.5.2) is that IPv4 address.
  const parsed = ipaddr.process(address);
  if (METADATA.has(parsed.toString()) || parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || parsed.match(PUBLIC_V6);
}

/** Queries the name servers directly: `getaddrinfo` blocks a thread of the pool, which a few slow domains would exhaust. */
async function resolveByDns(hostname: string): Promise<Address[]> {
  const resolver = new Resolver(DNS);
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason;
  const found = (result: PromiseSettledResult<string[]>, family: number) =>
    result.status === 'fulfilled' ? result.value.map((address) => ({ address, family })) : [];
  return [...found(v4, 4), ...found(v6, 6)];
}

/** Includes names of /etc/hosts and search domains, as expected where private addresses are allowed. */
function resolveAsSystem(hostname: string): Promise<Address[]> {
  return lookupSystem(hostname, { all: true });
}
