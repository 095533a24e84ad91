// Temporary folders, in memory where possible.
import { mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** In memory on Linux, where creating a PostgreSQL cluster takes half the time. Containers often limit its size. */
const IN_MEMORY = '/dev/shm';
const FREE_BYTES_MIN = 2 ** 30;

/** Creates a folder: in memory if enough is free, otherwise in the temporary directory. */
export async function makeFolder(prefix: string): Promise<string> {
  const freeBytes = await statfs(IN_MEMORY).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  return mkdtemp(join(freeBytes >= FREE_BYTES_MIN ? IN_MEMORY : tmpdir(), prefix));
}
