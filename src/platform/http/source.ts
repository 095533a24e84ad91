// The source of anonymous requests, by which they are limited and counted.
import ipaddr from 'ipaddr.js';

/** A provider gives a customer at least this much of IPv6, so that single addresses of it are free. */
const NETWORK_PARTS = 4;
const NETWORK_BITS = 64;

/** An IPv4 address as it is, an IPv6 address as its network of 64 bits, and nothing for what is not an address. */
export function sourceOf(address: string | undefined): string {
  if (address === undefined || !ipaddr.isValid(address)) return '';
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const network = [...parsed.parts.slice(0, NETWORK_PARTS), ...Array.from({ length: NETWORK_PARTS }, () => 0)];
  return `${new ipaddr.IPv6(network).toRFC5952String()}/${NETWORK_BITS}`;
}
