// Reads the entries of a log through its bundles.
import type { Source } from './source.ts';
import { decodeEntries, pathOfTile, TILE_WIDTH } from './tiles.ts';

/** What the service shows contradicts what it signed. The message names it. */
export class Contradiction extends Error {}

/** The texts of the first `size` entries, in order. Throws a Contradiction for a bundle that is missing or malformed. */
export async function* readEntries(source: Source, size: number): AsyncGenerator<{ index: number; text: Buffer }> {
  for (let first = 0; first < size; first += TILE_WIDTH) {
    const width = Math.min(TILE_WIDTH, size - first);
    const where = `entries ${first} to ${first + width - 1}`;
    const bundle = await source.log(`tile/${pathOfTile('entries', first / TILE_WIDTH, width)}`);
    if (!bundle) throw new Contradiction(`${where} are missing in the log`);
    const texts = decodeEntries(bundle);
    if (texts?.length !== width) throw new Contradiction(`${where} are incomplete in the log`);
    for (const [offset, text] of texts.entries()) yield { index: first + offset, text };
  }
}
