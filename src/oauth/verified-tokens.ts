// Verified tokens: the signature of a token is verified once and cached; what can change is checked at every use.
import assert from 'node:assert/strict';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { ProblemName } from '../problems.ts';
import type { Application } from './application.ts';
import { type Directory, lookUp } from './directory.ts';
import { type Caller, type Claims, refuseToken, toCaller, verifyToken } from './token.ts';

type VerifiedToken = { claims: Claims; caller: Caller };

type VerifiedTokens = {
  /** Verifies a token. Refuses with `invalidAccessToken` or `expiredAccessToken`. */
  verify(token: string): Promise<VerifiedToken>;
  /** Returns a valid token that was verified before, else undefined. */
  verifyCached(token: string): VerifiedToken | undefined;
};

const TOKENS_MAX = 10_000;
/** More than a clock correction: a token issued further ahead is from before a sandbox reset. */
const ISSUED_AHEAD_MAX_MS = 24 * 3_600_000;

export function openVerifiedTokens(options: { config: Config; directory: Directory; clock: Clock }): VerifiedTokens {
  const { config, directory, clock } = options;
  const cached = new Map<string, VerifiedToken>();

  async function verifySignature(token: string): Promise<VerifiedToken> {
    const claims = await verifyToken(token, {
      issuer: issuerOf(config),
      // The expiry by the account's clock is checked at every use.
      nowMs: clock.now().getTime(),
      findKey: (kid) => lookUp(directory, () => directory.signingKey(kid)),
    });
    const verified = { claims, caller: toCaller(claims) };
    if (cached.size >= TOKENS_MAX) cached.delete(cached.keys().next().value!);
    cached.set(token, verified);
    return verified;
  }

  /** Returns the problem of a verified token, if any. Checks what can change: expiry, application and revocation. */
  function problemOf({ iat, exp, jti, account_id }: Claims, application: Application | undefined): ProblemName | undefined {
    const nowMs = clock.now(account_id).getTime();
    if (exp <= Math.floor(nowMs / 1000)) return 'expiredAccessToken';
    // Issued while the account's sandbox clock was ahead, before it was reset.
    const isAhead = clock.aheadMs && iat * 1000 > nowMs + ISSUED_AHEAD_MAX_MS;
    return isAhead || !application || application.disabled || directory.isRevoked(jti) ? 'invalidAccessToken' : undefined;
  }

  return {
    async verify(token) {
      const found = cached.get(token) ?? (await verifySignature(token));
      const application = await lookUp(directory, () => directory.application(found.claims.client_id));
      const problem = problemOf(found.claims, application);
      if (problem) throw refuseToken(problem);
      return found;
    },
    verifyCached(token) {
      const found = cached.get(token);
      return found && !problemOf(found.claims, directory.application(found.claims.client_id)) ? found : undefined;
    },
  };
}

/** Returns the base URL of the service, which with PORT=0 is known only once it listens. */
export function issuerOf({ publicUrl }: Config): string {
  assert(publicUrl, 'the service listens before it issues or checks tokens');
  return publicUrl;
}
