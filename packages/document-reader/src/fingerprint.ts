// Perceptual hash of a picture: low frequencies of its cosine transform against their median.
import sharp from 'sharp';
import type { Raster } from './raster.ts';

const SIDE = 64;
const FREQUENCIES = 16;
const BITS_PER_DIGIT = 4;

/** Hexadecimal digits of a fingerprint of 256 bits. */
const FINGERPRINT_DIGITS = FREQUENCIES ** 2 / BITS_PER_DIGIT;
/** Of no picture: it has no bit set, and is like no other. */
export const NO_FINGERPRINT = '0'.repeat(FINGERPRINT_DIGITS);
/** Fingerprints that differ in at most so many bits are of the same picture, or of the same portrait (`npm run bench -- likeness`). */
export const SAME_BITS_MAX = 20;

/** COSINES[u * SIDE + x]: the share of pixel x in frequency u. */
const COSINES = Float64Array.from({ length: FREQUENCIES * SIDE }, (_, at) =>
  Math.cos(((2 * (at % SIDE) + 1) * Math.floor(at / SIDE) * Math.PI) / (2 * SIDE)),
);

/** Returns 256 bits in hexadecimal digits. Another size, compression or brightness changes few bits. */
export async function fingerprint({ width, height, data }: Raster): Promise<string> {
  const small = await sharp(data, { raw: { width, height, channels: 1 } })
    .resize({ width: SIDE, height: SIDE, fit: 'fill' })
    .toColourspace('b-w')
    .raw()
    .toBuffer();
  const values = transformed(small);
  const median = values.slice(1).sort()[values.length >> 1]!;
  const bits = Array.from(values, (value) => (value > median ? '1' : '0')).join('');
  return BigInt(`0b${bits}`).toString(16).padStart(FINGERPRINT_DIGITS, '0');
}

export function differingBits(one: string, other: string): number {
  return (BigInt(`0x${one}`) ^ BigInt(`0x${other}`)).toString(2).replaceAll('0', '').length;
}

/** The lowest coefficients of the two-dimensional cosine transform, type II: along the rows, then along the columns. */
function transformed(small: Uint8Array): Float64Array {
  const rows = new Float64Array(SIDE * FREQUENCIES);
  for (let y = 0; y < SIDE; y++) {
    for (let u = 0; u < FREQUENCIES; u++) {
      for (let x = 0; x < SIDE; x++) rows[y * FREQUENCIES + u]! += small[y * SIDE + x]! * COSINES[u * SIDE + x]!;
    }
  }
  const values = new Float64Array(FREQUENCIES ** 2);
  for (let v = 0; v < FREQUENCIES; v++) {
    for (let u = 0; u < FREQUENCIES; u++) {
      for (let y = 0; y < SIDE; y++) values[v * FREQUENCIES + u]! += rows[y * FREQUENCIES + u]! * COSINES[v * SIDE + y]!;
    }
  }
  // What is left of a blank picture is rounding.
  return values.map(Math.round);
}
