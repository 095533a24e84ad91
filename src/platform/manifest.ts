// The manifest of a resource: what other parts of the service must know about it. `apps/service/resources.ts` lists them.
import { type Fragment, fragment, identifier, type Sql } from './db/sql.ts';

export type Manifest = {
  /** The tags of its operations in the OpenAPI document. */
  tags?: Tag[];
  /** The topics of its events, in the order of the OpenAPI document. */
  topics?: Record<string, TopicManifest>;
  /** The types of resource that an idempotency key may name. A condition finds the row of the key `k`: without it the ledger check fails. */
  idempotent?: Record<string, Fragment | typeof UNCHECKED>;
  sealed?: SealedColumn[];
  reset?: Reset;
};

export type Tag = { name: string; description: string };

/**
 * `resource`: the type of resource that the events refer to. `transfers`: the kinds of transfers that the events report. `created`: the
 * resources whose creation they report, as bucket, id, account_id, customer_id and created.
 */
type TopicManifest = { resource: string; about: string; transfers?: string[]; created?: Fragment };

/** A column whose values are sealed. Key rotation rewraps them. */
export type SealedColumn = {
  table: string;
  column: string;
  /** A name of the content, for people. */
  content: string;
  /** The sealing context; the resource uses the same function. */
  context(row: { id: string; accountId: string }): string;
  /** The primary key; `(bucket, id)` by default. */
  key?: string;
};

/** The rows that a reset of an account deletes. `run` deletes from these tables and no others. */
type Reset = { tables: string[]; run(tx: Sql, owned: Owned): Promise<Partial<Removed>> };

/** The account of a reset and its customers, whose rows the transaction has locked. */
export type Owned = {
  accountId: string;
  buckets: number[];
  customers: string[];
  /** Erases the content of a document in its store. */
  eraseContent(tx: Sql, document: { id: string; store: 'postgresql' | 's3' }): Promise<void>;
};

/** The number of deleted records of each kind. */
export type Removed = { customers: number; labels: number; transfers: number; documents: number; webhookSubscriptions: number };

/** The ledger check does not look for the resource, because requests delete it, or because nothing does. */
export const UNCHECKED = 'unchecked';

/** The condition that a table has the row of the idempotency key `k`, as `r`. */
export function rowOf(table: string): Fragment {
  return fragment`select true from ${identifier(table)} r where r.bucket = k.bucket and r.id = k.resource_id`;
}

/** The rows of a table as those that events report as created. */
export function creationsIn(table: string): Fragment {
  return fragment`select bucket, id, account_id, customer_id, created from ${identifier(table)} where created > '-infinity'`;
}

/** Deletes the customers' rows from tables with the columns `bucket` and `customer_id`, in this order. */
export function resetOfCustomers(...tables: string[]): Reset {
  return {
    tables,
    async run(tx, { buckets, customers }) {
      for (const table of tables)
        await tx`delete from ${identifier(table)} where bucket = any(${buckets}) and customer_id = any(${customers})`;
      return {};
    },
  };
}

/** Deletes the account's rows from tables with the column `account_id`, in this order. */
export function resetOfAccount(...tables: string[]): Reset {
  return {
    tables,
    async run(tx, { accountId }) {
      for (const table of tables) await tx`delete from ${identifier(table)} where account_id = ${accountId}`;
      return {};
    },
  };
}
