// Erases the pictures of documents whose time is over: their keys are dropped and their bytes go; the record and its decisions stay.
import type { Config } from '../config.ts';
import type { Database } from '../db/sql.ts';
import type { StoreName, Stores } from './store/store.ts';

type Row = { bucket: number; id: string; store: StoreName; decided: Date };

const BATCH = 100;
const DAY_MS = 24 * 3_600_000;
// Longer than any upload takes.
const LOOSE_AFTER_MS = 3_600_000;

/**
 * Erases what was decided DOCUMENT_RETENTION_DAYS before `now`, one document a transaction, and what uploads left behind in an
 * outside store, until the signal says stop. Returns the number of documents for each. One that cannot be erased does not hold up the others: its error is
 * thrown at the end.
 */
export async function eraseDocuments(
  { config, database, stores }: { config: Pick<Config, 'documentRetentionDays'>; database: Database; stores: Stores },
  now: Date,
  signal?: AbortSignal,
): Promise<{ erased: number; swept: number }> {
  const border = new Date(now.getTime() - config.documentRetentionDays * DAY_MS);
  const failures: unknown[] = [];
  let erased = 0;
  for (let last: Row | undefined, rows: Row[] = []; ; last = rows.at(-1)) {
    rows = await listDue(database, border, last);
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
  const swept = await stores.current.sweep(new Date(now.getTime() - LOOSE_AFTER_MS), signal);
  if (failures.length > 0) throw failures[0];
  return { erased, swept };
}

async function listDue({ sql }: Database, border: Date, last: Row | undefined): Promise<Row[]> {
  return sql<Row>`
    select bucket, id, store, decided from document
    where erased is null and decided <= ${border} and (decided, id) > (${last?.decided ?? new Date(0)}, ${last?.id ?? '00000000-0000-0000-0000-000000000000'})
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
    return true;
  });
}
