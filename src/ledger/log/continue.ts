// Continues logs that are held, after a restore or a failover (hold.ts): the operator shows that they do not contradict what was signed, or
// begins logs with another origin.
import { type Checkpoint, parseCheckpoint } from '../../../packages/proof/src/note.ts';
import { isSignedBy } from '../../../packages/proof/src/sign.ts';
import { UserError } from '../../core/user-error.ts';
import type { Database, Sql } from '../../platform/db/sql.ts';
import { settleEvents } from '../feed/feed.ts';
import { extendTo } from './extend.ts';
import { covers } from './hold.ts';
import { listLogKeys, verifierOf } from './log-key.ts';
import { listLogs, lockLog } from './transparency-log.ts';

/** The log cannot be continued. The message is one line. */
class LogError extends UserError {}

/** The checkpoint in a note of an auditor. Throws a LogError if it is malformed. */
export function readAuditorsCheckpoint(note: string, file: string): Checkpoint {
  const checkpoint = parseCheckpoint(note);
  if (!checkpoint) throw new LogError(`${file} is not a checkpoint.`);
  return checkpoint;
}

/**
 * Continues the log that an auditor's checkpoint is of. Throws a LogError if a key of this service has not signed it, or if the log is
 * shorter or differs.
 */
export async function continueLog(
  database: Database,
  note: string,
  checkpoint: Checkpoint,
): Promise<{ accountId: string; entries: number }> {
  const { origin, size } = checkpoint;
  const known = (await listLogs(database.sql)).find((log) => log.origin === origin);
  if (!known) throw new LogError(`This database has no log ${origin}.`);
  const keys = await listLogKeys(database.sql);
  if (!keys.some((key) => isSignedBy(note, verifierOf(origin, key))))
    throw new LogError(`The checkpoint of ${origin} is not signed by a key of this database.`);
  await settleEvents(database.sql);
  return database.transaction(async (tx) => {
    const { accountId } = known;
    const log = await lockLog(tx, accountId);
    if (!log) throw new LogError(`The log ${origin} is in use. Try again.`);
    const extended = await extendTo(tx, log, Number.POSITIVE_INFINITY);
    if (extended.size < size)
      throw new LogError(
        `The log ${origin} has ${extended.size} entries, and the checkpoint ${size}: entries are lost. Restore a newer backup, or use --fork-log.`,
      );
    if (!(await covers(tx, { accountId, size: extended.size }, checkpoint)))
      throw new LogError(`The log ${origin} differs from the checkpoint. Restore another backup, or use --fork-log.`);
    // Without signers the builder signs it next.
    await tx`
      update transparency_log set size = ${extended.size}, held = null, signers = null, server = null where account_id = ${accountId}`;
    return { accountId, entries: extended.size };
  });
}

/**
 * Begins a log with another origin in place of each one that is held. It keeps the entries. Its number is a time, because a number of the
 * lost past may have been signed. Returns the number of logs.
 */
export async function forkLogs(database: Database): Promise<number> {
  const rows = await database.sql`
    update transparency_log
    set number = greatest(number + 1, extract(epoch from clock_timestamp())::bigint), checkpoint = null, witnessed = null, signers = null, server = null, held = null
    where held is not null
    returning 1`;
  return rows.length;
}

/** The number of logs that are held. */
export async function countHeld(sql: Sql): Promise<number> {
  const [row] = await sql<{ held: bigint }>`select count(*) as held from transparency_log where held is not null`;
  return Number(row!.held);
}
