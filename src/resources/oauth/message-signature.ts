// HTTP message signatures (RFC 9421) of requests, and digests of their content (RFC 9530): parsing, what is signed, and verification.
import { constants, hash, type KeyObject, timingSafeEqual, verify } from 'node:crypto';
import { type Dictionary, type InnerList, parseDictionary, serializeInnerList, serializeItem } from 'structured-headers';
import type { ClientKey } from './client-key.ts';
import { isSignedByP256 } from './ecdsa.ts';

/** A request. `url`: its absolute target URI. `fields`: the values of each header field, by its lower-case name. */
export type Message = { method: string; url: string; fields: NodeJS.Dict<string[]> };

/** One signature of a request: what its label has in Signature-Input, and in Signature. */
export type MessageSignature = { label: string; input: InnerList; bytes: Buffer };

/** A signature that is not accepted. The message is a sentence about it. */
export class SignatureError extends Error {}

/** The salt has 64 bytes by the RFC, and more in a library that is used much: any length is as safe. */
const PSS = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO };
type Verifier = (key: KeyObject, data: Buffer, signature: Buffer) => boolean;
/** The algorithm of each type of key (RFC 9421 §3.3). The key decides, and `alg` of a signature can only agree. */
const ALGORITHMS: Record<string, { name: string; verify: Verifier }> = {
  EC: { name: 'ecdsa-p256-sha256', verify: isSignedByP256 },
  OKP: { name: 'ed25519', verify: (key, data, signature) => verify(null, data, key, signature) },
  RSA: { name: 'rsa-pss-sha512', verify: (key, data, signature) => verify('sha512', data, { key, ...PSS }, signature) },
};
/** What is in quotes, where a comma separates nothing. */
const QUOTED = /"(?:[^"\\]|\\.)*"/g;
const FIELD_NAME = /^[a-z0-9!#$%&'*+.^_`|~-]+$/;
/** Values that let their holder act. The base of a signature is kept, and shown to other applications of the account. */
const SECRET_FIELDS = new Set(['authorization', 'proxy-authorization', 'cookie', 'dpop']);

/** Reads the signatures of a request. Each label is in both fields, and once. Throws a SignatureError. */
export function readSignatures({ fields }: Message): MessageSignature[] {
  const inputs = readDictionary(fields, 'signature-input');
  const signatures = readDictionary(fields, 'signature');
  const stray = [...signatures.keys()].find((label) => !inputs.has(label));
  if (stray !== undefined) throw new SignatureError(`Signature-Input has no ${stray}.`);
  return [...inputs].map(([label, input]) => {
    const bytes = signatures.get(label)?.[0];
    if (!Array.isArray(input[0])) throw new SignatureError(`Signature-Input has no list of components for ${label}.`);
    if (!(bytes instanceof ArrayBuffer)) throw new SignatureError(`Signature has no bytes for ${label}.`);
    return { label, input: input as InnerList, bytes: Buffer.from(bytes) };
  });
}

/** The names of what a signature covers. */
export function componentsOf({ input: [items] }: Pick<MessageSignature, 'input'>): string[] {
  return items.map(([name]) => String(name));
}

/** The text that is signed (RFC 9421 §2.5). Header fields have their bytes as Latin-1. Throws a SignatureError. */
export function signatureBase(message: Message, input: InnerList): string {
  const named = new Set<string>();
  const lines = input[0].map(([name, parameters]) => {
    if (typeof name !== 'string') throw new SignatureError('A component is not a string.');
    if (parameters.size > 0) throw new SignatureError(`The component ${name} has parameters, which are not supported.`);
    if (named.has(name)) throw new SignatureError(`The component ${name} is covered twice.`);
    named.add(name);
    return `${serializeItem([name, parameters])}: ${name.startsWith('@') ? derived(message, name) : fieldOf(message, name)}\n`;
  });
  return `${lines.join('')}"@signature-params": ${serializeInnerList(input)}`;
}

/** The name of the algorithm of a key (RFC 9421 §6.2.2). */
export function algorithmOf({ jwk }: Pick<ClientKey, 'jwk'>): string {
  return ALGORITHMS[jwk.kty]!.name;
}

/** Whether a key has signed a base. */
export function isSignedBy({ jwk, publicKey }: Pick<ClientKey, 'jwk' | 'publicKey'>, base: string, bytes: Buffer): boolean {
  return ALGORITHMS[jwk.kty]!.verify(publicKey, Buffer.from(base, 'latin1'), bytes);
}

/** Throws a SignatureError unless Content-Digest has the SHA-256 or SHA-512 of the content, and no wrong one. */
export function checkDigest({ fields }: Pick<Message, 'fields'>, content: Buffer): void {
  const digests = readDictionary(fields, 'content-digest');
  const known = [...digests].filter(([name]) => name === 'sha-256' || name === 'sha-512');
  if (known.length === 0) throw new SignatureError('Content-Digest has neither sha-256 nor sha-512.');
  for (const [name, [value]] of known) {
    const expected = hash(name.replace('-', ''), content, 'buffer');
    const given = value instanceof ArrayBuffer ? Buffer.from(value) : Buffer.alloc(0);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
      throw new SignatureError(`The ${name} of Content-Digest is not that of the content.`);
    }
  }
}

/** A dictionary (RFC 9651 §3.2). A member that is there twice would be read differently by others. */
function readDictionary(fields: Message['fields'], name: string): Dictionary {
  const title = name.replaceAll(/^[a-z]|-[a-z]/g, (start) => start.toUpperCase());
  const text = fields[name]?.join(', ') ?? '';
  if (text.trim() === '') throw new SignatureError(`${title} is missing.`);
  let read: Dictionary;
  try {
    read = parseDictionary(text);
  } catch {
    throw new SignatureError(`${title} is not a dictionary of structured fields.`);
  }
  if (text.replaceAll(QUOTED, '').split(',').length !== read.size) throw new SignatureError(`${title} has a member twice.`);
  return read;
}

/** Derived components (RFC 9421 §2.2). */
function derived({ method, url }: Message, name: string): string {
  const target = new URL(url);
  switch (name) {
    case '@method':
      return method;
    case '@target-uri':
      return url;
    case '@authority':
      return target.host;
    case '@scheme':
      return target.protocol.slice(0, -1);
    case '@request-target':
      return url.slice(target.origin.length);
    case '@path':
      return target.pathname;
    case '@query':
      return `?${target.search.slice(1)}`;
    default:
      throw new SignatureError(`The component ${name} is not supported.`);
  }
}

/** Header fields (RFC 9421 §2.1). */
function fieldOf({ fields }: Message, name: string): string {
  if (!FIELD_NAME.test(name)) throw new SignatureError('A component is not the lower-case name of a header field.');
  if (SECRET_FIELDS.has(name)) throw new SignatureError(`The component ${name} is not accepted: what is signed is kept.`);
  const values = fields[name];
  if (values === undefined) throw new SignatureError(`It covers ${name}, which the request does not have.`);
  return values.map((value) => value.trim()).join(', ');
}
