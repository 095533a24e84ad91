// Verifies signatures of chips, certificates and revocation lists by OpenSSL, which knows the Brainpool curves; WebCrypto does not.
import { constants, createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { RsaSaPssParams } from '@peculiar/asn1-rsa';
import { AsnConvert } from '@peculiar/asn1-schema';
import { AlgorithmIdentifier, type SubjectPublicKeyInfo } from '@peculiar/asn1-x509';

/** `name`: the algorithm in words. `isWeak`: SHA-1 or a key that is too short today, which the standard still has. */
export type Signature = { holds: boolean; name: string; isWeak: boolean };

type Hash = (typeof HASHES)[keyof typeof HASHES];
type Scheme = { kind: 'rsa' | 'pss' | 'ecdsa'; hash: Hash; saltLength?: number };

const HASHES = {
  '1.3.14.3.2.26': 'sha1',
  '2.16.840.1.101.3.4.2.4': 'sha224',
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
} as const;

/** Algorithms that name their hash. */
const SCHEMES: Record<string, Scheme> = {
  '1.2.840.113549.1.1.5': { kind: 'rsa', hash: 'sha1' },
  '1.2.840.113549.1.1.14': { kind: 'rsa', hash: 'sha224' },
  '1.2.840.113549.1.1.11': { kind: 'rsa', hash: 'sha256' },
  '1.2.840.113549.1.1.12': { kind: 'rsa', hash: 'sha384' },
  '1.2.840.113549.1.1.13': { kind: 'rsa', hash: 'sha512' },
  '1.2.840.10045.4.1': { kind: 'ecdsa', hash: 'sha1' },
  '1.2.840.10045.4.3.1': { kind: 'ecdsa', hash: 'sha224' },
  '1.2.840.10045.4.3.2': { kind: 'ecdsa', hash: 'sha256' },
  '1.2.840.10045.4.3.3': { kind: 'ecdsa', hash: 'sha384' },
  '1.2.840.10045.4.3.4': { kind: 'ecdsa', hash: 'sha512' },
};
/** Algorithms of CMS that leave the hash to the signer info. */
const KEY_KINDS: Record<string, Scheme['kind']> = { '1.2.840.113549.1.1.1': 'rsa', '1.2.840.10045.2.1': 'ecdsa' };
const PSS = '1.2.840.113549.1.1.10';

const NAMES = { rsa: 'RSA', pss: 'RSA-PSS', ecdsa: 'ECDSA' } as const;
const KEY_TYPES: Record<Scheme['kind'], string[]> = { rsa: ['rsa'], pss: ['rsa', 'rsa-pss'], ecdsa: ['ec'] };
const RSA_BITS_MIN = 2048;
const RSA_BITS_MAX = 16_384;
/** Curves of fewer bits, by the number in their names. */
const CURVE_BITS_MIN = 224;

/** The hash of an algorithm identifier; undefined if the standard does not have it. */
export function hashOf(algorithm: string): Hash | undefined {
  return HASHES[algorithm as keyof typeof HASHES];
}

export function digest(hash: Hash, data: Uint8Array): Buffer {
  return createHash(hash).update(data).digest();
}

/** Verifies a signature. An algorithm that the standard does not have, or a key that cannot be read, does not hold. `hash`: that of the signer info. */
export function verifySignature(
  key: SubjectPublicKeyInfo,
  algorithm: AlgorithmIdentifier,
  { data, signature, hash }: { data: Uint8Array; signature: Uint8Array; hash?: Hash | undefined },
): Signature {
  const scheme = schemeOf(algorithm, hash);
  const publicKey = readKey(key);
  if (!scheme || !publicKey) return { holds: false, name: 'an algorithm that the standard does not have', isWeak: true };
  const name = nameOf(scheme, publicKey);
  const isWeak = scheme.hash === 'sha1' || isShort(publicKey);
  if (!KEY_TYPES[scheme.kind].includes(publicKey.asymmetricKeyType!) || isTooLong(publicKey))
    return { holds: false, name, isWeak };
  const padding =
    scheme.kind === 'pss' ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: scheme.saltLength! } : undefined;
  return { holds: check(scheme.hash, data, { key: publicKey, ...padding }, signature), name, isWeak };
}

function check(hash: Hash, data: Uint8Array, key: Parameters<typeof verify>[2], signature: Uint8Array): boolean {
  try {
    return verify(hash, data, key, signature);
  } catch {
    return false;
  }
}

function schemeOf({ algorithm, parameters }: AlgorithmIdentifier, hash: Hash | undefined): Scheme | undefined {
  if (algorithm === PSS) return readPss(parameters);
  const kind = KEY_KINDS[algorithm];
  return kind && hash ? { kind, hash } : SCHEMES[algorithm];
}

/** OpenSSL takes one hash for both the message and the mask. */
function readPss(parameters: AlgorithmIdentifier['parameters']): Scheme | undefined {
  const { hashAlgorithm, maskGenAlgorithm, saltLength } = parameters
    ? AsnConvert.parse(parameters, RsaSaPssParams)
    : new RsaSaPssParams();
  const hash = hashOf(hashAlgorithm.algorithm);
  const inner = maskHashOf(maskGenAlgorithm.parameters);
  return hash && inner === hash ? { kind: 'pss', hash, saltLength } : undefined;
}

/** The parameters of MGF1 are the algorithm identifier of a hash. */
function maskHashOf(parameters: AlgorithmIdentifier['parameters']): Hash | undefined {
  return parameters ? hashOf(AsnConvert.parse(parameters, AlgorithmIdentifier).algorithm) : 'sha1';
}

function readKey(key: SubjectPublicKeyInfo): KeyObject | undefined {
  try {
    return createPublicKey({ key: Buffer.from(AsnConvert.serialize(key)), format: 'der', type: 'spki' });
  } catch {
    return undefined;
  }
}

function nameOf({ kind, hash }: Scheme, key: KeyObject): string {
  const { namedCurve, modulusLength } = key.asymmetricKeyDetails ?? {};
  return `${NAMES[kind]} ${namedCurve ?? modulusLength ?? ''} with ${hash.replace('sha', 'SHA-')}`;
}

function isShort(key: KeyObject): boolean {
  const { namedCurve, modulusLength } = key.asymmetricKeyDetails ?? {};
  if (modulusLength !== undefined) return modulusLength < RSA_BITS_MIN;
  return Number(/\d{3}/.exec(namedCurve ?? '')?.[0] ?? 0) < CURVE_BITS_MIN;
}

function isTooLong(key: KeyObject): boolean {
  return (key.asymmetricKeyDetails?.modulusLength ?? 0) > RSA_BITS_MAX;
}
