// Records that the bank returned a deposit or a withdrawal, in one transaction that locks every ledger account which it takes money from.
import { bucketOf, legId, newId } from '../../core/ids.ts';
import { balanceLimit, type Funds, insufficientFunds, otherCurrency, requireAmountOrAll } from '../../core/money/amount.ts';
import { formatAmount } from '../../core/money/money.ts';
import { type Fault, invalid, refuse } from '../../core/problems.ts';
import { findFundingAccounts, openFundingAccounts } from '../../ledger/transfers/balance.ts';
import { EVERYTHING, postTransfers, type Transfer } from '../../ledger/transfers/post.ts';
import { findParts, findTransfer, type StoredTransfer } from '../../ledger/transfers/transfer.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { externalIdTaken } from '../../platform/forms/external.ts';
import { currentRequest, noteEvent } from '../../platform/telemetry/current.ts';
import { lockAccount, lockInOrder } from '../holds/held-account.ts';
import type { DepositReturnRequest, WithdrawalReturnRequest } from './return.ts';

type Accounts = NonNullable<Awaited<ReturnType<typeof findFundingAccounts>>>;
/** What a label or the owed account gives for a return, in minor units. `id`: of its transfer. */
type Source = { id: string; kind: 'recovery' | 'debt'; fromId: string; amount: bigint };

/**
 * Records that the bank took a deposit back, and returns the id of the return. It takes the money from the available balance, then from the
 * labels that the allocations of the deposit filled, the last step first. Refuses what they do not have, unless the shortfall is owed.
 * It is recorded even if the customer may not move money now.
 */
export async function returnDeposit(tx: Sql, deposit: StoredTransfer, request: DepositReturnRequest, now: Date): Promise<string> {
  const { accounts, amount, funds, sources } = await planDepositReturn(tx, deposit, request, now);
  const isShort = sources.some(({ kind }) => kind === 'debt');
  if (isShort && request.shortfall !== 'owe') throw insufficientFunds(funds, deposit.currency);
  const sides = { from: accounts.availableId, to: accounts.externalId };
  const made = returnOf(deposit, request, { kind: 'deposit-return', amount, ...sides });
  await post(tx, [...sources.map((source) => transferOf(made, source)), made], now);
  return made.id;
}

/**
 * What the return of a deposit takes now, under the locks of the accounts: of the available balance what no source gives. Refuses more than
 * is not returned yet.
 */
export async function planDepositReturn(
  tx: Sql,
  deposit: StoredTransfer,
  request: Pick<DepositReturnRequest, 'amount'>,
  now: Date,
): Promise<{ accounts: Accounts; amount: bigint; funds: Funds; sources: Source[] }> {
  const wanted = readAmount(deposit, request);
  const accounts = await accountsOf(tx, deposit, now);
  const labels = await allocatedLabels(tx, deposit);
  await lockInOrder(tx, [accounts.availableId, accounts.externalId, accounts.owedId, ...labels]);
  const amount = await amountOf(tx, deposit, wanted);
  return { accounts, amount, ...(await takeFrom(tx, { accounts, labels, amount, now })) };
}

/**
 * Records that a withdrawal came back, and returns the id of the return. The money goes to the label that it left, or to the available
 * balance, also if that label is removed.
 */
export async function returnWithdrawal(
  tx: Sql,
  withdrawal: StoredTransfer,
  request: WithdrawalReturnRequest,
  now: Date,
): Promise<string> {
  const wanted = readAmount(withdrawal, request);
  const { availableId, externalId } = await accountsOf(tx, withdrawal, now);
  await lockInOrder(tx, [availableId, externalId, withdrawal.fromId]);
  const amount = await amountOf(tx, withdrawal, wanted);
  const source = await lockAccount(tx, withdrawal.fromId, now);
  const to = source && !source.removed ? source.id : availableId;
  const made = returnOf(withdrawal, request, { kind: 'withdrawal-return', amount, from: externalId, to });
  await post(tx, [made], now);
  return made.id;
}

function readAmount({ currency }: StoredTransfer, { amount }: Pick<WithdrawalReturnRequest, 'amount'>): bigint {
  if (amount && amount.currency !== currency)
    throw invalid({ ...otherCurrency, message: 'Currency must be that of the original.' });
  return amount ? requireAmountOrAll(amount) : EVERYTHING;
}

/** The ledger accounts of a customer who had a transfer in the currency. */
async function accountsOf(tx: Sql, { customerId, currency }: StoredTransfer, now: Date): Promise<Accounts> {
  const accounts =
    (await findFundingAccounts(tx, customerId, currency)) ?? (await openFundingAccounts(tx, customerId, currency, now));
  if (!accounts) throw refuse('notFound');
  return accounts;
}

