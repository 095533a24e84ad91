// Stored transfers: lookup by id.

import { fragment, type Sql } from '../db/sql.ts';
import { bucketOf } from '../ids.ts';
import type { Transfer } from './post.ts';

type Kind = Transfer['kind'];

export type StoredTransfer = {
  id: string;
  kind: Kind;
  accountId: string;
  customerId: string;
  fromId: string;
  toId: string;
  /** Whether the sides are labels, or the customer's available and external accounts. */
  fromLabel: boolean;
  toLabel: boolean;
  amount: bigint;
  currency: string;
  reference: string | null;
  correlationId: string | null;
  created: Date;
};

/** A StoredTransfer of `transfer t` with its accounts `f` and `g`. */
export const storedTransfer = fragment`t.id, t.kind, f.account_id, t.customer_id, t.from_id, t.to_id, f.kind = 'label' as from_label,
  g.kind = 'label' as to_label, t.amount, t.currency, t.reference, t.correlation_id, t.created`;

/** The transfer with this id and kind, or undefined. */
export async function findTransfer(sql: Sql, id: string, kind: Kind): Promise<StoredTransfer | undefined> {
  const [row] = await sql<StoredTransfer>`
    select ${storedTransfer}
    from transfer t
    join ledger_account f on f.bucket = t.bucket and f.id = t.from_id
    join ledger_account g on g.bucket = t.bucket and g.id = t.to_id
    where t.bucket = ${bucketOf(id)} and t.id = ${id} and t.kind = ${kind}`;
  return row;
}
