// The lock of a reset. Changes of rows that a reset deletes need none: the reset locks these rows. What creates or names rows without locking
// one of the account takes it.
import type { Mode } from '../config/config.ts';
import { lockName, shareName } from '../db/name-lock.ts';
import type { Sql } from '../db/sql.ts';

/**
 * Waits for a reset of the account, and keeps the next one out until the end of the transaction. Call it before all other locks. Accounts
 * of production are never reset.
 */
export async function lockOutReset(tx: Sql, { mode }: { mode: Mode }, accountId: string): Promise<void> {
  if (mode === 'sandbox') await shareName(tx, nameOf(accountId));
}

/** Waits for all that locked out a reset of the account, and lets others wait until the end of the transaction. */
export async function lockForReset(tx: Sql, accountId: string): Promise<void> {
  await lockName(tx, nameOf(accountId));
}

function nameOf(accountId: string): string {
  return `reset of ${accountId}`;
}
