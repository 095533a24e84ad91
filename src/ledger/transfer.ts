// Transfers: lookup, and the answer to a request that posts one.

import type { Sql } from '../db/sql.ts';
import { type Answer, keyConflict, oneAtATime } from '../http/idempotency.ts';
import { bucketOf } from '../ids.ts';
import { type Refusal, refuse } from '../problems.ts';
import type { Lanes } from './lane.ts';
import type { RefusedOutcome, Transfer } from './post.ts';

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

/** Posts a transfer through its lane, once per idempotency key, and returns the answer. `refusal` maps a refused outcome to a problem. */
export function answerTransfer(lanes: Lanes, transfer: Transfer, refusal: (outcome: RefusedOutcome) => Refusal): Promise<Answer> {
  return oneAtATime(transfer.idempotency?.key, async () => {
    const outcome = await lanes.post(transfer);
    switch (outcome.code) {
      case 'posted':
        return { status: 201, resource: transfer.resource };
      case 'replayed':
        return { status: outcome.status, resource: outcome.resource, replayed: true };
      case 'conflict':
        throw keyConflict(outcome.resource);
      case 'unavailable':
        throw refuse('unavailable');
      default:
        throw refusal(outcome);
    }
  });
}
