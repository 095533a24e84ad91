// Creates a label and funds it from the customer's available balance.
import { bucketOf, legId, newId } from '../../core/ids.ts';
import { balanceLimit, insufficientFunds, NOTHING, requireAmount } from '../../core/money/amount.ts';
import { invalid, type Refusal, refuse } from '../../core/problems.ts';
import { writeEvent } from '../../ledger/feed/event.ts';
import { findFundingAccounts } from '../../ledger/transfers/balance.ts';
import { postTransfers, type Transfer } from '../../ledger/transfers/post.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { externalIdTaken } from '../../platform/forms/external.ts';
import { currentRequest, noteEvent } from '../../platform/telemetry/current.ts';
import { findCustomer } from '../customers/customer.ts';
import { findLabelId, type LabelRequest } from './label.ts';

type Funded = { id: string; amount: bigint; currency: string };

/**
 * Returns the id of the new label. Throws InvalidResourceState unless the customer is verified, ValidationError for the amount, and
 * Conflict if a label of the customer has the external id.
 */
export async function createLabel(
  tx: Sql,
  customer: { id: string; accountId: string },
  request: LabelRequest,
  now: Date,
): Promise<string> {
  const bucket = bucketOf(customer.id);
  const amount = requireAmount(request.amount, 'zero or more');
  const { currency } = request.amount;
  const id = newId(bucket);
  const { name, correlationId, externalId } = request;
  const metadata = request.metadata ?? null;
  // Locks the customer's row, so that its status cannot change before the commit.
  const inserted = await tx`
    insert into ledger_account (bucket, id, account_id, customer_id, kind, currency, name, correlation_id, external_id, metadata, created)
    select bucket, ${id}, account_id, id, 'label', ${currency}, ${name}, ${correlationId}, ${externalId}, ${metadata}::jsonb, ${now}
    from customer
    where bucket = ${bucket} and id = ${customer.id} and status = 'verified' and type <> 'unverified'
    for share
    on conflict (bucket, customer_id, external_id) where external_id is not null do nothing
    returning id`;
  if (inserted.length === 0) throw await refusalOf(tx, customer.id, externalId);
  await writeEvent(
    tx,
    { bucket, accountId: customer.accountId, customerId: customer.id, topic: 'customer_label_created', resourceId: id },
    now,
  );
  if (amount > 0n) await fund(tx, customer, { id, amount, currency }, now);
  return id;
}

/** Why no label was inserted. */
async function refusalOf(tx: Sql, customerId: string, externalId: string | undefined): Promise<Refusal> {
  const customer = await findCustomer(tx, customerId);
  if (!customer) return refuse('customerNotFound');
  const isVerified = customer.status === 'verified' && customer.type !== 'unverified';
  const taken = isVerified && externalId !== undefined ? await findLabelId(tx, customerId, externalId) : undefined;
  return taken === undefined ? refuse('customerNotVerified') : externalIdTaken({ type: 'label', id: taken });
}

async function fund(tx: Sql, customer: { id: string; accountId: string }, label: Funded, now: Date): Promise<void> {
  const { currency } = label;
  const accounts = await findFundingAccounts(tx, customer.id, currency);
  if (!accounts) throw insufficientFunds(NOTHING, currency);
  const transfer = fundingOf(customer.accountId, accounts.availableId, label);
  const [outcome] = await postTransfers(tx, [transfer], { now });
  if (outcome?.code === 'insufficient') throw insufficientFunds(outcome, currency);
  if (outcome?.code === 'limit') throw invalid(balanceLimit);
  if (outcome?.code !== 'posted') throw refuse('customerNotVerified');
  noteEvent(transfer.event.id);
}

/** The transfer of available money to a new label. */
export function fundingOf(accountId: string, availableId: string, { id: labelId, amount, currency }: Funded): Transfer {
  const bucket = bucketOf(labelId);
  const id = newId(bucket);
  return {
    id,
    kind: 'label',
    accountId,
    fromId: availableId,
    toId: labelId,
    amount,
    currency,
    reference: undefined,
    event: { id: newId(bucket), topic: 'customer_label_ledger_entry_created' },
    resource: { type: 'ledger-entry', id: legId(id, 'to') },
    idempotency: undefined,
    requestId: currentRequest()?.id,
  };
}
