// Posts the transfer of a request once per Idempotency-Key: the ledger commits the key with the transfer.
import { type Refusal, refuse } from '../../core/problems.ts';
import type { Lanes } from '../../ledger/transfers/lane.ts';
import type { RefusedOutcome, Transfer } from '../../ledger/transfers/post.ts';
import { oneAtATime } from '../../platform/idempotency/key-mutex.ts';
import { keyConflict } from '../../platform/idempotency/store.ts';
import type { StoredResponse } from '../../platform/idempotency/stored-response.ts';

/**
 * Posts a transfer through its lane and returns the answer. `refusal` maps a refused outcome to a problem. The allocations of a deposit
 * are posted with it; their outcomes change nothing of the answer.
 */
export function postIdempotently(
  lanes: Lanes,
  transfer: Transfer,
  refusal: (outcome: RefusedOutcome) => Refusal,
  allocations: readonly Transfer[] = [],
): Promise<StoredResponse> {
  return oneAtATime(transfer.idempotency?.key, async () => {
    const outcomes = await lanes.postAll([transfer, ...allocations]);
    const outcome = outcomes === 'unavailable' ? { code: outcomes } : outcomes[0]!;
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
