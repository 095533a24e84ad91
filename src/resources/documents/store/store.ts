// The content stores that are configured.
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../../../platform/config/config.ts';
import type { Database } from '../../../platform/db/sql.ts';
import type { ContentStore, StoreName } from './content-store.ts';
import { openPostgresqlStore } from './postgresql.ts';
import { openS3Store } from './s3.ts';
import { StoreError } from './store-error.ts';

export type Stores = {
  /** The store for new documents. */
  current: ContentStore;
  /** The store of an existing document. Throws a StoreError when it is not configured. */
  of(document: { store: StoreName }): ContentStore;
};

/** Opens the configured stores. PostgreSQL is always open, so documents stored before a change to S3 stay readable. */
export function openStores({ documentStore }: Pick<Config, 'documentStore'>, database: Database): Stores {
  const postgresql = openPostgresqlStore(database);
  const s3 = documentStore.kind === 's3' ? openS3Store(documentStore, database) : undefined;
  return {
    current: s3 ?? postgresql,
    of({ store }) {
      if (store === 'postgresql') return postgresql;
      if (!s3) throw new StoreError('This document is stored in S3. Set DOCUMENT_STORE to that bucket.');
      return s3;
    },
  };
}

/**
 * Checks the store of new documents at a start. Throws a StoreError when it refuses. A store that does not respond is logged: money must
 * not wait for it.
 */
export async function checkStore({ current }: Stores, log: FastifyBaseLogger): Promise<void> {
  try {
    await current.check();
  } catch (error) {
    if (error instanceof StoreError) throw error;
    log.error({ err: error }, 'DOCUMENT_STORE does not respond: uploads get 503 until it does');
  }
}
