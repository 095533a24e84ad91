// Files by their path, for uploads where there is a file system: `earmark/client/files`.
import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';

/** A file to upload. Its bytes are read when they are sent. Fails with the path in its message when it is not there. */
export async function fileAt(path: string): Promise<Blob> {
  // Says what is wrong, which openAsBlob does not.
  await stat(path);
  return openAsBlob(path);
}
