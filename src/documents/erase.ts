// Erases document content after the retention period: drops the keys, deletes the bytes and what was read. The record and its reviews stay.
import type { Config } from '../config.ts';
import type { Database } from '../db/sql.ts';
import type { StoreName } from './store/content-store.ts';
import type { Stores } from './store/store.ts';

type Row = { bucket: number; id: string; store: StoreName; decided: Date };

const BATCH = 100;
const DAY_MS = 24 * 3_600_000;
// Longer than any upload takes.
const UNCLAIMED_AFTER_MS = 3_600_000;

/**
 * Erases documents decided DOCUMENT_RETENTION_DAYS before `now`, one transaction each, and sweeps unclaimed content from an
 * external store, until the signal aborts. Returns the number of documents for each. A failure does not stop the others: the
 * first error is thrown at the end.
 */
export async function eraseDocuments(
  { config, database, stores }: { config: Pick<Config, 'documentRetentionDays'>; database: Database; stores: Stores },
  now: Date,
  signal?: AbortSignal,
): Promise<{ erased: number; swept: number }> {
  const cutoff = new Date(now.getTime() - config.documentRetentionDays * DAY_MS);
  const failures: unknown[] = [];
  let erased = 0;
  for (let last: Row | undefined, rows: Row[] = []; ; last = rows.at(-1)) {
    rows = await listDue(database, cutoff, last);
    for (const row of rows) {
      if (signal?.aborted) break;
      try {
        if (await erase(database, stores, row, now)) erased++;
      } catch (error) {
        failures.push(error);
      }
    }
    if (rows.length < BATCH || signal?.aborted) break;
  }
  const swept = await stores.current.sweep(new Date(now.getTime() - UNCLAIMED_AFTER_MS), signal);
  if (failures.length > 0) throw failures[0];
  return { erased, swept };
}

async function listDue({ sql }: Database, cutoff: Date, last: Row | undefined): Promise<Row[]> {
  return sql<Row>`
    select bucket, id, store, decided from document
    where erased is null and decided <= ${cutoff} and (decided, id) > (${last?.decided ?? new Date(0)}, ${last?.id ?? '00000000-0000-0000-0000-000000000000'})
    order by decided, id
    limit ${BATCH}`;
}

async function erase(database: Database, stores: Stores, { bucket, id, store }: Row, now: Date): Promise<boolean> {
  const from = stores.of({ store });
  return database.transaction(async (tx) => {
    const rows = await tx`
      update document set original_key = null, copy_key = null, content_mac = null, erased = ${now}
      where bucket = ${bucket} and id = ${id} and erased is null
      returning id`;
    if (rows.length === 0) return false;
    await from.erase(tx, id, now);
    await tx`delete from document_reading where bucket = ${bucket} and document_id = ${id}`;
    await tx`delete from document_trait where document_id = ${id}`;
    return true;
  });
}
