// SHA-256 on every platform: that of Node.js where it is, because it is faster, or the algorithm of FIPS 180-4.
// WebCrypto has it too, but only asynchronously: each hash of a tree would wait for the previous one.

/** `binary`: a string with a byte in each character. Node.js makes it in a third of the time of an array. */
type Encoding = 'binary' | 'base64url';
type Hash = (algorithm: 'sha256', data: Uint8Array | string, encoding: Encoding) => string;
type Platform = { process?: { getBuiltinModule?: (name: 'node:crypto') => { hash?: Hash } | undefined } };

const native = (globalThis as Platform).process?.getBuiltinModule?.('node:crypto')?.hash;

/** The digest of bytes, or of a text in UTF-8. */
export const sha256: (data: Uint8Array | string, encoding: Encoding) => string = native
  ? (data, encoding) => native('sha256', data, encoding)
  : (data, encoding) => {
      const digest = digestOf(typeof data === 'string' ? new TextEncoder().encode(data) : data);
      return encoding === 'binary' ? digest : btoa(digest).replaceAll('+', '-').replaceAll('/', '_').replace('=', '');
    };

const BLOCK_BYTES = 64;
const LENGTH_BYTES = 8;
const primes = Array.from({ length: 312 }, (_, number) => number).filter(
  (number) =>
    number > 1 && !Array.from({ length: number }, (_, other) => other).some((other) => other > 1 && number % other === 0),
);
/** The first 32 bits of the fractional part of a root. */
const fractionOf = (root: number) => ((root % 1) * 2 ** 32) | 0;
const CONSTANTS = Int32Array.from(primes, (prime) => fractionOf(Math.cbrt(prime)));
const START = Int32Array.from(primes.slice(0, 8), (prime) => fractionOf(Math.sqrt(prime)));

/** The digest by FIPS 180-4, section 6.2, as a binary string. Exported for tests, which compare it with that of Node.js. */
export function digestOf(data: Uint8Array): string {
  const blocks = Math.ceil((data.length + 1 + LENGTH_BYTES) / BLOCK_BYTES);
  const padded = new DataView(new ArrayBuffer(blocks * BLOCK_BYTES));
  const bytes = new Uint8Array(padded.buffer);
  bytes.set(data);
  bytes[data.length] = 0x80;
  padded.setBigUint64(bytes.length - LENGTH_BYTES, BigInt(data.length) * 8n);
  const state = START.slice();
  for (let at = 0; at < bytes.length; at += BLOCK_BYTES) addBlock(state, padded, at);
  return Array.from(state, (word) => String.fromCharCode(word >>> 24, (word >>> 16) & 255, (word >>> 8) & 255, word & 255)).join(
    '',
  );
}

const words = new Int32Array(CONSTANTS.length);

function addBlock(state: Int32Array, padded: DataView, start: number): void {
  for (let t = 0; t < 16; t++) words[t] = padded.getInt32(start + 4 * t);
  for (let t = 16; t < words.length; t++) {
    const [before, after] = [words[t - 15]!, words[t - 2]!];
    const small0 = turned(before, 7) ^ turned(before, 18) ^ (before >>> 3);
    const small1 = turned(after, 17) ^ turned(after, 19) ^ (after >>> 10);
    words[t] = small1 + words[t - 7]! + small0 + words[t - 16]!;
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
  for (let t = 0; t < words.length; t++) {
    const large1 = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
    const first = (h + large1 + ((e & f) ^ (~e & g)) + CONSTANTS[t]! + words[t]!) | 0;
    const large0 = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
    const second = (large0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  for (const [at, word] of [a, b, c, d, e, f, g, h].entries()) state[at]! += word;
}

function turned(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}
