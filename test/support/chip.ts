// Makes states, document signers and chips for tests (ICAO Doc 9303 parts 10 and 12): every part can be made wrong.
import { constants, createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { checkDigit } from '../../packages/document-reader/src/zone-layout.ts';
import { bits, der, integer, NULL, octets, oid, sequence, set, timeOf } from './der.ts';

export type HashName = keyof typeof HASH_OIDS;
/** `curve`: ECDSA. Otherwise RSA with PKCS #1, or PSS. `explicit`: the key has the parameters of its curve instead of its name. */
export type Algorithm = { curve?: string; explicit?: boolean; bits?: number; pss?: boolean; pssKey?: boolean; hash: HashName };
type Keys = { publicKey: KeyObject; privateKey: KeyObject };
export type Authority = { keys: Keys; algorithm: Algorithm; name: Buffer; keyId: Buffer; certificate: Buffer };

const HASH_OIDS = {
  sha1: '1.3.14.3.2.26',
  sha224: '2.16.840.1.101.3.4.2.4',
  sha256: '2.16.840.1.101.3.4.2.1',
  sha384: '2.16.840.1.101.3.4.2.2',
  sha512: '2.16.840.1.101.3.4.2.3',
} as const;
const RSA_OIDS = { sha1: 5, sha224: 14, sha256: 11, sha384: 12, sha512: 13 };
const ECDSA_OIDS = { sha1: '1', sha224: '3.1', sha256: '3.2', sha384: '3.3', sha512: '3.4' };
const SHA256: Algorithm = { curve: 'brainpoolP256r1', hash: 'sha256' };
/** Made once in a process: RSA keys take long. */
const keyPairs = new Map<string, Keys>();

function keysOf({ curve, explicit = false, bits: modulusLength = 2048, pss, pssKey, hash }: Algorithm, label: string): Keys {
  const id = JSON.stringify([curve, explicit, modulusLength, pssKey && [pss, hash], label]);
  const known = keyPairs.get(id);
  if (known) return known;
  const made = curve
    ? generateKeyPairSync('ec', { namedCurve: curve, paramEncoding: explicit ? 'explicit' : 'named' })
    : pssKey
      ? (generateKeyPairSync as (type: string, options: object) => Keys)('rsa-pss', {
          modulusLength,
          hashAlgorithm: hash,
          mgf1HashAlgorithm: hash,
          saltLength: 32,
        })
      : generateKeyPairSync('rsa', { modulusLength });
  keyPairs.set(id, made);
  return made;
}

const hashIdentifier = (hash: HashName) => sequence(oid(HASH_OIDS[hash]), NULL);

function identifierOf({ curve, pss, hash }: Algorithm): Buffer {
  if (curve) return sequence(oid(`1.2.840.10045.4.${ECDSA_OIDS[hash]}`));
  if (!pss) return sequence(oid(`1.2.840.113549.1.1.${RSA_OIDS[hash]}`), NULL);
  const mask = sequence(oid('1.2.840.113549.1.1.8'), hashIdentifier(hash));
  const parameters = [der(0xa0, hashIdentifier(hash)), der(0xa1, mask), der(0xa2, integer(32))];
  return sequence(oid('1.2.840.113549.1.1.10'), sequence(...parameters));
}

function signBy({ privateKey }: Keys, { pss, hash }: Algorithm, data: Buffer): Buffer {
  return sign(hash, data, pss ? { key: privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 } : privateKey);
}

export function nameOf(country: string, commonName: string, tag = 0x13): Buffer {
  const part = (type: string, text: string, stringTag: number) => set(sequence(oid(type), der(stringTag, text)));
  return sequence(part('2.5.4.6', country, 0x13), part('2.5.4.10', 'Government', tag), part('2.5.4.3', commonName, tag));
}

const extension = (type: string, value: Buffer, critical = false) =>
  sequence(oid(type), ...(critical ? [der(0x01, Buffer.of(0xff))] : []), octets(value));

type CertificateForm = {
  subject: Buffer;
  issuer: Buffer;
  keys: Keys;
  extensions: Buffer[];
  validity: [from: string, until: string];
  serial?: Buffer;
  /** Instead of the public key: what nobody can have signed by. */
  key?: Buffer | undefined;
};

function certify(
  { subject, issuer, keys, extensions, validity, serial, key }: CertificateForm,
  by: { keys: Keys; algorithm: Algorithm },
): Buffer {
  const tbs = sequence(
    der(0xa0, integer(2)),
    integer(serial ?? randomBytes(8)),
    identifierOf(by.algorithm),
    issuer,
    sequence(...validity.map(timeOf)),
    subject,
    key ?? keys.publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions)),
  );
  return sequence(tbs, identifierOf(by.algorithm), bits(signBy(by.keys, by.algorithm, tbs)));
}

const keyIdOf = (keys: Keys) =>
  createHash('sha1')
    .update(keys.publicKey.export({ type: 'spki', format: 'der' }))
    .digest();
