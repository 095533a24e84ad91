// The refusals of reallocations: from outcomes of the ledger to problems.
import { balanceLimit, insufficientFunds, otherCurrency } from '../../core/money/amount.ts';
import { formatAmount } from '../../core/money/money.ts';
import { type Fault, invalid, type Refusal, refuse } from '../../core/problems.ts';
import type { RefusedOutcome } from '../../ledger/transfers/post.ts';
import { externalIdTaken } from '../../platform/forms/external.ts';

export const otherCustomer: Fault = {
  code: 'Invalid',
  message: 'Labels must belong to the same customer.',
  path: '/_links/to/href',
};
const notVerified: Fault = { code: 'NotAllowed', message: 'Customer of the labels must be verified.', path: '/_links/from/href' };

/** The refusal of a reallocation. `faults`: those of its values, which the ledger reports as invalid. */
export function toRefusal(outcome: RefusedOutcome, { currency, faults }: { currency: string; faults: Fault[] }): Refusal {
  switch (outcome.code) {
    case 'not_found':
      return refuse('labelNotFound');
    case 'forbidden':
      return refuse('reallocationForbidden');
    case 'invalid':
      return invalid(...(faults as [Fault, ...Fault[]]));
    case 'customers':
      return invalid(otherCustomer);
    case 'frozen':
      return invalid(notVerified);
    case 'currency':
      return invalid(otherCurrency);
    case 'limit':
      return invalid(balanceLimit);
    case 'insufficient':
      return insufficientFunds(outcome, currency);
    case 'duplicate':
      return externalIdTaken({ type: 'label-reallocation', id: outcome.id });
    case 'reversed':
      return refuse('reallocationReversed');
    case 'exceeds':
      return invalid(exceeds(outcome.available, currency));
    default:
      throw new Error(`a reallocation cannot be ${outcome.code}`);
  }
}

function exceeds(rest: bigint, currency: string): Fault {
  const message = `Amount exceeds the unreversed remainder of ${formatAmount(rest, currency).value} ${currency}.`;
  return { code: 'Invalid', message, path: '/amount/value' };
}
