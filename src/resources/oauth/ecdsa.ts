// Signatures of ECDSA with P-256 and SHA-256, as JOSE and HTTP have them: r and s, one after the other (RFC 7518 §3.4, RFC 9421 §3.3.4).
import { type KeyObject, verify } from 'node:crypto';

/** The bytes of a signature, and the hexadecimal digits of each number. */
const LENGTH = 64;
const LEADING_ZEROS = /^(?:00)+/;
const SEQUENCE = '30';
const INTEGER = '02';

/**
 * Whether a key has signed data. `verify` takes half as long again if it is given the encoding of the signature, or the key in an object:
 * 141 instead of 95 µs.
 */
export function isSignedByP256(publicKey: KeyObject, data: Buffer, signature: Buffer): boolean {
  return signature.length === LENGTH && verify('sha256', data, publicKey, toDer(signature));
}

/** The two numbers as a sequence of ASN.1. */
function toDer(signature: Buffer): Buffer {
  const digits = signature.toString('hex');
  const [r, s] = [digits.slice(0, LENGTH), digits.slice(LENGTH)];
  return Buffer.from(tagged(SEQUENCE, integer(r) + integer(s)), 'hex');
}

/** In the fewest bytes, and positive: with a zero before a first bit that would be the sign. Zero, which no signature has, is not valid. */
function integer(digits: string): string {
  const fewest = digits.replace(LEADING_ZEROS, '');
  return tagged(INTEGER, fewest < '8' ? fewest : `00${fewest}`);
}

function tagged(tag: string, content: string): string {
  return `${tag}${(content.length / 2).toString(16).padStart(2, '0')}${content}`;
}