const isCa = (ca: boolean) => extension('2.5.29.19', sequence(...(ca ? [der(0x01, Buffer.of(0xff))] : [])), true);
const ownKeyId = (keyId: Buffer) => extension('2.5.29.14', octets(keyId));
const issuerKeyId = (keyId: Buffer) => extension('2.5.29.35', sequence(der(0x80, keyId)));

type AuthorityOptions = { country?: string; algorithm?: Algorithm; validity?: [string, string]; label?: string; ca?: boolean };

/** The country signing authority of a state, self-signed. */
export function makeAuthority({
  country = 'DE',
  algorithm = SHA256,
  validity = ['2020-01-01', '2040-01-01'],
  label = 'csca',
  ca = true,
}: AuthorityOptions = {}): Authority {
  const keys = keysOf(algorithm, `${label} ${country}`);
  const [name, keyId] = [nameOf(country, `csca ${label}`), keyIdOf(keys)];
  const extensions = [isCa(ca), ownKeyId(keyId)];
  const certificate = certify({ subject: name, issuer: name, keys, extensions, validity }, { keys, algorithm });
  return { keys, algorithm, name, keyId, certificate };
}

export type SignerOptions = {
  algorithm?: Algorithm;
  validity?: [string, string];
  /** The issuer's name in another encoding, as states write it. */
  issuerName?: Buffer;
  /** Without it, the issuer is found by name. */
  keyId?: false;
  isAuthority?: true;
  serial?: Buffer;
  key?: Buffer;
  extension?: Buffer;
};
export type Signer = { keys: Keys; algorithm: Algorithm; certificate: Buffer; issuer: Buffer; serial: Buffer; keyId: Buffer };

export function makeSigner(authority: Authority, options: SignerOptions = {}): Signer {
  const { algorithm = SHA256, validity = ['2024-01-01', '2036-01-01'], issuerName: issuer = authority.name } = options;
  const keys = keysOf(algorithm, 'signer');
  const serial = options.serial ?? Buffer.concat([Buffer.of(0x11), randomBytes(7)]);
  const keyId = keyIdOf(keys);
  const extensions = [
    ...(options.keyId === false ? [] : [issuerKeyId(authority.keyId)]),
    ownKeyId(keyId),
    ...(options.isAuthority ? [isCa(true)] : []),
    ...(options.extension ? [options.extension] : []),
  ];
  const form = { subject: nameOf('DE', 'document signer'), issuer, keys, extensions, validity, serial, key: options.key };
  return { keys, algorithm, certificate: certify(form, authority), issuer, serial, keyId };
}

/** A revocation list of an authority. */
export function makeRevocationList(
  authority: Authority,
  serials: Buffer[],
  { nextUpdate = '2035-01-01', by = authority }: { nextUpdate?: string; by?: Authority } = {},
): Buffer {
  const revoked = serials.map((serial) => sequence(integer(serial), timeOf('2026-01-01')));
  const tbs = sequence(
    integer(1),
    identifierOf(by.algorithm),
    authority.name,
    timeOf('2026-01-01'),
    timeOf(nextUpdate),
    ...(revoked.length > 0 ? [sequence(...revoked)] : []),
  );
  return sequence(tbs, identifierOf(by.algorithm), bits(signBy(by.keys, by.algorithm, tbs)));
}

type SignedOptions = {
  contentType: string;
  digestHash?: HashName;
  /** Signs something else than what is sent. */
  spoil?: 'signature' | 'digest' | 'type' | 'attributes' | 'signers' | 'certificate';
  byKeyId?: boolean;
  /** The algorithm identifier of a bare key, as some states use it. */
  bareAlgorithm?: boolean;
  certificates?: Buffer[];
};

/** CMS SignedData (RFC 5652), as EF.SOD and master lists have it. */
export function makeSigned(content: Buffer, signer: Signer, options: SignedOptions): Buffer {
  const { contentType, spoil, digestHash = signer.algorithm.hash } = options;
  const digest = createHash(digestHash).update(content).digest();
  if (spoil === 'digest') digest[0]! ^= 1;
  const attribute = (type: string, value: Buffer) => sequence(oid(type), set(value));
  const type = spoil === 'type' ? '1.2.840.113549.1.7.1' : contentType;
  const attributes = set(attribute('1.2.840.113549.1.9.3', oid(type)), attribute('1.2.840.113549.1.9.4', octets(digest)));
  const signature = signBy(signer.keys, { ...signer.algorithm }, attributes);
  if (spoil === 'signature') signature[signature.length - 1]! ^= 1;
  const implicit = Buffer.concat([Buffer.of(0xa0), attributes.subarray(1)]);
  const bare = signer.algorithm.curve ? '1.2.840.10045.2.1' : '1.2.840.113549.1.1.1';
  const info = sequence(
    integer(options.byKeyId ? 3 : 1),
    options.byKeyId ? der(0x80, signer.keyId) : sequence(signer.issuer, integer(signer.serial)),
    hashIdentifier(digestHash),
    ...(spoil === 'attributes' ? [] : [implicit]),
    options.bareAlgorithm ? sequence(oid(bare), ...(signer.algorithm.curve ? [] : [NULL])) : identifierOf(signer.algorithm),
    octets(signature),
  );
  const certificates = spoil === 'certificate' ? [] : [signer.certificate, ...(options.certificates ?? [])];
  const data = sequence(
    integer(3),
    set(hashIdentifier(digestHash)),
    sequence(oid(contentType), der(0xa0, octets(content))),
    ...(certificates.length > 0 ? [der(0xa0, ...certificates)] : []),
    spoil === 'signers' ? set(info, info) : set(info),
  );
  return sequence(oid('1.2.840.113549.1.7.2'), der(0xa0, data));
}

