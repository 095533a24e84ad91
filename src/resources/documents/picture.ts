// Detects the type of an uploaded file from its bytes and makes the clean copy that reviewers see, also from the portrait of a chip.
import { extname } from 'node:path';
import { refuse } from '../../core/problems.ts';
import { type ChipFiles, packChip } from './chip/chip-files.ts';
import type { Decoded, DecodeTask } from './decode-process.ts';
import type { Hint } from './evidence/hint.ts';
import { openFairQueue } from './fair-queue.ts';
import { type Limits, openProcessPool } from './process-pool.ts';
import type { DocumentType } from './reason.ts';

/** `application/json`: the files of a chip without a portrait. */
export type CleanCopy = { mediaType: 'image/jpeg' | 'application/pdf' | 'application/json'; content: Buffer; hints?: Hint[] };
type Upload = { type: DocumentType; accountId: string };

export type Pictures = {
  /**
   * Returns a clean copy of a file. Refuses with InvalidFileType by the first bytes, BadFile when it cannot be decoded completely or
   * exceeds the limit of CPU time, and 503 when too many pictures are queued or the machine did not let the decoder end.
   */
  clean(file: Buffer, upload: Upload): Promise<CleanCopy>;
  /** Returns the portrait of a chip, or its files if they have none. Refuses with BadFile when a file is malformed, and like `clean`. */
  cleanChip(chip: ChipFiles, upload: Pick<Upload, 'accountId'>): Promise<CleanCopy>;
  close(): void;
};

/** Makes the clean copy of a JPEG or PNG. Beside this file, as .ts or compiled to .js. */
export const DECODE_PROGRAM = new URL(`./decode-process${extname(import.meta.url)}`, import.meta.url);

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const JPEG = Buffer.from([0xff, 0xd8, 0xff]);
const PDF = Buffer.from('%PDF-');
const PDF_END = Buffer.from('%%EOF');
/** A machine that starves a decoder does not recover at once. */
const RETRY_AFTER_SECONDS = '30';

/** Opens a decoder with a queue that is fair between accounts. */
export function openPictures(limits: Partial<Limits> = {}): Pictures {
  const decoder = openProcessPool<DecodeTask, Decoded | undefined>(DECODE_PROGRAM, limits);
  const queue = openFairQueue();
  async function decode(task: DecodeTask, accountId: string): Promise<{ copy: Buffer | undefined; hints: Hint[] }> {
    const decoded = await queue.run(accountId, () => decoder.run(task));
    if (decoded.state === 'unfinished') throw refuse('unavailable', { headers: { 'retry-after': RETRY_AFTER_SECONDS } });
    const result = decoded.state === 'done' ? decoded.result : undefined;
    if (!result) throw refuse('badFile');
    const { copy, hints } = result;
    return { copy: copy && Buffer.from(copy.buffer, copy.byteOffset, copy.byteLength), hints };
  }

  return {
    async clean(file, { type, accountId }) {
      if (startsWith(file, PDF) && type === 'other') return { mediaType: 'application/pdf', content: trimPdf(file) };
      if (!startsWith(file, JPEG) && !startsWith(file, PNG)) throw refuse('invalidFileType');
      if (startsWith(file, PNG) && isAnimated(file)) throw refuse('badFile', { message: 'The file has more than one picture.' });
      const { copy, hints } = await decode({ picture: file }, accountId);
      return { mediaType: 'image/jpeg', content: copy!, hints };
    },
    async cleanChip(chip, { accountId }) {
      const { copy: portrait } = await decode({ chip }, accountId);
      return portrait
        ? { mediaType: 'image/jpeg', content: portrait }
        : { mediaType: 'application/json', content: packChip(chip) };
    },
    close: decoder.close,
  };
}

function startsWith(file: Buffer, signature: Buffer): boolean {
  return file.subarray(0, signature.length).equals(signature);
}

/** Detects an animated PNG, of which libvips silently decodes the first frame only. The acTL chunk precedes the data (APNG 1.0). */
function isAnimated(png: Buffer): boolean {
  for (let offset = PNG.length; offset + 8 <= png.length; ) {
    const type = png.toString('latin1', offset + 4, offset + 8);
    if (type === 'acTL') return true;
    if (type === 'IDAT') return false;
    offset += 12 + png.readUInt32BE(offset);
  }
  return false;
}

/** Cuts off data appended after the end marker of a PDF. PDFs are not re-encoded. */
function trimPdf(file: Buffer): Buffer {
  const end = file.lastIndexOf(PDF_END);
  if (end < 0) throw refuse('badFile');
  return file.subarray(0, end + PDF_END.length);
}
