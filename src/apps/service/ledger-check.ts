// The ledger check with what the manifests of all resources declare.
import { declaredBy } from '../../ledger/verification/declared.ts';
import * as verification from '../../ledger/verification/verify.ts';
import type { Database, Sql } from '../../platform/db/sql.ts';
import { resources } from './resources.ts';

export const declared = declaredBy(resources);

/** Runs every rule in the snapshot of a transaction. Returns at most 100 violations per rule. */
export function verifyLedger(tx: Sql): Promise<verification.Violation[]> {
  return verification.verifyLedger(tx, declared);
}

/** Runs every rule in slices of buckets, with a snapshot per query. */
export function verifyInSlices(database: Database, options?: verification.Options): Promise<verification.Violation[]> {
  return verification.verifyInSlices(database, declared, options);
}
