// The content stores that are configured.
import type { Config } from '../../config.ts';
import type { Database } from '../../db/sql.ts';
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
