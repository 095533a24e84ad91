// Content store in an S3-compatible bucket, under `{document id}/{purpose}`. The table `loose_content` lists objects without a document.
import { S3mini } from 's3mini';
import type { DocumentStore } from '../../config.ts';
import type { Database } from '../../db/sql.ts';
import { bucketOf } from '../../ids.ts';
import { refuse } from '../../problems.ts';
import type { ContentStore } from './content-store.ts';
import { StoreError } from './store-error.ts';

const REQUEST_TIMEOUT_MS = 10_000;
const SWEEP_BATCH = 100;
const PURPOSES = ['original', 'copy'] as const;

export function openS3Store(settings: Extract<DocumentStore, { kind: 's3' }>, { sql }: Database): ContentStore {
  const { endpoint, bucket: name, region, accessKeyId, secretAccessKey } = settings;
  const s3 = new S3mini({
    endpoint: `${endpoint}/${name}`,
    region,
    accessKeyId,
    secretAccessKey,
    requestAbortTimeout: REQUEST_TIMEOUT_MS,
  });

  /** Deletes unclaimed content. The update waits for a transaction that is claiming it, and finds no row if that commits. */
  async function remove(documentId: string): Promise<boolean> {
    const bucket = bucketOf(documentId);
    const doomed = await sql`
      update loose_content set doomed = true where bucket = ${bucket} and document_id = ${documentId}
      returning document_id`;
    if (doomed.length === 0) return false;
    for (const purpose of PURPOSES) await s3.deleteObject(`${documentId}/${purpose}`);
    await sql`delete from loose_content where bucket = ${bucket} and document_id = ${documentId}`;
    return true;
  }

  return {
    name: 's3',
    async keep(documentId, contents) {
      const bucket = bucketOf(documentId);
      await sql`
        insert into loose_content (bucket, document_id, since, doomed) values (${bucket}, ${documentId}, ${new Date()}, false)`;
      // A failure here is left to the sweep.
      const release = async () => void (await remove(documentId).catch(() => {}));
      try {
        for (const purpose of PURPOSES) await s3.putObject(`${documentId}/${purpose}`, contents[purpose]);
      } catch (error) {
        await release();
        throw error;
      }
      return {
        async claim(tx) {
          const claimed = await tx`
            delete from loose_content where bucket = ${bucket} and document_id = ${documentId} and not doomed
            returning document_id`;
          if (claimed.length === 0) throw refuse('unavailable');
        },
        release,
      };
    },
    async readCopy(documentId) {
      const content = await s3.getObjectArrayBuffer(`${documentId}/copy`).catch((error: Error) => {
        const reason = error.message.replace(/\s+/g, ' ');
        throw new StoreError(`The content of document ${documentId} cannot be read from its S3 store: ${reason}`, {
          cause: error,
        });
      });
      return content === null ? undefined : Buffer.from(content);
    },
    async erase(tx, documentId, now) {
      await tx`
        insert into loose_content (bucket, document_id, since, doomed) values (${bucketOf(documentId)}, ${documentId}, ${now}, true)`;
    },
    async sweep(before, signal) {
      const rows = await sql<{ id: string }>`
        select document_id as id from loose_content where doomed or since < ${before} order by since limit ${SWEEP_BATCH}`;
      let swept = 0;
      for (const { id } of rows) if (!signal?.aborted && (await remove(id))) swept++;
      return swept;
    },
  };
}
