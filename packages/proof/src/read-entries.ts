// Reads the entries of a log through its bundles.
import type { Source } from './source.ts';
import { decodeEntries, pathOfTile, TILE_WIDTH } from './tiles.ts';

const FORMAT = 'deflate-raw';

/** What the service shows contradicts what it signed. The message names it. */
export class Contradiction extends Error {}

/** The first entries of a log, which can be read again. */
export type Entries = { size: number; read(): AsyncGenerator<{ index: number; text: Uint8Array }> };

/** Opens the first `size` entries. Keeps their bundles compressed in memory. `read` throws a Contradiction for one that is missing or malformed. */
export function openLogEntries(source: Source, size: number): Entries {
  const kept: Uint8Array<ArrayBuffer>[] = [];
  return {
    size,
    async *read() {
      for (let first = 0; first < size; first += TILE_WIDTH) {
        const width = Math.min(TILE_WIDTH, size - first);
        const number = first / TILE_WIDTH;
        const bundle = kept[number]
          ? await piped(kept[number], new DecompressionStream(FORMAT))
          : await fetchBundle(source, number, width);
        kept[number] ??= await piped(bundle, new CompressionStream(FORMAT));
        for (const [offset, text] of decodeEntries(bundle)!.entries()) yield { index: first + offset, text };
      }
    },
  };
}

async function fetchBundle(source: Source, number: number, width: number): Promise<Uint8Array<ArrayBuffer>> {
  const bundle = await source.log(`tile/${pathOfTile('entries', number, width)}`);
  const where = `entries ${number * TILE_WIDTH} to ${number * TILE_WIDTH + width - 1}`;
  if (!bundle) throw new Contradiction(`${where} are missing in the log`);
  if (decodeEntries(bundle)?.length !== width) throw new Contradiction(`${where} are incomplete in the log`);
  return new Uint8Array(bundle);
}

async function piped(
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}
