// Child process that reads documents, one at a time. Its CPU time for a picture is limited.
import { readPicture, warmUp } from '../../../../packages/document-reader/src/read-picture.ts';
import type { DocumentType } from '../reason.ts';
import { serveTasks } from '../worker-process.ts';

export type ReadTask = { file: Uint8Array; about: { type: DocumentType; today: string } };

await warmUp();
// The error of a library is dropped, because it may quote the picture.
serveTasks(({ file, about }: ReadTask) => readPicture(file, about).catch(() => undefined));
