// Creates a label and funds it from the customer's available balance.
import { findCustomer } from '../customers/customer.ts';
import type { Sql } from '../db/sql.ts';
import { writeEvent } from '../events/event.ts';
import { bucketOf, legId, newId } from '../ids.ts';
import { findFundingAccounts } from '../ledger/balance.ts';
import { postTransfers, type Transfer } from '../ledger/post.ts';
import { balanceLimit, insufficientFunds, requireAmount } from '../money/amount.ts';
import { invalid, refuse } from '../problems.ts';
import { noteEvent } from '../telemetry/current.ts';
import type { LabelRequest } from './label.ts';

/** Returns the id of the new label. Throws InvalidResourceState unless the customer is verified, and ValidationError for the amount. */
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
  // Locks the customer's row, so that its status cannot change before the commit.
  const inserted = await tx`
    insert into ledger_account (bucket, id, account_id, customer_id, kind, currency, name, correlation_id, created)
    select bucket, ${id}, account_id, id, 'label', ${currency}, ${request.name}, ${request.correlationId}, ${now}
    from customer
    where bucket = ${bucket} and id = ${customer.id} and status = 'verified' and type <> 'unverified'
    for share
    returning id`;
  if (inserted.length === 0) throw refuse((await findCustomer(tx, customer.id)) ? 'customerNotVerified' : 'customerNotFound');
  await writeEvent(
    tx,
    { bucket, accountId: customer.accountId, customerId: customer.id, topic: 'customer_label_created', resourceId: id },
    now,
  );
  if (amount > 0n) await fund(tx, customer, { labelId: id, amount, currency }, now);
  return id;
}

async function fund(
  tx: Sql,
  customer: { id: string; accountId: string },
  label: { labelId: string; amount: bigint; currency: string },
  now: Date,
): Promise<void> {
  const { labelId, amount, currency } = label;
  const accounts = await findFundingAccounts(tx, customer.id, currency);
  if (!accounts) throw insufficientFunds(0n, currency);
  const bucket = bucketOf(customer.id);
  const id = newId(bucket);
  const transfer: Transfer = {
    id,
    kind: 'label',
    accountId: customer.accountId,
    fromId: accounts.availableId,
    toId: labelId,
    amount,
    currency,
    reference: undefined,
    event: { id: newId(bucket), topic: 'customer_label_ledger_entry_created' },
    resource: { type: 'ledger-entry', id: legId(id, 'to') },
    idempotency: undefined,
  };
  const [outcome] = await postTransfers(tx, [transfer], { now });
  if (outcome?.code === 'insufficient') throw insufficientFunds(outcome.available, currency);
  if (outcome?.code === 'limit') throw invalid(balanceLimit);
  if (outcome?.code !== 'posted') throw refuse('customerNotVerified');
  noteEvent(transfer.event.id);
}
