// Tiles of C2SP tlog-tiles: 256 consecutive hashes of one level of the tree, and bundles of the entries below level 0.
import { hash } from 'node:crypto';
import { DIGEST, HASH_BYTES, LEAF, rootOfHashes } from './tree.ts';

/** A tile by its level and its index in the level. */
export type TileKey = { level: number; index: number };

export const TILE_WIDTH = 256;
const TILE_HEIGHT = 8;
const LENGTH_BYTES = 2;
const SEGMENT = 1000;

/** The tiles at the right edge of a tree, from level 0 up, each with its width. Full tiles are not at the edge. */
export function edgeOf(size: number): (TileKey & { width: number })[] {
  const edge: (TileKey & { width: number })[] = [];
  for (let [level, hashes] = [0, size]; hashes > 0; level++, hashes = Math.floor(hashes / TILE_WIDTH)) {
    const width = hashes % TILE_WIDTH;
    if (width > 0) edge.push({ level, index: Math.floor(hashes / TILE_WIDTH), width });
  }
  return edge;
}

/** The tiles on the way from a leaf to the top of a tree. */
export function tilesAbove(leaf: number, size: number): TileKey[] {
  const keys: TileKey[] = [];
  let index = leaf;
  for (let [level, hashes] = [0, size]; hashes > 0; level++, hashes = Math.floor(hashes / TILE_WIDTH)) {
    index = Math.floor(index / TILE_WIDTH);
    if (index * TILE_WIDTH < hashes) keys.push({ level, index });
  }
  return keys;
}

/** The hash of a perfect subtree, from the tiles that `find` returns. */
export function readHash(find: (key: TileKey) => Buffer, height: number, index: number): Buffer {
  const level = Math.floor(height / TILE_HEIGHT);
  const leaves = 2 ** (height % TILE_HEIGHT);
  const first = index * leaves;
  const start = (first % TILE_WIDTH) * HASH_BYTES;
  const tile = find({ level, index: Math.floor(first / TILE_WIDTH) });
  return rootOfHashes(tile.subarray(start, start + leaves * HASH_BYTES));
}

/** `entries/x001/234` or `0/x001/234.p/7`: the path of a tile or of a bundle. */
export function pathOfTile(level: number | 'entries', index: number, width: number): string {
  let path = String(index % SEGMENT).padStart(3, '0');
  for (let rest = Math.floor(index / SEGMENT); rest > 0; rest = Math.floor(rest / SEGMENT))
    path = `x${String(rest % SEGMENT).padStart(3, '0')}/${path}`;
  return `${level}/${path}${width < TILE_WIDTH ? `.p/${width}` : ''}`;
}

const PATH = /^(?:(0|[1-9]\d?)|entries)\/((?:x\d{3}\/){0,4}\d{3})(?:\.p\/([1-9]\d{0,2}))?$/;

/** The tile that a path names, or undefined if it is not the one path of a tile. */
export function parseTilePath(path: string): { level: number | 'entries'; index: number; width: number } | undefined {
  const found = PATH.exec(path);
  if (!found) return undefined;
  const level = found[1] === undefined ? 'entries' : Number(found[1]);
  const index = Number(found[2]!.replaceAll(/[x/]/g, ''));
  const width = Number(found[3] ?? TILE_WIDTH);
  return pathOfTile(level, index, width) === path ? { level, index, width } : undefined;
}

/** Writes entries with their lengths, as in a bundle, and hashes them as leaves. The entries are ASCII; `leaves` are in DIGEST. */
export function encodeEntries(entries: string[]): { bundle: Buffer; leaves: string[] } {
  const bundle = Buffer.allocUnsafe(entries.reduce((sum, entry) => sum + LENGTH_BYTES + entry.length, 0));
  let start = 0;
  const leaves = entries.map((entry) => {
    const text = start + LENGTH_BYTES;
    const end = text + bundle.write(entry, text, 'latin1');
    // Where the length comes afterwards.
    bundle[text - 1] = LEAF;
    const leaf = hash('sha256', bundle.subarray(text - 1, end), DIGEST);
    bundle.writeUInt16BE(entry.length, start);
    start = end;
    return leaf;
  });
  return { bundle, leaves };
}

/** The entries of a bundle, or undefined if it is truncated. */
export function decodeEntries(bundle: Buffer): Buffer[] | undefined {
  const entries: Buffer[] = [];
  for (let at = 0; at < bundle.length; ) {
    if (at + LENGTH_BYTES > bundle.length) return undefined;
    const end = at + LENGTH_BYTES + bundle.readUInt16BE(at);
    if (end > bundle.length) return undefined;
    entries.push(bundle.subarray(at + LENGTH_BYTES, end));
    at = end;
  }
  return entries;
}
