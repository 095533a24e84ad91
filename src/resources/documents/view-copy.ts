// Opens the clean copy of a document and records the access for audit.
import { hostname } from 'node:os';
import { newId } from '../../core/ids.ts';
import type { Database, Sql } from '../../platform/db/sql.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import type { Document } from './document.ts';
import { contentContext } from './manifest.ts';
import type { Reviewer } from './review.ts';
import type { Stores } from './store/store.ts';
import { StoreError } from './store/store-error.ts';

/**
 * Returns the clean copy of a document, or undefined when it has been erased. The audit record is committed before the content
 * is decrypted. Throws when the content was modified, belongs to another document, or its key is missing.
 */
export async function viewCopy(
  { database, sealer, stores }: { database: Database; sealer: Sealer; stores: Stores },
  document: Document,
  viewer: Reviewer,
  now: Date,
): Promise<Buffer | undefined> {
  if (document.copyKey === null) return undefined;
  const content = await stores.of(document).readCopy(document.id);
  if (!content) throw new StoreError(`The content of document ${document.id} is missing from its store.`);
  await writeAuditRecord(database.sql, document, viewer, now);
  return sealer.openContent({ wrappedKey: document.copyKey, content }, contentContext(document, 'copy'));
}

async function writeAuditRecord(sql: Sql, { bucket, id, accountId }: Document, viewer: Reviewer, now: Date): Promise<void> {
  await sql`
    insert into document_look (bucket, id, document_id, account_id, viewer, place, created)
    values (${bucket}, ${newId(bucket)}, ${id}, ${accountId}, ${viewer}, ${hostname()}, ${now})`;
}
