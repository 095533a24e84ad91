// The authority: authenticates applications and issues, verifies and revokes their access tokens, mostly from memory.
import { randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '../../core/clock.ts';
import { Refusal } from '../../core/problems.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Database } from '../../platform/db/sql.ts';
import { createAddressPolicy } from '../../platform/http/address-policy.ts';
import { openSender } from '../../platform/http/send.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import { type Application, hashesOf, LIVE_SECRETS_MAX, noteSecretUse, type Secret } from './application.ts';
import { noteKeyUse } from './application-key.ts';
import { type Assertion, openAssertions } from './assertion.ts';
import { type Bindings, openBindings } from './binding.ts';
import { openCertificates } from './certificate.ts';
import type { ClientKey } from './client-key.ts';
import type { CustomerDetails } from './customer-token.ts';
import { lookUp, openDirectory } from './directory.ts';
import { openNonces } from './nonce.ts';
import { OAuthError } from './oauth-error.ts';
import { openProofs } from './proof.ts';
import { openRemoteKeys } from './remote-keys.ts';
import { openReplays } from './replays.ts';
import { openRequestSignatures, type RequestSignatures } from './request-signature.ts';
import type { Scope } from './scope.ts';
import { ensureSigningKey, type PublicJwk } from './signing-key.ts';
import { type Caller, type Claims, type Cnf, signToken } from './token.ts';
import { issuerOf, openVerifiedTokens } from './verified-tokens.ts';

/** The credentials of a client: its id, and the possible readings of its secret. */
export type Credentials = { clientId: string; secrets: string[] };

/** The token response of RFC 6749 §5.1. */
type IssuedToken = {
  access_token: string;
  token_type: 'Bearer' | 'DPoP';
  expires_in: number;
  scope: string;
  authorization_details?: [CustomerDetails];
};

/** `ttlSeconds`: shorter than TOKEN_TTL_SECONDS. `cnf`: what the token is bound to. `details`: the one customer that it is for. */
type Terms = { ttlSeconds?: number; cnf?: Cnf | undefined; details?: CustomerDetails | undefined };

export type Authority = {
  /**
   * Returns the enabled application with this live secret, or with the key that signed this assertion; else undefined. Takes the same time
   * whether the id or the secret is wrong, and whether the id or the signature is. Refuses a signed assertion with the claim that is wrong.
   */
  authenticate(credentials: Credentials | Assertion): Promise<Application | undefined>;
  /** Issues a token. */
  issue(application: Application, scopes: Scope[], terms?: Terms): IssuedToken;
  /** Returns the caller of a token. Refuses with `invalidAccessToken` or `expiredAccessToken`. */
  verify(token: string): Promise<Caller>;
  /** Returns the caller of a valid token that was verified before, else undefined. Synchronous. */
  verifyCached(token: string): Caller | undefined;
  /** Returns the claims of a valid token, else undefined. */
  introspect(token: string): Promise<Claims | undefined>;
  /**
   * Returns the claims of a token that the service signed, else undefined. It may be refused for now, by the clock of a sandbox or by what
   * its application requires, and valid again later.
   */
  signedClaims(token: string): Promise<Claims | undefined>;
  /** Revokes a token: in this process immediately, in others within about a second. */
  revoke(claims: Claims): Promise<void>;
  /** What tokens are bound to. */
  bindings: Bindings;
  requestSignatures: RequestSignatures;
  /** Returns the public keys, newest first (RFC 7517 §5). */
  jwks(): { keys: PublicJwk[] };
  close(): Promise<void>;
};

type Options = { config: Config; database: Database; sealer: Sealer; log: FastifyBaseLogger; clock: Clock };

const LAST_USED_EVERY_MS = 60_000;
const KEY_SET_TIMEOUT_MS = 5_000;
/** A failed assertion is answered after this time: without verifying or reading keys, an unknown client would be answered sooner. */
const FAILED_MIN_MS = 500;
// Compared if an application has fewer secrets or does not exist, to keep the time constant.
const NO_SECRET: Secret = { hash: randomBytes(32), expiresMs: 0, lastUsedMs: 0 };

/** Opens the authority on a migrated database. Creates the first signing key if there is none. */
export async function openAuthority(options: Options): Promise<Authority> {
  const { config, database, sealer, log, clock } = options;
  await ensureSigningKey(database, sealer);
  const directory = await openDirectory({ sql: database.sql, sealer, log });
  const tokens = openVerifiedTokens({ config, directory, clock });
  const replays = openReplays({ sql: database.sql, clock, keptMax: config.usedProofsMax });
  const sender = openSender(createAddressPolicy(config), { timeoutMs: KEY_SET_TIMEOUT_MS });
  const issuer = () => issuerOf(config);
  const remoteKeys = openRemoteKeys(sender, log);
  const assertions = openAssertions({ issuer, clock, replays, remoteKeys });
  const nonces = config.dpopNonce === 'required' ? openNonces({ sealer, clock }) : undefined;
  const proofs = openProofs({ issuer, clock, replays, nonces });
  const bindings = openBindings({ proofs, nonces, certificateOf: openCertificates(config) });
  const noteKey = openKeyUses(options);
  const requestSignatures = openRequestSignatures({ issuer, clock, directory, replays, remoteKeys, noteKey });

  function match(clientId: string, hashes: Buffer[]): { application: Application; secret: Secret } | undefined {
    const application = directory.application(clientId);
    const secret = matchSecret(application?.secrets ?? [], hashes, clock.now(application?.accountId).getTime());
    return application && !application.disabled && secret ? { application, secret } : undefined;
  }

  async function bySecret({ clientId, secrets }: Credentials): Promise<Application | undefined> {
    const hashes = secrets.flatMap((secret) => hashesOf(sealer, secret)).map(({ hash }) => hash);
    const found = await lookUp(directory, () => match(clientId, hashes));
    if (!found) return undefined;
    if (found.application.isSecretForbidden)
      throw new OAuthError('invalid_client', 'The application must authenticate with its key.');
    noteUse(options, found.application, found.secret);
    return found.application;
  }

  async function byKey({ clientId, assertion }: Assertion): Promise<Application | undefined> {
    const startMs = performance.now();
    const application = directory.application(clientId);
    const found = await proven(application, assertion);
    if (found) return found;
    // Another process may just have stored the application or its key.
    await directory.refresh();
    const changed = directory.application(clientId);
    const foundLate = changed === application ? undefined : await proven(changed, assertion);
    if (!foundLate) await sleep(Math.max(startMs + FAILED_MIN_MS - performance.now(), 0));
    return foundLate;
  }

  async function proven(application: Application | undefined, assertion: string): Promise<Application | undefined> {
    if (!application || application.disabled) return undefined;
    const key = await assertions.verify(application, assertion);
    if (key) noteKey(application, key);
    return key && application;
  }

  return {
    authenticate: (credentials) => ('assertion' in credentials ? byKey(credentials) : bySecret(credentials)),
    issue(application, scopes, { ttlSeconds = config.tokenTtlSeconds, cnf, details } = {}) {
      const expires_in = Math.min(ttlSeconds, config.tokenTtlSeconds);
      const iat = Math.floor(clock.now(application.accountId).getTime() / 1000);
      const claims = claimsFor(application, scopes, { issuer: issuerOf(config), iat, exp: iat + expires_in, cnf, details });
      const access_token = signToken(claims, directory.signer());
      const token_type = cnf?.jkt ? 'DPoP' : 'Bearer';
      return { access_token, token_type, expires_in, scope: claims.scope, ...(details && { authorization_details: [details] }) };
    },
    verify: async (token) => (await tokens.verify(token)).caller,
    verifyCached: (token) => tokens.verifyCached(token)?.caller,
    introspect: async (token) => (await unlessRefused(tokens.verify(token)))?.claims,
    signedClaims: (token) => unlessRefused(tokens.signedClaims(token)),
    revoke: (claims) => directory.revoke(claims),
    bindings,
    requestSignatures,
    jwks: () => ({ keys: directory.signingKeys().map((key) => key.publicJwk) }),
    async close() {
      sender.close();
      await directory.close();
    },
  };
}

/** Returns what was read of a token, or undefined if the token is refused. */
async function unlessRefused<T>(reading: Promise<T>): Promise<T | undefined> {
  return reading.catch((error: unknown) => {
    if (error instanceof Refusal && error.problem !== 'unavailable') return undefined;
    throw error;
  });
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

/** Stores the last use of a key in the background, as of a secret. */
function openKeyUses({ database, log, clock }: Options): (application: Application, key: ClientKey) => void {
  const noted = new WeakMap<ClientKey, number>();
  return ({ id, accountId }, key) => {
    const used = clock.now(accountId);
    if (used.getTime() - (noted.get(key) ?? 0) < LAST_USED_EVERY_MS) return;
    noted.set(key, used.getTime());
    noteKeyUse(database.sql, id, { thumbprint: key.thumbprint, used }).catch((error: unknown) =>
      log.debug({ err: error }, 'could not store the last use of a key'),
    );
  };
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

function claimsFor(
  { id, accountId }: Application,
  scopes: Scope[],
  token: { issuer: string; iat: number; exp: number; cnf: Cnf | undefined; details: CustomerDetails | undefined },
): Claims {
  const { issuer, iat, exp, cnf, details } = token;
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
    ...(cnf && { cnf }),
    ...(details && { authorization_details: [details] }),
  };
}
