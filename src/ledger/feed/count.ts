// The number of events of a topic in the feeds of all accounts, deleted ones included. Reads a row for each account.
import type { Sql } from '../../platform/db/sql.ts';

export async function countEvents(sql: Sql, topic: string): Promise<number> {
  const [row] = await sql<{ events: bigint }>`
    select coalesce(sum(position), 0)::bigint as events from event_topic where topic = ${topic}`;
  return Number(row!.events);
}
