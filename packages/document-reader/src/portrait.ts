// The portrait beside a machine-readable zone: looks where the standard has it, and takes its perceptual hash.
import { fingerprint } from './fingerprint.ts';
import { type Raster, sample } from './raster.ts';
import type { Read } from './reading.ts';

/** Millimetres from the upper left corner of a page. */
type Box = { left: number; right: number; top: number; bottom: number };

/** Around portraits on the left side of a page (ICAO Doc 9303 parts 4 and 6). The zone of a TD1 card is on its back. */
const PAGES: Partial<Record<Read['kind'], { width: number; height: number; box: Box }>> = {
  td3: { width: 125, height: 88, box: { left: 4, right: 42, top: 14, bottom: 62 } },
  td2: { width: 105, height: 74, box: { left: 3, right: 34, top: 9, bottom: 49 } },
};
/** From the left edge to the first character, from the middle of the last line to the lower edge, and from character to character. */
const ZONE_MM = { left: 6, below: 9, pitch: 2.54 };
/** From the first character of the number to the last one of the expiry, both in the last line. */
const COLUMNS = 27;
const SIDE_PX = 240;
/** Blocks of 6 to 10 mm on a side: in them, text is light grey, so that the side with the portrait has the larger deviation. */
const BLOCKS = 5;
/** Standard deviation of the blocks, in grey values; less on plain paper. */
const DEVIATION_LEAST = 12;

/** Returns the hash of the portrait of a verified page, comparable as `fingerprint` is; undefined where none is found. */
export async function portraitOf(picture: Raster, read: Read): Promise<string | undefined> {
  const page = PAGES[read.kind];
  if (!page || !read.verified) return undefined;
  const { left, right } = page.box;
  const mirrored = { ...page.box, left: page.width - right, right: page.width - left };
  const found = [page.box, mirrored]
    .map((box) => cut(picture, read, { ...box, height: page.height }))
    .map((raster) => ({ raster, deviation: deviationOf(raster) }))
    .reduce((one, other) => (other.deviation > one.deviation ? other : one));
  return found.deviation < DEVIATION_LEAST ? undefined : fingerprint(found.raster);
}

/** A box of the page, upright: along the last line of the zone, and across it. */
function cut(picture: Raster, { places }: Read, { left, right, top, bottom, height }: Box & { height: number }): Raster {
  const { width, height: rows } = picture;
  const [startX, startY] = places!.documentNumber!.start;
  const [endX, endY] = places!.expires!.end;
  const mm = COLUMNS * ZONE_MM.pitch;
  const [alongX, alongY] = [((endX - startX) * width) / mm, ((endY - startY) * rows) / mm];
  const data = new Uint8Array(SIDE_PX * SIDE_PX);
  for (let y = 0, at = 0; y < SIDE_PX; y++) {
    const down = top + ((bottom - top) * (y + 0.5)) / SIDE_PX - (height - ZONE_MM.below);
    for (let x = 0; x < SIDE_PX; x++, at++) {
      const across = left + ((right - left) * (x + 0.5)) / SIDE_PX - ZONE_MM.left;
      data[at] = sample(
        picture,
        startX * width + across * alongX - down * alongY,
        startY * rows + across * alongY + down * alongX,
      );
    }
  }
  return { width: SIDE_PX, height: SIDE_PX, data };
}

/** A portrait has large light and dark areas. */
function deviationOf({ width, data }: Raster): number {
  const means = new Float64Array(BLOCKS ** 2);
  const side = width / BLOCKS;
  for (const [at, value] of data.entries()) {
    const [column, row] = [Math.floor((at % width) / side), Math.floor(at / width / side)];
    means[row * BLOCKS + column]! += value / side ** 2;
  }
  const mean = means.reduce((sum, value) => sum + value) / means.length;
  return Math.sqrt(means.reduce((sum, value) => sum + (value - mean) ** 2, 0) / means.length);
}
