// Posts transfers between two ledger accounts of one customer: the call of the one function that moves money.

import type { Sql } from '../db/sql.ts';
import type { Idempotency, Resource } from '../http/idempotency.ts';
import { bucketOf, sortByBucket } from '../ids.ts';

export type Transfer = {
  /** From `newId` in the customer's bucket. */
  id: string;
  kind: 'reallocation' | 'label' | 'deposit' | 'withdrawal';
  /** The account (platform) that asks; it must own both ledger accounts. */
  accountId: string;
  fromId: string;
  toId: string;
  /** Minor units, positive. Null: the values are known to be refused, only the checks that come before them are wanted. */
  amount: bigint | null;
  currency: string;
  reference: string | undefined;
  correlationId?: string | undefined;
  /** What the event and the answer's Location name. */
  event: { id: string; topic: string };
  resource: Resource;
  idempotency: Idempotency | undefined;
};

/** An outcome that moved no money and repeats no earlier answer; what each means stands at the function, in migrations/. */
export type RefusedOutcome =
  | { code: 'insufficient'; available: bigint }
  | { code: 'not_found' | 'forbidden' | 'invalid' | 'customers' | 'frozen' | 'currency' | 'limit' };

/** The first answer to an idempotency key. */
type Kept = { status: number; resource: Resource };

export type Outcome = { code: 'posted' } | ({ code: 'replayed' } & Kept) | ({ code: 'conflict' } & Kept) | RefusedOutcome;

type Row = {
  item: number;
  outcome: Exclude<Outcome['code'], 'posted'>;
  available: bigint;
  status: number;
  resource_type: string;
  resource_id: string;
};

/**
 * Posts transfers in the order given, in the caller's transaction or, on a pool, in one of its own.
 * One outcome each, in the same order; `now` is when they happen, `again` says that an earlier attempt may have been committed.
 */
export async function postTransfers(
  sql: Sql,
  transfers: Transfer[],
  options: { now: Date; again?: boolean },
): Promise<Outcome[]> {
  // The one order in which ledger accounts are locked, so that two batches never wait for each other in a ring.
  const accountIds = sortByBucket(new Set(transfers.flatMap(({ fromId, toId }) => [fromId, toId])));
  const place = new Map(accountIds.map((id, index) => [id, index + 1]));
  const each = <T>(column: (transfer: Transfer) => T) => transfers.map(column);

  const rows = await sql<Row>`select * from post_transfers(
    ${options.again ?? false},
    ${options.now},
    ${plain(accountIds.map(bucketOf))},
    ${plain(accountIds)},
    ${plain(each((transfer) => transfer.id))},
    ${plain(each((transfer) => transfer.kind))},
    ${plain(each((transfer) => transfer.accountId))},
    ${plain(each((transfer) => place.get(transfer.fromId)))},
    ${plain(each((transfer) => place.get(transfer.toId)))},
    ${plain(each((transfer) => transfer.amount))},
    ${each((transfer) => transfer.currency)},
    ${each((transfer) => transfer.reference)},
    ${each((transfer) => transfer.correlationId)},
    ${plain(each((transfer) => transfer.event.id))},
    ${plain(each((transfer) => transfer.event.topic))},
    ${plain(each((transfer) => transfer.resource.type))},
    ${plain(each((transfer) => transfer.resource.id))},
    ${plain(each((transfer) => transfer.idempotency?.key))},
    ${plain(each((transfer) => transfer.idempotency?.fingerprint))}
  )`;

  const outcomes: Outcome[] = transfers.map(() => ({ code: 'posted' }));
  for (const row of rows) outcomes[row.item - 1] = toOutcome(row);
  return outcomes;
}

function toOutcome(row: Row): Outcome {
  const code = row.outcome;
  if (code === 'replayed' || code === 'conflict') {
    return { code, status: row.status, resource: { type: row.resource_type, id: row.resource_id } };
  }
  return code === 'insufficient' ? { code, available: row.available } : { code };
}

/** An array of values without a mark that PostgreSQL would have quoted: ids, numbers, words of ours. `pg` looks each through for such. */
function plain(values: (string | number | bigint | null | undefined)[]): string {
  return `{${values.map((value) => value ?? 'null').join(',')}}`;
}
