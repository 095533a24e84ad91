// Waits until statements of a database wait for locks.
import type { Sql } from '../../src/db/sql.ts';
import { waitUntil } from './wait.ts';

/** Waits until exactly this many statements wait for a lock. */
export async function untilWaiting(sql: Sql, count: number): Promise<void> {
  await waitUntil(`${count} statements wait for a lock`, async () => {
    const [row] = await sql<{ waiting: number }>`
      select count(*)::int as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    return row!.waiting === count;
  });
}
