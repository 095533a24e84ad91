// Deposits and withdrawals: money that entered or left a customer's balance, recorded from the bank side.
import Type, { type Static } from 'typebox';
import { type Customer, findCustomer, mayReceive } from '../customers/customer.ts';
import { correlated } from '../http/correlation-id.ts';
import type { Answer, Idempotency } from '../http/idempotency.ts';
import { LinkSchema, type Links } from '../http/links.ts';
import { IdSchema } from '../http/paging.ts';
import { newId } from '../ids.ts';
import { findOwnAccounts, openOwnAccounts } from '../ledger/balance.ts';
import type { RefusedOutcome } from '../ledger/post.ts';
import { answerTransfer, type StoredTransfer } from '../ledger/transfer.ts';
import { AmountSchema, balanceLimit, insufficientFunds, ReferenceSchema, requireAmount } from '../money/amount.ts';
import { formatAmount } from '../money/money.ts';
import { invalid, type Refusal, refuse } from '../problems.ts';
import type { Service } from '../service.ts';

export type MovementKind = 'deposit' | 'withdrawal';
export type MovementRequest = Static<typeof MovementRequest>;

export const MovementRequest = Type.Object(
  { amount: AmountSchema, reference: Type.Optional(ReferenceSchema), ...correlated },
  { title: 'MovementRequest' },
);

export const MovementSchema = Type.Object(
  {
    _links: Type.Object({ self: LinkSchema, customer: LinkSchema }),
    id: IdSchema,
    created: Type.String({ format: 'date-time' }),
    amount: AmountSchema,
    reference: Type.Optional(Type.String()),
    correlationId: Type.Optional(Type.String()),
  },
  { title: 'Movement', description: 'A deposit or a withdrawal.' },
);

/**
 * Records a deposit or a withdrawal. A withdrawal of more than is available is refused with ValidationError, one of a customer
 * that is not verified now with InvalidResourceState. Money that arrived is recorded even when the customer may not move it now,
 * but never before there was a verified customer to own it. NotFound where the customer was deleted meanwhile.
 */
export async function recordMovement(
  service: Pick<Service, 'lanes' | 'database' | 'clock'>,
  kind: MovementKind,
  customer: Customer,
  request: MovementRequest,
  idempotency: Idempotency | undefined,
): Promise<Answer> {
  const { clock, database } = service;
  const { sql } = database;
  const { currency } = request.amount;
  const amount = requireAmount(request.amount, 'positive');
  const isVerified = customer.status === 'verified';
  const mayOpen = kind === 'deposit' && mayReceive(customer);
  const own =
    (await findOwnAccounts(sql, customer.id, currency)) ??
    (mayOpen && (await openOwnAccounts(sql, customer.id, currency, clock.now(customer.accountId))));
  if (!own && !(await findCustomer(sql, customer.id))) throw refuse('customerNotFound');
  // Where there are accounts the ledger decides, so that a repetition is answered as at first whatever the status became.
  if (!own) throw isVerified ? insufficientFunds(0n, currency) : refuse('customerNotVerified');

  const id = newId(customer.bucket);
  const transfer = {
    id,
    kind,
    accountId: customer.accountId,
    fromId: kind === 'deposit' ? own.externalId : own.availableId,
    toId: kind === 'deposit' ? own.availableId : own.externalId,
    amount,
    currency,
    reference: request.reference,
    correlationId: request.correlationId,
    event: { id: newId(customer.bucket), topic: `customer_${kind}_created` },
    resource: { type: kind, id },
    idempotency,
  };
  return answerTransfer(service.lanes, transfer, (outcome) => toRefusal(outcome, currency));
}

export function represent(links: Links, kind: MovementKind, transfer: StoredTransfer): Static<typeof MovementSchema> {
  return {
    _links: { self: links.to(kind, transfer.id), customer: links.to('customer', transfer.customerId) },
    id: transfer.id,
    created: transfer.created.toISOString(),
    amount: formatAmount(transfer.amount, transfer.currency),
    ...(transfer.reference !== null && { reference: transfer.reference }),
    ...(transfer.correlationId !== null && { correlationId: transfer.correlationId }),
  };
}

function toRefusal(outcome: RefusedOutcome, currency: string): Refusal {
  switch (outcome.code) {
    case 'insufficient':
      return insufficientFunds(outcome.available, currency);
    case 'limit':
      return invalid(balanceLimit);
    case 'frozen':
      return refuse('customerNotVerified');
    case 'not_found':
      // A reset of the account deleted them after they were found.
      return refuse('customerNotFound');
    default:
      throw new Error(`a customer's own accounts were refused as ${outcome.code}`);
  }
}
