// Child process that makes clean copies of pictures and chips, one at a time. Its CPU time for each is limited.
import sharp from 'sharp';
import type { ChipFiles } from './chip/chip-files.ts';
import { serveTasks } from './worker-process.ts';

export type DecodeTask = { picture: Uint8Array } | { chip: ChipFiles };
/** `copy`: a clean JPEG. A chip may be without a portrait. */
export type Decoded = { copy?: Uint8Array };

const MAX_PIXELS = 40_000_000;
/** Each row and column has a fixed cost: a picture one pixel wide takes a hundred times as long as a square one with as many pixels. */
const MAX_SIDE_PIXELS = 12_000;
// The cubic kernel and the standard Huffman tables cut the time by 40 % and add a few percent to the size.
const COPY = { sidePixels: 2400, kernel: 'cubic', quality: 85, optimiseCoding: false } as const;

// The error of a library is dropped, because it may quote the file.
serveTasks((task: DecodeTask) => ('chip' in task ? readChip(task.chip) : reencode(task.picture)).catch(() => undefined));

/** Decodes the whole picture and encodes it as an upright sRGB JPEG on white, of bounded size, without metadata or appended data. */
async function reencode(file: Uint8Array): Promise<Decoded | undefined> {
  const picture = sharp(file, { limitInputPixels: MAX_PIXELS, failOn: 'truncated', animated: false });
  const { width, height } = await picture.metadata();
  if (Math.max(width, height) > MAX_SIDE_PIXELS) return undefined;
  const copy = await picture
    .autoOrient()
    .resize({ width: COPY.sidePixels, height: COPY.sidePixels, fit: 'inside', withoutEnlargement: true, kernel: COPY.kernel })
    .flatten({ background: 'white' })
    .jpeg({ quality: COPY.quality, optimiseCoding: COPY.optimiseCoding })
    .toBuffer();
  return { copy };
}

/** Few uploads are of chips: their parsers are loaded for the first one. */
async function readChip(files: ChipFiles): Promise<Decoded> {
  const { openChip } = await import('./chip/open-chip.ts');
  return openChip(files);
}
