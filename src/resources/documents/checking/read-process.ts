// Child process that reads documents, one at a time: pictures, and the files of chips. Its CPU time for each is limited.
import { readPicture, warmUp } from '../../../../packages/document-reader/src/read-picture.ts';
import type { Reading } from '../../../../packages/document-reader/src/reading.ts';
import type { ChipFiles } from '../chip/chip-files.ts';
import type { ChipReading, Trust } from '../chip/verify-chip.ts';
import type { DocumentType } from '../reason.ts';
import { serveTasks } from '../worker-process.ts';

/** `file` is the clean copy, which is read. Only the original, as it was sent, has metadata. */
export type PictureTask = { file: Uint8Array; original: Uint8Array; about: { type: DocumentType; today: string } };
export type ChipTask = { chip: ChipFiles; trust: Trust; today: string };

await warmUp();
// The error of a library is dropped, because it may quote the document.
serveTasks((task: PictureTask | ChipTask) => read(task).catch(() => undefined));

async function read(task: PictureTask | ChipTask): Promise<Reading | ChipReading> {
  if ('file' in task) return readPicture(task.file, { ...task.about, original: task.original });
  // Few documents have chips: their parsers are loaded for the first one.
  const { verifyChip } = await import('../chip/verify-chip.ts');
  return verifyChip(task.chip, task.trust, task.today);
}
