// Signing keys: Ed25519 key pairs of access tokens and webhooks. The newest published key signs, all keys verify.
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import type { JWK_OKP_Public } from 'jose';
import type { Database, Sql } from '../../platform/db/sql.ts';
import { KeyError, type Sealer } from '../../platform/keys/sealing.ts';
import { sealingContext } from './manifest.ts';

export type SigningKey = {
  /** The RFC 7638 thumbprint. */
  kid: string;
  /** Its entry in the JWK set (RFC 7517, RFC 8037). */
  publicJwk: PublicJwk;
  publicKey: KeyObject;
  /** A KeyError if this process lacks the encryption key: it can then verify, but not sign. */
  privateKey: KeyObject | KeyError;
  created: Date;
};

export type Signer = { kid: string; privateKey: KeyObject };

export type PublicJwk = { kty: 'OKP'; crv: string; x: string; kid: string; use: 'sig'; alg: typeof ALGORITHM };

/** The name in RFC 8037. Client libraries support it, unlike the `Ed25519` of RFC 9864. */
export const ALGORITHM = 'EdDSA';

const CURVE = 'Ed25519';
/** How long a key is published before it signs: longer than processes and verifiers cache keys. */
const LEAD_MS = 10 * 60_000;
/** How long a key is kept after it stops signing: longer than the longest token lifetime. */
const KEEP_MS = 25 * 3_600_000 + LEAD_MS;
const DAY_MS = 24 * 3_600_000;
/** How many keys sign a webhook. */
const WEBHOOK_KEYS_MAX = 2;

/** Creates the first key if there is none. Concurrent processes wait for the table lock, so that only one creates it. */
export async function ensureSigningKey(database: Database, sealer: Sealer): Promise<void> {
  if (await hasSigningKey(database.sql)) return;
  await database.transaction(async (tx) => {
    await tx`lock table signing_key in share row exclusive mode`;
    if (!(await hasSigningKey(tx))) await createSigningKey(tx, sealer);
  });
}

/** Returns whether there is a signing key. Every service creates one when it first starts on a database. */
export async function hasSigningKey(sql: Sql): Promise<boolean> {
  return (await sql`select kid from signing_key limit 1`).length > 0;
}

/**
 * Creates a new key if the newest is `everyDays` old, or `now`. Removes keys that were replaced longer ago than a token can live.
 * Uses the clock of the database. Concurrent processes create only one key. `also`: more work in the transaction.
 */
export async function rotateSigningKeys(
  database: Database,
  sealer: Sealer,
  when: { everyDays: number } | 'now',
  also?: (tx: Sql) => Promise<void>,
): Promise<{ made: number; removed: number }> {
  return database.transaction(async (tx) => {
    await tx`lock table signing_key in share row exclusive mode`;
    const [newest] = await tx<{ ageMs: number }>`
      select (extract(epoch from now() - max(created)) * 1000)::float8 as age_ms from signing_key`;
    const due = when === 'now' || !newest || newest.ageMs >= when.everyDays * DAY_MS;
    if (due) await createSigningKey(tx, sealer);
    const removed = await tx`
      delete from signing_key k
      where exists (select from signing_key n where n.created > k.created and n.created < now() - ${KEEP_MS} * interval '1 ms')
      returning kid`;
    await also?.(tx);
    return { made: due ? 1 : 0, removed: removed.length };
  });
}

/** Lists all signing keys without their private parts, newest first. */
export async function listSigningKeys(sql: Sql): Promise<{ kid: string; created: Date; state: 'next' | 'signs' | 'verifies' }[]> {
  const rows = await sql<{
    kid: string;
    created: Date;
    now: Date;
  }>`select kid, created, now() from signing_key order by created desc`;
  const signs = rows.indexOf(bySigningPreference(rows, rows[0]?.now.getTime() ?? 0)[0]!);
  return rows.map(({ kid, created }, index) => ({
    kid,
    created,
    state: index < signs ? 'next' : index === signs ? 'signs' : 'verifies',
  }));
}

/** Lists the ids of all signing keys. */
export async function listKids(sql: Sql): Promise<Set<string>> {
  const rows = await sql<{ kid: string }>`select kid from signing_key`;
  return new Set(rows.map(({ kid }) => kid));
}

