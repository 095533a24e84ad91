// Judges an uploaded file by its bytes and makes the clean copy of it that reviewers see, off the thread that answers requests.
import { availableParallelism } from 'node:os';
import sharp from 'sharp';
import { refuse } from '../problems.ts';
import type { DocumentType } from './reason.ts';

export type CleanCopy = { mediaType: 'image/jpeg' | 'application/pdf'; content: Buffer };

export type Pictures = {
  /** A clean copy of a file. InvalidFileType by its first bytes, BadFile when it cannot be decoded whole. */
  clean(file: Buffer, type: DocumentType): Promise<CleanCopy>;
};

// Each decodes on a thread of libuv's four, which others need too, and at least one processor is left to the movement of money.
const AT_ONCE = Math.max(1, Math.min(2, availableParallelism() - 1));
const MAX_PIXELS = 40_000_000;
const TIME_LIMIT_SECONDS = 10;
// Cubic, and the standard Huffman tables: a copy that costs six tenths of the usual, for a few hundredths more bytes.
const COPY = { sidePixels: 2400, kernel: 'cubic', quality: 85, optimiseCoding: false } as const;

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const JPEG = Buffer.from([0xff, 0xd8, 0xff]);
const PDF = Buffer.from('%PDF-');
const PDF_END = Buffer.from('%%EOF');

/** Opens the decoder of this process: every loader of libvips but those of JPEG and PNG is blocked, and nothing is cached. */
export function openPictures(): Pictures {
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: ['VipsForeignLoadJpeg', 'VipsForeignLoadPng'] });
  const inTurn = openTurns(AT_ONCE);
  return {
    async clean(file, type) {
      if (startsWith(file, PDF) && type === 'other') return { mediaType: 'application/pdf', content: trimPdf(file) };
      if (!startsWith(file, JPEG) && !startsWith(file, PNG)) throw refuse('invalidFileType');
      if (startsWith(file, PNG) && isAnimated(file)) throw refuse('badFile', { message: 'The file has more than one picture.' });
      return { mediaType: 'image/jpeg', content: await inTurn(() => reencode(file)) };
    },
  };
}

/** Decoded whole, turned upright, in sRGB on white, of bounded size; metadata and whatever was appended stay behind. */
async function reencode(file: Buffer): Promise<Buffer> {
  try {
    return await sharp(file, { limitInputPixels: MAX_PIXELS, failOn: 'truncated', animated: false })
      .timeout({ seconds: TIME_LIMIT_SECONDS })
      .autoOrient()
      .resize({ width: COPY.sidePixels, height: COPY.sidePixels, fit: 'inside', withoutEnlargement: true, kernel: COPY.kernel })
      .flatten({ background: 'white' })
      .jpeg({ quality: COPY.quality, optimiseCoding: COPY.optimiseCoding })
      .toBuffer();
  } catch {
    // What libvips says may quote the file; who sent it can open it and see.
    throw refuse('badFile');
  }
}

function startsWith(file: Buffer, signature: Buffer): boolean {
  return file.subarray(0, signature.length).equals(signature);
}

/** Whether a PNG is animated: libvips decodes the first frame and says nothing. The acTL chunk comes before the data (APNG 1.0). */
function isAnimated(png: Buffer): boolean {
  for (let place = PNG.length; place + 8 <= png.length; ) {
    const type = png.toString('latin1', place + 4, place + 8);
    if (type === 'acTL') return true;
    if (type === 'IDAT') return false;
    place += 12 + png.readUInt32BE(place);
  }
  return false;
}

/** A PDF cannot be encoded anew here: it is kept up to its end mark, without what was appended. */
function trimPdf(file: Buffer): Buffer {
  const end = file.lastIndexOf(PDF_END);
  if (end < 0) throw refuse('badFile');
  return file.subarray(0, end + PDF_END.length);
}

/** Runs at most so many pieces of work at once, the others in order of arrival. */
function openTurns(atOnce: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running === atOnce) await new Promise<void>((resume) => waiting.push(resume));
    else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
