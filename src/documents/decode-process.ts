// A process that makes clean copies of pictures for its parent, one at a time. The parent kills it when a picture takes too long.
import sharp from 'sharp';

/** The clean copy of the file that was sent, or none where it cannot be decoded. */
export type Decoded = { copy: Uint8Array | undefined };

const MAX_PIXELS = 40_000_000;
/** What one row or column costs apart from its pixels: a picture of one column takes a hundred times as long as a square one. */
const MAX_SIDE_PIXELS = 12_000;
// Cubic, and the standard Huffman tables: a copy that costs six tenths of the usual, for a few hundredths more bytes.
const COPY = { sidePixels: 2400, kernel: 'cubic', quality: 85, optimiseCoding: false } as const;

// Every loader of libvips but those of JPEG and PNG is blocked, and nothing is cached.
sharp.cache(false);
sharp.concurrency(1);
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: ['VipsForeignLoadJpeg', 'VipsForeignLoadPng'] });

// At once: an ordinary exit waits for the picture that is being decoded.
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
// A Ctrl-C reaches the whole group, but the service answers what is under way first.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
process.on('message', async (file: Uint8Array) => {
  // What libvips says may quote the file; who sent it can open it and see.
  const copy = await reencode(file).catch(() => undefined);
  process.send!({ copy } satisfies Decoded);
});
process.send!('ready');

/** Decoded whole, turned upright, in sRGB on white, of bounded size; metadata and whatever was appended stay behind. */
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
