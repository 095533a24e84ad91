// What a return would do to the balances of a customer if it were recorded now.
import { bucketOf } from '../../../core/ids.ts';
import { findLedgerAccount, listFunding } from '../../../ledger/transfers/ledger-account.ts';
import type { TransferDetail } from '../../../ledger/transfers/transfer-detail.ts';
import { planDepositReturn } from '../../../resources/returns/record.ts';
import type { Service } from '../../service/service.ts';
import type { TypedAmount } from '../amount.ts';
import { sideName } from '../ledger/transfer-words.ts';

/** `short`: what the customer does not have, which a return of a deposit records as owed. */
export type ReturnPlan = { amount: bigint; changes: { name: string; before: bigint; change: bigint }[]; short: bigint };

export async function planReturn(service: Service, original: TransferDetail, read: TypedAmount): Promise<ReturnPlan> {
  const { kind, currency, accountId, id } = original;
  if (kind === 'withdrawal') return planWithdrawal(service, original, read.minorUnits);
  const amount = { value: read.value, currency };
  const planned = await service.groups
    .near(bucketOf(id))
    .transaction((tx) => planDepositReturn(tx, original, { amount }, service.clock.now(accountId)));
  const given = planned.sources.reduce((sum, source) => sum + source.amount, 0n);
  const debt = planned.sources.find((source) => source.kind === 'debt');
  const changes = [
    { id: planned.accounts.availableId, change: given - planned.amount },
    ...planned.sources.map(({ fromId, amount }) => ({ id: fromId, change: -amount })),
  ];
  return { amount: planned.amount, changes: await describe(service, changes), short: debt?.amount ?? 0n };
}

/** To the label that it left, unless that is removed. */
async function planWithdrawal(
  { database: { sql } }: Pick<Service, 'database'>,
  { fromId, customerId, currency }: TransferDetail,
  amount: bigint,
): Promise<ReturnPlan> {
  const source = await findLedgerAccount(sql, fromId);
  const funding = await listFunding(sql, customerId);
  const available = funding.find((account) => account.kind === 'available' && account.currency === currency);
  const to = source && !source.removed ? source : available;
  return { amount, changes: to ? [{ name: sideName(to), before: to.balance, change: amount }] : [], short: 0n };
}

async function describe({ database: { sql } }: Pick<Service, 'database'>, changes: { id: string; change: bigint }[]) {
  const wanted = changes.filter(({ change }) => change !== 0n);
  const accounts = await Promise.all(wanted.map(({ id }) => findLedgerAccount(sql, id)));
  return wanted.flatMap(({ change }, index) => {
    const account = accounts[index];
    return account ? [{ name: sideName(account), before: account.balance, change }] : [];
  });
}
