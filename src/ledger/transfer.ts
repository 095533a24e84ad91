// Stored transfers: lookup by id, and the money of many at once.

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

/** The money that a transfer moved, with both accounts as it left them. */
export type MovedMoney = {
  id: string;
  fromId: string;
  toId: string;
  amount: bigint;
  currency: string;
  fromSequence: bigint;
  toSequence: bigint;
  fromBalance: bigint;
  toBalance: bigint;
};

/** The money of transfers, by id. A transfer that does not exist is missing in the result. */
export async function findMoney(sql: Sql, ids: string[]): Promise<Map<string, MovedMoney>> {
  if (ids.length === 0) return new Map();
  const buckets = ids.map(bucketOf);
  const rows = await sql<MovedMoney>`
    select t.id, t.from_id, t.to_id, t.amount, t.currency, t.from_sequence, t.to_sequence, f.balance as from_balance,
      g.balance as to_balance
    from unnest(${`{${buckets.join(',')}}`}::int[], ${`{${ids.join(',')}}`}::uuid[]) as w (bucket, id)
    join transfer t on t.bucket = w.bucket and t.id = w.id
    join ledger_entry f on f.bucket = t.bucket and f.ledger_account_id = t.from_id and f.sequence = t.from_sequence
    join ledger_entry g on g.bucket = t.bucket and g.ledger_account_id = t.to_id and g.sequence = t.to_sequence`;
  return new Map(rows.map((row) => [row.id, row]));
}
