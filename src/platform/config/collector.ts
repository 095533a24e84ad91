// The collector of traces: its URL, and the headers that it requires.
import { InvalidValue, type Kind } from './kinds.ts';

/** The URL for traces of a collector of OTLP over HTTP. */
export const collectorUrl: Kind<string> = {
  parse(given) {
    const url = URL.parse(given);
    if (!url || !/^https?:$/.test(url.protocol) || url.username || url.search || url.hash) {
      throw new InvalidValue('an http or https URL without a user and password', { isHidden: true });
    }
    return `${url.href.replace(/\/$/, '')}/v1/traces`;
  },
};

/** Headers as `name=value,name=value`, with percent-encoded values. */
export const headers: Kind<Record<string, string>> = {
  parse(given) {
    const pairs = given.split(',').filter((pair) => pair.trim() !== '');
    return Object.fromEntries(pairs.map((pair) => parseHeader(pair.trim())));
  },
};

function parseHeader(pair: string): [name: string, value: string] {
  const [, name, value] = /^([!#$%&'*+.^`|~\w-]+)\s*=\s*([\x21-\x7e][\x20-\x7e]*)$/.exec(pair) ?? [];
  if (name === undefined || value === undefined) throw new InvalidValue('name=value,name=value', { isHidden: true });
  return [name, decoded(value)];
}

/** Percent-decodes a header value; returns it unchanged when it is not encoded. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
