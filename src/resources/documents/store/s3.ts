// Content store in an S3-compatible bucket, under `{document id}/{purpose}`.
import { S3ServiceError } from 's3mini';
import { refuse } from '../../../core/problems.ts';
import { openBucket } from '../../../platform/bucket.ts';
import type { DocumentStore } from '../../../platform/config/config.ts';
import type { Database } from '../../../platform/db/sql.ts';
import type { ContentStore } from './content-store.ts';
import { addLooseContent, claimContent, doomContent, forgetContent, listLooseContent } from './loose-content.ts';
import { StoreError } from './store-error.ts';

const REQUEST_TIMEOUT_MS = 10_000;
const CHECK_TIMEOUT_MS = 3_000;
/** Written and deleted at each start: documents need the permissions to do the same, and no others. */
const CHECK_KEY = 'earmark-start-check';
const SERVER_ERRORS = 500;
const ADVICE =
  'Check its name, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and their permissions to put, get and delete objects.';
const PURPOSES = ['original', 'copy'] as const;

export function openS3Store(settings: Extract<DocumentStore, { kind: 's3' }>, { sql }: Database): ContentStore {
  const { endpoint, bucket: name } = settings;
  const s3 = openBucket(settings, REQUEST_TIMEOUT_MS);

  /** Deletes unclaimed content. Returns false if a transaction claimed it. */
  async function remove(documentId: string): Promise<boolean> {
    if (!(await doomContent(sql, documentId))) return false;
    for (const purpose of PURPOSES) await s3.deleteObject(`${documentId}/${purpose}`);
    await forgetContent(sql, documentId);
    return true;
  }

  return {
    name: 's3',
    async check() {
      const checked = openBucket(settings, CHECK_TIMEOUT_MS);
      try {
        await checked.putObject(CHECK_KEY, '');
        await checked.getObject(CHECK_KEY);
        await checked.deleteObject(CHECK_KEY);
      } catch (error) {
        if (!(error instanceof S3ServiceError) || error.status >= SERVER_ERRORS) throw error;
        const reason = `${error.status} ${error.serviceCode ?? ''}`.trim();
        throw new StoreError(`The bucket ${name} of DOCUMENT_STORE at ${endpoint} cannot be used: ${reason}. ${ADVICE}`, {
          cause: error,
        });
      }
    },
    async keep(documentId, contents) {
      await addLooseContent(sql, documentId, { since: new Date(), doomed: false });
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
          if (!(await claimContent(tx, documentId))) throw refuse('unavailable');
        },
        release,
      };
    },
    async read(documentId, purpose) {
      const content = await s3.getObjectArrayBuffer(`${documentId}/${purpose}`).catch((error: Error) => {
        const reason = error.message.replace(/\s+/g, ' ');
        throw new StoreError(`The content of document ${documentId} cannot be read from its S3 store: ${reason}`, {
          cause: error,
        });
      });
      return content === null ? undefined : Buffer.from(content);
    },
    erase: (tx, documentId, now) => addLooseContent(tx, documentId, { since: now, doomed: true }),
    async sweep(before, signal) {
      let swept = 0;
      for (const id of await listLooseContent(sql, before)) if (!signal?.aborted && (await remove(id))) swept++;
      return swept;
    },
  };
}
