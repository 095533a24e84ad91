// The manifest of identity documents and their reviews. The topics of their events belong to customers and beneficial owners.
import { fragment, type Sql } from '../../platform/db/sql.ts';
import { type Manifest, type Owned, type Removed, rowOf } from '../../platform/manifest.ts';

export const documents = {
  tags: [{ name: 'documents', description: 'Identity documents and their reviews' }],
  idempotent: { document: rowOf('document'), review: rowOf('document_review') },
  sealed: [
    {
      table: 'document',
      column: 'original_key',
      content: 'documents, originals',
      context: (document) => contentContext(document, 'original'),
    },
    {
      table: 'document',
      column: 'copy_key',
      content: 'documents, copies',
      context: (document) => contentContext(document, 'copy'),
    },
    { table: 'document_reading', column: 'sealed', content: 'documents, readings', context: readingContext },
  ],
  reset: {
    tables: [
      'document_content',
      'document_look',
      'document_reading',
      'document_review',
      'document_trait',
      'document_check_lease',
      'machine_acceptance',
      'document',
    ],
    run: removeDocuments,
  },
} satisfies Manifest;

/** The sealing context of a content: account, document and purpose. */
export function contentContext({ accountId, id }: { accountId: string; id: string }, purpose: 'original' | 'copy'): string {
  return `document:${accountId}:${id}:${purpose}`;
}

/** The sealing context of the result of a check. */
export function readingContext({ accountId, id }: { accountId: string; id: string }): string {
  return `document-reading:${accountId}:${id}`;
}

async function removeDocuments(tx: Sql, { accountId, buckets, customers, eraseContent }: Owned): Promise<Partial<Removed>> {
  const owned = fragment`bucket = any(${buckets}) and customer_id = any(${customers})`;
  const documents = await tx<{ bucket: number; id: string; store: 'postgresql' | 's3' }>`
    select bucket, id, store from document where ${owned}`;
  for (const { bucket, id, store } of documents) {
    const kept = await tx`select 1 from document where bucket = ${bucket} and id = ${id} and erased is null for update`;
    if (kept.length > 0) await eraseContent(tx, { id, store });
  }
  const ids = documents.map(({ id }) => id);
  await tx`delete from document_look where bucket = any(${buckets}) and document_id = any(${ids})`;
  await tx`delete from document_reading where bucket = any(${buckets}) and document_id = any(${ids})`;
  await tx`delete from document_trait where account_id = ${accountId}`;
  await tx`delete from document_check_lease where account_id = ${accountId}`;
  await tx`delete from machine_acceptance where account_id = ${accountId}`;
  await tx`delete from document_review where bucket = any(${buckets}) and document_id = any(${ids})`;
  await tx`delete from document where bucket = any(${buckets}) and id = any(${ids})`;
  return { documents: documents.length };
}
