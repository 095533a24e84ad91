// Likenesses: finds other people's documents of an account with the same picture, number, or name and birth date.
import type { Reading } from '../../../../packages/document-reader/src/reading.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import type { Mac, Sealer } from '../../../platform/keys/sealing.ts';
import { readNameOf } from '../comparison/read-name.ts';
import type { Document } from '../document.ts';

/** A document of another person of the account. `person`: with the same name and birth date, and another number. */
export type Likeness = { kind: 'picture' | 'number' | 'person'; documentId: string; subjectId: string };

type Trait = { kind: Likeness['kind']; hash: Buffer; fingerprint: Buffer | null };
type Subject = Pick<Document, 'id' | 'accountId' | 'customerId' | 'ownerId'>;

/** Fingerprints that differ in at most this many of their 256 bits are of the same picture. */
const DISTANCE_MAX = 20;
/** Pictures are compared if a band of 16 bits is equal: always up to 15 different bits, and with 20 in 99 of 100 cases. */
const BANDS = 16;
const FINGERPRINT_BYTES = 32;
const BAND_BYTES = FINGERPRINT_BYTES / BANDS;
/** Shorter numbers occur more than once. */
const NUMBER_LENGTH_MIN = 5;
/** A blank picture has the fingerprint of any other blank picture. */
const BITS_SET = { min: 32, max: 224 };
const FOUND_MAX = 20;
const SPACE_BYTES = 8;

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
      values (${accountId}, ${hash}, ${id}, ${subjectId}, ${fingerprint}, ${now})
      on conflict do nothing`;
  }
  const traits = keyed.flat();
  const rows = await sql<{ documentId: string; subjectId: string; hash: Buffer; fingerprint: Buffer | null }>`
    select document_id, subject_id, hash, fingerprint from document_trait
    where account_id = ${accountId} and hash = any(${traits.map(({ hash }) => hash)}) and subject_id <> ${subjectId}`;
  const found = new Map<string, Likeness>();
  for (const row of rows) {
    const own = traits.find(({ hash }) => hash.equals(row.hash))!;
    if (own.fingerprint !== null && bitsOf(xor(own.fingerprint, row.fingerprint!)) > DISTANCE_MAX) continue;
    found.set(`${own.kind} ${row.documentId}`, { kind: own.kind, documentId: row.documentId, subjectId: row.subjectId });
  }
  return [...found.values()]
    .filter(({ kind, documentId }) => kind !== 'person' || !found.has(`number ${documentId}`))
    .slice(0, FOUND_MAX);
}

function subjectOf({ ownerId, customerId }: Subject): string {
  return ownerId ?? customerId;
}

/** The traits under each key, newest first: documents that were checked before a key rotation have those of an older key. */
function traitsByKey(sealer: Sealer, accountId: string, reading: Reading): Trait[][] {
  const fingerprint = Buffer.from(reading.fingerprint, 'hex');
  const set = bitsOf(fingerprint);
  const isPicture = set >= BITS_SET.min && set <= BITS_SET.max;
  const masks = isPicture ? sealer.macs('document picture', accountId) : [];
  const spaces = isPicture ? sealer.macs('document picture band', accountId) : [];
  const pictures = masks.map(({ hash }, key) => {
    const masked = xor(fingerprint, hash);
    const space = spaces[key]!.hash.subarray(0, SPACE_BYTES);
    const bands = Array.from({ length: BANDS }, (_, band) => bandHash(space, band, masked));
    return bands.map((hash) => ({ kind: 'picture' as const, hash, fingerprint: masked }));
  });
  const plain = (kind: Likeness['kind'], macs: Mac[]) => macs.map(({ hash }): Trait[] => [{ kind, hash, fingerprint: null }]);
  const numbers = plain('number', numberMacs(sealer, accountId, reading));
  const people = plain('person', personMacs(sealer, accountId, reading));
  return sealer.keyIds.map((_, key) => [pictures, numbers, people].flatMap((traits) => traits[key] ?? []));
}

/** One band of a masked fingerprint, in the account's key space. */
function bandHash(space: Buffer, band: number, masked: Buffer): Buffer {
  return Buffer.concat([space, Buffer.of(band), masked.subarray(band * BAND_BYTES, (band + 1) * BAND_BYTES)]);
}

function numberMacs(sealer: Sealer, accountId: string, reading: Reading): Mac[] {
  if (reading.kind === 'none' || !reading.verified) return [];
  const { issuer, documentNumber } = reading.fields;
  if (documentNumber.length < NUMBER_LENGTH_MIN) return [];
  return sealer.macs('document number', `${accountId} ${issuer} ${documentNumber}`);
}

/** By the spelling that a zone has, and the first given name: documents of one person leave out the others. */
function personMacs(sealer: Sealer, accountId: string, reading: Reading): Mac[] {
  if (reading.kind === 'none' || !reading.verified) return [];
  const [{ surname, givenNames }] = readNameOf(reading);
  const { dateOfBirth } = reading.fields;
  const [first] = givenNames.words;
  if (surname.words.length === 0 || first === undefined || dateOfBirth === undefined) return [];
  return sealer.macs('document person', [accountId, ...surname.words, first, dateOfBirth].join(' '));
}

function xor(one: Buffer, other: Buffer): Buffer {
  return Buffer.from(one.map((byte, at) => byte ^ other[at]!));
}

function bitsOf(bytes: Buffer): number {
  return BigInt(`0x${bytes.toString('hex')}`)
    .toString(2)
    .replaceAll('0', '').length;
}
