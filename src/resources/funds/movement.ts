// Deposits and withdrawals: schema, representation and recording. They record money that entered or left a customer's balance at the bank.
import type { Static } from 'typebox';
import type { Clock } from '../../core/clock.ts';
import { type Idempotency, legId, newId } from '../../core/ids.ts';
import {
  AmountRequest,
  AmountSchema,
  balanceLimit,
  insufficientFunds,
  ReferenceSchema,
  requireAmount,
} from '../../core/money/amount.ts';
import { formatAmount } from '../../core/money/money.ts';
import { invalid, type Refusal, refuse } from '../../core/problems.ts';
import { STRICT } from '../../core/schema.ts';
import { Type } from '../../core/type.ts';
import { findFundingAccounts, openFundingAccounts } from '../../ledger/transfers/balance.ts';
import type { Lanes } from '../../ledger/transfers/lane.ts';
import type { RefusedOutcome, Transfer } from '../../ledger/transfers/post.ts';
import type { Allocation, StoredTransfer } from '../../ledger/transfers/transfer.ts';
import type { Database } from '../../platform/db/sql.ts';
import { external, externalIdTaken, representExternal } from '../../platform/forms/external.ts';
import { correlated } from '../../platform/http/correlation-id.ts';
import { LinkSchema, type Links, linkWhen } from '../../platform/http/links.ts';
import { IdSchema } from '../../platform/http/paging.ts';
import type { StoredResponse } from '../../platform/idempotency/stored-response.ts';
import { allocationsOf, findRuleFor } from '../allocation-rules/apply.ts';
import { type Customer, findCustomer, mayReceive } from '../customers/customer.ts';
import { postIdempotently } from '../transfers/post-idempotently.ts';

type Tools = { clock: Clock; database: Database; lanes: Lanes };

export type MovementKind = 'deposit' | 'withdrawal';
export type MovementRequest = Static<typeof MovementRequest>;

export const MovementRequest = Type.Object(
  { amount: AmountRequest, reference: Type.Optional(ReferenceSchema), ...correlated, ...external },
  { title: 'MovementRequest', ...STRICT },
);

const AllocationSchema = Type.Object(
  { _links: Type.Object({ label: LinkSchema, 'ledger-entry': LinkSchema }), amount: AmountSchema },
  { title: 'Allocation' },
);

export const MovementSchema = Type.Object(
  {
    _links: Type.Object({
      self: LinkSchema,
      customer: LinkSchema,
      'allocation-rule': linkWhen('Present for a deposit that an allocation rule applied to.'),
    }),
    id: IdSchema,
    created: Type.String({ format: 'date-time' }),
    amount: AmountSchema,
    reference: Type.Optional(Type.String()),
    correlationId: Type.Optional(Type.String()),
    ...external,
    _embedded: Type.Optional(
      Type.Object(
        { allocations: Type.Array(AllocationSchema) },
        { title: 'Allocations', description: 'What the allocation rule moved to labels, in the order of its steps.' },
      ),
    ),
  },
  { title: 'Movement', description: 'A deposit or a withdrawal.' },
);

/**
 * Records a deposit or a withdrawal. Throws ValidationError for a withdrawal above the available balance, InvalidResourceState for a
 * withdrawal of a customer who is not verified, or a deposit for one who was never verified, and NotFound if the customer was deleted
 * meanwhile. A deposit is recorded even if the customer may not move money now, and divided by the allocation rule of the customer.
 */
export async function recordMovement(
  service: Tools,
  kind: MovementKind,
  customer: Customer,
  request: MovementRequest,
  idempotency: Idempotency | undefined,
): Promise<StoredResponse> {
  const { clock, database } = service;
  const { sql } = database;
  const { currency } = request.amount;
  const amount = requireAmount(request.amount, 'positive');
  const isVerified = customer.status === 'verified';
  const mayOpen = kind === 'deposit' && mayReceive(customer);
  const rule = kind === 'deposit' ? await findRuleFor(sql, customer, currency) : undefined;
  const accounts =
    (await findFundingAccounts(sql, customer.id, currency)) ??
    (mayOpen && (await openFundingAccounts(sql, customer.id, currency, clock.now(customer.accountId))));
  if (!accounts && !(await findCustomer(sql, customer.id))) throw refuse('customerNotFound');
  // With accounts, the ledger decides: a repeated request gets its first answer, whatever the customer's status is now.
  if (!accounts) throw isVerified ? insufficientFunds(0n, currency) : refuse('customerNotVerified');

  const id = newId(customer.bucket);
  const transfer: Transfer & { kind: MovementKind } = {
    id,
    kind,
    accountId: customer.accountId,
    fromId: kind === 'deposit' ? accounts.externalId : accounts.availableId,
    toId: kind === 'deposit' ? accounts.availableId : accounts.externalId,
    amount,
    currency,
    reference: request.reference,
    correlationId: request.correlationId,
    externalId: request.externalId,
    metadata: request.metadata,
    event: { id: newId(customer.bucket), topic: `customer_${kind}_created` },
    resource: { type: kind, id },
    idempotency,
    ruleId: rule?.id,
  };
  const allocations = rule ? allocationsOf(rule, transfer) : [];
  return postIdempotently(service.lanes, transfer, (outcome) => toRefusal(outcome, transfer), allocations);
}

/** `allocations`: those of a deposit. */
export function represent(
  links: Links,
  kind: MovementKind,
  transfer: StoredTransfer,
  allocations: Allocation[] = [],
): Static<typeof MovementSchema> {
  const { ruleId, currency } = transfer;
  return {
    _links: {
      self: links.to(kind, transfer.id),
      customer: links.to('customer', transfer.customerId),
      ...(ruleId !== null && { 'allocation-rule': links.to('allocation-rule', ruleId) }),
    },
    id: transfer.id,
    created: transfer.created.toISOString(),
    amount: formatAmount(transfer.amount, transfer.currency),
    ...(transfer.reference !== null && { reference: transfer.reference }),
    ...(transfer.correlationId !== null && { correlationId: transfer.correlationId }),
    ...representExternal(transfer),
    ...(ruleId !== null && {
      _embedded: {
        allocations: allocations.map(({ id, labelId, amount }) => ({
          _links: { label: links.to('label', labelId), 'ledger-entry': links.to('ledger-entry', legId(id, 'to')) },
          amount: formatAmount(amount, currency),
        })),
      },
    }),
  };
}

function toRefusal(outcome: RefusedOutcome, { kind, currency }: { kind: MovementKind; currency: string }): Refusal {
  switch (outcome.code) {
    case 'insufficient':
      return insufficientFunds(outcome.available, currency);
    case 'limit':
      return invalid(balanceLimit);
    case 'duplicate':
      return externalIdTaken({ type: kind, id: outcome.id });
    case 'frozen':
      return refuse('customerNotVerified');
    case 'not_found':
      // A reset deleted the accounts after they were found.
      return refuse('customerNotFound');
    default:
      throw new Error(`unexpected outcome of a movement of funds: ${outcome.code}`);
  }
}
