// Opens the contents of a document and records the access for audit.
import { hostname } from 'node:os';
import { newId } from '../../core/ids.ts';
import type { Database, Sql } from '../../platform/db/sql.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import { type ChipFiles, unpackChip } from './chip/chip-files.ts';
import type { Document } from './document.ts';
import { contentContext } from './manifest.ts';
import type { Reviewer } from './review.ts';
import type { Contents } from './store/content-store.ts';
import type { Stores } from './store/store.ts';
import { StoreError } from './store/store-error.ts';

type Tools = { database: Database; sealer: Sealer; stores: Stores };

/**
 * Returns the clean copy of a document, or undefined when it has been erased. The audit record is committed before the content
 * is decrypted. Throws when the content was modified, belongs to another document, or its key is missing.
 */
export async function viewCopy(tools: Tools, document: Document, viewer: Reviewer, now: Date): Promise<Buffer | undefined> {
  return viewContent(tools, document, { purpose: 'copy', wrappedKey: document.copyKey }, viewer, now);
}

/** Returns a file as it was submitted. Like `viewCopy`. Only a confined process may open it. */
export async function viewOriginal(tools: Tools, document: Document, viewer: Reviewer, now: Date): Promise<Buffer | undefined> {
  return viewContent(tools, document, { purpose: 'original', wrappedKey: document.originalKey }, viewer, now);
}

/** Returns the files of a chip as they were submitted. Like `viewCopy`. */
export async function viewChip(tools: Tools, document: Document, viewer: Reviewer, now: Date): Promise<ChipFiles | undefined> {
  const packed = await viewOriginal(tools, document, viewer, now);
  return packed && unpackChip(packed);
}

async function viewContent(
  { database, sealer, stores }: Tools,
  document: Document,
  { purpose, wrappedKey }: { purpose: keyof Contents; wrappedKey: Buffer | null },
  viewer: Reviewer,
  now: Date,
): Promise<Buffer | undefined> {
  if (wrappedKey === null) return undefined;
  const content = await stores.of(document).read(document.id, purpose);
  if (!content) throw new StoreError(`The content of document ${document.id} is missing from its store.`);
  await recordLook(database.sql, document, viewer, now);
  return sealer.openContent({ wrappedKey, content }, contentContext(document, purpose));
}

/** The audit record of an access: to a content, or to what was read from it. */
export async function recordLook(sql: Sql, { bucket, id, accountId }: Document, viewer: Reviewer, now: Date): Promise<void> {
  await sql`
    insert into document_look (bucket, id, document_id, account_id, viewer, place, created)
    values (${bucket}, ${newId(bucket)}, ${id}, ${accountId}, ${viewer}, ${hostname()}, ${now})`;
}
