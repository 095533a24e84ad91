// Reads files that states publish: master lists (.ml), revocation lists (.crl), zip archives of them, and LDIF of the public key directory.
import { unzipSync } from 'fflate';
import { UserError } from '../../../core/user-error.ts';
import {
  countryOf,
  isAuthority,
  nameOf,
  readCertificate,
  readRevocationList,
  validityOf,
  verifyCertificate,
} from '../chip/certificate.ts';
import { ChipDataError, elementsOf, requireBounded } from '../chip/der.ts';
import { findSigner, readSignedData, verifySigned } from '../chip/security-object.ts';

/** `content`: DER. `validUntil`: YYYY-MM-DD. */
type StateCertificate = { country: string; validUntil: string; content: Uint8Array };
/** `issuer`: the name by which lists of one issuer replace each other. */
export type StateRevocations = {
  country: string;
  issuer: string;
  updated: Date;
  nextUpdate: Date | undefined;
  content: Uint8Array;
};
/** `signer`: the authority that certified the signer of the list. `signed`: when, if the list says so. */
export type MasterList = { signer: string; signed: Date | undefined; content: Uint8Array; certificates: StateCertificate[] };
export type TrustFile = { lists: MasterList[]; revocations: StateRevocations[] };

const MASTER_LIST = '2.23.136.1.1.2';
const SIGNING_TIME = '1.2.840.113549.1.9.5';
/** All states together have some hundred authorities, with some ten elements each. */
const ELEMENTS_MAX = 1_000_000;
const FILES_MAX = 100;
const FILE_BYTES_MAX = 200 * 1024 * 1024;
const ZIP = 'PK\x03\x04';
const SEQUENCE = 0x30;
const ATTRIBUTES = {
  CscaMasterListData: 'list',
  pkdMasterListContent: 'list',
  certificateRevocationList: 'revocations',
} as const;

/** Reads a file of any of these kinds. Throws a UserError if it has neither a master list nor a revocation list. */
export function readTrustFile(file: Uint8Array): TrustFile {
  const found: TrustFile = { lists: [], revocations: [] };
  for (const der of partsOf(Buffer.from(file))) {
    const list = attempt(() => readMasterList(der));
    if (list) found.lists.push(list);
    else found.revocations.push(...(attempt(() => [readRevocations(der)]) ?? []));
  }
  if (found.lists.length + found.revocations.length === 0) {
    throw new UserError('The file has no master list and no revocation list that can be read.');
  }
  return found;
}

/** The error of a parser says nothing that helps; that of a list which is not signed as it should be does. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof UserError) throw error;
    return undefined;
  }
}

function partsOf(file: Buffer): Uint8Array[] {
  if (file.length > FILE_BYTES_MAX) throw new UserError('The file is too large for a master list.');
  if (file.toString('latin1', 0, ZIP.length) === ZIP) return unzip(file).flatMap((entry) => partsOf(Buffer.from(entry)));
  return file[0] === SEQUENCE ? [file] : readLdif(file.toString('latin1'));
}

function unzip(file: Buffer): Uint8Array[] {
  let [files, bytes] = [0, 0];
  const entries = unzipSync(file, {
    filter({ originalSize, name }) {
      bytes += originalSize;
      if (++files > FILES_MAX || bytes > FILE_BYTES_MAX) throw new UserError('The archive is too large for master lists.');
      return !name.endsWith('/') && !name.toLowerCase().endsWith('.zip');
    },
  });
  return Object.values(entries);
}

/** Values in base64 go on in lines that begin with a space (RFC 2849). */
function readLdif(text: string): Uint8Array[] {
  const lines = text.replaceAll(/\r?\n /g, '').split(/\r?\n/);
  return lines.flatMap((line) => {
    const { name, base64 } = /^(?<name>[A-Za-z]+)(?:;binary)?:: (?<base64>\S+)$/.exec(line)?.groups ?? {};
    return name && base64 && name in ATTRIBUTES ? [Buffer.from(base64, 'base64')] : [];
  });
}

/** The signer of a master list is certified by an authority that is in the list (ICAO Doc 9303 part 12, section 9). */
function readMasterList(der: Uint8Array): MasterList {
  requireBounded(der, { elements: ELEMENTS_MAX });
  const signed = readSignedData(der);
  if (signed.contentType !== MASTER_LIST) throw new ChipDataError('The data is not a master list.');
  requireBounded(signed.content, { elements: ELEMENTS_MAX });
  const [list] = elementsOf(signed.content);
  const [, set] = elementsOf(list!.value);
  const contents = elementsOf(set!.value).map(({ raw }) => raw);
  const signer = findSigner(signed);
  if (!signer || !verifySigned(signed, signer).holds) {
    throw new UserError('The signature of the master list does not hold. Get the file again from its publisher.');
  }
  const authorities = [...contents.map(readCertificate), ...signed.certificates].filter(isAuthority);
  const authority = authorities.find((issuer) => verifyCertificate(signer, issuer).holds);
  if (!authority) throw new UserError('The master list is signed by somebody whom no authority in the list has certified.');
  const certificates = contents.flatMap((content) => {
    const certificate = readCertificate(content);
    const country = countryOf(certificate.tbsCertificate.subject);
    if (!country || !isAuthority(certificate)) return [];
    return [{ country, validUntil: validityOf(certificate).until, content: Uint8Array.from(content) }];
  });
  return {
    signer: nameOf(authority.tbsCertificate.subject),
    signed: signingTimeOf(signed),
    content: der,
    certificates,
  };
}

function signingTimeOf({ signer: { signedAttrs = [] } }: ReturnType<typeof readSignedData>): Date | undefined {
  const value = signedAttrs.find(({ attrType }) => attrType === SIGNING_TIME)?.attrValues[0];
  const text = value && Buffer.from(elementsOf(new Uint8Array(value))[0]!.value).toString('latin1');
  const [, year, rest] = /^(\d{2}|\d{4})(\d{10})Z$/.exec(text ?? '') ?? [];
  if (!year || !rest) return undefined;
  const full = year.length === 4 ? year : `${Number(year) < 50 ? '20' : '19'}${year}`;
  const [month, day, hour, minute, second] = rest.match(/../g)!;
  const time = new Date(`${full}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(time.getTime()) ? undefined : time;
}

function readRevocations(der: Uint8Array): StateRevocations {
  const { issuer, thisUpdate, nextUpdate } = readRevocationList(der).tbsCertList;
  const country = countryOf(issuer);
  if (!country) throw new ChipDataError('The issuer of the revocation list has no country.');
  return { country, issuer: nameOf(issuer), updated: thisUpdate.getTime(), nextUpdate: nextUpdate?.getTime(), content: der };
}
