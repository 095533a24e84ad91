// Bytes written for a transfer: write-ahead log, and each table with its indexes.
import type { Sql } from '../src/platform/db/sql.ts';

export type TableSize = { table: string; tableBytes: number; indexBytes: number };

/** The tables that a reallocation writes to, and those of the log that is built from its event. */
const TABLES = ['transfer', 'event', 'event_outbox', 'ledger_account', 'log_entries', 'log_tile'];

/** Bytes of write-ahead log written so far. */
export async function walBytes(sql: Sql): Promise<number> {
  const [row] = await sql<{ bytes: string }>`select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as bytes`;
  return Number(row!.bytes);
}

/** Bytes of the tables that a reallocation writes to. */
export async function tableSizes(sql: Sql): Promise<TableSize[]> {
  const rows = await sql<{ table: string; own: bigint; indexes: bigint }>`
    select name as "table", pg_table_size(name::regclass) as own, pg_indexes_size(name::regclass) as indexes
    from unnest(${TABLES}::text[]) as t (name)`;
  return rows.map(({ table, own, indexes }) => ({ table, tableBytes: Number(own), indexBytes: Number(indexes) }));
}

/** Growth of the tables since `before`, divided by a number of transfers. */
export function perTransfer(before: TableSize[], after: TableSize[], transfers: number): TableSize[] {
  return after.map(({ table, tableBytes, indexBytes }, index) => ({
    table,
    tableBytes: (tableBytes - before[index]!.tableBytes) / transfers,
    indexBytes: (indexBytes - before[index]!.indexBytes) / transfers,
  }));
}
