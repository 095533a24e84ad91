// The complete ledger check, as `earmark verify --full` runs it.
import assert from 'node:assert/strict';
import { verifyInSlices } from '../../src/apps/service/ledger-check.ts';
import type { Database } from '../../src/platform/db/sql.ts';

/** Asserts that the ledger check finds nothing. On a cluster it confirms what it finds: a query may miss an event that is being settled. */
export async function assertSoundLedger(database: Database): Promise<void> {
  assert.deepEqual(await verifyInSlices(database), []);
}
