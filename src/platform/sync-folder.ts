// Makes new entries of a folder durable.
import { open } from 'node:fs/promises';

/** Flushes the folder itself to disk: a file that was created or renamed in it survives a power failure. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
}
