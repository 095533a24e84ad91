// A folder for files that nobody needs after a while.
import { mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Linux keeps it in memory: the files of a new PostgreSQL are made in half the time. Containers often have very little of it. */
const IN_MEMORY = '/dev/shm';
const ROOM_BYTES = 2 ** 30;

/** Makes a new folder: in memory where there is room for it, else among the temporary files. */
export async function makeFolder(prefix: string): Promise<string> {
  const room = await statfs(IN_MEMORY).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  return mkdtemp(join(room >= ROOM_BYTES ? IN_MEMORY : tmpdir(), prefix));
}