/** The labels that the allocations of a deposit filled, the last step first. */
async function allocatedLabels(tx: Sql, { id }: StoredTransfer): Promise<string[]> {
  const parts = (await findParts(tx, bucketOf(id), [id])).get(id) ?? [];
  const allocations = parts.filter(({ kind }) => kind === 'allocation').toReversed();
  return [...new Set(allocations.map(({ toId }) => toId))];
}

/** The amount of a return, under the locks. Refuses more than is not returned yet. */
async function amountOf(tx: Sql, { id, kind, currency }: StoredTransfer, wanted: bigint): Promise<bigint> {
  const original = await findTransfer(tx, id, kind);
  if (!original) throw refuse('notFound');
  const rest = original.amount - original.reversed;
  if (rest === 0n) throw refuse('fullyReturned');
  if (wanted > rest) throw invalid(exceeds(rest, currency));
  return wanted === EVERYTHING ? rest : wanted;
}

/** What a return takes beside the available balance: from labels, and what none of them has as a debt. */
async function takeFrom(
  tx: Sql,
  { accounts, labels, amount, now }: { accounts: Accounts; labels: string[]; amount: bigint; now: Date },
): Promise<{ funds: Funds; sources: Source[] }> {
  const { availableId, owedId } = accounts;
  const bucket = bucketOf(availableId);
  const owed = -(await lockAccount(tx, owedId, now))!.balance;
  const funds: Funds = { available: 0n, held: 0n, owed };
  const sources: Source[] = [];
  let missing = amount;
  for (const fromId of [availableId, ...labels]) {
    const { balance, held } = (await lockAccount(tx, fromId, now))!;
    const available = balance - held;
    funds.available += available;
    funds.held += held;
    const taken = available < missing ? available : missing;
    missing -= taken;
    if (fromId !== availableId && taken > 0n) sources.push({ id: newId(bucket), kind: 'recovery', fromId, amount: taken });
  }
  if (missing > 0n) sources.push({ id: newId(bucket), kind: 'debt', fromId: owedId, amount: missing });
  return { funds, sources };
}

type Moved = { kind: 'deposit-return' | 'withdrawal-return'; amount: bigint; from: string; to: string };

function returnOf(
  original: StoredTransfer,
  { reason, reference, correlationId, externalId, metadata }: WithdrawalReturnRequest,
  { kind, amount, from, to }: Moved,
): Transfer {
  const bucket = bucketOf(original.id);
  const id = newId(bucket);
  const topic = kind === 'deposit-return' ? 'customer_deposit_returned' : 'customer_withdrawal_returned';
  return {
    ...{ id, kind, accountId: original.accountId, fromId: from, toId: to, amount, currency: original.currency },
    ...{ reverses: original.id, reason, reference, correlationId, externalId, metadata },
    event: { id: newId(bucket), topic },
    resource: { type: 'return', id },
    idempotency: undefined,
    requestId: currentRequest()?.id,
  };
}

/** The transfer of a source to the available balance, from which the return takes it. */
function transferOf(made: Transfer, { id, kind, fromId, amount }: Source): Transfer {
  const { accountId, currency, correlationId, requestId } = made;
  const isDebt = kind === 'debt';
  const topic = isDebt ? 'customer_owed_entry_created' : 'customer_label_ledger_entry_created';
  return {
    ...{ id, kind, accountId, fromId, toId: made.fromId, amount, currency, reference: undefined, correlationId },
    event: { id: newId(bucketOf(id)), topic },
    resource: isDebt ? { type: 'owed-entry', id } : { type: 'ledger-entry', id: legId(id, 'from') },
    idempotency: undefined,
    returnId: made.id,
    requestId,
  };
}

/** Under the locks of all accounts, so that nothing but a text or the size of a balance can be refused. */
async function post(tx: Sql, transfers: Transfer[], now: Date): Promise<void> {
  const outcomes = await postTransfers(tx, transfers, { now });
  const refused = outcomes.find(({ code }) => code !== 'posted');
  if (refused?.code === 'duplicate') throw externalIdTaken({ type: 'return', id: refused.id });
  if (refused?.code === 'limit') throw invalid(balanceLimit);
  if (refused) throw new Error(`a return cannot be ${refused.code}`);
  for (const { event } of transfers) noteEvent(event.id);
}

function exceeds(rest: bigint, currency: string): Fault {
  const message = `Amount exceeds what is not returned yet, ${formatAmount(rest, currency).value} ${currency}.`;
  return { code: 'Invalid', message, path: '/amount/value' };
}
