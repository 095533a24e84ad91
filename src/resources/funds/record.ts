// Records deposits and withdrawals: each is one transfer, a deposit with the repayment of what is owed and its allocations.
import type { Clock } from '../../core/clock.ts';
import { bucketOf, type Idempotency, newId } from '../../core/ids.ts';
import { balanceLimit, insufficientFunds, NOTHING, requireAmount, requireAmountOrAll } from '../../core/money/amount.ts';
import { invalid, type Refusal, refuse } from '../../core/problems.ts';
import { openFundingAccounts } from '../../ledger/transfers/balance.ts';
import type { Lanes } from '../../ledger/transfers/lane.ts';
import type { RefusedOutcome, Transfer } from '../../ledger/transfers/post.ts';
import type { Database } from '../../platform/db/sql.ts';
import { externalIdTaken } from '../../platform/forms/external.ts';
import type { Links } from '../../platform/http/links.ts';
import type { StoredResponse } from '../../platform/idempotency/stored-response.ts';
import { allocationsOf, partOf } from '../allocation-rules/apply.ts';
import { type Customer, findCustomer, mayReceive } from '../customers/customer.ts';
import { labelIn, requireLabelOf } from '../labels/link.ts';
import { postIdempotently } from '../transfers/post-idempotently.ts';
import { type FundedCustomer, fundsIn } from './funded-customer.ts';
import type { DepositRequest, MovementKind, WithdrawalRequest } from './movement.ts';

type Tools = { clock: Clock; database: Database; lanes: Lanes };

const FROM = '/_links/from/href';

/**
 * Records a deposit, pays what the customer owes from it, and divides the rest by the allocation rule of the customer. It is recorded even if the customer may not move money now.
 * Throws InvalidResourceState for a customer who was never verified, and NotFound if the customer was deleted meanwhile.
 */
export async function recordDeposit(
  service: Tools,
  customer: FundedCustomer,
  request: DepositRequest,
  idempotency: Idempotency | undefined,
): Promise<StoredResponse> {
  const { sql } = service.database;
  const { currency } = request.amount;
  const amount = requireAmount(request.amount, 'positive');
  const { accounts: found, rule } = fundsIn(currency, customer);
  const accounts =
    found ??
    (mayReceive(customer) && (await openFundingAccounts(sql, customer.id, currency, service.clock.now(customer.accountId))));
  if (!accounts) throw await refusalWithoutAccounts(service, customer, currency);
  const sides = { fromId: accounts.externalId, toId: accounts.availableId };
  const transfer = { ...transferOf('deposit', customer, request, idempotency), ...sides, amount, ruleId: rule?.id };
  const parts = [repaymentOf(accounts.owedId, transfer), ...(rule ? allocationsOf(rule, transfer) : [])];
  return postIdempotently(service.lanes, transfer, (outcome) => toRefusal(outcome, transfer), parts);
}

/** The transfer that pays what is owed, to post after the deposit in the same call. The ledger skips it if nothing is owed then. */
function repaymentOf(owedId: string, deposit: Transfer): Transfer {
  const id = newId(bucketOf(deposit.id));
  return {
    ...partOf(deposit, id, 'customer_owed_entry_created'),
    kind: 'repayment',
    toId: owedId,
    amount: deposit.amount,
    resource: { type: 'owed-entry', id },
    allocation: { deposit: 0, until: 0n },
  };
}

/**
 * Records a withdrawal from the available balance, or from a label. Throws ValidationError for more than is available there,
 * InvalidResourceState for a customer who is not verified, and NotFound if the customer or the label does not exist.
 */
export async function recordWithdrawal(
  service: Tools & { links: Links },
  customer: FundedCustomer,
  request: WithdrawalRequest,
  idempotency: Idempotency | undefined,
): Promise<StoredResponse> {
  const { currency } = request.amount;
  const labelId = request._links && labelIn(service.links, request._links.from.href, FROM);
  const amount = requireAmountOrAll(request.amount);
  // The label may be removed: a repeated request gets its first answer.
  if (labelId !== undefined) await requireLabelOf(service.database.sql, customer, { labelId, currency, path: FROM });
  const { accounts } = fundsIn(currency, customer);
  // With accounts, the ledger decides: a repeated request gets its first answer, whatever the customer's status is now.
  if (!accounts) throw await refusalWithoutAccounts(service, customer, currency);
  const sides = { fromId: labelId ?? accounts.availableId, toId: accounts.externalId };
  const transfer = { ...transferOf('withdrawal', customer, request, idempotency), ...sides, amount };
  return postIdempotently(service.lanes, transfer, (outcome) => toRefusal(outcome, transfer, labelId));
}

async function refusalWithoutAccounts({ database }: Tools, customer: Customer, currency: string): Promise<Refusal> {
  if (!(await findCustomer(database.sql, customer.id))) return refuse('customerNotFound');
  return customer.status === 'verified' ? insufficientFunds(NOTHING, currency) : refuse('customerNotVerified');
}

/** A transfer without its sides and its amount. */
function transferOf<Kind extends MovementKind>(
  kind: Kind,
  customer: Customer,
  request: DepositRequest | WithdrawalRequest,
  idempotency: Idempotency | undefined,
): Omit<Transfer, keyof FundingSides | 'amount'> & { kind: Kind } {
  const id = newId(customer.bucket);
  return {
    id,
    kind,
    accountId: customer.accountId,
    currency: request.amount.currency,
    reference: request.reference,
    correlationId: request.correlationId,
    externalId: request.externalId,
    metadata: request.metadata,
    event: { id: newId(customer.bucket), topic: `customer_${kind}_created` },
    resource: { type: kind, id },
    idempotency,
  };
}

type FundingSides = { fromId: string; toId: string };

function toRefusal(
  outcome: RefusedOutcome,
  { kind, currency }: { kind: MovementKind; currency: string },
  labelId?: string,
): Refusal {
  switch (outcome.code) {
    case 'insufficient':
      return insufficientFunds(outcome, currency);
    case 'limit':
      return invalid(balanceLimit);
    case 'duplicate':
      return externalIdTaken({ type: kind, id: outcome.id });
    case 'frozen':
      return refuse('customerNotVerified');
    case 'not_found':
      // The label was removed, or a reset deleted the accounts after they were found.
      return refuse(labelId === undefined ? 'customerNotFound' : 'labelNotFound');
    default:
      throw new Error(`unexpected outcome of a movement of funds: ${outcome.code}`);
  }
}
