// X.509 certificates of document signers and states (ICAO Doc 9303 part 12), and their revocation lists.
import { AsnConvert } from '@peculiar/asn1-schema';
import {
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  CertificateList,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_subjectKeyIdentifier,
  type Name,
  SubjectKeyIdentifier,
} from '@peculiar/asn1-x509';
import { requireBounded } from './der.ts';
import { type Signature, verifySignature } from './signature.ts';

const COUNTRY = '2.5.4.6';
/** A state revokes few document signers; the limit is far above. */
const CRL_ELEMENTS_MAX = 500_000;

/** Parses a certificate. Throws if it is none. */
export function readCertificate(der: Uint8Array): Certificate {
  requireBounded(der);
  return AsnConvert.parse(der, Certificate);
}

/** Parses a revocation list. Throws if it is none. */
export function readRevocationList(der: Uint8Array): CertificateList {
  requireBounded(der, { elements: CRL_ELEMENTS_MAX });
  return AsnConvert.parse(der, CertificateList);
}

/** A name in a form that can be compared: states write the same name in different encodings and cases. */
export function nameOf(name: Name): string {
  return [...name]
    .map((relative) =>
      [...relative].map(({ type, value }) => `${type}=${value.toString().trim().replace(/\s+/g, ' ').toLowerCase()}`).join('+'),
    )
    .join(',');
}

/** The two letters of a country in capitals, or of an organisation such as the United Nations. */
export function countryOf(name: Name): string | undefined {
  const found = [...name].flatMap((relative) => [...relative]).find(({ type }) => type === COUNTRY);
  return found?.value.toString().trim().toUpperCase();
}

export function serialOf({ tbsCertificate: { serialNumber } }: Certificate): Buffer {
  return Buffer.from(serialNumber);
}

export function keyIdOf({ tbsCertificate: { extensions = [] } }: Certificate): Buffer | undefined {
  const found = extensions.find(({ extnID }) => extnID === id_ce_subjectKeyIdentifier);
  return found && Buffer.from(AsnConvert.parse(found.extnValue.buffer, SubjectKeyIdentifier).buffer);
}

function authorityKeyIdOf({ tbsCertificate: { extensions = [] } }: Certificate): Buffer | undefined {
  const found = extensions.find(({ extnID }) => extnID === id_ce_authorityKeyIdentifier);
  const { keyIdentifier } = found ? AsnConvert.parse(found.extnValue.buffer, AuthorityKeyIdentifier) : {};
  return keyIdentifier && Buffer.from(keyIdentifier.buffer);
}

export function isAuthority({ tbsCertificate: { extensions = [] } }: Certificate): boolean {
  const found = extensions.find(({ extnID }) => extnID === id_ce_basicConstraints);
  return found !== undefined && AsnConvert.parse(found.extnValue.buffer, BasicConstraints).cA;
}

/** Whether a certificate names another as its issuer: by key, or by name if it names no key. */
export function namesIssuer(certificate: Certificate, issuer: Certificate): boolean {
  const wanted = authorityKeyIdOf(certificate);
  const keyId = keyIdOf(issuer);
  if (wanted && keyId) return wanted.equals(keyId);
  return nameOf(certificate.tbsCertificate.issuer) === nameOf(issuer.tbsCertificate.subject);
}

/** Verifies the signature of a certificate by the key of its issuer. */
export function verifyCertificate(
  { tbsCertificateRaw, signatureAlgorithm, signatureValue }: Certificate,
  issuer: Certificate,
): Signature {
  return verifySignature(issuer.tbsCertificate.subjectPublicKeyInfo, signatureAlgorithm, {
    data: new Uint8Array(tbsCertificateRaw!),
    signature: new Uint8Array(signatureValue),
  });
}

/** The first and the last day of validity, YYYY-MM-DD. */
export function validityOf({ tbsCertificate: { validity } }: Certificate): { from: string; until: string } {
  return { from: dayOf(validity.notBefore.getTime()), until: dayOf(validity.notAfter.getTime()) };
}

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}

type Revocation = { state: 'revoked' | 'current' | 'outdated' };

/** What the lists of an issuer say about a certificate; undefined if there is none. A list counts if the issuer has signed it. */
export function findRevocation(
  certificate: Certificate,
  issuer: Certificate,
  { lists, today }: { lists: CertificateList[]; today: string },
): Revocation | undefined {
  const own = lists.filter((list) => isListOf(list, issuer));
  const serial = serialOf(certificate);
  const isRevoked = own.some(({ tbsCertList: { revokedCertificates = [] } }) =>
    revokedCertificates.some(({ userCertificate }) => serial.equals(Buffer.from(userCertificate))),
  );
  if (isRevoked) return { state: 'revoked' };
  if (own.length === 0) return undefined;
  const isCurrent = own.some(({ tbsCertList: { nextUpdate } }) => !nextUpdate || dayOf(nextUpdate.getTime()) >= today);
  return { state: isCurrent ? 'current' : 'outdated' };
}

function isListOf({ tbsCertList, tbsCertListRaw, signatureAlgorithm, signature }: CertificateList, issuer: Certificate): boolean {
  if (countryOf(tbsCertList.issuer) !== countryOf(issuer.tbsCertificate.subject)) return false;
  return verifySignature(issuer.tbsCertificate.subjectPublicKeyInfo, signatureAlgorithm, {
    data: new Uint8Array(tbsCertListRaw!),
    signature: new Uint8Array(signature),
  }).holds;
}
