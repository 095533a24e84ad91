// Reads all buckets in slices, so that no query is long, however large the ledger is.
import { BUCKETS } from '../core/ids.ts';
import { findPlacement } from '../platform/db/find-placement.ts';
import { planWithout } from '../platform/db/plan.ts';
import type { Database, Sql } from '../platform/db/sql.ts';
import type { Range } from './breach.ts';

/** About how much of which table is in a slice. A slice has at least one bucket; the complete check divides it further. */
type Slicing = { table?: string; sliceBytes?: number };

/** About 10,000 entries: the longest query takes some hundredths of a second. */
const SLICE_BYTES = 2 ** 20;
/** By size of the ledger accounts: about 30,000 in a slice. */
export const BY_ACCOUNTS: Slicing = { table: 'ledger_account', sliceBytes: 2 ** 23 };

export const ALL_BUCKETS: Range = { first: 0, last: BUCKETS - 1 };

/** What is read of all buckets, in slices with a snapshot each. */
export async function readInSlices<Row>(
  database: Database,
  read: (tx: Sql, range: Range) => Promise<Row[]>,
  by: Slicing = {},
): Promise<Row[]> {
  const { ranges, isShownInParts } = await findSlices(database, by);
  const rows: Row[] = [];
  for (const range of ranges)
    for (const row of await readSlice(database, isShownInParts, (tx) => read(tx, range))) rows.push(row);
  return rows;
}

/** Ranges of buckets with about `sliceBytes` of a table. */
export async function findSlices(database: Database, { table = 'transfer', sliceBytes = SLICE_BYTES }: Slicing) {
  const { sizeOf, isShownInParts } = await findPlacement(database.sql);
  const slices = Math.min(Math.ceil(Number(await sizeOf(table)) / sliceBytes) || 1, BUCKETS);
  const startOf = (slice: number) => Math.floor((slice * BUCKETS) / slices);
  const ranges = Array.from({ length: slices }, (_, slice): Range => ({ first: startOf(slice), last: startOf(slice + 1) - 1 }));
  return { ranges, isShownInParts };
}

/** Reads a slice in a transaction whose plans need no statistics. */
export function readSlice<Rows>(database: Database, isShownInParts: boolean, read: (tx: Sql) => Promise<Rows>): Promise<Rows> {
  return database.transaction(async (tx) => {
    await planWithout(tx, ['seqscan', 'hashjoin', 'mergejoin']);
    // Uses one core, so that requests keep the others. The coordinator of a cluster joins results that have no index.
    await tx`
      select set_config(name, value, true) from (values ('transaction_read_only', 'on'), ('plan_cache_mode', 'force_custom_plan'),
        ('enable_hashjoin', ${isShownInParts ? 'on' : 'off'}), ('max_parallel_workers_per_gather', '0')) as setting (name, value)`;
    return read(tx);
  });
}
