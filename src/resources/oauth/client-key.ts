// Public keys of clients (RFC 7517): which ones are accepted, by what algorithms they verify, and their thumbprints (RFC 7638).
import { createPublicKey, hash, type KeyObject } from 'node:crypto';

export type ClientJwk = { kty: string; kid?: string; alg?: string; use?: string } & Record<string, unknown>;
export type ClientKey = { thumbprint: string; jwk: ClientJwk; algorithms: readonly Algorithm[]; publicKey: KeyObject };

/** RS256 is accepted of workload identities only: their issuers have nothing else. */
export type Algorithm = 'ES256' | 'EdDSA' | 'PS256' | 'RS256';

/** The algorithms of clients, of FAPI 2.0. */
export const ALGORITHMS = ['ES256', 'EdDSA', 'PS256'] as const satisfies Algorithm[];
/** Two at once, so that a rotation refuses no call. */
export const KEYS_MAX = 2;
/** In a set at an address, which may have keys for other purposes. */
const REMOTE_KEYS_MAX = 50;
const RSA_BITS_MIN = 2048;
/** A slower verification than with 8192 bits would be a way to take time from others. */
const RSA_BITS_MAX = 8192;
const PRIVATE = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];
/** The members of a thumbprint in their order (RFC 7638 §3.2, RFC 8037 §2), and the algorithms, by type and curve. */
const KINDS: Record<string, { members: string[]; algorithms: readonly Algorithm[] }> = {
  'EC P-256': { members: ['crv', 'kty', 'x', 'y'], algorithms: ['ES256'] },
  'OKP Ed25519': { members: ['crv', 'kty', 'x'], algorithms: ['EdDSA'] },
  RSA: { members: ['e', 'kty', 'n'], algorithms: ['PS256', 'RS256'] },
};

/** Reads a public key. Returns a sentence if it is not one that is accepted. */
export function readKey(value: unknown): ClientKey | string {
  if (!isObject(value)) return 'A key is not a JSON object.';
  if (PRIVATE.some((member) => value[member] !== undefined)) return 'A key is private or secret: give only the public part.';
  const kind = KINDS[value.crv === undefined ? String(value.kty) : `${value.kty} ${value.crv}`];
  if (!kind) return 'A key must be EC with P-256, OKP with Ed25519, or RSA.';
  if (kind.members.some((member) => typeof value[member] !== 'string')) return `A key lacks one of ${kind.members.join(', ')}.`;
  if (value.kid !== undefined && typeof value.kid !== 'string') return 'The kid of a key is not text.';
  if (value.use !== undefined && value.use !== 'sig') return 'The use of a key is not sig.';
  const membersOf = (jwk: object) => Object.fromEntries(kind.members.map((member) => [member, jwk[member as keyof typeof jwk]]));
  const publicKey = importKey(membersOf(value));
  if (typeof publicKey === 'string') return publicKey;
  // Of the exported key: some libraries write numbers with leading zeros or padding.
  const thumbprint = hash('sha256', JSON.stringify(membersOf(publicKey.export({ format: 'jwk' }))), 'base64url');
  return { thumbprint, jwk: value as ClientJwk, algorithms: kind.algorithms, publicKey };
}

/** Reads a JWK set to store: one or two public keys, all of which are accepted. Returns a sentence if they are not. */
export function readKeys(value: unknown): ClientKey[] | string {
  if (!isObject(value) || !Array.isArray(value.keys)) return 'It is not a JWK set: {"keys": […]}.';
  if (value.keys.length === 0 || value.keys.length > KEYS_MAX) return `A JWK set has one or ${KEYS_MAX} keys.`;
  const keys: ClientKey[] = [];
  for (const one of value.keys) {
    const key = readKey(one);
    if (typeof key === 'string') return key;
    if (key.jwk.alg !== undefined && !key.algorithms.includes(algOf(key.jwk) as Algorithm))
      return `The alg of a key must be ${key.algorithms.join(' or ')}, as its type says.`;
    if (keys.some(({ thumbprint }) => thumbprint === key.thumbprint)) return 'A JWK set has the same key twice.';
    if (keys.some(({ jwk }) => jwk.kid !== undefined && jwk.kid === key.jwk.kid)) return 'Two keys have the same kid.';
    keys.push(key);
  }
  return keys;
}

/** The keys of a set at an address that are accepted; others are for other purposes. Returns a sentence if it is not a set. */
export function readRemoteKeys(value: unknown): ClientKey[] | string {
  if (!isObject(value) || !Array.isArray(value.keys)) return 'is not a JWK set';
  if (value.keys.length > REMOTE_KEYS_MAX) return `has more than ${REMOTE_KEYS_MAX} keys`;
  return value.keys.map(readKey).filter((key) => typeof key !== 'string');
}

/** The keys that may have signed: the `kid` is a name and nothing more. A key without a name may have any. */
export function keysFor(keys: readonly ClientKey[], { kid, alg }: { kid?: string; alg?: string }): ClientKey[] {
  return keys.filter(({ jwk, algorithms, thumbprint }) => {
    const isNamed = kid === undefined || jwk.kid === undefined || jwk.kid === kid || thumbprint === kid;
    return isNamed && algorithms.includes(alg as Algorithm) && (jwk.alg === undefined || algOf(jwk) === alg);
  });
}

/** The algorithm that a key names. Ed25519 is the name of RFC 9864 for EdDSA with this curve; WebCrypto exports it. */
function algOf({ alg }: ClientJwk): string | undefined {
  return alg === 'Ed25519' ? 'EdDSA' : alg;
}

function importKey(jwk: Record<string, unknown>): KeyObject | string {
  try {
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    const bits = key.asymmetricKeyDetails?.modulusLength;
    if (bits === undefined || (bits >= RSA_BITS_MIN && bits <= RSA_BITS_MAX)) return key;
    return `An RSA key must have ${RSA_BITS_MIN} to ${RSA_BITS_MAX} bits.`;
  } catch {
    return 'A key is not valid.';
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
