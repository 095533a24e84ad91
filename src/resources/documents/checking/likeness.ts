// Likenesses: finds other people's documents of an account with the same picture, portrait, number, or name and birth date.
import { SAME_BITS_MAX } from '../../../../packages/document-reader/src/fingerprint.ts';
import type { Reading } from '../../../../packages/document-reader/src/reading.ts';
import type { Database, Sql } from '../../../platform/db/sql.ts';
import type { Mac, Sealer } from '../../../platform/keys/sealing.ts';
import { readNameOf } from '../comparison/read-name.ts';
import type { Document } from '../document.ts';
import { lockContent } from '../subject.ts';

/**
 * A document of another person of the account. `picture`: the whole page is alike, and the portrait if both have one. `portrait`: the
 * portrait is alike, and the page is not. `person`: with the same name and birth date, and another number.
 */
export type Likeness = { kind: Part | 'number' | 'person'; documentId: string; subjectId: string };

/** What has a fingerprint. */
type Part = 'picture' | 'portrait';
type Trait = { kind: Part; hash: Buffer; fingerprint: Buffer } | { kind: 'number' | 'person'; hash: Buffer; fingerprint: null };
type Subject = Pick<Document, 'bucket' | 'id' | 'accountId' | 'customerId' | 'ownerId'>;

/** Fingerprints are compared if a band of 16 bits is equal: always up to 15 different bits, and with 20 in 99 of 100 cases. */
const BANDS = 16;
const FINGERPRINT_BYTES = 32;
const BAND_BYTES = FINGERPRINT_BYTES / BANDS;
/** Shorter numbers occur more than once. */
const NUMBER_LENGTH_MIN = 5;
/** A blank picture has the fingerprint of any other blank picture. */
const BITS_SET = { min: 32, max: 224 };
const FOUND_MAX = 20;
const SPACE_BYTES = 8;

/**
 * Stores the traits of a document unless its content is erased, and then returns its likenesses: of two concurrent checks at least one
 * finds the other.
 */
export async function findLikenesses(
  { sql, transaction }: Database,
  sealer: Sealer,
  document: Subject,
  reading: Reading,
  now: Date,
): Promise<Likeness[]> {
  const { accountId, id } = document;
  const subjectId = subjectOf(document);
  const keyed = traitsByKey(sealer, accountId, reading);
  await transaction(async (tx) => {
    if (!(await lockContent(tx, document))) return;
    for (const { hash, fingerprint } of keyed[0] ?? [])
      await tx`
        insert into document_trait (account_id, hash, document_id, subject_id, fingerprint, created)
        values (${accountId}, ${hash}, ${id}, ${subjectId}, ${fingerprint}, ${now})
        on conflict do nothing`;
  });
  const traits = keyed.flat();
  const rows = await sql<{ documentId: string; subjectId: string; hash: Buffer; fingerprint: Buffer | null }>`
    select document_id, subject_id, hash, fingerprint from document_trait
    where account_id = ${accountId} and hash = any(${traits.map(({ hash }) => hash)}) and subject_id <> ${subjectId}`;
  const found = new Map<string, Likeness>();
  for (const row of rows) {
    const own = traits.find(({ hash }) => hash.equals(row.hash))!;
    if (own.fingerprint !== null && !isAlike(own.fingerprint, row.fingerprint!)) continue;
    found.set(`${own.kind} ${row.documentId}`, { kind: own.kind, documentId: row.documentId, subjectId: row.subjectId });
  }
  for (const documentId of await findOtherPortraits(sql, accountId, traits, [...found.values()]))
    found.delete(`picture ${documentId}`);
  const has = (kind: Likeness['kind'], documentId: string) => found.has(`${kind} ${documentId}`);
  return [...found.values()]
    .filter(({ kind, documentId }) => kind !== 'person' || !has('number', documentId))
    .filter(({ kind, documentId }) => kind !== 'portrait' || !has('picture', documentId))
    .slice(0, FOUND_MAX);
}

/** The documents with a like page that have another portrait: in flat scans of one layout, all pages are alike. */
async function findOtherPortraits(sql: Sql, accountId: string, traits: Trait[], found: Likeness[]): Promise<string[]> {
  const ids = found.filter(({ kind }) => kind === 'picture').map(({ documentId }) => documentId);
  // Each band has the whole fingerprint: the first one is enough.
  const own = traits.filter(({ kind, hash }) => kind === 'portrait' && hash[SPACE_BYTES] === 0);
  if (ids.length === 0 || own.length === 0) return [];
  const prefixOf = (hash: Buffer) => hash.subarray(0, SPACE_BYTES + 1);
  const rows = await sql<{ documentId: string; hash: Buffer; fingerprint: Buffer | null }>`
    select document_id, hash, fingerprint from document_trait
    where account_id = ${accountId} and document_id = any(${ids})
      and substring(hash for ${SPACE_BYTES + 1}) = any(${own.map(({ hash }) => prefixOf(hash))})`;
  return rows
    .filter((row) => {
      const { fingerprint } = own.find(({ hash }) => prefixOf(hash).equals(prefixOf(row.hash)))!;
      return !isAlike(fingerprint!, row.fingerprint!);
    })
    .map(({ documentId }) => documentId);
}

function isAlike(one: Buffer, other: Buffer): boolean {
  return bitsOf(xor(one, other)) <= SAME_BITS_MAX;
}

function subjectOf({ ownerId, customerId }: Subject): string {
  return ownerId ?? customerId;
}

/** The traits under each key, newest first: documents that were checked before a key rotation have those of an older key. */
function traitsByKey(sealer: Sealer, accountId: string, reading: Reading): Trait[][] {
  const pictures = partTraits(sealer, accountId, 'picture', reading.fingerprint);
  const portraits = reading.portrait === undefined ? [] : partTraits(sealer, accountId, 'portrait', reading.portrait);
  const plain = (kind: 'number' | 'person', macs: Mac[]) => macs.map(({ hash }): Trait[] => [{ kind, hash, fingerprint: null }]);
  const numbers = plain('number', numberMacs(sealer, accountId, reading));
  const people = plain('person', personMacs(sealer, accountId, reading));
  return sealer.keyIds.map((_, key) => [portraits, pictures, numbers, people].flatMap((traits) => traits[key] ?? []));
}

/** The bands of a fingerprint, masked, under each key; none of a blank picture. */
function partTraits(sealer: Sealer, accountId: string, part: Part, digits: string): Trait[][] {
  const fingerprint = Buffer.from(digits, 'hex');
  const set = bitsOf(fingerprint);
  if (set < BITS_SET.min || set > BITS_SET.max) return [];
  const spaces = sealer.macs(`document ${part} band`, accountId);
  return sealer.macs(`document ${part}`, accountId).map(({ hash }, key) => {
    const masked = xor(fingerprint, hash);
    const space = spaces[key]!.hash.subarray(0, SPACE_BYTES);
    const bands = Array.from({ length: BANDS }, (_, band) => bandHash(space, band, masked));
    return bands.map((hash) => ({ kind: part, hash, fingerprint: masked }));
  });
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
