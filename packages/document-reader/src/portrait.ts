// The portrait beside a machine-readable zone: looks where the standard has it, and takes its perceptual hash.
import { fingerprint } from './fingerprint.ts';
import { type Raster, sample } from './raster.ts';
import type { Read } from './reading.ts';

/** Millimetres from the upper left corner of a page. */
type Box = { left: number; right: number; top: number; bottom: number };
type Page = { width: number; height: number; box: Box };

/** Around portraits on the left side of a page (ICAO Doc 9303 parts 4 and 6). The zone of a TD1 card is on its back. */
const PAGES: Partial<Record<Read['kind'], Page>> = {
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
/** The same without a plane: in the first drawer, at most 5 on a side without a portrait, and at least 14 on the other. */
const LEVELLED_LEAST = 9;

/** Returns the hash of the portrait of a verified page, comparable as `fingerprint` is; undefined where none is found. */
export async function portraitOf(picture: Raster, read: Read): Promise<string | undefined> {
  const page = PAGES[read.kind];
  if (!page || !read.verified) return undefined;
  const found = sidesOf(page)
    .map((box) => cut(picture, read, { ...box, height: page.height }))
    .map((raster) => ({ raster, deviation: deviationOf(blocksOf(raster)) }))
    .reduce((one, other) => (other.deviation > one.deviation ? other : one));
  return found.deviation < DEVIATION_LEAST ? undefined : fingerprint(found.raster);
}

function sidesOf({ width, box }: Page): [Box, Box] {
  return [box, { ...box, left: width - box.right, right: width - box.left }];
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

/** Whether a portrait is on the left or the right side of a page that is seen from above. Light that falls unevenly is none. */
export function hasPortrait(page: Raster, pxPerMm: number, kind: Read['kind']): boolean {
  return sidesOf(PAGES[kind]!).some((box) => deviationOf(levelled(blocksOf(partOf(page, pxPerMm, box)))) >= LEVELLED_LEAST);
}

function partOf(page: Raster, pxPerMm: number, box: Box): Raster {
  const px = (mm: number) => Math.round(mm * pxPerMm);
  const [left, top, width, height] = [px(box.left), px(box.top), px(box.right - box.left), px(box.bottom - box.top)];
  const data = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    const start = (top + y) * page.width + left;
    data.set(page.data.subarray(start, start + width), y * width);
  }
  return { width, height, data };
}

/** The mean of each block, row by row; one pixel of four is enough. */
function blocksOf({ width, height, data }: Raster): Float64Array {
  const sums = new Float64Array(BLOCKS ** 2);
  const counts = new Float64Array(BLOCKS ** 2);
  for (let y = 0; y < height; y += 2) {
    const row = Math.floor((y * BLOCKS) / height) * BLOCKS;
    for (let x = 0; x < width; x += 2) {
      const block = row + Math.floor((x * BLOCKS) / width);
      sums[block]! += data[y * width + x]!;
      counts[block]!++;
    }
  }
  return sums.map((sum, block) => sum / counts[block]!);
}

/** Without the plane that fits best. */
function levelled(blocks: Float64Array): Float64Array {
  const x = (at: number) => (at % BLOCKS) - (BLOCKS - 1) / 2;
  const y = (at: number) => Math.floor(at / BLOCKS) - (BLOCKS - 1) / 2;
  const squares = blocks.reduce((sum, _, at) => sum + x(at) ** 2, 0);
  const slopeX = blocks.reduce((sum, value, at) => sum + value * x(at), 0) / squares;
  const slopeY = blocks.reduce((sum, value, at) => sum + value * y(at), 0) / squares;
  return blocks.map((value, at) => value - slopeX * x(at) - slopeY * y(at));
}

/** A portrait has large light and dark areas. */
function deviationOf(blocks: Float64Array): number {
  const mean = blocks.reduce((sum, value) => sum + value) / blocks.length;
  return Math.sqrt(blocks.reduce((sum, value) => sum + (value - mean) ** 2, 0) / blocks.length);
}
