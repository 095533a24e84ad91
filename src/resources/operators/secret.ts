// Secrets of one-time links, sessions and attempts: random, and stored as keyed hashes only.
import { randomBytes } from 'node:crypto';
import type { Sealer } from '../../platform/keys/sealing.ts';

const SECRET_BYTES = 32;
const SECRET = /^[A-Za-z0-9_-]{43}$/;

type Purpose = 'operator link' | 'operator session' | 'operator attempt';

/** Makes a secret of 256 bits in base64url, and its hash for the database. */
export function makeSecret(sealer: Sealer, purpose: Purpose): { secret: string; hash: Buffer } {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  return { secret, hash: sealer.mac(purpose, secret).hash };
}

/** The hashes of a given secret, one per encryption key; none if it cannot be a secret. */
export function hashesOf(sealer: Sealer, purpose: Purpose, secret: string | undefined): Buffer[] {
  if (secret === undefined || !SECRET.test(secret)) return [];
  return sealer.macs(purpose, secret).map(({ hash }) => hash);
}
