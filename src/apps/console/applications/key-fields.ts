// Fields for what an application has instead of a secret, and what a form says in them.
import { refuse } from '../../../core/problems.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { field } from '../../../platform/pages/parts.ts';
import type { Trust } from '../../../resources/oauth/application-key.ts';
import { type ClientJwk, readKeys } from '../../../resources/oauth/client-key.ts';

const ADDRESS_LENGTH = 2048;
const TEXT_LENGTH = 255;
/** A member of a private or shared JWK, or the first line of a PEM file. */
const PRIVATE = /"(?:d|p|q|dp|dq|qi|oth|k)"\s*:|PRIVATE KEY/;
const PRIVATE_PASTED =
  'This is a private or secret key. Nothing of it was stored. Make a new key pair, because this one has left its place, and paste the public part only.';

export function keysField({ label = 'Public key', hint = '' }: { label?: string; hint?: string } = {}): Html {
  return field(
    { id: 'keys', label, hint: `A JWK, or a JWK set with one or two of them: P-256, Ed25519, or RSA from 2048 bits. ${hint}` },
    html`<textarea class="input mono small" id="keys" name="keys" rows="7" spellcheck="false" autocomplete="off" placeholder=${'{"kty":"EC","crv":"P-256","x":"…","y":"…","kid":"backend-1"}'} aria-describedby="keys-hint"></textarea>`,
  );
}

export function addressField(url = ''): Html {
  return field(
    {
      id: 'address',
      label: 'Address of the key set',
      hint: 'https, without redirects. It is read again after 20 minutes, and sooner for a key that it lacked.',
    },
    html`<input class="input" type="url" id="address" name="address" value=${url} maxlength=${ADDRESS_LENGTH} placeholder="https://" autocomplete="off" spellcheck="false" aria-describedby="address-hint" />`,
  );
}

export function trustFields({ issuer, subject }: Trust = { issuer: '', subject: '' }): Html {
  return html`${field(
    { id: 'issuer', label: 'Issuer', hint: 'Its discovery document names its keys. It must be equal to iss, letter by letter.' },
    html`<input class="input" id="issuer" name="issuer" value=${issuer} maxlength=${TEXT_LENGTH} placeholder="https://token.actions.githubusercontent.com" autocomplete="off" spellcheck="false" aria-describedby="issuer-hint" />`,
  )}
  ${field(
    { id: 'subject', label: 'Subject', hint: 'Equal to sub. Any other workload of the issuer is refused.' },
    html`<input class="input" id="subject" name="subject" value=${subject} maxlength=${TEXT_LENGTH} placeholder="repo:example/backend:ref:refs/heads/main" autocomplete="off" spellcheck="false" aria-describedby="subject-hint" />`,
  )}`;
}

/** Public keys of a form. Refuses with what is wrong. */
export function readKeysField(form: URLSearchParams): ClientJwk[] {
  const text = (form.get('keys') ?? '').trim();
  if (text === '') throw refuse('badRequest', { message: 'Paste the public key.' });
  if (isPrivateField('keys', text)) throw refuse('badRequest', { message: PRIVATE_PASTED });
  const value = parse(text);
  const keys = readKeys(isSet(value) ? value : { keys: [value] });
  if (typeof keys === 'string') throw refuse('badRequest', { message: `The keys: ${keys}` });
  return keys.map(({ jwk }) => jwk);
}

export function readAddressField(form: URLSearchParams): string {
  const jwksUri = (form.get('address') ?? '').trim();
  if (jwksUri === '') throw refuse('badRequest', { message: 'Give the address of the key set.' });
  return jwksUri;
}

export function readTrustFields(form: URLSearchParams): Trust {
  const [issuer, subject] = [form.get('issuer') ?? '', form.get('subject') ?? ''].map((text) => text.trim()) as [string, string];
  if (issuer === '' || subject === '') throw refuse('badRequest', { message: 'Give the issuer and the subject.' });
  return { issuer, subject };
}

/** Whether a field may have a private key, which is neither kept nor shown again. */
export function isPrivateField(name: string, value: string): boolean {
  return name === 'keys' && PRIVATE.test(value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const message = 'The keys are not JSON. Paste a JWK such as {"kty": "EC", …}, not PEM or a certificate.';
    throw refuse('badRequest', { message });
  }
}

function isSet(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'keys');
}
