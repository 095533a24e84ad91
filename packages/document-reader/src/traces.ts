// Traces that a file has of its history: an editor in its metadata, no colour, and two JPEG compressions.
import sharp from 'sharp';

export type Traces = { editor: boolean; greyCopy: boolean; recompressed: boolean };

const EDITORS =
  /photoshop|lightroom|gimp|affinity|pixelmator|paint\.net|paintshop|canva\b|picsart|snapseed|photopea|corel|inkscape|krita|imagemagick|facetune/i;
const THUMB_PX = 256;
/** Difference of the largest and the smallest channel of all but this share of the pixels: paper and skin have a tint in any light. */
const COLOURLESS = { chroma: 8, share: 0.01 };

const BLOCK = 8;
/** What is read for the compression: an even part of the picture, from its corner, where the grid of blocks begins. */
const PART_PX = 1024;
const PIXELS_MAX = 16_000_000;
/** Frequencies of blocks that pictures use most, as row and column. */
const FREQUENCIES = [
  [0, 1],
  [1, 0],
  [1, 1],
  [0, 2],
  [2, 0],
] as const;
/** Bins of a histogram of multiples of the quantisation step; a hole is much emptier than the fullest of the bins behind it. */
const BINS = 14;
const HOLE = { share: 0.35, least: 25, reach: 3 };
const HOLES_LEAST = 4;

/** Looks for the traces in a JPEG or PNG that can be decoded. Throws if it cannot. The caller limits the pixels. */
export async function findTraces(file: Uint8Array): Promise<Traces> {
  const { exif, xmp, comments = [], width, height } = await sharp(file).metadata();
  const words = [exif, xmp].map((bytes) => bytes?.toString('latin1') ?? '').concat(comments.map(({ text }) => text));
  return {
    editor: words.some((text) => EDITORS.test(text)),
    greyCopy: await isColourless(file),
    recompressed: width * height <= PIXELS_MAX && (await wasCompressedTwice(file)),
  };
}

async function isColourless(file: Uint8Array): Promise<boolean> {
  const picture = sharp(file).flatten({ background: 'white' }).toColourspace('srgb');
  const { data, info } = await picture
    .resize({ width: THUMB_PX, height: THUMB_PX, fit: 'inside' })
    .raw()
    .toBuffer({ resolveWithObject: true });
  if (info.channels < 3) return true;
  let coloured = 0;
  for (let at = 0; at < data.length; at += info.channels) {
    const [red, green, blue] = [data[at]!, data[at + 1]!, data[at + 2]!];
    if (Math.max(red, green, blue) - Math.min(red, green, blue) > COLOURLESS.chroma) coloured++;
  }
  return coloured < COLOURLESS.share * info.width * info.height;
}

/**
 * Whether the frequencies of a JPEG have the holes that a second, finer quantisation leaves (Popescu and Farid, 2004). A second
 * compression that is much stronger than the first, or whose blocks are shifted, leaves none.
 */
async function wasCompressedTwice(file: Uint8Array): Promise<boolean> {
  const table = luminanceTable(file);
  if (!table) return false;
  const { data, info } = await sharp(file).toColourspace('srgb').raw().toBuffer({ resolveWithObject: true });
  const [columns, rows] = [info.width, info.height].map((side) => Math.floor(Math.min(side, PART_PX) / BLOCK)) as [
    number,
    number,
  ];
  const histograms = FREQUENCIES.map(() => new Uint32Array(BINS + 1));
  const block = new Float64Array(BLOCK * BLOCK);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      for (let at = 0; at < block.length; at++) {
        const pixel = ((row * BLOCK + (at >> 3)) * info.width + column * BLOCK + (at & 7)) * info.channels;
        block[at] = info.channels < 3 ? data[pixel]! : 0.299 * data[pixel]! + 0.587 * data[pixel + 1]! + 0.114 * data[pixel + 2]!;
      }
      for (const [index, [v, u]] of FREQUENCIES.entries()) {
        const bin = Math.round(Math.abs(frequencyOf(block, v, u)) / table[v * BLOCK + u]!);
        if (bin <= BINS) histograms[index]![bin]!++;
      }
    }
  }
  return histograms.reduce((sum, histogram) => sum + holesIn(histogram), 0) >= HOLES_LEAST;
}

/** Larger values are rarer in one compression, so that a bin is a hole if one soon behind it has many more. */
function holesIn(histogram: Uint32Array): number {
  let holes = 0;
  for (let bin = 1; bin < BINS; bin++) {
    const behind = Math.max(...histogram.slice(bin + 1, bin + 1 + HOLE.reach));
    if (behind >= HOLE.least && histogram[bin]! < HOLE.share * behind) holes++;
  }
  return holes;
}

const COSINES = Float64Array.from({ length: BLOCK * BLOCK }, (_, at) =>
  Math.cos(((2 * (at & 7) + 1) * (at >> 3) * Math.PI) / (2 * BLOCK)),
);

/** One value of the cosine transform of a block (ITU-T T.81, A.3.3). */
function frequencyOf(block: Float64Array, v: number, u: number): number {
  let sum = 0;
  for (let at = 0; at < block.length; at++) sum += block[at]! * COSINES[v * BLOCK + (at >> 3)]! * COSINES[u * BLOCK + (at & 7)]!;
  return (sum * (v === 0 ? Math.SQRT1_2 : 1) * (u === 0 ? Math.SQRT1_2 : 1)) / 4;
}

const ZIGZAG = [0, 1, 8, 16, 9, 2, 3, 10, 17];
const DQT = 0xdb;
const SOS = 0xda;

/** The first quantisation table of a JPEG, in rows (ITU-T T.81, B.2.4.1); only its lowest frequencies. Undefined for other files. */
function luminanceTable(file: Uint8Array): Uint16Array | undefined {
  if (file[0] !== 0xff || file[1] !== 0xd8) return undefined;
  for (
    let at = 2;
    at + 4 < file.length && file[at] === 0xff && file[at + 1] !== SOS;
    at += 2 + file[at + 2]! * 256 + file[at + 3]!
  ) {
    if (file[at + 1] !== DQT || (file[at + 4]! & 15) !== 0) continue;
    const isWide = file[at + 4]! >> 4 !== 0;
    const table = new Uint16Array(BLOCK * BLOCK).fill(1);
    for (const [index, place] of ZIGZAG.entries()) {
      const from = at + 5 + index * (isWide ? 2 : 1);
      table[place] = Math.max(1, isWide ? file[from]! * 256 + file[from + 1]! : file[from]!);
    }
    return table;
  }
  return undefined;
}
