// The value of DATABASE_URL: one server, or several of which one takes writes, in the form of libpq (PostgreSQL manual 34.1.1.3).
import { InvalidValue, type Kind } from './kinds.ts';

/** Scheme, user and password, hosts, and the rest. */
const PARTS = /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#@]*)(.*)$/s;
const TARGET = 'target_session_attrs';
/** A service writes. */
const TARGETS = ['read-write', 'primary'];
const WANTED = 'a URL like postgres://user:password@host/database, its password percent-encoded';

export const databaseUrl: Kind<string> = {
  parse(given) {
    const hasNul = given.includes('%00') || given.includes('\0');
    // `pg` accepts an empty host (for a Unix socket), URL does not.
    const isUrl = (url: string) => URL.canParse(url.replace('@/', '@host/'));
    if (!PARTS.test(given) || hasNul) throw new InvalidValue(WANTED, { isHidden: true });
    const { urls, target } = readServers(given);
    if (urls.length === 0 || !urls.every(isUrl)) throw new InvalidValue(WANTED, { isHidden: true });
    if (target !== undefined && !TARGETS.includes(target))
      throw new InvalidValue(`a URL whose ${TARGET} is ${TARGETS.join(' or ')}, because a service writes`, { isHidden: true });
    return given;
  },
};

/**
 * The URL of each server in a URL of one or several: `postgres://a:5432,b:5433/earmark`, or lists in its parameters `host` and `port`.
 * `target`: its target_session_attrs, which `pg` does not know. No server if the lists have different lengths.
 */
export function readServers(url: string): { urls: string[]; target: string | undefined } {
  const [, scheme = '', user = '', authority = '', rest = ''] = PARTS.exec(url) ?? [];
  const [path = '', query] = divide(rest, '?');
  const parameters = (query ?? '').split('&').filter((text) => text !== '');
  const values = new URLSearchParams(query);
  const target = values.get(TARGET) ?? undefined;
  const hosts = values.get('host')?.split(',');
  const ports = values.get('port')?.split(',');
  if (target === undefined && !authority.includes(',') && (hosts?.length ?? 1) === 1) return { urls: [url], target };
  const others = parameters.filter((text) => ![TARGET, 'host', 'port'].some((name) => text.startsWith(`${name}=`)));
  const count = hosts?.length ?? authority.split(',').length;
  const places = Array.from({ length: count }, (_, index) => {
    const host = hosts?.[index];
    const port = ports?.length === 1 ? ports[0] : ports?.[index];
    const named = [host && `host=${encodeURIComponent(host)}`, port && `port=${port}`].filter((text) => text !== undefined);
    const all = [...others, ...named].join('&');
    return `${scheme}${user}${hosts ? '' : authority.split(',')[index]}${path}${all && `?${all}`}`;
  });
  const isUneven = ports !== undefined && ports.length > 1 && ports.length !== count;
  return { urls: isUneven ? [] : places, target };
}

/** The URL without its password and parameters, with all hosts. */
export function withoutSecrets(url: string): string | undefined {
  const [, scheme, user, authority, rest = ''] = PARTS.exec(url) ?? [];
  if (scheme === undefined) return undefined;
  const name = user && (user.includes(':') ? `${divide(user, ':')[0]}:***@` : user);
  return `${scheme}${name ?? ''}${authority}${divide(rest, '?')[0]}`;
}

function divide(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}
