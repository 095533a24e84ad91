// The interface of content stores, which keep the sealed content of documents.
import type { Sql } from '../../../platform/db/sql.ts';

export type StoreName = 'postgresql' | 's3';

/** The original and the clean copy of a document, both sealed. */
export type Contents = { original: Buffer; copy: Buffer };

/** Contents that are stored but not yet claimed by a document. */
type UnclaimedContents = {
  /** Claims the contents, in the transaction that inserts the document, after that insert. */
  claim(tx: Sql): Promise<void>;
  /** Deletes the contents unless a document has claimed them. Safe when the outcome of the commit is unknown. Never rejects. */
  release(): Promise<void>;
};

export type ContentStore = {
  name: StoreName;
  /** Writes, reads and deletes an object. Throws a StoreError when the store refuses, and another error when it does not respond. */
  check(): Promise<void>;
  /** Stores contents before the transaction that inserts their document, so that no lock is held during the upload. */
  keep(documentId: string, contents: Contents): Promise<UnclaimedContents>;
  /** Returns a sealed content of a document, or undefined when it is missing. */
  read(documentId: string, purpose: keyof Contents): Promise<Buffer | undefined>;
  /** Erases the contents of a document in the transaction that drops their keys. An external store deletes them in a later `sweep`. */
  erase(tx: Sql, documentId: string, now: Date): Promise<void>;
  /** Deletes erased contents, and contents left unclaimed since before `before`, until the signal aborts. Returns the number of documents. */
  sweep(before: Date, signal?: AbortSignal): Promise<number>;
};
