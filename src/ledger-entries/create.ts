// Creates a label ledger entry: money from what the customer has available onto a label, or back.
import { type Answer, findAnswer, type Idempotency } from '../http/idempotency.ts';
import { bucketOf, legId, newId } from '../ids.ts';
import { findLabel, type Label } from '../labels/label.ts';
import { findOwnAccounts } from '../ledger/balance.ts';
import type { RefusedOutcome } from '../ledger/post.ts';
import { answerTransfer } from '../ledger/transfer.ts';
import { balanceLimit, insufficientFunds, otherCurrency, requireAmount } from '../money/amount.ts';
import { invalid, type Refusal, refuse } from '../problems.ts';
import type { Service } from '../service.ts';
import type { LedgerEntryRequest } from './ledger-entry.ts';

/**
 * A positive amount is taken from available, a negative one given back. Neither may go below zero. A removed label is not found,
 * but for a repetition of what was asked while it was there.
 */
export async function createLedgerEntry(
  service: Pick<Service, 'lanes' | 'database'>,
  label: Label,
  request: LedgerEntryRequest,
  idempotency: Idempotency | undefined,
): Promise<Answer> {
  if (label.removed) {
    const kept =
      idempotency && (await findAnswer(service.database.sql, { ...idempotency, fingerprints: [idempotency.fingerprint] }));
    if (kept) return kept;
    throw refuse('labelNotFound');
  }
  const { currency } = request.amount;
  const amount = requireAmount(request.amount, 'signed');
  if (currency !== label.currency) throw invalid(otherCurrency);
  const own = await findOwnAccounts(service.database.sql, label.customerId, currency);
  if (!own && !(await findLabel(service.database.sql, label.id))) throw refuse('labelNotFound');
  // Without own accounts no money of this currency ever came in.
  if (!own) throw amount > 0n ? insufficientFunds(0n, currency) : wouldBeNegative();

  const bucket = bucketOf(label.id);
  const id = newId(bucket);
  const adds = amount > 0n;
  const transfer = {
    id,
    kind: 'label',
    accountId: label.accountId,
    fromId: adds ? own.availableId : label.id,
    toId: adds ? label.id : own.availableId,
    amount: adds ? amount : -amount,
    currency,
    reference: request.reference,
    event: { id: newId(bucket), topic: 'customer_label_ledger_entry_created' },
    resource: { type: 'ledger-entry', id: legId(id, adds ? 'to' : 'from') },
    idempotency,
  } as const;
  return answerTransfer(service.lanes, transfer, (outcome) => toRefusal(outcome, { adds, currency }));
}

function toRefusal(outcome: RefusedOutcome, { adds, currency }: { adds: boolean; currency: string }): Refusal {
  switch (outcome.code) {
    case 'insufficient':
      return adds ? insufficientFunds(outcome.available, currency) : wouldBeNegative();
    case 'limit':
      return invalid(balanceLimit);
    case 'frozen':
      return refuse('customerNotVerified');
    case 'not_found':
      // removed in the moment between
      return refuse('labelNotFound');
    default:
      throw new Error(`a label and its customer's own account were refused as ${outcome.code}`);
  }
}

function wouldBeNegative(): Refusal {
  return invalid({ code: 'Invalid', message: 'Amount can not cause label balance to be negative.', path: '/amount/value' });
}
