// Signing keys: Ed25519 key pairs that sign access tokens; the newest signs, all verify.
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK_OKP_Public } from 'jose';
import type { Database, Sql } from '../db/sql.ts';
import { KeyError, type Sealer } from '../sealing.ts';

export type SigningKey = {
  /** The RFC 7638 thumbprint. */
  kid: string;
  /** As the JWK set shows it (RFC 7517, RFC 8037). */
  publicJwk: PublicJwk;
  publicKey: KeyObject;
  /** An error where this process lacks the encryption key: then it can verify, but not sign. */
  privateKey: KeyObject | KeyError;
  created: Date;
};

export type Signer = { kid: string; privateKey: KeyObject };

export type PublicJwk = { kty: 'OKP'; crv: string; x: string; kid: string; use: 'sig'; alg: typeof ALGORITHM };

/** RFC 8037's name: client libraries know it, unlike the `Ed25519` of RFC 9864. */
export const ALGORITHM = 'EdDSA';

const CURVE = 'Ed25519';
/** How long a key is published before it signs: longer than other processes and verifiers keep the keys they read. */
const LEAD_MS = 10 * 60_000;
/** How long one is kept that signs no more: longer than any token lives. */
const KEEP_MS = 25 * 3_600_000 + LEAD_MS;
const DAY_MS = 24 * 3_600_000;

/** Makes the first key when there is none. Two processes at once: one makes it, the other waits and finds it. */
export async function ensureSigningKey(database: Database, sealer: Sealer): Promise<void> {
  if (await hasSigningKey(database.sql)) return;
  await database.transaction(async (tx) => {
    await tx`lock table signing_key in share row exclusive mode`;
    if (!(await hasSigningKey(tx))) await makeSigningKey(tx, sealer);
  });
}

/** Whether a service has been started on the database: its first act is to make a signing key. */
export async function hasSigningKey(sql: Sql): Promise<boolean> {
  return (await sql`select kid from signing_key limit 1`).length > 0;
}

/**
 * Makes a new key when the newest is so many days old, or `now`; removes those that a newer one has followed for longer than their
 * tokens live. By the clock of the database. Two processes at once: one makes it.
 */
export async function rotateSigningKeys(
  database: Database,
  sealer: Sealer,
  when: { everyDays: number } | 'now',
): Promise<{ made: number; removed: number }> {
  return database.transaction(async (tx) => {
    await tx`lock table signing_key in share row exclusive mode`;
    const [newest] = await tx<{ ageMs: number }>`
      select (extract(epoch from now() - max(created)) * 1000)::float8 as "ageMs" from signing_key`;
    const due = when === 'now' || !newest || newest.ageMs >= when.everyDays * DAY_MS;
    if (due) await makeSigningKey(tx, sealer);
    const removed = await tx`
      delete from signing_key k
      where exists (select from signing_key n where n.created > k.created and n.created < now() - ${KEEP_MS} * interval '1 ms')
      returning kid`;
    return { made: due ? 1 : 0, removed: removed.length };
  });
}

/** Every signing key there is, without what is secret, newest first. */
export async function listSigningKeys(sql: Sql): Promise<{ kid: string; created: Date; state: 'next' | 'signs' | 'verifies' }[]> {
  const rows = await sql<{
    kid: string;
    created: Date;
    now: Date;
  }>`select kid, created, now() from signing_key order by created desc`;
  const signs = rows.indexOf(inOrderOfSigning(rows, rows[0]?.now.getTime() ?? 0)[0]!);
  return rows.map(({ kid, created }, place) => ({
    kid,
    created,
    state: place < signs ? 'next' : place === signs ? 'signs' : 'verifies',
  }));
}

/** The ids of all signing keys. */
export async function listKids(sql: Sql): Promise<Set<string>> {
  const rows = await sql<{ kid: string }>`select kid from signing_key`;
  return new Set(rows.map(({ kid }) => kid));
}

/** Every key made since a time of the database. */
export async function listNewSigningKeys(sql: Sql, sealer: Sealer, since: Date): Promise<SigningKey[]> {
  const rows = await sql<Row>`select kid, public_jwk, private_jwk, created from signing_key where created >= ${since}`;
  return rows.map((row) => ({
    kid: row.kid,
    publicJwk: row.public_jwk,
    publicKey: createPublicKey({ key: row.public_jwk, format: 'jwk' }),
    privateKey: openPrivateKey(sealer, row),
    created: row.created,
  }));
}

/**
 * The newest key that this process can sign with and that everybody knows by now (before that the oldest).
 * `nowMs` by the clock of the database. Throws the KeyError when it lacks the encryption keys of all.
 */
export function chooseSigner(newestFirst: SigningKey[], nowMs: number): Signer {
  let missing: KeyError | undefined;
  for (const { kid, privateKey } of inOrderOfSigning(newestFirst, nowMs)) {
    if (!(privateKey instanceof KeyError)) return { kid, privateKey };
    missing ??= privateKey;
  }
  throw missing ?? new Error('there is no signing key');
}

/** Which key is to sign, and which instead where that cannot: those that everybody knows, the newest first; then from the oldest on. */
function inOrderOfSigning<Key extends { created: Date }>(newestFirst: Key[], nowMs: number): Key[] {
  const known = newestFirst.filter(({ created }) => created.getTime() <= nowMs - LEAD_MS);
  return [...known, ...newestFirst.toReversed()];
}

type Row = { kid: string; public_jwk: PublicJwk; private_jwk: Buffer; created: Date };

async function makeSigningKey(tx: Sql, sealer: Sealer): Promise<void> {
  const pair = await generateKeyPair(ALGORITHM, { crv: CURVE, extractable: true });
  const { x } = (await exportJWK(pair.publicKey)) as JWK_OKP_Public;
  const kid = await calculateJwkThumbprint({ kty: 'OKP', crv: CURVE, x });
  const publicJwk: PublicJwk = { kty: 'OKP', crv: CURVE, x, kid, use: 'sig', alg: ALGORITHM };
  const privateJwk = sealer.seal(JSON.stringify(await exportJWK(pair.privateKey)), contextOf(kid));
  await tx`
    insert into signing_key (kid, public_jwk, private_jwk, created) values (${kid}, ${publicJwk}, ${privateJwk}, now())`;
}

function openPrivateKey(sealer: Sealer, row: Row): KeyObject | KeyError {
  try {
    return createPrivateKey({ key: JSON.parse(sealer.open(row.private_jwk, contextOf(row.kid)).toString()), format: 'jwk' });
  } catch (error) {
    if (error instanceof KeyError) return error;
    throw error;
  }
}

function contextOf(kid: string): string {
  return `signing_key:${kid}`;
}
