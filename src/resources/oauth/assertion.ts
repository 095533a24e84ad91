// Client assertions (RFC 7523 §2.2): JWTs that applications sign with their own key, or that an issuer signs for a workload.
import { compactVerify, decodeJwt, decodeProtectedHeader, errors, type JWTPayload } from 'jose';
import type { Clock } from '../../core/clock.ts';
import { refuse } from '../../core/problems.ts';
import type { Application } from './application.ts';
import { ALGORITHMS, type Algorithm, type ClientKey, keysFor } from './client-key.ts';
import { OAuthError } from './oauth-error.ts';
import { type KeySource, KeysError, type RemoteKeys } from './remote-keys.ts';
import type { Replays } from './replays.ts';

/** The client id, and the assertion that proves it. */
export type Assertion = { clientId: string; assertion: string };

type Assertions = {
  /** Whether an assertion is of this application, now and for the first time, and the key that signed it. Refuses with the claim that is wrong. */
  verify(application: Application, assertion: string): Promise<ClientKey | undefined>;
};

type Options = { issuer: () => string; clock: Clock; replays: Replays; remoteKeys: RemoteKeys };
type Header = { alg?: string; kid?: string };

export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const ASSERTION_MAX_LENGTH = 8192;
const LIFE_MAX_S = 300;
/** By how much the clock of a client may differ. */
const SKEW_S = 60;
const JTI_MAX_LENGTH = 256;
const WORKLOAD_ALGORITHMS: readonly Algorithm[] = [...ALGORITHMS, 'RS256'];
/** What an assertion of RFC 7523 may call itself; access tokens and proofs of possession are no assertions. */
const TYPES = [undefined, 'jwt', 'client-authentication+jwt'];

export function openAssertions(options: Options): Assertions {
  return {
    async verify(application, assertion) {
      const { trust } = application;
      const header = readHeader(assertion);
      if (!(trust ? WORKLOAD_ALGORITHMS : ALGORITHMS).includes(header.alg as never)) return undefined;
      const key = await findSigner(options, { application, assertion, header });
      if (!key) return undefined;
      const claims = decodeJwt(assertion);
      checkClaims(options, application, claims);
      if (!trust) await useOnce(options, application, claims);
      return key;
    },
  };
}

/** The client that an assertion names, which is not proven yet: by the form, or by its `sub`. */
export function clientOf(assertion: string, named: string | undefined): string {
  if (assertion.length > ASSERTION_MAX_LENGTH) {
    throw new OAuthError('invalid_client', `The client_assertion is longer than ${ASSERTION_MAX_LENGTH} characters.`);
  }
  const { iss, sub } = decode(() => decodeJwt(assertion));
  if (named !== undefined) {
    if (iss === sub && sub !== named) throw new OAuthError('invalid_request', 'The client_id and the client_assertion differ.');
    return named;
  }
  if (typeof sub !== 'string') throw new OAuthError('invalid_client', 'The client_assertion has no sub.');
  if (iss === sub) return sub;
  throw new OAuthError('invalid_request', 'The parameter client_id is missing: the client_assertion is of another issuer.');
}

function readHeader(assertion: string): Header {
  const { alg, kid, typ } = decode(() => decodeProtectedHeader(assertion));
  if (!TYPES.includes(typ?.toLowerCase())) throw new OAuthError('invalid_client', 'The client_assertion has another typ.');
  return { ...(alg !== undefined && { alg }), ...(typeof kid === 'string' && { kid }) };
}

function decode<T>(work: () => T): T {
  try {
    return work();
  } catch {
    throw new OAuthError('invalid_client', 'The client_assertion is not a signed JWT.');
  }
}

/** The key whose signature the assertion has. Keys at an address are read again if none has signed: they may have been rotated. */
async function findSigner(
  { remoteKeys }: Options,
  { application, assertion, header }: { application: Application; assertion: string; header: Header },
): Promise<ClientKey | undefined> {
  const source = sourceOf(application);
  if (!source) return signerAmong(keysFor(application.keys, header), assertion);
  const read = (options?: { isUnknown: true }) => remoteKeys.keysOf(source, options).catch(asUnavailable);
  const found = await signerAmong(keysFor(await read(), header), assertion);
  return found ?? signerAmong(keysFor(await read({ isUnknown: true }), header), assertion);
}

/** A set of keys that cannot be read says nothing about who signs. */
export function asUnavailable(error: unknown): never {
  throw error instanceof KeysError
    ? refuse('unavailable', { message: 'The keys of the application cannot be read now.' })
    : error;
}

function sourceOf({ keys, jwksUri, trust }: Application): KeySource | undefined {
  if (keys.length > 0) return undefined;
  if (jwksUri !== null) return { jwksUri };
  return trust ? { issuer: trust.issuer } : undefined;
}

async function signerAmong(keys: ClientKey[], assertion: string): Promise<ClientKey | undefined> {
  for (const key of keys) {
    try {
      await compactVerify(assertion, key.publicKey, { algorithms: [...key.algorithms] });
      return key;
    } catch (error) {
      if (error instanceof errors.JWSSignatureVerificationFailed) continue;
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
  }
  return undefined;
}

/** Checks the claims of a signed assertion (RFC 7523 §3). Refuses with the one that is wrong. */
function checkClaims({ clock, issuer }: Options, { id, trust }: Application, claims: JWTPayload): void {
  const nowS = clock.now().getTime() / 1000;
  const { iss, sub, exp, nbf, iat, jti } = claims;
  if (iss !== (trust?.issuer ?? id)) throw refused('iss', trust ? 'is not the trusted issuer' : 'is not the client_id');
  if (sub !== (trust?.subject ?? id)) throw refused('sub', trust ? 'is not the trusted subject' : 'is not the client_id');
  checkAudience(claims.aud, issuer(), trust !== null);
  if (typeof exp !== 'number') throw refused('exp', 'is missing');
  if (exp <= nowS) throw refused('exp', 'is in the past');
  if (nbf !== undefined && !(nbf <= nowS + SKEW_S)) throw refused('nbf', 'is in the future');
  if (iat !== undefined && !(iat <= nowS + SKEW_S)) throw refused('iat', 'is in the future');
  if (trust) return;
  const lifeS = exp - Math.max(nowS, iat ?? nowS);
  if (lifeS > LIFE_MAX_S) throw refused('exp', `is more than ${LIFE_MAX_S} seconds ahead`);
  if (typeof jti !== 'string' || jti === '' || jti.length > JTI_MAX_LENGTH) {
    throw refused('jti', `is missing, or longer than ${JTI_MAX_LENGTH} characters`);
  }
}

/** One string: an assertion for several servers could be used by one of them at another. Issuers of workloads send a list of one. */
function checkAudience(aud: unknown, issuer: string, isListAccepted: boolean): void {
  const given = isListAccepted && Array.isArray(aud) && aud.length === 1 ? aud[0] : aud;
  if (given !== issuer) throw refused('aud', `is not ${issuer}, or is a list`);
}

async function useOnce({ replays }: Options, { id }: Application, { jti, exp }: JWTPayload): Promise<void> {
  if (!(await replays.use({ applicationId: id, client: id, jti: jti!, expiresMs: exp! * 1000 })))
    throw refused('jti', 'was used before');
}

function refused(claim: string, why: string): OAuthError {
  return new OAuthError('invalid_client', `The client_assertion is refused: ${claim} ${why}.`);
}
