// Reads requests to OAuth endpoints: form parameters, and client credentials from header or form (RFC 6749 §2.3.1), or an assertion.
import { ASSERTION_TYPE, type Assertion, clientOf } from './assertion.ts';
import type { Credentials } from './authority.ts';
import { OAuthError } from './oauth-error.ts';

/** The only grant type (RFC 6749 §4.4). */
export const GRANT = 'client_credentials';

export type Form = ReadonlyMap<string, string>;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const BASIC = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i;

/** Returns the parameters of a parsed form. An empty one counts as absent, a repeated one is refused (RFC 6749 §3.2), and so is NUL. */
export function readForm(body: unknown): Form {
  const form = new Map<string, string>();
  for (const [name, value] of Object.entries(body ?? {})) {
    if (typeof value !== 'string') throw new OAuthError('invalid_request', `The parameter ${name} is repeated.`);
    if (`${name}${value}`.includes('\0')) throw new OAuthError('invalid_request', 'A parameter has a NUL character.');
    if (value !== '') form.set(name, value);
  }
  return form;
}

/** Returns a required parameter. */
export function requireParameter(form: Form, name: string): string {
  const value = form.get(name);
  if (value === undefined) throw new OAuthError('invalid_request', `The parameter ${name} is missing.`);
  return value;
}

/** Returns the client credentials. Header and form may both contain a secret if they agree; an assertion comes alone (RFC 6749 §2.3). */
export function readCredentials(authorization: string | undefined, form: Form): Credentials | Assertion {
  if (form.has('client_assertion') || form.has('client_assertion_type')) return readAssertion(authorization, form);
  const [clientId, secret] = [form.get('client_id'), form.get('client_secret')];
  if (authorization === undefined) {
    if (clientId === undefined || secret === undefined)
      throw new OAuthError('invalid_client', 'Client authentication is missing.');
    return { clientId, secrets: [secret] };
  }
  const basic = readBasic(authorization);
  const agree = (clientId ?? basic.clientId) === basic.clientId && (secret === undefined || basic.secrets.includes(secret));
  if (!agree) throw new OAuthError('invalid_request', 'The Authorization header and the body contain different credentials.');
  return basic;
}

function readAssertion(authorization: string | undefined, form: Form): Assertion {
  if (authorization !== undefined || form.has('client_secret'))
    throw new OAuthError('invalid_request', 'A client_assertion comes without a secret and without an Authorization header.');
  const type = requireParameter(form, 'client_assertion_type');
  if (type !== ASSERTION_TYPE) throw new OAuthError('invalid_client', `The client_assertion_type must be ${ASSERTION_TYPE}.`);
  const assertion = requireParameter(form, 'client_assertion');
  return { clientId: clientOf(assertion, form.get('client_id')), assertion };
}

/**
 * Reads a Basic header. RFC 6749 §2.3.1 requires id and secret to be form-encoded, but most clients send them raw (RFC 7617),
 * so both readings of the secret are accepted. Our client ids are the same in both.
 */
function readBasic(authorization: string): Credentials {
  const text = decodeBase64(BASIC.exec(authorization)?.[1]);
  const colon = text?.indexOf(':') ?? -1;
  if (text === undefined || colon < 0)
    throw new OAuthError('invalid_client', 'The Authorization header does not contain valid Basic credentials.');
  const [clientId, secret] = [text.slice(0, colon), text.slice(colon + 1)];
  const credentials = { clientId: formDecode(clientId), secrets: [...new Set([secret, formDecode(secret)])] };
  if ([credentials.clientId, ...credentials.secrets].some((one) => one.includes('\0')))
    throw new OAuthError('invalid_request', 'The Authorization header has a NUL character.');
  return credentials;
}

function decodeBase64(encoded: string | undefined): string | undefined {
  if (encoded === undefined || encoded.replaceAll('=', '').length % 4 === 1) return undefined;
  try {
    return utf8.decode(Buffer.from(encoded, 'base64'));
  } catch {
    return undefined;
  }
}

/** Returns the text unchanged if it is not form-encoded. */
function formDecode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