/** Lists the keys created since a time of the database clock. */
export async function listNewSigningKeys(sql: Sql, sealer: Sealer, since: Date): Promise<SigningKey[]> {
  const rows = await sql<Row>`select kid, public_jwk, private_jwk, created from signing_key where created >= ${since}`;
  return rows.map((row) => ({
    kid: row.kid,
    publicJwk: row.publicJwk,
    publicKey: createPublicKey({ key: row.publicJwk, format: 'jwk' }),
    privateKey: openPrivateKey(sealer, row),
    created: row.created,
  }));
}

/**
 * Returns the newest key that this process can sign with and that was published long enough (else the oldest).
 * `nowMs` is by the clock of the database. Throws a KeyError if the process lacks the encryption key of every signing key.
 */
export function chooseSigner(newestFirst: SigningKey[], nowMs: number): Signer {
  let missing: KeyError | undefined;
  for (const { kid, privateKey } of bySigningPreference(newestFirst, nowMs)) {
    if (!(privateKey instanceof KeyError)) return { kid, privateKey };
    missing ??= privateKey;
  }
  throw missing ?? new Error('there is no signing key');
}

/**
 * Lists the private keys that sign webhooks, newest first: the key of tokens, and while it exists the one before, so that a receiver has
 * a day to learn of the new one. Empty if no service was started on the database yet. Throws a KeyError as `chooseSigner` does.
 */
export async function listWebhookSigners(sql: Sql, sealer: Sealer): Promise<KeyObject[]> {
  const [row] = await sql<{ now: Date }>`select now() as now`;
  const keys = await listNewSigningKeys(sql, sealer, new Date(0));
  if (keys.length === 0) return [];
  const newestFirst = keys.sort((a, b) => b.created.getTime() - a.created.getTime());
  const first = newestFirst.findIndex(({ kid }) => kid === chooseSigner(newestFirst, row!.now.getTime()).kid);
  return newestFirst
    .slice(first)
    .flatMap(({ privateKey }) => (privateKey instanceof KeyError ? [] : [privateKey]))
    .slice(0, WEBHOOK_KEYS_MAX);
}

/** The public key as receivers of webhooks write it (Standard Webhooks): `whpk_` and its 32 bytes in base64. */
export function webhookPublicKey({ x }: Pick<PublicJwk, 'x'>): string {
  return `whpk_${Buffer.from(x, 'base64url').toString('base64')}`;
}

/** Orders keys by preference for signing: those published long enough, newest first; then all, oldest first. */
function bySigningPreference<Key extends { created: Date }>(newestFirst: Key[], nowMs: number): Key[] {
  const published = newestFirst.filter(({ created }) => created.getTime() <= nowMs - LEAD_MS);
  return [...published, ...newestFirst.toReversed()];
}

type Row = { kid: string; publicJwk: PublicJwk; privateJwk: Buffer; created: Date };

async function createSigningKey(tx: Sql, sealer: Sealer): Promise<void> {
  // Most processes find a key.
  const { calculateJwkThumbprint, exportJWK, generateKeyPair } = await import('jose');
  const pair = await generateKeyPair(ALGORITHM, { crv: CURVE, extractable: true });
  const { x } = (await exportJWK(pair.publicKey)) as JWK_OKP_Public;
  const kid = await calculateJwkThumbprint({ kty: 'OKP', crv: CURVE, x });
  const publicJwk: PublicJwk = { kty: 'OKP', crv: CURVE, x, kid, use: 'sig', alg: ALGORITHM };
  const privateJwk = sealer.seal(JSON.stringify(await exportJWK(pair.privateKey)), sealingContext({ id: kid }));
  await tx`
    insert into signing_key (kid, public_jwk, private_jwk, created) values (${kid}, ${publicJwk}, ${privateJwk}, now())`;
}

function openPrivateKey(sealer: Sealer, row: Row): KeyObject | KeyError {
  try {
    return createPrivateKey({
      key: JSON.parse(sealer.open(row.privateJwk, sealingContext({ id: row.kid })).toString()),
      format: 'jwk',
    });
  } catch (error) {
    if (error instanceof KeyError) return error;
    throw error;
  }
}
