// Compares the tiles of a log with the hashes of its entries, level by level.
import { concat, isEqual } from './bytes.ts';
import { Contradiction } from './read-entries.ts';
import type { Report, Source } from './source.ts';
import { pathOfTile, TILE_WIDTH } from './tiles.ts';
import { HASH_BYTES, rootOfHashes } from './tree.ts';

type Tiles = {
  /** The next leaf. `event`: of its entry. */
  add(leaf: Uint8Array, event: string): Promise<void>;
  /** Compares the tiles that are not full. */
  end(): Promise<void>;
};
type Growing = { index: number; hashes: Uint8Array[]; events: string[] };

/** Names the entries that were not hashed. If their hashes were changed too, the root does not follow from them. */
export function openTiles(source: Source, report: Report): Tiles {
  const levels: Growing[] = [];
  const compare = async (level: number, { index, hashes, events }: Growing): Promise<void> => {
    const first = index * TILE_WIDTH;
    const tile = await source.log(`tile/${pathOfTile(level, index, hashes.length)}`);
    if (!tile) throw new Contradiction(`the hashes of entries ${first} and later are missing in the log`);
    if (isEqual(tile, concat(...hashes))) return;
    if (level > 0) return report(`changed row: tile ${index} of level ${level} is not that of the entries`);
    if (tile.length !== hashes.length * HASH_BYTES) return report(`changed row: tile ${index} has another length`);
    for (const [offset, hash] of hashes.entries()) {
      if (!isEqual(tile.subarray(offset * HASH_BYTES, (offset + 1) * HASH_BYTES), hash))
        report(`changed row: entry ${first + offset} of the log${events[offset]} is not what was hashed`);
    }
  };
  const add = async (level: number, hash: Uint8Array, event: string): Promise<void> => {
    levels[level] ??= { index: 0, hashes: [], events: [] };
    const tile = levels[level];
    tile.hashes.push(hash);
    tile.events.push(event);
    if (tile.hashes.length < TILE_WIDTH) return;
    await compare(level, tile);
    levels[level] = { index: tile.index + 1, hashes: [], events: [] };
    await add(level + 1, rootOfHashes(concat(...tile.hashes)), '');
  };
  return {
    add: (leaf, event) => add(0, leaf, event),
    async end() {
      for (const [level, tile] of levels.entries()) if (tile.hashes.length > 0) await compare(level, tile);
    },
  };
}
