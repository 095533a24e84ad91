// Publishes checkpoints: signs the tree of a log with every key that signs now.
import type { Checkpoint } from '../../../packages/proof/src/note.ts';
import { signCheckpoint } from '../../../packages/proof/src/sign.ts';
import { edgeOf } from '../../../packages/proof/src/tiles.ts';
import { rootAt } from '../../../packages/proof/src/tree.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import { requireSafe } from './hold.ts';
import { type LogKey, openLogKey, verifierOf } from './log-key.ts';
import type { Marks } from './marks.ts';
import { readEdge, toHashAt } from './tile.ts';
import type { LockedLog } from './transparency-log.ts';

/** The keys that sign now, as a text that changes when one is added or retires. */
export function signersOf(keys: LogKey[]): string {
  return keys
    .filter(({ signs }) => signs)
    .map(({ id }) => id)
    .join(' ');
}

/**
 * Call in a transaction that locks the log, after its entries are committed: a mark whose transaction fails is then of entries that stay.
 * Stores the checkpoint after the mark outside the database: nothing that was served is newer than the mark. Its partial tiles are served
 * from now on. Throws a KeyError if this process cannot sign, and LogHeld if it must not.
 */
export async function publishCheckpoint(
  tx: Sql,
  { sealer, keys, marks }: { sealer: Sealer; keys: LogKey[]; marks: Marks | undefined },
  log: LockedLog,
): Promise<string> {
  const { accountId, origin, size } = log;
  await requireSafe(tx, { log, size, mark: await marks?.read(log) });
  const checkpoint: Checkpoint = { origin, size, root: rootAt(size, toHashAt(await readEdge(tx, accountId, size))) };
  const signers = keys.filter(({ signs }) => signs);
  const note = signCheckpoint(
    checkpoint,
    await Promise.all(
      signers.map(async (key) => ({ ...verifierOf(origin, key), privateKey: await openLogKey(tx, sealer, key) })),
    ),
  );
  const parts = edgeOf(size);
  await tx`
    update log_tile t set widths = t.widths || p.width
    from unnest(${parts.map(({ level }) => level)}::int[], ${parts.map(({ index }) => index)}::bigint[],
      ${parts.map(({ width }) => width)}::int[]) as p (level, index, width)
    where t.account_id = ${accountId} and t.level = p.level and t.index = p.index and p.width <> all (t.widths)`;
  await marks?.write(log, note);
  await tx`
    update transparency_log set checkpoint = ${note}, signers = ${signersOf(keys)}, server = server_identity()
    where account_id = ${accountId}`;
  return note;
}
