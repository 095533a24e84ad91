// Creates a label ledger entry: moves money from the customer's available balance to a label, or back.
import type { Clock } from '../../core/clock.ts';
import { bucketOf, type Idempotency, legId, newId } from '../../core/ids.ts';
import { balanceLimit, insufficientFunds, NOTHING, otherCurrency, requireAmount } from '../../core/money/amount.ts';
import { invalid, type Refusal, refuse } from '../../core/problems.ts';
import { findFundingAccounts } from '../../ledger/transfers/balance.ts';
import type { Lanes } from '../../ledger/transfers/lane.ts';
import type { RefusedOutcome } from '../../ledger/transfers/post.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Database } from '../../platform/db/sql.ts';
import { findAnswer, keysSince } from '../../platform/idempotency/store.ts';
import type { StoredResponse } from '../../platform/idempotency/stored-response.ts';
import { findCustomer } from '../customers/customer.ts';
import { findLabel, type Label } from '../labels/label.ts';
import { postIdempotently } from '../transfers/post-idempotently.ts';
import type { LedgerEntryRequest } from './ledger-entry.ts';

type Tools = { clock: Clock; config: Config; database: Database; lanes: Lanes };

/**
 * A positive amount moves from the available balance to the label, a negative amount back. Neither balance may become negative.
 * Throws 404 for a removed label, except for the repetition of a request made before the removal.
 */
export async function createLedgerEntry(
  service: Tools,
  label: Label,
  request: LedgerEntryRequest,
  idempotency: Idempotency | undefined,
): Promise<StoredResponse> {
  if (label.removed) {
    const answer =
      idempotency &&
      (await findAnswer(service.database.sql, {
        bucket: bucketOf(label.id),
        ...idempotency,
        fingerprints: [idempotency.fingerprint],
        since: keysSince(service, label.accountId),
      }));
    if (answer) return answer;
    throw refuse('labelNotFound');
  }
  const { currency } = request.amount;
  const amount = requireAmount(request.amount, 'signed');
  if (currency !== label.currency) throw invalid(otherCurrency);
  const accounts = await findFundingAccounts(service.database.sql, label.customerId, currency);
  if (!accounts && !(await findLabel(service.database.sql, label.id))) throw refuse('labelNotFound');
  // The accounts are opened with the first deposit in this currency. With accounts, the ledger decides, in the same order.
  if (!accounts) {
    const customer = await findCustomer(service.database.sql, label.customerId);
    if (customer?.status !== 'verified') throw refuse('customerNotVerified');
    throw amount > 0n ? insufficientFunds(NOTHING, currency) : wouldBeNegative();
  }

  const bucket = bucketOf(label.id);
  const id = newId(bucket);
  const adds = amount > 0n;
  const transfer = {
    id,
    kind: 'label',
    accountId: label.accountId,
    fromId: adds ? accounts.availableId : label.id,
    toId: adds ? label.id : accounts.availableId,
    amount: adds ? amount : -amount,
    currency,
    reference: request.reference,
    event: { id: newId(bucket), topic: 'customer_label_ledger_entry_created' },
    resource: { type: 'ledger-entry', id: legId(id, adds ? 'to' : 'from') },
    idempotency,
  } as const;
  return postIdempotently(service.lanes, transfer, (outcome) => toRefusal(outcome, { adds, currency }));
}

function toRefusal(outcome: RefusedOutcome, { adds, currency }: { adds: boolean; currency: string }): Refusal {
  switch (outcome.code) {
    case 'insufficient':
      return adds || outcome.held > 0n || outcome.owed > 0n ? insufficientFunds(outcome, currency) : wouldBeNegative();
    case 'limit':
      return invalid(balanceLimit);
    case 'frozen':
      return refuse('customerNotVerified');
    case 'not_found':
      // The label was removed after it was found.
      return refuse('labelNotFound');
    default:
      throw new Error(`unexpected outcome of a transfer between a label and its customer's available balance: ${outcome.code}`);
  }
}

function wouldBeNegative(): Refusal {
  return invalid({ code: 'Invalid', message: 'Amount can not cause label balance to be negative.', path: '/amount/value' });
}
