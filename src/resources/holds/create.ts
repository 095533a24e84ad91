// Creates a hold: keeps money of a label, or of the available balance, from being spent.

import { later } from '../../core/clock.ts';
import { newId } from '../../core/ids.ts';
import { insufficientFunds, NOTHING, requireAmount } from '../../core/money/amount.ts';
import { type Fault, invalid, type Refusal, refuse } from '../../core/problems.ts';
import { writeEvent } from '../../ledger/feed/event.ts';
import { findFundingAccounts, findOwed } from '../../ledger/transfers/balance.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { externalIdTaken } from '../../platform/forms/external.ts';
import type { Links } from '../../platform/http/links.ts';
import { type Customer, findCustomer } from '../customers/customer.ts';
import { labelIn, requireLabelOf } from '../labels/link.ts';
import { lockAccount } from './held-account.ts';
import { findHoldId, type HoldRequest } from './hold.ts';

const DAY_MS = 24 * 3_600_000;
const EXPIRES_DAYS = { fallback: 7, most: 400 };
const FROM = '/_links/from/href';

/**
 * Returns the id of the new hold. Refuses with ValidationError for more than is available, with InvalidResourceState for a customer who
 * is not verified, and with Conflict if a hold of the customer has the external id.
 */
export async function createHold(
  { tx, links }: { tx: Sql; links: Links },
  customer: Customer,
  request: HoldRequest,
  now: Date,
): Promise<string> {
  const { currency } = request.amount;
  const labelId = request._links && labelIn(links, request._links.from.href, FROM);
  const amount = requireAmount(request.amount, 'positive');
  const expires = expiryOf(request, now);
  if (labelId !== undefined) await requireLabelOf(tx, customer, { labelId, currency, path: FROM });
  const heldId = labelId ?? (await findFundingAccounts(tx, customer.id, currency))?.availableId;
  if (heldId === undefined) throw await refusalWithoutAccount(tx, customer, currency);
  const account = await lockAccount(tx, heldId, now);
  if (!account || account.removed) throw refuse(labelId === undefined ? 'customerNotFound' : 'labelNotFound');
  if (account.frozen) throw refuse('customerNotVerified');
  const available = account.balance - account.held;
  if (amount > available) {
    const owed = await findOwed(tx, customer.id, currency);
    throw insufficientFunds({ available, held: account.held, owed }, currency);
  }

  const { bucket, accountId, id: customerId } = customer;
  const { reference, correlationId, externalId, metadata = null } = request;
  const id = newId(bucket);
  const inserted = await tx`
    insert into hold (bucket, id, account_id, customer_id, ledger_account_id, of_label, currency, amount, expires, created, reference,
      correlation_id, external_id, metadata)
    values (${bucket}, ${id}, ${accountId}, ${customerId}, ${heldId}, ${labelId !== undefined}, ${currency}, ${amount}, ${expires}, ${now},
      ${reference}, ${correlationId}, ${externalId}, ${metadata}::jsonb)
    on conflict (bucket, customer_id, external_id) where external_id is not null do nothing
    returning id`;
  if (inserted.length === 0) throw externalIdTaken({ type: 'hold', id: (await findHoldId(tx, customerId, externalId!))! });
  await tx`
    update ledger_account set held = held + ${amount}, held_until = least(held_until, ${expires})
    where bucket = ${bucket} and id = ${heldId}`;
  await writeEvent(tx, { bucket, accountId, customerId, topic: 'customer_hold_created', resourceId: id }, now);
  return id;
}

function expiryOf({ expires }: HoldRequest, now: Date): Date {
  if (expires === undefined) return later(now, EXPIRES_DAYS.fallback * DAY_MS);
  const moment = new Date(expires);
  const fault = (message: string): Fault => ({ code: 'Invalid', message, path: '/expires' });
  // The schema admits leap seconds, which a Date does not have.
  if (Number.isNaN(moment.getTime())) throw invalid(fault('Expires must be a time such as 2026-01-31T12:00:00Z.'));
  if (moment <= now) throw invalid(fault('Expires must be in the future.'));
  if (moment > later(now, EXPIRES_DAYS.most * DAY_MS)) throw invalid(fault('Expires must be at most 400 days ahead.'));
  return moment;
}

/** A customer has no account before the first deposit in a currency. */
async function refusalWithoutAccount(tx: Sql, { id }: Customer, currency: string): Promise<Refusal> {
  const customer = await findCustomer(tx, id);
  if (!customer) return refuse('customerNotFound');
  return customer.status === 'verified' ? insufficientFunds(NOTHING, currency) : refuse('customerNotVerified');
}
