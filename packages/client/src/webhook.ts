// Verifies the signature and age of webhooks.
import type { WebhookDelivery, WebhookPing } from './openapi.ts';

/** The body of a webhook: an event, or a ping that tests a subscription. */
export type WebhookEvent = WebhookDelivery | WebhookPing;

export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;

export type Delivery = {
  /** The raw body. Parsing and serializing it again may change the text and so the signature. */
  body: string | Uint8Array;
  headers: WebhookHeaders;
  /** The secret of the subscription. */
  secret?: string;
  /** Instead of the secret: `publicKeys` of the subscription (`whpk_…`). One of them must have signed. */
  publicKeys?: string[];
  /**
   * `standard` (default): the `webhook-*` headers of Standard Webhooks 1.0.0, whose timestamp prevents replay attacks. `sha256`:
   * X-Request-Signature-SHA-256, which has no timestamp.
   */
  scheme?: 'standard' | 'sha256';
  /** Longest difference between `webhook-timestamp` and now. Default 300. */
  toleranceSeconds?: number;
  now?: Date;
};

/** The webhook must not be trusted. The message gives the reason. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

const TOLERANCE_SECONDS = 300;
const ENCODED = /^whsec_(.*)$/s;

/** Verifies a delivery and returns its event. Throws WebhookVerificationError. WebCrypto compares signatures in constant time. */
export async function verifyWebhook({ scheme = 'standard', ...delivery }: Delivery): Promise<WebhookEvent> {
  const body = typeof delivery.body === 'string' ? new TextEncoder().encode(delivery.body) : delivery.body;
  await (scheme === 'standard' ? verifyStandard : verifyPlain)(delivery, body);
  return JSON.parse(new TextDecoder().decode(body)) as WebhookEvent;
}

async function verifyStandard(delivery: Delivery, body: Uint8Array): Promise<void> {
  const { headers, secret = '', publicKeys, toleranceSeconds = TOLERANCE_SECONDS, now = new Date() } = delivery;
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) => headerOf(headers, `webhook-${name}`));
  const ageSeconds = /^[0-9]{1,12}$/.test(timestamp!) ? now.getTime() / 1000 - Number(timestamp) : Number.NaN;
  if (!(Math.abs(ageSeconds) <= toleranceSeconds)) {
    throw new WebhookVerificationError(
      `webhook-timestamp ${timestamp} is not within ${toleranceSeconds} seconds of ${Math.floor(now.getTime() / 1000)}.`,
    );
  }
  const version = publicKeys ? 'v1a,' : 'v1,';
  const keys = await Promise.all(publicKeys?.map(importPublic) ?? [importSecret(secret, ENCODED.exec(secret)?.[1])]);
  const signed = concat(new TextEncoder().encode(`${id}.${timestamp}.`), body);
  // There are several signatures while a secret or a key is being rotated.
  for (const signature of signatures!.split(' ')) {
    const bytes = signature.startsWith(version) ? fromBase64(signature.slice(version.length)) : undefined;
    for (const key of bytes ? keys : []) if (await crypto.subtle.verify(key.algorithm, key, bytes!, signed)) return;
  }
  throw new WebhookVerificationError(
    `No signature in webhook-signature matches this body and ${publicKeys ? 'these public keys' : 'secret'}.`,
  );
}

async function verifyPlain({ headers, secret = '' }: Delivery, body: Uint8Array): Promise<void> {
  const name = 'x-request-signature-sha-256';
  const hex = headerOf(headers, name);
  const bytes = /^([0-9a-f]{2})+$/i.test(hex)
    ? Uint8Array.from(hex.match(/../g)!, (pair) => Number.parseInt(pair, 16))
    : undefined;
  const key = await importSecret(secret);
  if (bytes && (await crypto.subtle.verify('HMAC', key, bytes, concat(body)))) return;
  throw new WebhookVerificationError(`The signature in ${name} does not match this body and secret.`);
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const found =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([key, value]) => key.toLowerCase() === name && value !== undefined)?.[1];
  const value = Array.isArray(found) ? found.join(' ') : found;
  if (!value) throw new WebhookVerificationError(`The header ${name} is missing.`);
  return value;
}

/** `encoded`: the key in base64, of a secret with the prefix whsec_; any other secret is the key itself. With a public key, anybody could sign. */
async function importSecret(secret: string, encoded?: string) {
  const key = encoded === undefined ? new TextEncoder().encode(secret) : fromBase64(encoded);
  if (!key?.length || secret.startsWith('whpk_'))
    throw new TypeError('The secret of a webhook subscription must be text, or whsec_ followed by base64.');
  return crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

function importPublic(publicKey: string) {
  const bytes = publicKey.startsWith('whpk_') ? fromBase64(publicKey.slice(5)) : undefined;
  if (bytes?.length !== 32) throw new TypeError('A public key of a webhook must be whpk_ followed by 32 bytes in base64.');
  return crypto.subtle.importKey('raw', bytes, 'Ed25519', false, ['verify']);
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function concat(...parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
