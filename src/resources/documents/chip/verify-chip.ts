// Verifies the files of a chip (ICAO Doc 9303 parts 10 to 12): hashes of the data groups, signature, issuing state, validity, revocation.
import type { Certificate, CertificateList } from '@peculiar/asn1-x509';
import { readKnownLines } from '../../../../packages/document-reader/src/known-lines.ts';
import type { Read, Reading } from '../../../../packages/document-reader/src/reading.ts';
import type { Evidence, Part } from '../evidence/evidence.ts';
import {
  countryOf,
  findRevocation,
  isAuthority,
  namesIssuer,
  readCertificate,
  readRevocationList,
  validityOf,
  verifyCertificate,
} from './certificate.ts';
import type { ChipFiles } from './chip-files.ts';
import { isCountryOf } from './countries.ts';
import { type Holder, readHolder, readZoneLines } from './data-groups.ts';
import { firstElement } from './der.ts';
import { findSigner, readSecurityObject, type SecurityObject, verifySigned } from './security-object.ts';
import { digest } from './signature.ts';

/** Certificates and revocation lists of states, in DER, from the master lists that the operator imported. */
export type Trust = { authorities: Uint8Array[]; revocationLists: Uint8Array[] };
/** `holder`: from DG11. */
export type ChipReading = { reading: Reading; holder: Holder; evidence: Evidence };

type Group = Exclude<keyof ChipFiles, 'sod'>;

/**
 * Reads and verifies a chip. `today`: YYYY-MM-DD. Level `chip` needs every part but current revocation lists, `document` is the most
 * that SHA-1 and short keys give, and `text` that the zone can be read. Throws if a file is not what the standard says.
 */
export function verifyChip(files: ChipFiles, trust: Trust, today: string): ChipReading {
  const object = readSecurityObject(files.sod);
  const holder = files.dg11 ? readHolder(files.dg11) : {};
  const read = withCentury(readKnownLines(readZoneLines(files.dg1), today), holder);
  const signer = findSigner(object);
  const signed = signer && verifySigned(object, signer);
  const issued = signer && findIssuer(signer, trust.authorities);
  const names = [signed, issued?.signature].flatMap((found) => (found ? [found.name] : []));
  const isWeak = signed?.isWeak || issued?.signature.isWeak || object.hash === 'sha1';
  const required: Part[] = [
    dataPart(read),
    hashesPart(files, object),
    signaturePart(signer, signed?.holds),
    issuerPart(issued?.authority, read.fields.issuer),
    validityPart(signer, issued?.authority, today),
  ];
  const revocation = revocationPart(signer, issued?.authority, { lists: trust.revocationLists, today });
  const algorithms: Part = {
    name: 'algorithms',
    result: isWeak ? 'fails' : 'holds',
    text: `${isWeak ? 'Too weak to prove a signature today: one of ' : ''}${[...new Set(names), object.hash].join(', ')}.`,
  };
  const holds = required.every(({ result }) => result === 'holds') && revocation.result !== 'fails';
  const level = !holds ? (read.verified ? 'text' : 'none') : isWeak ? 'document' : 'chip';
  return { reading: read, holder, evidence: { level, parts: [...required, revocation, algorithms] } };
}

/** A zone has two digits of a year, and DG11 may have all four. */
function withCentury(read: Read & Reading, { dateOfBirth }: Holder): Read & Reading {
  const { dateOfBirth: later, earlierDateOfBirth: earlier } = read.fields;
  if (dateOfBirth === undefined || ![later, earlier].includes(dateOfBirth)) return read;
  return { ...read, fields: { ...read.fields, dateOfBirth, earlierDateOfBirth: undefined } };
}

function dataPart({ verified, checks }: Read): Part {
  const failed = checks.filter(({ passed }) => !passed).map(({ name }) => name);
  const text = verified ? 'The check digits of DG1 hold.' : `Checks of DG1 that fail: ${failed.join(', ')}.`;
  return { name: 'data', result: verified ? 'holds' : 'fails', text };
}

