// Child process that makes clean copies of pictures, one at a time. The parent kills it when a picture takes too long.
import sharp from 'sharp';

/** The clean copy of the file, or undefined when it cannot be decoded. */
export type Decoded = { copy: Uint8Array | undefined };

const MAX_PIXELS = 40_000_000;
/** Each row and column has a fixed cost: a picture one pixel wide takes a hundred times as long as a square one with as many pixels. */
const MAX_SIDE_PIXELS = 12_000;
// The cubic kernel and the standard Huffman tables cut the time by 40 % and add a few percent to the size.
const COPY = { sidePixels: 2400, kernel: 'cubic', quality: 85, optimiseCoding: false } as const;

// Allows only the JPEG and PNG loaders of libvips, and caches nothing.
sharp.cache(false);
sharp.concurrency(1);
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: ['VipsForeignLoadJpeg', 'VipsForeignLoadPng'] });

// SIGKILL, because process.exit() would wait for the picture being decoded.
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
// Ctrl-C signals the whole process group, but the service still needs this process for requests in flight.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
process.on('message', async (file: Uint8Array) => {
  // The error of libvips is dropped, because it may quote the file.
  const copy = await reencode(file).catch(() => undefined);
  process.send!({ copy } satisfies Decoded);
});
process.send!('ready');

/** Decodes the whole picture and encodes it as an upright sRGB JPEG on white, of bounded size, without metadata or appended data. */
async function reencode(file: Uint8Array): Promise<Buffer | undefined> {
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
