// What a client sends to an OAuth endpoint: a form, and its credentials in the header, the form, or both (RFC 6749 §2.3.1).
import type { Credentials } from './authority.ts';
import { OAuthError } from './oauth-error.ts';

export type Form = ReadonlyMap<string, string>;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const BASIC = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i;

/** The parameters of a parsed form. One without a value counts as absent, one sent twice is refused (RFC 6749 §3.2). */
export function readForm(body: unknown): Form {
  const form = new Map<string, string>();
  for (const [name, value] of Object.entries(body ?? {})) {
    if (typeof value !== 'string') throw new OAuthError('invalid_request', `The parameter ${name} is repeated.`);
    if (value !== '') form.set(name, value);
  }
  return form;
}

/** A parameter that must be there. */
export function requireParameter(form: Form, name: string): string {
  const value = form.get(name);
  if (value === undefined) throw new OAuthError('invalid_request', `The parameter ${name} is missing.`);
  return value;
}

/** The credentials a client shows. Header and form may both carry them when they agree. */
export function readCredentials(authorization: string | undefined, form: Form): Credentials {
  const [clientId, secret] = [form.get('client_id'), form.get('client_secret')];
  if (authorization === undefined) {
    if (clientId === undefined || secret === undefined)
      throw new OAuthError('invalid_client', 'Client authentication is missing.');
    return { clientId, secrets: [secret] };
  }
  const shown = readBasic(authorization);
  const agree = (clientId ?? shown.clientId) === shown.clientId && (secret === undefined || shown.secrets.includes(secret));
  if (!agree) throw new OAuthError('invalid_request', 'The Authorization header and the body name different credentials.');
  return shown;
}

/**
 * The credentials of a Basic header. RFC 6749 §2.3.1 has id and secret form-encoded first, yet most clients send them raw
 * (RFC 7617), so a secret is taken in both readings. An id of ours is the same in both.
 */
function readBasic(authorization: string): Credentials {
  const text = decodeBase64(BASIC.exec(authorization)?.[1]);
  const colon = text?.indexOf(':') ?? -1;
  if (text === undefined || colon < 0)
    throw new OAuthError('invalid_client', 'The Authorization header is no Basic credentials.');
  const [clientId, secret] = [text.slice(0, colon), text.slice(colon + 1)];
  return { clientId: formDecode(clientId), secrets: [...new Set([secret, formDecode(secret)])] };
}

function decodeBase64(encoded: string | undefined): string | undefined {
  if (encoded === undefined || encoded.replaceAll('=', '').length % 4 === 1) return undefined;
  try {
    return utf8.decode(Buffer.from(encoded, 'base64'));
  } catch {
    return undefined;
  }
}

/** The text itself where it is not form-encoded. */
function formDecode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
