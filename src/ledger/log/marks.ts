// High-water marks: the newest checkpoint of each log, in a folder outside the database, which a failover or a restore does not take back.
import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Checkpoint, parseCheckpoint } from '../../../packages/proof/src/note.ts';
import { UserError } from '../../core/user-error.ts';
import { syncFolder } from '../../platform/sync-folder.ts';
import type { Log } from './transparency-log.ts';

export type Marks = {
  /** Undefined if nothing was signed since the folder is kept. Throws a MarkError if it cannot be read. */
  read(log: Log): Promise<Checkpoint | undefined>;
  /** Replaces the mark durably. */
  write(log: Log, note: string): Promise<void>;
};

/** The folder cannot be used, or a file of it is not a checkpoint. The message is one line. */
class MarkError extends UserError {}

/** Opens the folder of CHECKPOINT_DIR, and makes it if it does not exist. Throws a MarkError if it cannot be written. */
export async function openMarks(folder: string | undefined): Promise<Marks | undefined> {
  if (folder === undefined) return undefined;
  try {
    await mkdir(folder, { recursive: true });
    await syncFolder(folder);
  } catch (error) {
    throw new MarkError(`CHECKPOINT_DIR ${folder} cannot be used: ${(error as NodeJS.ErrnoException).code}.`);
  }
  const fileOf = ({ accountId, number }: Log) => join(folder, `${accountId}${number === 1n ? '' : `.${number}`}.checkpoint`);
  return {
    async read(log) {
      const file = fileOf(log);
      const note = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined;
        throw new MarkError(`${file} cannot be read: ${error.code}.`);
      });
      if (note === undefined) return undefined;
      const mark = parseCheckpoint(note);
      if (mark?.origin !== log.origin) throw new MarkError(`${file} is not a checkpoint of ${log.origin}.`);
      return mark;
    },
    async write(log, note) {
      const draft = join(folder, `.${randomUUID()}`);
      try {
        const handle = await open(draft, 'wx');
        await handle
          .writeFile(note)
          .then(() => handle.sync())
          .finally(() => handle.close());
        await rename(draft, fileOf(log));
        await syncFolder(folder);
      } finally {
        await rm(draft, { force: true });
      }
    },
  };
}
