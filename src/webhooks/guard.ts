// The guard: where webhooks may go. Subscribers choose the URL, so that nothing inside the operator's network may be reached by one (SSRF).
import { lookup as lookupSystem, Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Config } from '../config.ts';

export type Address = { address: string; family: number };

/** Finds the addresses of a host name; rejects when there are none. */
export type Resolve = (hostname: string) => Promise<Address[]>;

export type Guard = {
  /** What is wrong with a URL, in words, as far as it shows without asking DNS; undefined when nothing is. */
  faultOf(url: string): string | undefined;
  /** For connections: resolves the name and checks every address in the moment of connecting, so that DNS cannot change between. */
  lookup: LookupFunction;
};

/** A connection that the guard refused. */
export class GuardError extends Error {}

const DNS = { timeout: 3_000, tries: 2 };
const LOCAL_NAME = /(^|\.)(localhost|local|internal|home\.arpa)$/;
/** Azure serves its metadata under an address that is public by its class. */
const METADATA = new Set(['168.63.129.16']);
/** All that is routed publicly (RFC 4291 §2.4, IANA): whatever is new or odd is outside of it. */
const PUBLIC_V6 = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];

/** The guard of a configuration. */
export function openGuard(
  config: Pick<Config, 'mode' | 'webhookAllowPrivate' | 'webhookPorts'>,
  resolve: Resolve = config.webhookAllowPrivate ? resolveAsSystem : resolveByDns,
): Guard {
  const { mode, webhookAllowPrivate, webhookPorts } = config;
  const isAllowed = (address: string) => webhookAllowPrivate || isPublicAddress(address);

  return {
    faultOf(text) {
      if (!URL.canParse(text)) return 'Url must be a URL.';
      const url = new URL(text);
      if (url.protocol !== 'https:' && (url.protocol !== 'http:' || mode === 'production')) {
        return mode === 'production' ? 'Url must begin with https://.' : 'Url must begin with https:// or http://.';
      }
      if (url.username || url.password) return 'Url must not hold a user name or password.';
      const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
      if (webhookPorts && !webhookPorts.includes(port)) return `Url must not name port ${port}.`;
      const host = hostOf(url);
      const inside = isIP(host) ? !isAllowed(host) : !webhookAllowPrivate && LOCAL_NAME.test(host);
      return inside ? 'Url must not lead to a private or local address.' : undefined;
    },
    lookup(hostname, options, callback) {
      resolve(hostname.replace(/\.$/, '')).then(
        (addresses) => {
          const refused = addresses.find(({ address }) => !isAllowed(address));
          const [first] = addresses;
          if (refused) callback(new GuardError(`${hostname} leads to ${refused.address}, a private or local address.`), '');
          else if (!first) callback(new GuardError(`${hostname} has no address.`), '');
          else if (options.all) callback(null, addresses);
          else callback(null, first.address, first.family);
        },
        (error: NodeJS.ErrnoException) => callback(error, ''),
      );
    },
  };
}

/** The host of a URL as a connection wants it: an IPv6 address without brackets, a name without a dot at its end. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

/** Whether an IP address, however it is spelled, is one of the public internet. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  // An IPv4 address mapped into IPv6 (RFC 4291 §2.5.5.2) is that IPv4 address.
  const known = ipaddr.process(address);
  if (METADATA.has(known.toString()) || known.range() !== 'unicast') return false;
  return known.kind() === 'ipv4' || known.match(PUBLIC_V6);
}

/** Asks the name servers without the threads that `getaddrinfo` waits on, of which a few slow domains would take all. */
async function resolveByDns(hostname: string): Promise<Address[]> {
  const resolver = new Resolver(DNS);
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason;
  const found = (result: PromiseSettledResult<string[]>, family: number) =>
    result.status === 'fulfilled' ? result.value.map((address) => ({ address, family })) : [];
  return [...found(v4, 4), ...found(v6, 6)];
}

/** Where private addresses are allowed, names of /etc/hosts and search domains are meant too. */
function resolveAsSystem(hostname: string): Promise<Address[]> {
  return lookupSystem(hostname, { all: true });
}
