// EF.SOD, the security object of a chip (ICAO Doc 9303 part 10, section 4.6.2): hashes of the data groups in CMS SignedData (RFC 5652).
import { type Attribute, ContentInfo, SignedData, type SignerInfo } from '@peculiar/asn1-cms';
import { AsnConvert } from '@peculiar/asn1-schema';
import type { Certificate } from '@peculiar/asn1-x509';
import { keyIdOf, nameOf, serialOf } from './certificate.ts';
import { ChipDataError, elementsOf, firstElement, requireBounded, requireFile } from './der.ts';
import { digest, hashOf, type Signature, verifySignature } from './signature.ts';

/** `hashes`: by the number of the data group. */
export type SecurityObject = {
  hash: ReturnType<typeof hashOf>;
  hashes: Map<number, Uint8Array>;
  content: Uint8Array;
  contentType: string;
  signer: SignerInfo;
  /** As they were sent: the parser keeps no bytes of them. */
  signedAttributes: Uint8Array | undefined;
  certificates: Certificate[];
};

const SOD_TAG = 0x77;
const SIGNED_DATA = '1.2.840.113549.1.7.2';
const LDS_SECURITY_OBJECT = '2.23.136.1.1.1';
const CONTENT_TYPE = '1.2.840.113549.1.9.3';
const MESSAGE_DIGEST = '1.2.840.113549.1.9.4';
/** Signed attributes are sent with an implicit tag, and signed as a set (RFC 5652, section 5.4). */
const SIGNED_ATTRIBUTES_TAG = 0xa0;
const SET_TAG = 0x31;
const OID_TAG = 0x06;

/** Reads EF.SOD. Throws a ChipDataError, or an error of the parser, if it is not what the standard says. */
export function readSecurityObject(file: Uint8Array): SecurityObject {
  const { value } = requireFile(file, SOD_TAG, 'EF.SOD');
  requireBounded(value);
  const signed = readSignedData(value);
  if (signed.contentType !== LDS_SECURITY_OBJECT) throw new ChipDataError('EF.SOD does not sign the hashes of a chip.');
  requireBounded(signed.content);
  const [list] = elementsOf(signed.content);
  const [, algorithm, values] = elementsOf(list!.value);
  const hashes = new Map<number, Uint8Array>();
  for (const { value } of elementsOf(values!.value)) {
    const [number, hash] = elementsOf(value);
    const group = number!.value[0]!;
    if (hashes.has(group)) throw new ChipDataError(`EF.SOD has two hashes of data group ${group}.`);
    hashes.set(group, hash!.value);
  }
  return { ...signed, hash: hashOf(readOid(elementsOf(algorithm!.value)[0]!.raw)), hashes };
}

/** Reads CMS SignedData with one signer and its content. The caller has bounded it. */
export function readSignedData(bytes: Uint8Array): Omit<SecurityObject, 'hash' | 'hashes'> {
  const info = AsnConvert.parse(bytes, ContentInfo);
  if (info.contentType !== SIGNED_DATA) throw new ChipDataError('The data is not signed data.');
  const { encapContentInfo, certificates = [], signerInfos } = AsnConvert.parse(info.content, SignedData);
  const [signer] = signerInfos;
  const content = encapContentInfo.eContent?.single?.buffer;
  if (!signer || signerInfos.length > 1 || !content) throw new ChipDataError('The signed data needs one signer and its content.');
  return {
    content: new Uint8Array(content),
    contentType: encapContentInfo.eContentType,
    signer,
    signedAttributes: findSignedAttributes(bytes),
    certificates: [...certificates].flatMap(({ certificate }) => certificate ?? []),
  };
}

/** The signed attributes are the only element of a signer info with this tag, and the signer infos the last set of the signed data. */
function findSignedAttributes(bytes: Uint8Array): Uint8Array | undefined {
  const [, explicit] = elementsOf(firstElement(bytes).value);
  const signerInfos = elementsOf(firstElement(explicit!.value).value).at(-1)!;
  return elementsOf(firstElement(signerInfos.value).value).find(({ tag }) => tag === SIGNED_ATTRIBUTES_TAG)?.raw;
}

/** The certificate of the signer, which is in the signed data or nowhere. */
export function findSigner({
  signer: { sid },
  certificates,
}: Pick<SecurityObject, 'signer' | 'certificates'>): Certificate | undefined {
  const { issuerAndSerialNumber: named, subjectKeyIdentifier: keyId } = sid;
  return certificates.find((certificate) => {
    if (keyId) return keyIdOf(certificate)?.equals(Buffer.from(keyId.buffer));
    const { issuer } = certificate.tbsCertificate;
    return named && nameOf(named.issuer) === nameOf(issuer) && serialOf(certificate).equals(Buffer.from(named.serialNumber));
  });
}

/** Verifies the signature of the content by a certificate. The signed attributes name the type and the hash of the content. */
export function verifySigned(
  { signer, signedAttributes, content, contentType }: Omit<SecurityObject, 'hash' | 'hashes'>,
  by: Certificate,
): Signature {
  const { signedAttrs = [], signatureAlgorithm, signature } = signer;
  const hash = hashOf(signer.digestAlgorithm.algorithm);
  const [type, messageDigest] = [attributeOf(signedAttrs, CONTENT_TYPE), attributeOf(signedAttrs, MESSAGE_DIGEST)];
  if (!signedAttributes || !type || !messageDigest || !hash) {
    return { holds: false, name: 'a signature without the attributes of the standard', isWeak: false };
  }
  const data = Buffer.from(signedAttributes);
  data[0] = SET_TAG;
  const verified = verifySignature(by.tbsCertificate.subjectPublicKeyInfo, signatureAlgorithm, {
    data,
    signature: new Uint8Array(signature.buffer),
    hash,
  });
  const isOfContent = readOid(type.raw) === contentType && digest(hash, content).equals(messageDigest.value);
  return { ...verified, holds: verified.holds && isOfContent, isWeak: verified.isWeak || hash === 'sha1' };
}

function attributeOf(attributes: Attribute[], type: string) {
  const found = attributes.filter(({ attrType }) => attrType === type);
  const [value] = found[0]?.attrValues ?? [];
  return found.length === 1 && value ? elementsOf(new Uint8Array(value))[0] : undefined;
}

function readOid(raw: Uint8Array): string {
  if (raw[0] !== OID_TAG) throw new ChipDataError('The data lacks an object identifier.');
  const [first, ...rest] = elementsOf(raw)[0]!.value;
  const numbers = [Math.min(2, Math.floor(first! / 40)), first! - 40 * Math.min(2, Math.floor(first! / 40))];
  let number = 0;
  for (const byte of rest) {
    number = number * 0x80 + (byte & 0x7f);
    if ((byte & 0x80) === 0) [number] = [0, numbers.push(number)];
  }
  return numbers.join('.');
}
