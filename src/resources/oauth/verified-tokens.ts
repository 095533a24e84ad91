// Verified tokens: the signature of a token is verified once and cached; what can change is checked at every use. A token says at most what
// its application may do now, whatever was signed.
import assert from 'node:assert/strict';
import type { Clock } from '../../core/clock.ts';
import { type ProblemName, refuse } from '../../core/problems.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Application } from './application.ts';
import { type Directory, lookUp } from './directory.ts';
import type { Scope } from './scope.ts';
import type { SigningKey } from './signing-key.ts';
import { type Caller, type Claims, toCaller, verifyToken } from './token.ts';

/** `signed`: the claims as they were signed; `claims` and `caller`: what is left of them for `application`. */
type VerifiedToken = { signed: Claims; application: Application; claims: Claims; caller: Caller };
/** A token whose application has not been looked up yet has only what was signed. */
type Signed = Pick<VerifiedToken, 'signed'> & Partial<VerifiedToken>;

type VerifiedTokens = {
  /** Verifies a token. Refuses with `invalidAccessToken` or `expiredAccessToken`. */
  verify(token: string): Promise<VerifiedToken>;
  /** Returns a valid token that was verified before, else undefined. */
  verifyCached(token: string): VerifiedToken | undefined;
  /** Returns the claims as they were signed, also of a token that is refused for now. Refuses as `verify`. */
  signedClaims(token: string): Promise<Claims>;
};

const TOKENS_MAX = 10_000;
/** More than a clock correction: a token issued further ahead is from before a sandbox reset. Its client gets another, as after its end. */
const ISSUED_AHEAD_MAX_MS = 24 * 3_600_000;

/** The claim of what an application requires. */
const CONFIRMED_BY = { dpop: 'jkt', certificate: 'x5t#S256' } as const;

type Known = Pick<Directory, 'application' | 'isRevoked' | 'refresh'> & {
  signingKey(kid: string): Pick<SigningKey, 'publicKey'> | undefined;
};

export function openVerifiedTokens(options: { config: Config; directory: Known; clock: Clock }): VerifiedTokens {
  const { config, directory, clock } = options;
  const cached = new Map<string, Signed>();

  async function verifySignature(token: string): Promise<Signed> {
    const signed = await verifyToken(token, {
      issuer: issuerOf(config),
      // The expiry by the account's clock is checked at every use.
      nowMs: clock.now().getTime(),
      findKey: (kid) => lookUp(directory, () => directory.signingKey(kid)),
    });
    const verified = { signed: { ...signed, exp: Math.min(signed.exp, signed.iat + config.tokenTtlSeconds) } };
    if (cached.size >= TOKENS_MAX) cached.delete(cached.keys().next().value!);
    cached.set(token, verified);
    return verified;
  }

  const read = async (token: string) => cached.get(token) ?? verifySignature(token);

  /** Returns the problem of a verified token, if any. Checks what can change: expiry, application and revocation. */
  function problemOf({ iat, exp, jti, account_id, cnf }: Claims, application: Application | undefined): ProblemName | undefined {
    const nowMs = clock.now(account_id).getTime();
    if (exp <= Math.floor(nowMs / 1000)) return 'expiredAccessToken';
    if (application?.accountId !== account_id) return 'invalidAccessToken';
    if (iat * 1000 > nowMs + ISSUED_AHEAD_MAX_MS) return 'expiredAccessToken';
    if (application.requiredBinding && !cnf?.[CONFIRMED_BY[application.requiredBinding]]) return 'invalidAccessToken';
    return application.disabled || directory.isRevoked(jti) ? 'invalidAccessToken' : undefined;
  }

  return {
    async verify(token) {
      const found = await read(token);
      const application = await lookUp(directory, () => directory.application(found.signed.client_id));
      const problem = problemOf(found.signed, application);
      if (problem) throw refuse(problem);
      return narrow(found, application!);
    },
    verifyCached(token) {
      const found = cached.get(token);
      const application = found && directory.application(found.signed.client_id);
      return application && !problemOf(found.signed, application) ? narrow(found, application) : undefined;
    },
    signedClaims: async (token) => (await read(token)).signed,
  };
}

/** Intersects the scopes of a token with those of its application, again after each change of the application. */
function narrow(token: Signed, application: Application): VerifiedToken {
  if (token.application !== application) {
    const scopes = String(token.signed.scope)
      .split(' ')
      .filter((scope) => application.scopes.includes(scope as Scope));
    const claims = { ...token.signed, scope: scopes.join(' ') };
    Object.assign(token, { application, claims, caller: toCaller(claims) });
  }
  return token as VerifiedToken;
}

/** Returns the base URL of the service, which with PORT=0 is known only once it listens. */
export function issuerOf({ publicUrl }: Config): string {
  assert(publicUrl, 'the service listens before it issues or checks tokens');
  return publicUrl;
}
