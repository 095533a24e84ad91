// The authority: authenticates applications and issues, verifies and revokes their access tokens, mostly from memory.
import { randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '../../core/clock.ts';
import { Refusal } from '../../core/problems.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Database } from '../../platform/db/sql.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import { type Application, hashesOf, LIVE_SECRETS_MAX, noteSecretUse, type Scope, type Secret } from './application.ts';
import { lookUp, openDirectory } from './directory.ts';
import { ensureSigningKey, type PublicJwk } from './signing-key.ts';
import { type Caller, type Claims, signToken } from './token.ts';
import { issuerOf, openVerifiedTokens } from './verified-tokens.ts';

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

type Options = { config: Config; database: Database; sealer: Sealer; log: FastifyBaseLogger; clock: Clock };

const LAST_USED_EVERY_MS = 60_000;
// Compared if an application has fewer secrets or does not exist, to keep the time constant.
const NO_SECRET: Secret = { hash: randomBytes(32), expiresMs: 0, lastUsedMs: 0 };

/** Opens the authority on a migrated database. Creates the first signing key if there is none. */
export async function openAuthority(options: Options): Promise<Authority> {
  const { config, database, sealer, log, clock } = options;
  await ensureSigningKey(database, sealer);
  const directory = await openDirectory({ sql: database.sql, sealer, log });
  const tokens = openVerifiedTokens({ config, directory, clock });

  function match(clientId: string, hashes: Buffer[]): { application: Application; secret: Secret } | undefined {
    const application = directory.application(clientId);
    const secret = matchSecret(application?.secrets ?? [], hashes, clock.now(application?.accountId).getTime());
    return application && !application.disabled && secret ? { application, secret } : undefined;
  }

  return {
    async authenticate({ clientId, secrets }) {
      const hashes = secrets.flatMap((secret) => hashesOf(sealer, secret)).map(({ hash }) => hash);
      const found = await lookUp(directory, () => match(clientId, hashes));
      if (found) noteUse(options, found.application, found.secret);
      return found?.application;
    },
    issue(application, scopes, ttlSeconds = config.tokenTtlSeconds) {
      const expires_in = Math.min(ttlSeconds, config.tokenTtlSeconds);
      const iat = Math.floor(clock.now(application.accountId).getTime() / 1000);
      const claims = claimsFor(application, scopes, { issuer: issuerOf(config), iat, exp: iat + expires_in });
      const access_token = signToken(claims, directory.signer());
      return { access_token, token_type: 'Bearer', expires_in, scope: claims.scope };
    },
    verify: async (token) => (await tokens.verify(token)).caller,
    verifyCached: (token) => tokens.verifyCached(token)?.caller,
    async introspect(token) {
      try {
        return (await tokens.verify(token)).claims;
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

/** Stores the last use of a secret in the background, at most once a minute: the request does not wait for it or fail with it. */
function noteUse({ database, log, clock }: Options, { id, accountId }: Application, secret: Secret): void {
  const nowMs = clock.now(accountId).getTime();
  if (nowMs - secret.lastUsedMs < LAST_USED_EVERY_MS) return;
  secret.lastUsedMs = nowMs;
  noteSecretUse(database.sql, id, secret).catch((error: unknown) =>
    log.debug({ err: error }, 'could not store the last use of a secret'),
  );
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
