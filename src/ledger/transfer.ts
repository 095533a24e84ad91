// Stored transfers: lookup by id, and the money of many at once.

import { type Fragment, fragment, type Sql } from '../db/sql.ts';
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
  externalId: string | null;
  metadata: Record<string, string> | null;
  /** The allocation rule of a deposit. */
  ruleId: string | null;
  created: Date;
  /** The reallocation that this one reverses. */
  reverses: string | null;
  /** The sum of its reversals. */
  reversed: bigint;
};

/** The columns of the transfer `t` in a bucket, without its account. */
export function transferColumns(bucket: number): Fragment {
  return fragment`t.id, t.customer_id, t.from_id, t.to_id, t.amount, t.currency, t.reference, t.correlation_id, t.external_id,
    t.metadata, t.rule_id, t.created, t.reverses, coalesce((
      select sum(r.amount) from transfer r where r.bucket = ${bucket} and r.reverses = t.id
    ), 0)::bigint as reversed`;
}

/** The transfer with this id and kind, or undefined. */
export async function findTransfer(sql: Sql, id: string, kind: Transfer['kind']): Promise<StoredTransfer | undefined> {
  const bucket = bucketOf(id);
  const [row] = await sql<StoredTransfer>`
    select ${transferColumns(bucket)}, a.account_id
    from transfer t
    join ledger_account a on a.bucket = t.bucket and a.id = t.from_id
    where t.bucket = ${bucket} and t.id = ${id} and t.kind = ${kind}`;
  return row;
}

/** A part of a deposit that an allocation rule moved to a label. */
export type Allocation = { id: string; depositId: string; labelId: string; amount: bigint };

/** The allocations of deposits of one bucket: of each deposit, in the order of the steps of the rule. */
export async function findAllocations(sql: Sql, bucket: number, depositIds: string[]): Promise<Map<string, Allocation[]>> {
  const rows = await sql<Allocation>`
    select id, deposit_id, to_id as label_id, amount from transfer
    where bucket = ${bucket} and deposit_id = any(${depositIds}) order by from_sequence`;
  return Map.groupBy(rows, ({ depositId }) => depositId);
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
