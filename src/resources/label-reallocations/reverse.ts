// Reverses a label reallocation, or a part of it, by a reallocation the other way.
import { bucketOf, type Idempotency, newId } from '../../core/ids.ts';
import { readAmount } from '../../core/money/amount.ts';
import { refuse } from '../../core/problems.ts';
import type { Evidence } from '../../ledger/transfers/evidence.ts';
import type { Lanes } from '../../ledger/transfers/lane.ts';
import { EVERYTHING, type Transfer } from '../../ledger/transfers/post.ts';
import type { StoredTransfer } from '../../ledger/transfers/transfer.ts';
import type { StoredResponse } from '../../platform/idempotency/stored-response.ts';
import { postIdempotently } from '../transfers/post-idempotently.ts';
import type { ReversalRequest } from './label-reallocation.ts';
import { toRefusal } from './refusal.ts';

type Tools = { lanes: Lanes };

/**
 * Moves an amount back, by default the unreversed remainder, or what is still available of it. The ledger decides it with both labels locked, so that all reversals
 * together never exceed the original. Throws 404 for a removed label, and InvalidResourceState if nothing is left, for the reversal of
 * a reversal, and for a customer who is not verified.
 */
export async function reverse(
  service: Tools,
  original: StoredTransfer,
  request: ReversalRequest,
  { idempotency, evidence }: { idempotency: Idempotency | undefined; evidence?: Evidence | undefined },
): Promise<StoredResponse> {
  const amount = request.amount ? readAmount(request.amount, 'positive') : { minorUnits: EVERYTHING };
  const faults = 'fault' in amount ? [amount.fault] : [];
  const currency = request.amount?.currency ?? original.currency;
  const bucket = bucketOf(original.id);
  const id = newId(bucket);
  const transfer: Transfer = {
    id,
    kind: 'reallocation',
    accountId: original.accountId,
    fromId: original.toId,
    toId: original.fromId,
    amount: 'fault' in amount ? null : amount.minorUnits,
    currency,
    reference: request.reference,
    event: { id: newId(bucket), topic: 'customer_label_reallocation_created' },
    resource: { type: 'label-reallocation', id },
    idempotency,
    evidence,
    reverses: original.id,
    atMost: request.mode === 'available' ? true : undefined,
  };
  return postIdempotently(service.lanes, transfer, (outcome) =>
    outcome.code === 'frozen' ? refuse('customerNotVerified') : toRefusal(outcome, { currency, faults }),
  );
}
