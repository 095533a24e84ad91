// The authority: authenticates applications and issues, verifies and revokes their access tokens, mostly from memory.
import assert from 'node:assert/strict';
import { randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Database } from '../db/sql.ts';
import { type ProblemName, Refusal } from '../problems.ts';
import type { Sealer } from '../sealing.ts';
import { type Application, hashesOf, LIVE_SECRETS_MAX, noteSecretUse, type Scope, type Secret } from './application.ts';
import { openDirectory } from './directory.ts';
import { ensureSigningKey, type PublicJwk } from './signing-key.ts';
import { type Claims, refuseToken, signToken, verifyToken } from './token.ts';

/** The authenticated sender of a request. */
export type Caller = { accountId: string; applicationId: string; scopes: ReadonlySet<Scope> };

/** The credentials of a client: its id, and the possible readings of its secret. */
export type Credentials = { clientId: string; secrets: string[] };

/** The token response of RFC 6749 §5.1. */
type IssuedToken = { access_token: string; token_type: 'Bearer'; expires_in: number; scope: string };

export type Authority = {
  /** Returns the enabled application with this live secret, or undefined. Takes the same time whether the id or the secret is wrong. */
  authenticate(credentials: Credentials): Promise<Application | undefined>;
  /** Issues a token for TOKEN_TTL_SECONDS, or for `ttlSeconds` if that is shorter. */
  issue(application: Application, scopes: Scope[], ttlSeconds?: number): IssuedToken;
  /** Returns the caller of a token. Refuses with `invalidAccessToken` or `expiredAccessToken`. */
  verify(token: string): Promise<Caller>;
  /** Returns the caller of a valid token that was verified before, else undefined. Synchronous. */
  verifyCached(token: string): Caller | undefined;
  /** Returns the claims of a valid token, else undefined. */
  introspect(token: string): Promise<Claims | undefined>;
  /** Revokes a token: in this process immediately, in others within about a second. */
  revoke(claims: Claims): Promise<void>;
  /** Returns the public keys, newest first (RFC 7517 §5). */
  jwks(): { keys: PublicJwk[] };
  close(): Promise<void>;
};

type Verified = { claims: Claims; caller: Caller };

const VERIFIED_TOKENS_MAX = 10_000;
const LAST_USED_EVERY_MS = 60_000;
/** More than a clock correction: a token issued further ahead is from before a sandbox reset. */
const ISSUED_AHEAD_MAX_MS = 24 * 3_600_000;
// Compared if an application has fewer secrets or does not exist, to keep the time constant.
const NO_SECRET: Secret = { hash: randomBytes(32), expiresMs: 0, lastUsedMs: 0 };

