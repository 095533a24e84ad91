// Child process that makes clean copies of pictures, one at a time. Its CPU time for a picture is limited.
import sharp from 'sharp';
import { serveTasks } from './worker-process.ts';

const MAX_PIXELS = 40_000_000;
/** Each row and column has a fixed cost: a picture one pixel wide takes a hundred times as long as a square one with as many pixels. */
const MAX_SIDE_PIXELS = 12_000;
// The cubic kernel and the standard Huffman tables cut the time by 40 % and add a few percent to the size.
const COPY = { sidePixels: 2400, kernel: 'cubic', quality: 85, optimiseCoding: false } as const;

// The error of libvips is dropped, because it may quote the file.
serveTasks((file: Uint8Array) => reencode(file).catch(() => undefined));

/** Decodes the whole picture and encodes it as an upright sRGB JPEG on white, of bounded size, without metadata or appended data. */
async function reencode(file: Uint8Array): Promise<Uint8Array | undefined> {
  const picture = sharp(file, { limitInputPixels: MAX_PIXELS, failOn: 'truncated', animated: false });
  const { width, height } = await picture.metadata();
  if (Math.max(width, height) > MAX_SIDE_PIXELS) return undefined;
  return picture
    .autoOrient()
    .resize({ width: COPY.sidePixels, height: COPY.sidePixels, fit: 'inside', withoutEnlargement: true, kernel: COPY.kernel })
    .flatten({ background: 'white' })
    .jpeg({ quality: COPY.quality, optimiseCoding: COPY.optimiseCoding })
    .toBuffer();
}
