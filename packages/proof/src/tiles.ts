// Tiles of C2SP tlog-tiles: 256 consecutive hashes of one level of the tree, and bundles of the entries below level 0.
import { HASH_BYTES, rootOfHashes } from './tree.ts';

/** A tile by its level and its index in the level. */
export type TileKey = { level: number; index: number };

export const TILE_WIDTH = 256;
const TILE_HEIGHT = 8;
/** Of an entry, before it in a bundle. */
export const LENGTH_BYTES = 2;
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
export function readHash(find: (key: TileKey) => Uint8Array, height: number, index: number): Uint8Array {
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

/** The entries of a bundle, or undefined if it is truncated. */
export function decodeEntries<Bytes extends Uint8Array>(bundle: Bytes): Bytes[] | undefined {
  const entries: Bytes[] = [];
  for (let at = 0; at < bundle.length; ) {
    if (at + LENGTH_BYTES > bundle.length) return undefined;
    const end = at + LENGTH_BYTES + bundle[at]! * 256 + bundle[at + 1]!;
    if (end > bundle.length) return undefined;
    entries.push(bundle.subarray(at + LENGTH_BYTES, end) as Bytes);
    at = end;
  }
  return entries;
}
