// Entries as a service stores them: parts of bundles, compressed by Zstandard (RFC 8878) to a quarter.
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { decodeEntries, TILE_WIDTH } from './tiles.ts';

/** A bundle has at most this many bytes: entries with a length of 16 bits. */
const BUNDLE_MAX_BYTES = TILE_WIDTH * 2 ** 16;

/** Higher levels take longer, and gain nothing: the rest is random. */
const LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** Compresses a part of a bundle. */
export function packEntries(bundle: Buffer): Buffer {
  return zstdCompressSync(bundle, LEVEL);
}

/** The part of a bundle, or undefined if it is damaged. */
export function unpackBundle(stored: Buffer): Buffer | undefined {
  try {
    return zstdDecompressSync(stored, { maxOutputLength: BUNDLE_MAX_BYTES });
  } catch {
    return undefined;
  }
}

/** The entries of a part of a bundle, or undefined if it is damaged. */
export function unpackEntries(stored: Buffer): Buffer[] | undefined {
  const bundle = unpackBundle(stored);
  return bundle && decodeEntries(bundle);
}
