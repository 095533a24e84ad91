// Keys of the client: assertions instead of a secret (RFC 7523), and proofs that bind tokens to a key (RFC 9449).
import type { Prover } from './send.ts';

/** A private key: P-256, Ed25519, or RSA for PSS. A `kid` of a JWK is sent. */
export type PrivateKey = CryptoKey | JsonWebKey;

/** By the name that WebCrypto has for a kind of key. */
const METHODS: Record<string, { alg: string; by: object }> = {
  ECDSA: { alg: 'ES256', by: { name: 'ECDSA', hash: 'SHA-256' } },
  Ed25519: { alg: 'EdDSA', by: { name: 'Ed25519' } },
  'RSA-PSS': { alg: 'PS256', by: { name: 'RSA-PSS', saltLength: 32 } },
};
const KINDS: Record<string, { name: string; namedCurve?: string; hash?: string }> = {
  EC: { name: 'ECDSA', namedCurve: 'P-256' },
  OKP: { name: 'Ed25519' },
  RSA: { name: 'RSA-PSS', hash: 'SHA-256' },
};
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const ASSERTION_LIFE_S = 60;

/** Returns a function that makes the form parameters of an application that has a key. Each assertion is accepted once. */
export function assertions(url: string, clientId: string, privateKey: PrivateKey): () => Promise<Record<string, string>> {
  const key = once(() => importKey(privateKey));
  const kid = 'kid' in privateKey ? { kid: privateKey.kid } : {};
  return async () => {
    const iat = nowS();
    const claims = { iss: clientId, sub: clientId, aud: url, jti: crypto.randomUUID(), iat, exp: iat + ASSERTION_LIFE_S };
    return { client_assertion_type: ASSERTION_TYPE, client_assertion: await signJwt(await key(), kid, claims) };
  };
}

/** Proves the possession of a key: of a new one that cannot be read, or of the given one. */
export function createProver(url: string, given: true | CryptoKeyPair): Prover {
  let nonce: string | undefined;
  const keys = once(async () => {
    const { privateKey, publicKey } = given === true ? await makeKeys() : given;
    const { kty, crv, x, y, n, e } = await crypto.subtle.exportKey('jwk', publicKey);
    return { privateKey, header: { typ: 'dpop+jwt', jwk: { kty, crv, x, y, n, e } } };
  });
  return {
    async prove(method, path, token) {
      const { privateKey, header } = await keys();
      const htu = `${url}${path.replace(/[?#].*/, '')}`;
      const ath = token === undefined ? undefined : base64url(await crypto.subtle.digest('SHA-256', encoded(token)));
      const claims = { htm: method, htu, jti: crypto.randomUUID(), iat: nowS(), ath, nonce };
      return signJwt(privateKey, header, claims);
    },
    note(headers) {
      const next = headers.get('dpop-nonce');
      if (next === null || next === nonce) return false;
      nonce = next;
      return true;
    },
  };
}

function makeKeys(): Promise<CryptoKeyPair> {
  return crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign', 'verify']);
}

async function importKey(key: PrivateKey): Promise<CryptoKey> {
  if (!('kty' in key)) return key as CryptoKey;
  const { kty, crv, n, e, d, p, q, dp, dq, qi, x, y } = key as JsonWebKey;
  const kind = KINDS[String(kty)];
  if (!kind || d === undefined)
    throw new TypeError('`privateKey` must be a private key: EC with P-256, OKP with Ed25519, or RSA.');
  // Other members, such as `use` and `alg`, may say what this import does not.
  const bare = Object.fromEntries(Object.entries({ kty, crv, n, e, d, p, q, dp, dq, qi, x, y }).filter(([, value]) => value));
  return crypto.subtle.importKey('jwk', bare as JsonWebKey, kind, false, ['sign']);
}

async function signJwt(key: CryptoKey, header: object, claims: object): Promise<string> {
  const method = METHODS[key.algorithm.name];
  if (!method) throw new TypeError(`A key for ${key.algorithm.name} cannot sign: use ECDSA with P-256, Ed25519 or RSA-PSS.`);
  const text = [{ alg: method.alg, ...header }, claims].map((part) => base64url(encoded(JSON.stringify(part)))).join('.');
  const signature = await crypto.subtle.sign(method.by as AlgorithmIdentifier, key, encoded(text));
  return `${text}.${base64url(signature)}`;
}

function base64url(bytes: ArrayBuffer | Uint8Array): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function encoded(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

function nowS(): number {
  return Math.floor(Date.now() / 1000);
}
