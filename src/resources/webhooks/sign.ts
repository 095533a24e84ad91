// Headers and signatures of webhooks: a plain HMAC, and Standard Webhooks 1.0.0 with a secret (v1) and with private keys (v1a).
import { createHmac, type KeyObject, sign } from 'node:crypto';
import type { Header } from '../../platform/http/send.ts';

/** A secret in this form is the key in base64 (Standard Webhooks); any other secret is the key itself, in UTF-8. */
const ENCODED = /^whsec_(.*)$/s;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** A public key is known to others: as the secret of an HMAC it would let all of them sign. */
const PUBLIC = /^whpk_/;

/** What signs a webhook, newest first: secrets, and Ed25519 private keys. */
export type Signers = { secrets: [string, ...string[]]; privateKeys: readonly KeyObject[] };

/** Whether a secret is valid. Any text is, except `whsec_` without valid base64 after it, and a public key. */
export function isSecret(secret: string): boolean {
  if (PUBLIC.test(secret)) return false;
  const encoded = ENCODED.exec(secret)?.[1];
  return encoded === undefined || (encoded.length > 0 && BASE64.test(encoded));
}

/**
 * The headers that sign a body. X-Request-Signature-SHA-256 is the hex HMAC of the raw body with the newest secret as given.
 * webhook-id, -timestamp and -signature follow Standard Webhooks 1.0.0, with a signature per secret and private key.
 */
export function signatureHeaders(
  { secrets, privateKeys }: Signers,
  { id, body, sent }: { id: string; body: string; sent: Date },
): Header[] {
  const timestamp = String(Math.floor(sent.getTime() / 1000));
  const signed = `${id}.${timestamp}.${body}`;
  const signatures = [
    ...secrets.map((secret) => `v1,${createHmac('sha256', keyOf(secret)).update(signed).digest('base64')}`),
    ...privateKeys.map((key) => `v1a,${sign(null, Buffer.from(signed), key).toString('base64')}`),
  ];
  return [
    { name: 'X-Request-Signature-SHA-256', value: createHmac('sha256', secrets[0]).update(body).digest('hex') },
    { name: 'webhook-id', value: id },
    { name: 'webhook-timestamp', value: timestamp },
    { name: 'webhook-signature', value: signatures.join(' ') },
  ];
}

/** Every header of a webhook request. */
export function requestHeaders(
  vendor: string,
  signers: Signers,
  webhook: { id: string; topic: string },
  { body, sent }: { body: string; sent: Date },
): Header[] {
  const name = vendor.charAt(0).toUpperCase() + vendor.slice(1);
  return [
    { name: 'Content-Type', value: 'application/json' },
    { name: 'Content-Length', value: String(Buffer.byteLength(body)) },
    { name: 'User-Agent', value: name },
    { name: `X-${name}-Topic`, value: webhook.topic },
    ...signatureHeaders(signers, { id: webhook.id, body, sent }),
  ];
}

function keyOf(secret: string): Buffer {
  const encoded = ENCODED.exec(secret)?.[1];
  return encoded === undefined ? Buffer.from(secret) : Buffer.from(encoded, 'base64');
}
