// A look at the clean copy of a document, with the audit record that it leaves.
import { hostname } from 'node:os';
import type { Database, Sql } from '../db/sql.ts';
import { newId } from '../ids.ts';
import type { Sealer } from '../sealing.ts';
import { contentContext, type Document } from './document.ts';
import type { Reviewer } from './review.ts';
import type { Stores } from './store/store.ts';
import { StoreError } from './store/store-error.ts';

/**
 * The clean copy of a document, or undefined when it has been erased. The record is committed before the picture is opened.
 * Throws when the content was changed, is another document's, or its key is not here.
 */
export async function lookAtCopy(
  { database, sealer, stores }: { database: Database; sealer: Sealer; stores: Stores },
  document: Document,
  viewer: Reviewer,
  now: Date,
): Promise<Buffer | undefined> {
  if (document.copyKey === null) return undefined;
  const content = await stores.of(document).readCopy(document.id);
  if (!content) throw new StoreError(`The content of document ${document.id} is missing in its store.`);
  await writeLook(database.sql, document, viewer, now);
  return sealer.openContent({ wrappedKey: document.copyKey, content }, contentContext(document, 'copy'));
}

async function writeLook(sql: Sql, { bucket, id, accountId }: Document, viewer: Reviewer, now: Date): Promise<void> {
  await sql`
    insert into document_look (bucket, id, document_id, account_id, viewer, place, created)
    values (${bucket}, ${newId(bucket)}, ${id}, ${accountId}, ${viewer}, ${hostname()}, ${now})`;
}
