// Compares the URL of a proof with that of its request, without query and fragment, by RFC 3986 §6.2.2 and §6.2.3 (RFC 9449 §4.3).

/** Spelled with a percent sign, these characters are the same as without (RFC 3986 §2.3). */
const UNRESERVED = /^[A-Za-z0-9._~-]$/;
const ENCODED = /%([0-9A-Fa-f]{2})/g;

/** `base`: the URL of the service, without a path. `path`: the target of the request. Nearly all proofs are equal letter by letter. */
export function isSameUrl(htu: unknown, base: string, path: string): boolean {
  if (typeof htu !== 'string') return false;
  const query = path.indexOf('?');
  const url = `${base}${query < 0 ? path : path.slice(0, query)}`;
  return htu === url || normalize(htu) === normalize(url);
}

/** A host with a final dot is another host: a proxy or a certificate may take it for one. */
function normalize(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { origin, pathname, username, password } = new URL(text);
  if (username !== '' || password !== '') return undefined;
  return `${origin}${pathname.replaceAll(ENCODED, simplify)}`;
}

function simplify(encoded: string, digits: string): string {
  const character = String.fromCharCode(Number.parseInt(digits, 16));
  return UNRESERVED.test(character) ? character : encoded.toUpperCase();
}
