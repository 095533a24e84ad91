// Facts of identity documents and their reviews. The topics of their events belong to customers and beneficial owners.
import type { Sql } from '../db/sql.ts';
import { type Facts, type Owned, type Removed, rowOf } from '../facts.ts';

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
  ],
  reset: { tables: ['document_content', 'document_look', 'document_review', 'document'], run: removeDocuments },
} satisfies Facts;

/** The sealing context of a content: account, document and purpose. */
export function contentContext({ accountId, id }: { accountId: string; id: string }, purpose: 'original' | 'copy'): string {
  return `document:${accountId}:${id}:${purpose}`;
}

async function removeDocuments(tx: Sql, { buckets, customers, eraseContent }: Owned): Promise<Partial<Removed>> {
  let removed = 0;
  for (const bucket of buckets) {
    const documents = await tx<{ id: string; store: 'postgresql' | 's3'; erased: Date | null }>`
      select id, store, erased from document where bucket = ${bucket} and customer_id = any(${customers}) for update`;
    for (const document of documents) if (!document.erased) await eraseContent(tx, document);
    const ids = documents.map(({ id }) => id);
    await tx`delete from document_look where bucket = ${bucket} and document_id = any(${ids})`;
    await tx`delete from document_review where bucket = ${bucket} and document_id = any(${ids})`;
    await tx`delete from document where bucket = ${bucket} and id = any(${ids})`;
    removed += documents.length;
  }
  return { documents: removed };
}
