// Hints that the file of a picture gives a person: an editor in its metadata, no colour, and two JPEG compressions. None is a proof.
import sharp from 'sharp';

export const HINTS = ['editor', 'greyCopy', 'recompressed'] as const;
export type Hint = (typeof HINTS)[number];

const MAX_PIXELS = 40_000_000;
const EDITORS =
  /photoshop|lightroom|gimp|affinity|pixelmator|paint\.net|paintshop|canva\b|picsart|snapseed|photopea|corel|inkscape|krita|imagemagick|facetune/i;
/** What is looked at: the middle of the picture, from the corner of a block of the compression. */
const PART_PX = 768;
/** A pixel has a colour if its largest and smallest channel differ by more. Paper and skin have a tint in any light. */
const COLOURLESS = { difference: 10, share: 0.01 };

const BLOCK = 8;
/** Frequencies of blocks that pictures use most, as row and column. */
const FREQUENCIES = [
  [0, 1],
  [1, 0],
  [1, 1],
  [0, 2],
  [2, 0],
] as const;
/** Bins of a histogram of multiples of the quantisation step. A hole is much emptier than the fullest of the bins behind it. */
const BINS = 14;
const HOLE = { share: 0.35, least: 25, reach: 3 };
const HOLES_LEAST = 4;

/** Looks at a JPEG or PNG as it was sent. Returns no hint of a file that cannot be decoded. The caller limits time and memory. */
export async function findHints(file: Uint8Array): Promise<Hint[]> {
  try {
    const picture = sharp(file, { limitInputPixels: MAX_PIXELS });
    const { exif, xmp, iptc, comments = [], width, height } = await picture.metadata();
    const words = [exif, xmp, iptc].map((bytes) => bytes?.toString('latin1') ?? '').concat(comments.map(({ text }) => text));
    const part = await cutMiddle(file, { width, height });
    const table = luminanceTable(file);
    const found: Record<Hint, boolean> = {
      editor: words.some((text) => EDITORS.test(text)),
      greyCopy: isColourless(part),
      recompressed: table !== undefined && isQuantisedTwice(part, table),
    };
    return HINTS.filter((hint) => found[hint]);
  } catch {
    return [];
  }
}

/** Three bytes per pixel, not turned: turning would move the blocks. */
type Part = { width: number; height: number; data: Uint8Array };

async function cutMiddle(file: Uint8Array, { width, height }: { width: number; height: number }): Promise<Part> {
  const side = (length: number) => Math.min(PART_PX, length);
  const start = (length: number) => Math.floor((length - side(length)) / 2 / BLOCK) * BLOCK;
  const { data, info } = await sharp(file, { limitInputPixels: MAX_PIXELS })
    .extract({ left: start(width), top: start(height), width: side(width), height: side(height) })
    .flatten({ background: 'white' })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data };
}

function isColourless({ width, height, data }: Part): boolean {
  let coloured = 0;
  for (let at = 0; at < data.length; at += 3) {
    const [red, green, blue] = [data[at]!, data[at + 1]!, data[at + 2]!];
    if (Math.max(red, green, blue) - Math.min(red, green, blue) > COLOURLESS.difference) coloured++;
  }
  return coloured < COLOURLESS.share * width * height;
}

/**
 * Whether the frequencies have the holes that a second, finer quantisation leaves (Popescu and Farid, 2004). A second compression that is
 * much coarser than the first, or whose blocks are shifted, leaves none.
 */
function isQuantisedTwice({ width, height, data }: Part, table: Uint16Array): boolean {
  const histograms = FREQUENCIES.map(() => new Uint32Array(BINS + 1));
  const block = new Float64Array(BLOCK * BLOCK);
  for (let top = 0; top + BLOCK <= height; top += BLOCK) {
    for (let left = 0; left + BLOCK <= width; left += BLOCK) {
      for (let at = 0; at < block.length; at++) {
        const pixel = ((top + (at >> 3)) * width + left + (at & 7)) * 3;
        block[at] = 0.299 * data[pixel]! + 0.587 * data[pixel + 1]! + 0.114 * data[pixel + 2]!;
      }
      for (const [index, [v, u]] of FREQUENCIES.entries()) {
        const bin = Math.round(Math.abs(frequencyOf(block, v, u)) / table[v * BLOCK + u]!);
        if (bin <= BINS) histograms[index]![bin]!++;
      }
    }
  }
  return histograms.reduce((sum, histogram) => sum + holesIn(histogram), 0) >= HOLES_LEAST;
}

/** After one compression larger values are rarer, so that a bin with many more soon behind it is a hole. */
function holesIn(histogram: Uint32Array): number {
  let holes = 0;
  for (let bin = 1; bin < BINS; bin++) {
    const behind = Math.max(...histogram.slice(bin + 1, bin + 1 + HOLE.reach));
    if (behind >= HOLE.least && histogram[bin]! < HOLE.share * behind) holes++;
  }
  return holes;
}

/** COSINES[u * BLOCK + x]: the share of pixel x in frequency u. */
const COSINES = Float64Array.from({ length: BLOCK * BLOCK }, (_, at) =>
  Math.cos(((2 * (at & 7) + 1) * (at >> 3) * Math.PI) / (2 * BLOCK)),
);

/** One value of the cosine transform of a block (ITU-T T.81, A.3.3). */
function frequencyOf(block: Float64Array, v: number, u: number): number {
  let sum = 0;
  for (let at = 0; at < block.length; at++) sum += block[at]! * COSINES[v * BLOCK + (at >> 3)]! * COSINES[u * BLOCK + (at & 7)]!;
  return (sum * (v === 0 ? Math.SQRT1_2 : 1) * (u === 0 ? Math.SQRT1_2 : 1)) / 4;
}

/** The begin of the order in which a table is stored. */
const ZIGZAG = [0, 1, 8, 16, 9, 2];
const [START, DQT, SOS] = [0xd8, 0xdb, 0xda];

/** The first quantisation table of a JPEG, in rows (ITU-T T.81, B.2.4.1); only its lowest frequencies. Undefined for other files. */
function luminanceTable(file: Uint8Array): Uint16Array | undefined {
  if (file[0] !== 0xff || file[1] !== START) return undefined;
  for (let at = 2; at + 4 < file.length && file[at] === 0xff && file[at + 1] !== SOS; ) {
    const length = file[at + 2]! * 256 + file[at + 3]!;
    if (file[at + 1] === DQT && (file[at + 4]! & 15) === 0) return tableAt(file, at + 4);
    at += 2 + length;
  }
  return undefined;
}

/** The first byte says how wide the values are, and which table they are of. */
function tableAt(file: Uint8Array, at: number): Uint16Array {
  const isWide = file[at]! >> 4 !== 0;
  const table = new Uint16Array(BLOCK * BLOCK).fill(1);
  for (const [index, place] of ZIGZAG.entries()) {
    const from = at + 1 + index * (isWide ? 2 : 1);
    table[place] = Math.max(1, isWide ? file[from]! * 256 + file[from + 1]! : (file[from] ?? 1));
  }
  return table;
}
