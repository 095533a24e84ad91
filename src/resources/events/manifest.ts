// The manifest of events.
import type { Sql } from '../../platform/db/sql.ts';
import type { Manifest, Owned, Removed } from '../../platform/manifest.ts';

export const events = {
  tags: [{ name: 'events', description: 'Records of every change, and their retrieval' }],
  reset: { tables: ['event', 'event_outbox'], run: removeEvents },
} satisfies Manifest;

/** Locks out settling. The head of the feed stays, so that no position is assigned twice. The ledger check misses each event from then on. */
async function removeEvents(tx: Sql, { accountId }: Owned): Promise<Partial<Removed>> {
  await tx`select 1 from event_cursor order by id for update`;
  await tx`delete from event where account_id = ${accountId}`;
  await tx`select split_outbox()`;
  await tx`delete from event_outbox where account_id = ${accountId}`;
  await tx`update event_head set pruned = null where account_id = ${accountId}`;
  return {};
}