/** Opens the authority on a migrated database. Creates the first signing key if there is none. */
export async function openAuthority(options: {
  config: Config;
  database: Database;
  sealer: Sealer;
  log: FastifyBaseLogger;
  clock: Clock;
}): Promise<Authority> {
  const { config, database, sealer, log, clock } = options;
  const now = (accountId: string) => clock.now(accountId).getTime();
  await ensureSigningKey(database, sealer);
  const directory = await openDirectory({ sql: database.sql, sealer, log });
  const verified = new Map<string, Verified>();

  /** Looks up in memory, and once more after reading changes from the database. */
  async function find<T>(inMemory: () => T | undefined): Promise<T | undefined> {
    const found = inMemory();
    if (found !== undefined) return found;
    await directory.refresh();
    return inMemory();
  }

  function match(clientId: string, hashes: Buffer[]): { application: Application; secret: Secret } | undefined {
    const application = directory.application(clientId);
    const secret = matchSecret(application?.secrets ?? [], hashes, clock.now(application?.accountId).getTime());
    return application && !application.disabled && secret ? { application, secret } : undefined;
  }

  /** Runs in the background, at most once a minute per secret: the request does not wait for it or fail with it. */
  function noteUse({ id, accountId }: Application, secret: Secret): void {
    const nowMs = now(accountId);
    if (nowMs - secret.lastUsedMs < LAST_USED_EVERY_MS) return;
    secret.lastUsedMs = nowMs;
    noteSecretUse(database.sql, id, secret).catch((error: unknown) =>
      log.debug({ err: error }, 'could not store the last use of a secret'),
    );
  }

  /** Verifies signature and claims once per token and caches the result. */
  async function verifySignature(token: string): Promise<Verified> {
    const claims = await verifyToken(token, {
      issuer: issuer(config),
      // The expiry by the account's clock is checked at every use.
      nowMs: clock.now().getTime(),
      findKey: (kid) => find(() => directory.signingKey(kid)),
    });
    const entry = { claims, caller: toCaller(claims) };
    if (verified.size >= VERIFIED_TOKENS_MAX) verified.delete(verified.keys().next().value!);
    verified.set(token, entry);
    return entry;
  }

  /** Returns the problem of a cached token, if any. Checks what can change: expiry, application and revocation. */
  function problemOf({ iat, exp, jti, account_id }: Claims, application: Application | undefined): ProblemName | undefined {
    const nowMs = now(account_id);
    if (exp <= Math.floor(nowMs / 1000)) return 'expiredAccessToken';
    // Issued while the account's sandbox clock was ahead, before it was reset.
    const isAhead = clock.aheadMs && iat * 1000 > nowMs + ISSUED_AHEAD_MAX_MS;
    return isAhead || !application || application.disabled || directory.isRevoked(jti) ? 'invalidAccessToken' : undefined;
  }

  async function check(token: string): Promise<Verified> {
    const found = verified.get(token) ?? (await verifySignature(token));
    const problem = problemOf(found.claims, await find(() => directory.application(found.claims.client_id)));
    if (problem) throw refuseToken(problem);
    return found;
  }

  return {
    async authenticate({ clientId, secrets }) {
      const hashes = secrets.flatMap((secret) => hashesOf(sealer, secret)).map(({ hash }) => hash);
      const found = await find(() => match(clientId, hashes));
      if (found) noteUse(found.application, found.secret);
      return found?.application;
    },
    issue(application, scopes, ttlSeconds = config.tokenTtlSeconds) {
      const expires_in = Math.min(ttlSeconds, config.tokenTtlSeconds);
      const iat = Math.floor(now(application.accountId) / 1000);
      const claims = claimsFor(application, scopes, { issuer: issuer(config), iat, exp: iat + expires_in });
      const access_token = signToken(claims, directory.signer());
      return { access_token, token_type: 'Bearer', expires_in, scope: claims.scope };
    },
    verify: async (token) => (await check(token)).caller,
    verifyCached(token) {
      const found = verified.get(token);
      return found && !problemOf(found.claims, directory.application(found.claims.client_id)) ? found.caller : undefined;
    },
    async introspect(token) {
      try {
        return (await check(token)).claims;
      } catch (error) {
        if (error instanceof Refusal) return undefined;
        throw error;
      }
    },
    revoke: (claims) => directory.revoke(claims),
    jwks: () => ({ keys: directory.signingKeys().map((key) => key.publicJwk) }),
    close: directory.close,
  };
}

/** Returns the base URL of the service, which with PORT=0 is known only once it listens. */
function issuer({ publicUrl }: Config): string {
  assert(publicUrl, 'the service listens before it issues or checks tokens');
  return publicUrl;
}

/** Returns the live secret that matches one of the hashes, in constant time. */
function matchSecret(secrets: Secret[], hashes: Buffer[], nowMs: number): Secret | undefined {
  let matched: Secret | undefined;
  for (let index = 0; index < LIVE_SECRETS_MAX; index++) {
    const secret = secrets[index] ?? NO_SECRET;
    for (const hash of hashes) if (timingSafeEqual(hash, secret.hash) && secret.expiresMs > nowMs) matched = secret;
  }
  return matched;
}

function claimsFor({ id, accountId }: Application, scopes: Scope[], token: { issuer: string; iat: number; exp: number }): Claims {
  const { issuer, iat, exp } = token;
  return {
    iss: issuer,
    sub: id,
    client_id: id,
    aud: issuer,
    iat,
    exp,
    jti: randomUUID(),
    scope: scopes.join(' '),
    account_id: accountId,
  };
}

function toCaller({ account_id, client_id, scope }: Claims): Caller {
  return { accountId: account_id, applicationId: client_id, scopes: new Set(scope.split(' ') as Scope[]) };
}
