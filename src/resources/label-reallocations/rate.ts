// The number of reallocations of all customers over time, for the console.
import { later } from '../../core/clock.ts';
import { firstIdOf } from '../../core/ids.ts';
import type { Sql } from '../../platform/db/sql.ts';

const MINUTE_MS = 60_000;

/**
 * Minutes with reallocations, by the clock of the machine: `minutes` from a time on. Ids sort by that clock, so a server with skip scans
 * reads only the recent rows.
 */
export async function reallocationsPerMinute(
  sql: Sql,
  { since, minutes }: { since: Date; minutes: number },
): Promise<{ minute: Date; reallocations: number }[]> {
  const starts = Array.from({ length: minutes }, (_, index) => later(since, index * MINUTE_MS));
  const bounds = starts.map((start) => firstIdOf(start, 0));
  // A scheduled reallocation has the time of its occurrence in its id: in a sandbox, the future of the machine.
  const end = firstIdOf(later(since, minutes * MINUTE_MS), 0);
  const rows = await sql<{ number: number; reallocations: number }>`
    select width_bucket(id, ${bounds}::uuid[]) as number, count(*)::int as reallocations from transfer
    where kind = 'reallocation' and id >= ${bounds[0]} and id < ${end}
    group by 1 order by 1`;
  return rows.map(({ number, reallocations }) => ({ minute: starts[number - 1]!, reallocations }));
}
