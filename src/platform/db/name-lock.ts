// One transaction at a time for each name, in all processes that share a database.
import type { Sql } from './sql.ts';

/** Longer than the ten seconds in which lanes answer, while the transaction is idle. */
const HELD_MAX_MS = 15_000;

/** Waits until no other transaction holds the name, and holds it until this one ends. */
export async function lockName(tx: Sql, name: string): Promise<void> {
  await tx`
    select set_config('idle_in_transaction_session_timeout', ${`${HELD_MAX_MS}`}, true),
      pg_advisory_xact_lock(hashtextextended(${name}, 0))`;
}

/** Waits until no other transaction holds the name by `lockName`, and lets none hold it until this one ends. Several may share it. */
export async function shareName(tx: Sql, name: string): Promise<void> {
  await tx`select pg_advisory_xact_lock_shared(hashtextextended(${name}, 0))`;
}
