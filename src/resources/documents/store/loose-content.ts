// Loose content: the objects in an S3 store without a document, listed so that they can be deleted.
import { bucketOf } from '../../../core/ids.ts';
import type { Sql } from '../../../platform/db/sql.ts';

const BATCH = 100;

/** Lists content before it is stored, or when its document is erased. Doomed content cannot be claimed. */
export async function addLooseContent(sql: Sql, documentId: string, content: { since: Date; doomed: boolean }): Promise<void> {
  const { since, doomed } = content;
  await sql`
    insert into loose_content (bucket, document_id, since, doomed) values (${bucketOf(documentId)}, ${documentId}, ${since}, ${doomed})`;
}

/** Claims content for its document, in the transaction that inserts the document. Returns false if the content is doomed. */
export async function claimContent(tx: Sql, documentId: string): Promise<boolean> {
  const claimed = await tx`
    delete from loose_content where bucket = ${bucketOf(documentId)} and document_id = ${documentId} and not doomed
    returning document_id`;
  return claimed.length > 0;
}

/** Dooms unclaimed content. The update waits for a transaction that is claiming it, and finds no row if that commits. */
export async function doomContent(sql: Sql, documentId: string): Promise<boolean> {
  const doomed = await sql`
    update loose_content set doomed = true where bucket = ${bucketOf(documentId)} and document_id = ${documentId}
    returning document_id`;
  return doomed.length > 0;
}

/** Removes deleted content from the list. */
export async function forgetContent(sql: Sql, documentId: string): Promise<void> {
  await sql`delete from loose_content where bucket = ${bucketOf(documentId)} and document_id = ${documentId}`;
}

/** Lists the document ids of content that is doomed, or loose since before a time. */
export async function listLooseContent(sql: Sql, before: Date): Promise<string[]> {
  const rows = await sql<{ id: string }>`
    select document_id as id from loose_content where doomed or since < ${before} order by since limit ${BATCH}`;
  return rows.map(({ id }) => id);
}
