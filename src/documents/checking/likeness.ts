// Likenesses: finds other people's documents of an account with the same picture or the same document number.
import type { Sql } from '../../db/sql.ts';
import type { Mac, Sealer } from '../../sealing.ts';
import type { Document } from '../document.ts';
import type { Reading } from '../reader/reading.ts';

/** A document of another person of the account. */
export type Likeness = { kind: 'picture' | 'number'; documentId: string; subjectId: string };

type Trait = { hash: Buffer; fingerprint: bigint | null };
type Subject = Pick<Document, 'id' | 'accountId' | 'customerId' | 'ownerId'>;

/** Fingerprints that differ in at most this many of their 64 bits are of the same picture. */
const DISTANCE_MAX = 7;
/** With one band more than bits that may differ, at least one band of both fingerprints is equal. */
const BANDS = DISTANCE_MAX + 1;
const FINGERPRINT_BITS = 64;
const BAND_BITS = FINGERPRINT_BITS / BANDS;
/** Shorter numbers occur more than once. */
const NUMBER_LENGTH_MIN = 5;
/** A blank picture has the fingerprint of any other blank picture. */
const BITS_SET = { min: 8, max: 56 };
const FOUND_MAX = 20;

/** Stores the traits of a document, and then returns its likenesses: of two concurrent checks at least one finds the other. */
export async function findLikenesses(
  sql: Sql,
  sealer: Sealer,
  document: Subject,
  reading: Reading,
  now: Date,
): Promise<Likeness[]> {
  const { accountId, id } = document;
  const subjectId = subjectOf(document);
  const keyed = traitsByKey(sealer, accountId, reading);
  for (const { hash, fingerprint } of keyed[0] ?? []) {
    await sql`
      insert into document_trait (account_id, hash, document_id, subject_id, fingerprint, created)
      values (${accountId}, ${hash}, ${id}, ${subjectId}, ${fingerprint === null ? null : toBytes(fingerprint)}, ${now})
      on conflict do nothing`;
  }
  const traits = keyed.flat();
  const rows = await sql<{ documentId: string; subjectId: string; hash: Buffer; fingerprint: Buffer | null }>`
    select document_id, subject_id, hash, fingerprint from document_trait
    where account_id = ${accountId} and hash = any(${traits.map(({ hash }) => hash)}) and subject_id <> ${subjectId}`;
  const found = new Map<string, Likeness>();
  for (const row of rows) {
    const own = traits.find(({ hash }) => hash.equals(row.hash))!;
    if (own.fingerprint !== null && distance(own.fingerprint, row.fingerprint!.readBigUInt64BE()) > DISTANCE_MAX) continue;
    const kind = own.fingerprint === null ? 'number' : 'picture';
    found.set(`${kind} ${row.documentId}`, { kind, documentId: row.documentId, subjectId: row.subjectId });
  }
  const others = await listOtherNumbers(sql, accountId, traits, [...found.values()]);
  return [...found.values()].filter(({ kind, documentId }) => kind === 'number' || !others.has(documentId)).slice(0, FOUND_MAX);
}

/** The documents that have another verified number: passports of one layout look alike, and are not the same picture. */
async function listOtherNumbers(sql: Sql, accountId: string, traits: Trait[], found: Likeness[]): Promise<Set<string>> {
  const numbers = traits.filter(({ fingerprint }) => fingerprint === null).map(({ hash }) => hash);
  if (numbers.length === 0) return new Set();
  const rows = await sql<{ documentId: string }>`
    select document_id from document_trait
    where account_id = ${accountId} and document_id = any(${found.map(({ documentId }) => documentId)})
      and fingerprint is null and hash <> all(${numbers})`;
  return new Set(rows.map(({ documentId }) => documentId));
}

function subjectOf({ ownerId, customerId }: Subject): string {
  return ownerId ?? customerId;
}

/** The traits under each key, newest first: documents that were checked before a key rotation have those of an older key. */
function traitsByKey(sealer: Sealer, accountId: string, reading: Reading): Trait[][] {
  const fingerprint = BigInt(`0x${reading.fingerprint}`);
  const set = bitsOf(fingerprint);
  const masks = set >= BITS_SET.min && set <= BITS_SET.max ? sealer.macs('document picture', accountId) : [];
  const pictures = masks.map(({ hash }) => {
    const masked = fingerprint ^ hash.readBigUInt64BE();
    return Array.from({ length: BANDS }, (_, band) => ({ hash: bandHash(hash, band, masked), fingerprint: masked }));
  });
  const numbers = numberMacs(sealer, accountId, reading).map(({ hash }) => [{ hash, fingerprint: null }]);
  return sealer.keyIds.map((_, key) => [...(pictures[key] ?? []), ...(numbers[key] ?? [])]);
}

/** One band of a masked fingerprint, in the account's key space. */
function bandHash(mask: Buffer, band: number, masked: bigint): Buffer {
  const bits = Number((masked >> BigInt(band * BAND_BITS)) & ((1n << BigInt(BAND_BITS)) - 1n));
  return Buffer.concat([mask.subarray(8, 16), Buffer.of(band, bits)]);
}

function numberMacs(sealer: Sealer, accountId: string, reading: Reading): Mac[] {
  if (reading.kind === 'none' || !reading.verified) return [];
  const { issuer, documentNumber } = reading.fields;
  if (documentNumber.length < NUMBER_LENGTH_MIN) return [];
  return sealer.macs('document number', `${accountId} ${issuer} ${documentNumber}`);
}

function distance(one: bigint, other: bigint): number {
  return bitsOf(one ^ other);
}

function bitsOf(value: bigint): number {
  return value.toString(2).replaceAll('0', '').length;
}

function toBytes(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(value);
  return bytes;
}
