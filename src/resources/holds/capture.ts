// Captures and releases a hold. A capture moves held money to a label, or out, and needs nothing of what is available.
import { bucketOf, legId, newId, type Resource } from '../../core/ids.ts';
import { balanceLimit, otherCurrency, requireAmountOrAll } from '../../core/money/amount.ts';
import { formatAmount } from '../../core/money/money.ts';
import { type Fault, invalid, type Refusal, refuse } from '../../core/problems.ts';
import { writeEvent } from '../../ledger/feed/event.ts';
import { findFundingAccounts } from '../../ledger/transfers/balance.ts';
import { EVERYTHING, postTransfers, type RefusedOutcome, type Transfer } from '../../ledger/transfers/post.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { externalIdTaken } from '../../platform/forms/external.ts';
import type { Links } from '../../platform/http/links.ts';
import { currentRequest, noteEvent } from '../../platform/telemetry/current.ts';
import { labelIn, requireLabelOf } from '../labels/link.ts';
import { requireScope } from '../oauth/authenticate.ts';
import type { Caller } from '../oauth/token.ts';
import { free, lockAccount, lockInOrder } from './held-account.ts';
import { type CaptureRequest, type Hold, requireHold } from './hold.ts';

type Kind = 'reallocation' | 'label' | 'withdrawal';

const TO = '/_links/to/href';
const TOPICS: Record<Kind, string> = {
  reallocation: 'customer_label_reallocation_created',
  label: 'customer_label_ledger_entry_created',
  withdrawal: 'customer_withdrawal_created',
};

/**
 * Moves money of a hold. Refuses with ValidationError for more than it has left, and with InvalidResourceState if it is not pending or the
 * customer is not verified. A capture out of the customer needs the scope `funds`, as a withdrawal does.
 */
export async function captureHold(
  { tx, links }: { tx: Sql; links: Links },
  caller: Pick<Caller, 'accountId' | 'scopes'>,
  id: string,
  { request, now }: { request: CaptureRequest; now: Date },
): Promise<void> {
  const toId = request._links && labelIn(links, request._links.to.href, TO);
  if (toId === undefined) requireScope(caller, 'funds', 'forbidden');
  const found = await requireHold(tx, caller, id);
  const { currency, customerId, accountId, ledgerAccountId } = found;
  const bucket = bucketOf(id);
  if (request.amount && request.amount.currency !== currency)
    throw invalid({ ...otherCurrency, message: 'Currency must be that of the hold.' });
  const wanted = request.amount ? requireAmountOrAll(request.amount) : EVERYTHING;
  if (toId === ledgerAccountId) throw invalid(sameLabel);
  if (toId !== undefined) await requireLabelOf(tx, { id: customerId, accountId }, { labelId: toId, currency, path: TO });
  const destination = toId ?? (await findFundingAccounts(tx, customerId, currency))!.externalId;
  await lockInOrder(tx, [ledgerAccountId, destination]);
  const { hold, rest } = await lockPending(tx, caller, found, now);
  const amount = wanted === EVERYTHING ? rest : wanted;
  if (amount > rest) throw invalid(exceeds(rest, currency));

  const isDone = amount === rest || request.final === true;
  await tx`
    update hold set captured = captured + ${amount}, status = ${isDone ? 'captured' : 'pending'}, closed = ${isDone ? now : null}
    where bucket = ${bucket} and id = ${id}`;
  await free(tx, ledgerAccountId, isDone ? rest : amount);
  const transfer = transferOf(hold, request, { amount, destination, toLabel: toId !== undefined });
  const [outcome] = await postTransfers(tx, [transfer], { now });
  if (outcome?.code !== 'posted') throw refusalOf(outcome as RefusedOutcome, transfer.resource);
  noteEvent(transfer.event.id);
  await writeEvent(tx, { bucket, accountId, customerId, topic: 'customer_hold_captured', resourceId: id }, now);
}

/** Frees what a hold has left. Refuses with InvalidResourceState if it is not pending. */
export async function releaseHold(tx: Sql, caller: { accountId: string }, id: string, now: Date): Promise<Hold> {
  const found = await requireHold(tx, caller, id);
  const { accountId, customerId, ledgerAccountId } = found;
  const bucket = bucketOf(id);
  const { rest } = await lockPending(tx, caller, found, now);
  await tx`
    update hold set status = 'released', closed = ${now} where bucket = ${bucket} and id = ${id}`;
  await free(tx, ledgerAccountId, rest);
  await writeEvent(tx, { bucket, accountId, customerId, topic: 'customer_hold_released', resourceId: id }, now);
  return requireHold(tx, caller, id);
}

/** The hold under the lock of its account, and what it has left. */
async function lockPending(
  tx: Sql,
  caller: { accountId: string },
  { id, ledgerAccountId }: Hold,
  now: Date,
): Promise<{ hold: Hold; rest: bigint }> {
  await lockAccount(tx, ledgerAccountId, now);
  const hold = await requireHold(tx, caller, id);
  if (hold.status !== 'pending') throw refuse('holdNotPending');
  return { hold, rest: hold.amount - hold.captured };
}

function transferOf(
  hold: Hold,
  { reference, correlationId, externalId, metadata }: CaptureRequest,
  { amount, destination, toLabel }: { amount: bigint; destination: string; toLabel: boolean },
): Transfer {
  const bucket = bucketOf(hold.id);
  const id = newId(bucket);
  const ofLabel = hold.ofLabel ? 'reallocation' : 'label';
  const kind: Kind = toLabel ? ofLabel : 'withdrawal';
  const resource = { reallocation: 'label-reallocation', label: 'ledger-entry', withdrawal: 'withdrawal' }[kind];
  return {
    id,
    kind,
    accountId: hold.accountId,
    fromId: hold.ledgerAccountId,
    toId: destination,
    amount,
    currency: hold.currency,
    reference: reference ?? hold.reference ?? undefined,
    correlationId: correlationId ?? hold.correlationId ?? undefined,
    externalId,
    metadata,
    event: { id: newId(bucket), topic: TOPICS[kind] },
    resource: { type: resource, id: kind === 'label' ? legId(id, 'to') : id },
    idempotency: undefined,
    requestId: currentRequest()?.id,
    holdId: hold.id,
  };
}

function refusalOf(outcome: RefusedOutcome, { type }: Resource): Refusal {
  switch (outcome.code) {
    case 'not_found':
      return refuse('labelNotFound');
    case 'frozen':
      return refuse('customerNotVerified');
    case 'limit':
      return invalid(balanceLimit);
    case 'duplicate':
      return externalIdTaken({ type, id: outcome.id });
    default:
      throw new Error(`a capture cannot be ${outcome.code}`);
  }
}

const sameLabel: Fault = { code: 'Invalid', message: 'Label must be another than that of the hold.', path: TO };

function exceeds(rest: bigint, currency: string): Fault {
  const message = `Amount exceeds what the hold has left, ${formatAmount(rest, currency).value} ${currency}.`;
  return { code: 'Invalid', message, path: '/amount/value' };
}
