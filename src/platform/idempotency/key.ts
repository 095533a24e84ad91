// The Idempotency-Key header (draft-ietf-httpapi-idempotency-key-header): hashes of the key, and fingerprints of the request.
import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type Idempotency, randomBucket } from '../../core/ids.ts';
import { refuse } from '../../core/problems.ts';

import { canonicalJson } from '../http/strict-json.ts';
import type { Sealer } from '../keys/sealing.ts';

/** The parts of a request that its key and fingerprint cover. */
export type KeyedRequest = {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: unknown;
  caller: { accountId: string };
};

const KEY = /^[\x21-\x7e]{1,255}$/;
/** The draft defines the key as a quoted string; without quotes it is the same key. */
const QUOTED = /^".*"$/;
/** A bucket has 12 bits. */
const BUCKET_DIGITS = 3;

/** Returns the key and fingerprint of a request, or undefined if it has no Idempotency-Key. */
export function idempotencyOf(request: KeyedRequest): Idempotency | undefined {
  const key = keyOf(request);
  return key === undefined ? undefined : { key, fingerprint: toUuid(hash('sha256', textOf(request), 'hex')) };
}

/** The key and fingerprint of a part of a request that takes effect by itself. */
export function partOf({ key, fingerprint }: Idempotency, index: number): Idempotency {
  return { key: toUuid(hash('sha256', `${key} ${index}`, 'hex')), fingerprint };
}

/** Returns the hashed key of a request, or undefined. It is hashed with the account id, so that the keys of two accounts cannot collide. */
export function keyOf({ headers, caller }: KeyedRequest): string | undefined {
  const header = headers['idempotency-key'];
  if (header === undefined) return undefined;
  const key = typeof header === 'string' && QUOTED.test(header) ? header.slice(1, -1) : header;
  if (typeof key === 'string' && KEY.test(key)) return toUuid(hash('sha256', `${caller.accountId} ${key}`, 'hex'));
  throw refuse('badHeader', { message: 'Idempotency-Key must be 1 to 255 visible ASCII characters.' });
}

/** A bucket for what a request creates without a customer. It is taken from the key, so that a repetition finds the stored answer. */
export function bucketFor(request: KeyedRequest): number {
  const key = keyOf(request);
  return key === undefined ? randomBucket() : Number.parseInt(key.slice(0, BUCKET_DIGITS), 16);
}

/**
 * Returns the fingerprint of a request with each encryption key, newest first. These are keyed hashes, as a body may contain data that
 * is sealed in the database and could be guessed by brute force.
 */
export function sealedFingerprintsOf(request: KeyedRequest, sealer: Sealer): string[] {
  return sealer.macs('request', textOf(request)).map((mac) => toUuid(mac.hash.toString('hex')));
}

/** The text to fingerprint: method, path and body. */
function textOf({ method, url, body }: KeyedRequest): string {
  return `${method} ${url.split('?', 1)[0]} ${canonicalJson(body ?? null)}`;
}

/** Formats the first 128 bits of a hash as a UUID, which PostgreSQL stores in 16 bytes. */
function toUuid(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}
