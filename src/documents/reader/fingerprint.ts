// Perceptual hash of a picture: low frequencies of its cosine transform against their median.
import sharp from 'sharp';
import type { Raster } from './raster.ts';

const SIDE = 32;
const FREQUENCIES = 8;

/** Returns 64 bits in 16 hexadecimal digits. Another size, compression or brightness changes few bits. */
export async function fingerprint({ width, height, data }: Raster): Promise<string> {
  const small = await sharp(data, { raw: { width, height, channels: 1 } })
    .resize({ width: SIDE, height: SIDE, fit: 'fill' })
    .toColourspace('b-w')
    .raw()
    .toBuffer();
  const values: number[] = [];
  for (let v = 0; v < FREQUENCIES; v++) for (let u = 0; u < FREQUENCIES; u++) values.push(frequency(small, u, v));
  const median = values.slice(1).sort((a, b) => a - b)[values.length >> 1]!;
  const bits = values.map((value) => (value > median ? '1' : '0')).join('');
  return BigInt(`0b${bits}`).toString(16).padStart(16, '0');
}

/** One coefficient of the two-dimensional cosine transform, type II. */
function frequency(small: Uint8Array, u: number, v: number): number {
  let sum = 0;
  for (let y = 0; y < SIDE; y++) {
    for (let x = 0; x < SIDE; x++) {
      sum +=
        small[y * SIDE + x]! *
        Math.cos(((2 * x + 1) * u * Math.PI) / (2 * SIDE)) *
        Math.cos(((2 * y + 1) * v * Math.PI) / (2 * SIDE));
    }
  }
  return sum;
}
