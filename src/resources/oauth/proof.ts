// Proofs of possession (RFC 9449): each request has a JWT, signed with the key that its token is bound to, for this method and URL, once.
import { constants, hash, type KeyObject, verify } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import { ALGORITHMS, type ClientKey, readKey } from './client-key.ts';
import { isSignedByP256 } from './ecdsa.ts';
import type { Nonces } from './nonce.ts';
import { isSameUrl } from './proof-url.ts';
import type { Replays } from './replays.ts';

/** `path`: with its query, which does not count. `token`: absent where one is asked for. `jkt`: of the key that the token is bound to. */
type Proven = { applicationId: string; method: string; path: string; token?: string; jkt?: string };

export type Proofs = {
  /** Checks a proof, and returns the thumbprint of its key. Throws a ProofError. */
  check(proof: unknown, proven: Proven): Promise<string>;
};

/** A proof that is not accepted. The message says what is wrong with it. */
export class ProofError extends Error {
  readonly error: 'invalid_dpop_proof' | 'use_dpop_nonce';

  constructor(message: string, error: 'invalid_dpop_proof' | 'use_dpop_nonce' = 'invalid_dpop_proof') {
    super(message);
    this.error = error;
  }
}

/** `signersMax`: how many headers are remembered. */
type Options = {
  issuer: () => string;
  clock: Clock;
  replays: Replays;
  nonces: Nonces | undefined;
  signersMax?: number;
};
type Signer = { alg: keyof typeof VERIFIERS; key: ClientKey };
type Claims = { htm: unknown; htu: unknown; iat: unknown; jti: unknown; ath: unknown; nonce: unknown };

const PROOF_MAX_LENGTH = 4096;
const JTI_MAX_LENGTH = 256;
/** By how much `iat` may differ from the time of the service, before and after. */
const WINDOW_S = 60;
/** The headers of the proofs of a client are the same text each time: reading its key once saves a third of the time. */
const SIGNERS_MAX = 10_000;
const PARTS = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)$/;
const PSS = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
/** By node:crypto, in half the time of WebCrypto, and on this thread, which takes less time in all than handing it over. */
const VERIFIERS = {
  ES256: isSignedByP256,
  EdDSA: (key: KeyObject, data: Buffer, signature: Buffer) => verify(null, data, key, signature),
  PS256: (key: KeyObject, data: Buffer, signature: Buffer) => verify('sha256', data, { key, ...PSS }, signature),
};

export function openProofs(options: Options): Proofs {
  const { clock, replays, signersMax = SIGNERS_MAX } = options;
  const signers = new Map<string, Signer>();
  return {
    async check(proof, proven) {
      const [, header, payload, signature] = partsOf(proof);
      const known = signers.get(header!);
      const signer = known ?? readSigner(header!);
      const { thumbprint } = signer.key;
      if (proven.jkt !== undefined && thumbprint !== proven.jkt) throw new ProofError('jwk is not the key of the token.');
      const claims = (decode(payload!) ?? {}) as Claims;
      const nowS = clock.now().getTime() / 1000;
      checkClaims(options, { claims, proven, nowS });
      if (!isSigned(signer, `${header}.${payload}`, signature!)) throw new ProofError('The signature is wrong.');
      if (!known) {
        if (signers.size >= signersMax) signers.delete(signers.keys().next().value!);
        signers.set(header!, signer);
      }
      // It can be used until `iat` is out of the window.
      const expiresMs = ((claims.iat as number) + WINDOW_S) * 1000;
      const isFirst = await replays.use({
        applicationId: proven.applicationId,
        client: thumbprint,
        jti: claims.jti as string,
        expiresMs,
      });
      if (!isFirst) throw new ProofError('jti was used before.');
      return thumbprint;
    },
  };
}

function partsOf(proof: unknown): RegExpExecArray {
  if (typeof proof !== 'string') throw new ProofError('The header DPoP is missing.');
  const parts = proof.length <= PROOF_MAX_LENGTH ? PARTS.exec(proof) : null;
  if (!parts) throw new ProofError('The header DPoP is not one signed JWT.');
  return parts;
}

function readSigner(text: string): Signer {
  const header = decode(text) as { typ?: unknown; alg?: unknown; jwk?: unknown; crit?: unknown } | undefined;
  if (header?.typ !== 'dpop+jwt') throw new ProofError('typ is not dpop+jwt.');
  if (header.crit !== undefined) throw new ProofError('crit is not supported.');
  const alg = header.alg as Signer['alg'];
  if (!ALGORITHMS.includes(alg)) throw new ProofError(`alg is not one of ${ALGORITHMS.join(', ')}.`);
  const key = readKey(header.jwk);
  if (typeof key === 'string') throw new ProofError(`jwk is not accepted: ${key}`);
  if (!key.algorithms.includes(alg)) throw new ProofError('alg is not one of its key.');
  return { alg, key };
}

function checkClaims(
  { issuer, nonces }: Options,
  { claims, proven, nowS }: { claims: Claims; proven: Proven; nowS: number },
): void {
  const { htm, htu, iat, jti, ath, nonce } = claims;
  if (htm !== proven.method) throw new ProofError('htm is not the method of the request.');
  if (!isSameUrl(htu, issuer(), proven.path)) throw new ProofError('htu is not the URL of the request.');
  if (typeof iat !== 'number' || !(Math.abs(iat - nowS) <= WINDOW_S)) {
    throw new ProofError(`iat is more than ${WINDOW_S} seconds away from the time of the service.`);
  }
  if (typeof jti !== 'string' || jti === '' || jti.length > JTI_MAX_LENGTH) {
    throw new ProofError(`jti is missing, or longer than ${JTI_MAX_LENGTH} characters.`);
  }
  if (proven.token !== undefined && ath !== hash('sha256', proven.token, 'base64url')) {
    throw new ProofError('ath is not the hash of the token.');
  }
  if (nonces && !nonces.isValid(nonce))
    throw new ProofError('nonce is missing or too old: use that of DPoP-Nonce.', 'use_dpop_nonce');
}

function isSigned({ alg, key }: Signer, text: string, signature: string): boolean {
  return VERIFIERS[alg](key.publicKey, Buffer.from(text), Buffer.from(signature, 'base64url'));
}

function decode(part: string): unknown {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