function hashesPart(files: ChipFiles, { hash, hashes }: SecurityObject): Part {
  const groups = (Object.keys(files) as (keyof ChipFiles)[]).filter((name): name is Group => name !== 'sod');
  const changed = groups.filter((name) => {
    const expected = hashes.get(Number(name.slice(2)));
    return !hash || !expected || !digest(hash, withoutPadding(files[name]!)).equals(expected);
  });
  const list = (names: string[]) => names.join(', ').toUpperCase();
  return changed.length === 0
    ? { name: 'dataGroups', result: 'holds', text: `The hashes of ${list(groups)} are those that were signed.` }
    : { name: 'dataGroups', result: 'fails', text: `The hashes of ${list(changed)} are not those that were signed.` };
}

function signaturePart(signer: Certificate | undefined, holds: boolean | undefined): Part {
  const name = 'signature';
  if (!signer) return { name, result: 'unknown', text: 'EF.SOD lacks the certificate of its document signer.' };
  return holds
    ? { name, result: 'holds', text: 'The document signer signed the hashes.' }
    : { name, result: 'fails', text: 'The signature of the document signer does not hold.' };
}

type Issued = { authority: Certificate; signature: ReturnType<typeof verifyCertificate> };

/** The authority that signed a document signer. A state may have several with one name. */
function findIssuer(signer: Certificate, authorities: Uint8Array[]): Issued | undefined {
  if (isAuthority(signer)) return undefined;
  for (const der of authorities) {
    const authority = readCertificate(der);
    if (!namesIssuer(signer, authority) || !isAuthority(authority)) continue;
    const signature = verifyCertificate(signer, authority);
    if (signature.holds) return { authority, signature };
  }
  return undefined;
}

function issuerPart(authority: Certificate | undefined, issuer: string): Part {
  const name = 'issuer';
  if (!authority) {
    return { name, result: 'fails', text: 'No authority of the imported master lists signed the document signer.' };
  }
  const country = countryOf(authority.tbsCertificate.subject);
  return isCountryOf(issuer, country)
    ? { name, result: 'holds', text: `The authority of ${country} in the master list signed the document signer.` }
    : { name, result: 'fails', text: `The authority is of ${country ?? 'no country'}, and the document of ${issuer}.` };
}

function validityPart(signer: Certificate | undefined, authority: Certificate | undefined, today: string): Part {
  const name = 'validity';
  const found = [signer, authority].filter((certificate) => certificate !== undefined);
  if (found.length < 2) return { name, result: 'unknown', text: 'There is no chain whose validity could be tested.' };
  const validities = found.map(validityOf);
  const [ended, future] = [validities.find(({ until }) => until < today), validities.find(({ from }) => from > today)];
  if (ended) return { name, result: 'fails', text: `A certificate expired on ${ended.until}.` };
  if (future) return { name, result: 'fails', text: `A certificate begins on ${future.from} only.` };
  return { name, result: 'holds', text: 'The certificates of the chain are within their validity.' };
}

function revocationPart(
  signer: Certificate | undefined,
  authority: Certificate | undefined,
  { lists, today }: { lists: Uint8Array[]; today: string },
): Part {
  const name = 'revocation';
  const parsed: CertificateList[] = lists.map(readRevocationList);
  const found = signer && authority && findRevocation(signer, authority, { lists: parsed, today });
  if (!found) return { name, result: 'unknown', text: 'No revocation list of the authority was imported.' };
  if (found.state === 'revoked') return { name, result: 'fails', text: 'The state has revoked the document signer.' };
  return found.state === 'current'
    ? { name, result: 'holds', text: 'The current revocation list does not have the document signer.' }
    : { name, result: 'unknown', text: 'The newest revocation list is out of date. It does not have the document signer.' };
}

/** A file as it was hashed: apps may send the zeros behind its end. */
function withoutPadding(file: Uint8Array): Uint8Array {
  return firstElement(file).raw;
}
