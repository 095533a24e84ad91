// The authority: knows applications by their secrets, and issues, checks and ends their access tokens, without the database on the way.
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

/** Who makes a request. */
export type Caller = { accountId: string; applicationId: string; scopes: ReadonlySet<Scope> };

/** What a client shows: its id, and its secret in each way that what it sent can be read. */
export type Credentials = { clientId: string; secrets: string[] };

/** The answer of RFC 6749 §5.1. */
export type IssuedToken = { access_token: string; token_type: 'Bearer'; expires_in: number; scope: string };

export type Authority = {
  /** The enabled application whose live secret this is, or undefined; which of them is wrong takes the same work. */
  authenticate(credentials: Credentials): Promise<Application | undefined>;
  /** Issues a token for TOKEN_TTL_SECONDS, or for fewer seconds where `ttlSeconds` says so. */
  issue(application: Application, scopes: Scope[], ttlSeconds?: number): IssuedToken;
  /** Who a token stands for. Refuses with `invalidAccessToken` or `expiredAccessToken`. */
  verify(token: string): Promise<Caller>;
  /** The same at once, or undefined where `verify` has something to wait for or to refuse. */
  known(token: string): Caller | undefined;
  /** The claims of a token that `verify` would take, else undefined. */
  introspect(token: string): Promise<Claims | undefined>;
  /** Ends a token here at once, in every other process within a second or so. */
  revoke(claims: Claims): Promise<void>;
  /** The keys tokens are verified with, newest first (RFC 7517 §5). */
  jwks(): { keys: PublicJwk[] };
  close(): Promise<void>;
};

type Verified = { claims: Claims; caller: Caller };

const VERIFIED_TOKENS_MAX = 10_000;
const LAST_USED_EVERY_MS = 60_000;
/** More than any clock is set back. */
const ISSUED_AHEAD_MAX_MS = 24 * 3_600_000;
// Compared where an application has fewer secrets or does not exist, so that the work is the same.
const NO_SECRET: Secret = { hash: randomBytes(32), expiresMs: 0, lastUsedMs: 0 };

/** Opens the authority of a migrated database; makes the first signing key when there is none. */
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

  /** Finds in memory, or else once more after reading what changed. */
  async function find<T>(inMemory: () => T | undefined): Promise<T | undefined> {
    const found = inMemory();
    if (found !== undefined) return found;
    await directory.lookAgain();
    return inMemory();
  }

  function match(clientId: string, hashes: Buffer[]): { application: Application; secret: Secret } | undefined {
    const application = directory.application(clientId);
    const secret = matchSecret(application?.secrets ?? [], hashes, clock.now(application?.accountId).getTime());
    return application && !application.disabled && secret ? { application, secret } : undefined;
  }

  /** Written on the side, and at most once a minute: the request does not wait for it, nor fail with it. */
  function noteUse({ id, accountId }: Application, secret: Secret): void {
    const nowMs = now(accountId);
    if (nowMs - secret.lastUsedMs < LAST_USED_EVERY_MS) return;
    secret.lastUsedMs = nowMs;
    noteSecretUse(database.sql, id, secret).catch((error: unknown) => log.debug({ err: error }, 'use of a secret not noted'));
  }

  /** A token of ours by its signature and claims, remembered so that they are checked once. */
  async function recognize(token: string): Promise<Verified> {
    const claims = await verifyToken(token, {
      issuer: issuer(config),
      // What an account's own clock says of it is checked at every use.
      nowMs: clock.now().getTime(),
      findKey: (kid) => find(() => directory.signingKey(kid)),
    });
    const made = { claims, caller: toCaller(claims) };
    if (verified.size >= VERIFIED_TOKENS_MAX) verified.delete(verified.keys().next().value!);
    verified.set(token, made);
    return made;
  }

  /** With what a token that was recognized is refused now. What can change is looked at again at every use. */
  function fault({ iat, exp, jti, account_id }: Claims, application: Application | undefined): ProblemName | undefined {
    const nowMs = now(account_id);
    if (exp <= Math.floor(nowMs / 1000)) return 'expiredAccessToken';
    // Issued while the account's clock was ahead, before a reset put it back.
    const isAhead = clock.aheadMs && iat * 1000 > nowMs + ISSUED_AHEAD_MAX_MS;
    return isAhead || !application || application.disabled || directory.isRevoked(jti) ? 'invalidAccessToken' : undefined;
  }

  async function check(token: string): Promise<Verified> {
    const found = verified.get(token) ?? (await recognize(token));
    const problem = fault(found.claims, await find(() => directory.application(found.claims.client_id)));
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
    known(token) {
      const found = verified.get(token);
      return found && !fault(found.claims, directory.application(found.claims.client_id)) ? found.caller : undefined;
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

/** The base URL of the service: known once it listens, when PORT is 0. */
function issuer({ publicUrl }: Config): string {
  assert(publicUrl, 'the service listens before it issues or checks tokens');
  return publicUrl;
}

/** The live secret that has one of the hashes. The work is the same whatever is wrong with them. */
function matchSecret(secrets: Secret[], hashes: Buffer[], nowMs: number): Secret | undefined {
  let matched: Secret | undefined;
  for (let place = 0; place < LIVE_SECRETS_MAX; place++) {
    const secret = secrets[place] ?? NO_SECRET;
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
