// Holds a log that may lack entries which were signed: a failover to a standby that lags, or a restore to a moment, takes the database back.
// What it would sign next could contradict what auditors have.
import { isEqual } from '../../../packages/proof/src/bytes.ts';
import type { Checkpoint } from '../../../packages/proof/src/note.ts';
import { rootAt } from '../../../packages/proof/src/tree.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { readEdge, toHashAt } from './tile.ts';
import type { LockedLog, Log } from './transparency-log.ts';

/** The log must not be signed. The message says why, and what to do. */
export class LogHeld extends Error {
  readonly accountId: string;

  constructor({ accountId, origin }: Log, reason: string) {
    super(`The transparency log ${origin} is held, and nothing is signed: ${reason} See earmark log continue --help.`);
    this.accountId = accountId;
  }
}

/**
 * Throws LogHeld unless the log, which has `size` entries, extends everything that was signed. That is certain on the database server that
 * signed it last, and on any other one if the log covers its mark.
 */
export async function requireSafe(
  tx: Sql,
  { log, size, mark }: { log: LockedLog; size: number; mark: Checkpoint | undefined },
): Promise<void> {
  if (!mark) {
    if (log.moved)
      throw new LogHeld(log, 'another database server has signed it, and CHECKPOINT_DIR has no checkpoint to compare with.');
    return;
  }
  if (await covers(tx, { accountId: log.accountId, size }, mark)) return;
  const fault =
    size < mark.size
      ? `it has ${size} entries, and the checkpoint in CHECKPOINT_DIR ${mark.size}.`
      : 'it differs from the checkpoint in CHECKPOINT_DIR.';
  throw new LogHeld(log, fault);
}

/** Whether a log of `size` entries contains the tree of a checkpoint. */
export async function covers(tx: Sql, log: { accountId: string; size: number }, checkpoint: Checkpoint): Promise<boolean> {
  const { size, root } = checkpoint;
  return size <= log.size && isEqual(rootAt(size, toHashAt(await readEdge(tx, log.accountId, size))), root);
}

/** Nothing is signed until an operator continues the log. */
export async function holdLog(sql: Sql, accountId: string): Promise<void> {
  await sql`update transparency_log set held = clock_timestamp() where account_id = ${accountId} and held is null`;
}
