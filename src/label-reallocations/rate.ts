// The number of reallocations of all customers over time, for the console.
import type { Sql } from '../db/sql.ts';
import { firstIdOf } from '../ids.ts';

/** Minutes with reallocations since a time, oldest first. Ids sort by time, so a server with skip scans reads only the recent rows. */
export async function reallocationsPerMinute(sql: Sql, since: Date): Promise<{ minute: Date; reallocations: number }[]> {
  return sql<{ minute: Date; reallocations: number }>`
    select date_trunc('minute', created) as minute, count(*)::int as reallocations from transfer
    where kind = 'reallocation' and id >= ${firstIdOf(since, 0)} and created >= ${since}
    group by 1 order by 1`;
}
