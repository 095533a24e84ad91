// The interface of content stores, which keep the sealed content of documents, and the stores that are configured.
import type { Config } from '../../config.ts';
import type { Database, Sql } from '../../db/sql.ts';
import { openPostgresqlStore } from './postgresql.ts';
import { openS3Store } from './s3.ts';
import { StoreError } from './store-error.ts';

export type StoreName = 'postgresql' | 's3';

/** The original and the clean copy of a document, both sealed. */
export type Contents = { original: Buffer; copy: Buffer };

/** Contents that are stored but not yet claimed by a document. */
export type UnclaimedContents = {
  /** Claims the contents, in the transaction that inserts the document, after that insert. */
  claim(tx: Sql): Promise<void>;
  /** Deletes the contents unless a document has claimed them. Safe when the outcome of the commit is unknown. Never rejects. */
  release(): Promise<void>;
};

export type ContentStore = {
  name: StoreName;
  /** Stores contents before the transaction that inserts their document, so that no lock is held during the upload. */
  keep(documentId: string, contents: Contents): Promise<UnclaimedContents>;
  /** Returns the sealed copy of a document, or undefined when it is missing. */
  readCopy(documentId: string): Promise<Buffer | undefined>;
  /** Erases the contents of a document in the transaction that drops their keys. An external store deletes them in a later `sweep`. */
  erase(tx: Sql, documentId: string, now: Date): Promise<void>;
  /** Deletes erased contents, and contents left unclaimed since before `before`, until the signal aborts. Returns the number of documents. */
  sweep(before: Date, signal?: AbortSignal): Promise<number>;
};

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
