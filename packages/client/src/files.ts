// `@earmark/client/files`: opens a file by path for an upload.
import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';

/** Opens a file for an upload; its bytes are read when it is sent. Rejects with the path in the message when the file does not exist. */
export async function fileAt(path: string): Promise<Blob> {
  // openAsBlob alone rejects without a useful message.
  await stat(path);
  return openAsBlob(path);
}
