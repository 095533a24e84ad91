// Headers and signatures of webhooks: a plain HMAC, and Standard Webhooks 1.0.0.
import { createHmac } from 'node:crypto';
import type { Header } from '../../platform/http/send.ts';

/** A secret in this form is the key in base64 (Standard Webhooks); any other secret is the key itself, in UTF-8. */
const ENCODED = /^whsec_(.*)$/s;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Whether a secret is valid. Any text is, except `whsec_` without valid base64 after it. */
export function isSecret(secret: string): boolean {
  const encoded = ENCODED.exec(secret)?.[1];
  return encoded === undefined || (encoded.length > 0 && BASE64.test(encoded));
}

/**
 * The headers that sign a body. X-Request-Signature-SHA-256 is the hex HMAC of the raw body with the newest secret as given.
 * webhook-id, -timestamp and -signature follow Standard Webhooks 1.0.0, with a signature per secret. `secrets` are newest first.
 */
export function signatureHeaders(
  secrets: [string, ...string[]],
  { id, body, sent }: { id: string; body: string; sent: Date },
): Header[] {
  const timestamp = String(Math.floor(sent.getTime() / 1000));
  const signatures = secrets.map((secret) => {
    const signed = createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64');
    return `v1,${signed}`;
  });
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
  secrets: [string, ...string[]],
  webhook: { id: string; topic: string },
  { body, sent }: { body: string; sent: Date },
): Header[] {
  const name = vendor.charAt(0).toUpperCase() + vendor.slice(1);
  return [
    { name: 'Content-Type', value: 'application/json' },
    { name: 'Content-Length', value: String(Buffer.byteLength(body)) },
    { name: 'User-Agent', value: name },
    { name: `X-${name}-Topic`, value: webhook.topic },
    ...signatureHeaders(secrets, { id: webhook.id, body, sent }),
  ];
}

function keyOf(secret: string): Buffer {
  const encoded = ENCODED.exec(secret)?.[1];
  return encoded === undefined ? Buffer.from(secret) : Buffer.from(encoded, 'base64');
}
