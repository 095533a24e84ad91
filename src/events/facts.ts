// Facts of events.
import type { Sql } from '../db/sql.ts';
import type { Facts, Owned, Removed } from '../facts.ts';

export const events = {
  tags: [{ name: 'events', description: 'Records of every change, and their retrieval' }],
  reset: { tables: ['event', 'event_outbox'], run: removeEvents },
} satisfies Facts;

/** Locks out settling. The head of the feed stays, so that no position is assigned twice. */
async function removeEvents(tx: Sql, { accountId }: Owned): Promise<Partial<Removed>> {
  await tx`select 1 from event_cursor order by id for update`;
  await tx`delete from event where account_id = ${accountId}`;
  await tx`select split_outbox()`;
  await tx`delete from event_outbox where account_id = ${accountId}`;
  return {};
}
