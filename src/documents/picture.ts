// Judges an uploaded file by its bytes and makes the clean copy of it that reviewers see, in a process of its own.
import { refuse } from '../problems.ts';
import { openDecoder } from './decoder.ts';
import { openFairQueue } from './fair-queue.ts';
import type { DocumentType } from './reason.ts';

export type CleanCopy = { mediaType: 'image/jpeg' | 'application/pdf'; content: Buffer };

export type Pictures = {
  /**
   * A clean copy of a file of an account. InvalidFileType by its first bytes, BadFile when it cannot be decoded whole in three seconds,
   * 503 when too many pictures wait.
   */
  clean(file: Buffer, upload: { type: DocumentType; accountId: string }): Promise<CleanCopy>;
  close(): void;
};

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const JPEG = Buffer.from([0xff, 0xd8, 0xff]);
const PDF = Buffer.from('%PDF-');
const PDF_END = Buffer.from('%%EOF');

/** Opens the decoding of pictures, in which accounts take turns. */
export function openPictures(): Pictures {
  const decoder = openDecoder();
  const queue = openFairQueue();
  return {
    async clean(file, { type, accountId }) {
      if (startsWith(file, PDF) && type === 'other') return { mediaType: 'application/pdf', content: trimPdf(file) };
      if (!startsWith(file, JPEG) && !startsWith(file, PNG)) throw refuse('invalidFileType');
      if (startsWith(file, PNG) && isAnimated(file)) throw refuse('badFile', { message: 'The file has more than one picture.' });
      const content = await queue.run(accountId, () => decoder.decode(file));
      if (!content) throw refuse('badFile');
      return { mediaType: 'image/jpeg', content };
    },
    close: decoder.close,
  };
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