export type Person = { surname: string; givenNames: string; number: string; birth: string; expiry: string; issuer: string };

export const PERSON: Person = {
  surname: 'ERIKSSON',
  givenNames: 'ANNA MARIA',
  number: 'C01X00T47',
  birth: '740812',
  expiry: '340415',
  issuer: 'D',
};

/** The lines of a passport (TD3), or of a card (TD1). */
export function zoneOf(person: Partial<Person> = {}, kind: 'td3' | 'td1' = 'td3'): string {
  const { surname, givenNames, number, birth, expiry, issuer } = { ...PERSON, ...person };
  const names = `${surname}<<${givenNames}`.replaceAll(' ', '<');
  const state = issuer.padEnd(3, '<');
  const checked = (text: string) => text + checkDigit(text);
  if (kind === 'td3') {
    const [id, born, ends] = [checked(number.padEnd(9, '<')), checked(birth), checked(expiry)];
    const optional = `${'<'.repeat(14)}<`;
    return `${`P<${state}${names}`.padEnd(44, '<')}${id}${state}${born}F${ends}${optional}${checkDigit(id + born + ends + optional)}`;
  }
  const [first, born, ends] = [checked(number.padEnd(9, '<')) + '<'.repeat(15), checked(birth), checked(expiry)];
  const composite = checkDigit(first + born + ends + '<'.repeat(11));
  return `I<${state}${first}${born}F${ends}${state}${'<'.repeat(11)}${composite}${names.padEnd(30, '<')}`;
}

export const dg1Of = (zone: string) => der(0x61, der([0x5f, 0x1f], zone));

/** DG2 with a portrait in the record of ISO/IEC 19794-5. */
export function dg2Of(picture: Buffer, { tag = [0x5f, 0x2e] }: { tag?: number[] } = {}): Buffer {
  const record = Buffer.concat([Buffer.from('FAC\x00010\x00'), Buffer.alloc(38), picture]);
  const template = der([0x7f, 0x60], der(0xa1, der(0x80, Buffer.of(1))), der(tag, record));
  return der(0x75, der([0x7f, 0x61], integer(1), template));
}

export function dg11Of({ name, birth }: { name: string; birth: string }): Buffer {
  const list = der(0x5c, Buffer.from([0x5f, 0x0e, 0x5f, 0x2b]));
  return der(0x6b, list, der([0x5f, 0x0e], name), der([0x5f, 0x2b], birth));
}

/** A master list of these authorities, signed by a signer that the first one certified. */
export function makeMasterList(authorities: Authority[], options: Partial<SignedOptions> & { signer?: Signer } = {}): Buffer {
  const content = sequence(integer(0), set(...authorities.map(({ certificate }) => certificate)));
  const { signer = makeSigner(authorities[0]!) } = options;
  return makeSigned(content, signer, { contentType: '2.23.136.1.1.2', certificates: [authorities[0]!.certificate], ...options });
}

export type ChipOptions = Omit<SignedOptions, 'contentType'> & { hash?: HashName; contentType?: string; omit?: number[] };
export type Groups = { dg1: Buffer } & Partial<Record<'dg2' | 'dg11' | 'dg14', Buffer>>;

/** The files of a passport of a state that signs as the standard says. */
export function makeChip(person: Partial<Person> = {}): { sod: Buffer; dg1: Buffer } {
  const dg1 = dg1Of(zoneOf(person));
  return { dg1, sod: makeSod({ dg1 }, makeSigner(makeAuthority())) };
}

/** EF.SOD over the data groups. */
export function makeSod(groups: Groups, signer: Signer, options: ChipOptions = {}): Buffer {
  const { hash = 'sha256', contentType = '2.23.136.1.1.1', omit = [] } = options;
  const values = Object.entries(groups)
    .map(([name, file]) => [Number(name.slice(2)), file] as const)
    .filter(([number]) => !omit.includes(number))
    .map(([number, file]) => sequence(integer(number), octets(createHash(hash).update(file).digest())));
  const content = sequence(integer(0), hashIdentifier(hash), sequence(...values));
  return der(0x77, makeSigned(content, signer, { ...options, contentType }));
}
