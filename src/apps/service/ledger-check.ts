// The ledger check with what the manifests of all resources declare.
import { settleEvents } from '../../ledger/feed/feed.ts';
import { restoreFromLogs } from '../../ledger/log/restore-events.ts';
import { declaredBy } from '../../ledger/verification/declared.ts';
import * as increment from '../../ledger/verification/increment.ts';
import { recreateEvents } from '../../ledger/verification/recreate-events.ts';
import * as verification from '../../ledger/verification/verify.ts';
import type { Database, Sql } from '../../platform/db/sql.ts';
import { evidenceFault } from '../../resources/label-reallocations/evidence-fault.ts';
import { resources } from './resources.ts';

export const declared = declaredBy(resources, evidenceFault);

/** Runs every rule in a transaction. Returns at most 100 violations per rule. */
export function verifyLedger(tx: Sql): Promise<verification.Violation[]> {
  return verification.verifyLedger(tx, declared);
}

/** Runs every rule in slices of buckets, with a snapshot per query. */
export function verifyInSlices(database: Database, options?: verification.Options): Promise<verification.Violation[]> {
  return verification.verifyInSlices(database, declared, options);
}

/** Adds what is new to the proof, and compares it with all balances. */
export function proveNew(database: Database): Promise<increment.Increment> {
  return increment.proveNew(database, declared);
}

/** Runs every rule in slices, and begins the proof that increments extend. */
export function proveAll(database: Database, options?: verification.Options): Promise<verification.Violation[]> {
  return increment.proveAll(database, declared, options);
}

/** What is missing from the feed: restored from the logs, and recreated as late events. */
export async function repairEvents(
  database: Database,
  options: { countOnly: boolean },
): Promise<{ restored: number; recreated: number }> {
  await settleEvents(database.sql);
  const restored = await restoreFromLogs(database, options);
  const recreated = await recreateEvents(database, declared, { ...options, restored });
  await settleEvents(database.sql);
  return { restored: restored.length, recreated };
}
