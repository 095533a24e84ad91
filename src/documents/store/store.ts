// Where the sealed content of documents is kept: one small interface, and the stores of a configuration.
import type { Config } from '../../config.ts';
import type { Database, Sql } from '../../db/sql.ts';
import { openPostgresqlStore } from './postgresql.ts';
import { openS3Store } from './s3.ts';
import { StoreError } from './store-error.ts';

export type StoreName = 'postgresql' | 's3';

/** Both contents of a document, sealed. */
export type Contents = { original: Buffer; copy: Buffer };

/** Contents that are in the store and belong to no document yet. */
export type Kept = {
  /** Makes them the document's, in the transaction that writes its row, after the row. */
  claim(tx: Sql): Promise<void>;
  /** Takes them back unless a document has claimed them, also when it is unknown whether that was committed. Never fails. */
  release(): Promise<void>;
};

export type ContentStore = {
  name: StoreName;
  /** Takes contents in before the transaction that writes their document, so that no lock is held meanwhile. */
  keep(documentId: string, contents: Contents): Promise<Kept>;
  /** The sealed copy of a document, or undefined when it is not there. */
  readCopy(documentId: string): Promise<Buffer | undefined>;
  /** Erases the contents of a document in the transaction that drops their keys; `finish` follows the commit. */
  erase(tx: Sql, documentId: string, now: Date): Promise<void>;
  /** Finishes what `erase` began, and takes back what was left behind before a time, until the signal says stop. Returns how many documents it was for. */
  sweep(before: Date, signal?: AbortSignal): Promise<number>;
};

export type Stores = {
  /** Where new documents go. */
  current: ContentStore;
  /** The store that a document names. Throws when it is not configured here. */
  of(document: { store: StoreName }): ContentStore;
};

/** Opens the stores: documents from before a change of DOCUMENT_STORE to S3 stay readable in the database. */
export function openStores({ documentStore }: Pick<Config, 'documentStore'>, database: Database): Stores {
  const postgresql = openPostgresqlStore(database);
  const s3 = documentStore.kind === 's3' ? openS3Store(documentStore, database) : undefined;
  return {
    current: s3 ?? postgresql,
    of({ store }) {
      if (store === 'postgresql') return postgresql;
      if (!s3) throw new StoreError('This document is kept in an S3 store. Set DOCUMENT_STORE to it.');
      return s3;
    },
  };
}
