// Files by their path, for uploads where there is a file system: `earmark/client/files`.
import { openAsBlob } from 'node:fs';

/** A file to upload. Its bytes are read when they are sent. Fails when it is not there. */
export function fileAt(path: string): Promise<Blob> {
  return openAsBlob(path);
}
