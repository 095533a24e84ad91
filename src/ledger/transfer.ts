// Stored transfers: lookup by id.

import type { Sql } from '../db/sql.ts';
import { bucketOf } from '../ids.ts';
import type { Transfer } from './post.ts';

export type StoredTransfer = {
  id: string;
  accountId: string;
  customerId: string;
  fromId: string;
  toId: string;
  amount: bigint;
  currency: string;
  reference: string | null;
  correlationId: string | null;
  created: Date;
};

/** The transfer with this id and kind, or undefined. */
export async function findTransfer(sql: Sql, id: string, kind: Transfer['kind']): Promise<StoredTransfer | undefined> {
  const [row] = await sql<StoredTransfer>`
    select t.id, a.account_id, t.customer_id, t.from_id, t.to_id, t.amount,
      t.currency, t.reference, t.correlation_id, t.created
    from transfer t
    join ledger_account a on a.bucket = t.bucket and a.id = t.from_id
    where t.bucket = ${bucketOf(id)} and t.id = ${id} and t.kind = ${kind}`;
  return row;
}
