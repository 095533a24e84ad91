// High-water marks: the newest checkpoint of each log, outside the database, where a failover or a restore does not take it back.
import { type Checkpoint, parseCheckpoint } from '../../../packages/proof/src/note.ts';
import type { BucketAccess } from '../../platform/bucket.ts';
import { MarkError, openBucketPlace, openFolderPlace } from './mark-places.ts';
import type { Log } from './transparency-log.ts';

export type Marks = {
  /** Undefined if nothing was signed since they are kept. Throws a MarkError if it cannot be read. */
  read(log: Log): Promise<Checkpoint | undefined>;
  /** Replaces the mark durably. */
  write(log: Log, note: string): Promise<void>;
};

/** Opens the place of CHECKPOINT_DIR, a folder or a bucket. Throws a MarkError if it cannot be written. */
export async function openMarks(given: string | BucketAccess | undefined): Promise<Marks | undefined> {
  if (given === undefined) return undefined;
  const place = typeof given === 'string' ? await openFolderPlace(given) : await openBucketPlace(given);
  const fileOf = ({ accountId, number }: Log) => `${accountId}${number === 1n ? '' : `.${number}`}.checkpoint`;
  return {
    async read(log) {
      const file = fileOf(log);
      const note = await place.read(file);
      if (note === undefined) return undefined;
      const mark = parseCheckpoint(note);
      if (mark?.origin !== log.origin) throw new MarkError(`${place.name}/${file} is not a checkpoint of ${log.origin}.`);
      return mark;
    },
    write: (log, note) => place.write(fileOf(log), note),
  };
}
