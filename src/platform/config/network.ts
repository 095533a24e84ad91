// Settings of the network: URLs, ports, proxies and origins.
import ipaddr from 'ipaddr.js';
import { entriesOf, InvalidValue, type Kind } from './kinds.ts';

const ORIGIN = /^https?:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::(?:[0-9]{1,5}|\*))?$/i;
const PORT_MAX = 65_535;
/** Names of private address ranges in `proxy-addr`. */
const PROXY_NAMES = ['loopback', 'linklocal', 'uniquelocal'];

/** The default of TRUST_PROXY. */
export const PRIVATE_PROXIES = PROXY_NAMES.join(',');

/** An origin in normal form: lower case, without the default port of the scheme, and without a trailing slash. */
export const baseUrl: Kind<string> = {
  parse(given) {
    if (isBareUrl(given)) return new URL(given).origin;
    if (given.includes('@')) throw new InvalidValue('an http or https URL without a user and password', { isHidden: true });
    throw new InvalidValue('an http or https URL without a path');
  },
};

/** The issuer of an OpenID provider (OpenID Connect Discovery 1.0 §2): https, or http on this machine. */
export const issuer: Kind<string> = {
  parse(given) {
    const url = URL.canParse(given) ? new URL(given) : undefined;
    const isLoopback = url !== undefined && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
    const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback);
    if (url && isSafe && !url.search && !url.hash && !url.username && !url.password) return given;
    throw new InvalidValue('an https URL without a query, a user and a password', { isHidden: given.includes('@') });
  },
};

/** Any port, or the given ones. */
export const ports: Kind<readonly number[] | 'any'> = {
  parse(given) {
    if (given === 'any') return 'any';
    const numbers = entriesOf(given).map((port) => (/^[0-9]{1,5}$/.test(port) ? Number(port) : 0));
    if (numbers.some((port) => port < 1 || port > PORT_MAX)) throw new InvalidValue('any, or ports separated by commas');
    return numbers;
  },
};

/** Addresses, ranges and names of ranges; undefined for none. */
export const proxies: Kind<string[] | undefined> = {
  parse(given) {
    if (given === 'none') return undefined;
    const entries = entriesOf(given);
    const isProxy = (proxy: string) => PROXY_NAMES.includes(proxy) || ipaddr.isValid(proxy) || ipaddr.isValidCIDR(proxy);
    if (!entries.every(isProxy)) throw new InvalidValue('none, or addresses and ranges separated by commas');
    return entries;
  },
};

/** Origins in the form that browsers send, such as `https://app.example.com`; port `*` allows any port. */
export const origins: Kind<string[]> = {
  parse: (given) => (given === 'none' ? [] : entriesOf(given).map(parseOrigin)),
};

export function isBareUrl(text: string): boolean {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return false;
  return url.pathname === '/' && !url.search && !url.hash && !url.username && !url.password;
}

function parseOrigin(text: string): string {
  const anyPort = text.endsWith(':*') ? ':*' : '';
  const url = ORIGIN.test(text) ? URL.parse(text.slice(0, text.length - anyPort.length)) : null;
  if (url) return `${url.origin}${anyPort}`;
  throw new InvalidValue('none, or origins such as https://app.example.com or http://localhost:*, separated by commas');
}
