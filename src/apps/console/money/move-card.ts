// What a move that waits for a second person would do to the balances now.
import { isId } from '../../../core/ids.ts';
import { findLedgerAccount, type LedgerAccount, listFunding } from '../../../ledger/transfers/ledger-account.ts';
import { findTransferDetail } from '../../../ledger/transfers/transfer-detail.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { notice } from '../../../platform/pages/parts.ts';
import { type Customer, findCustomer } from '../../../resources/customers/customer.ts';
import { findHold } from '../../../resources/holds/hold.ts';
import { amountOf, type Move, type MoveOf } from '../../../resources/moves/move.ts';
import type { Service } from '../../service/service.ts';
import { amountText } from '../amount.ts';
import { nameOf } from '../customer-name.ts';
import { sideName } from '../ledger/transfer-words.ts';
import { balancesAfterwards } from './move-form.ts';
import { planReturn } from './return-plan.ts';

type Changes = Parameters<typeof balancesAfterwards>[0];

/** `move`: by a customer. Undefined when one of the sides does not exist any more. */
export async function moveCard(service: Service, { customerId, move }: { customerId: string; move: Move }): Promise<Html> {
  const customer = await findCustomer(service.database.sql, customerId);
  if (!customer) return undefined;
  const { currency } = move.amount;
  const changes = await changesOf(service, customer, move);
  const name = nameOf({ ...customer, businessName: customer.profile.businessName });
  const isShort = changes.some(({ before, change }) => before !== undefined && change < 0n && before + change < 0n);
  return html`${balancesAfterwards(changes, { currency, title: `${amountText(amountOf(move), currency)} ${currency}`, lead: `of ${name}, as the balances are now` })}
  ${isShort && move.kind !== 'return' && notice(html`<p>There is too little now: the ledger would refuse it.</p>`, 'warn')}`;
}

async function changesOf(service: Service, customer: Customer, move: Move): Promise<Changes> {
  if (move.kind === 'return') return returned(service, move);
  const { sql } = service.database;
  const funding = await listFunding(sql, customer.id);
  const accountOf = (kind: 'available' | 'external') =>
    funding.find((account) => account.kind === kind && account.currency === move.amount.currency);
  const [from, to] = await Promise.all(
    (await sidesOf(service, move)).map((side) => (isId(side) ? findLedgerAccount(sql, side) : accountOf(side as 'available'))),
  );
  const amount = amountOf(move);
  return [changeOf(from, -amount), changeOf(to, amount)];
}

/** `id`s of ledger accounts, or `available` or `external`. */
async function sidesOf(
  { database: { sql } }: Service,
  move: Exclude<Move, MoveOf<'return'>>,
): Promise<[from: string, to: string]> {
  switch (move.kind) {
    case 'deposit':
      return ['external', 'available'];
    case 'withdrawal':
      return ['available', 'external'];
    case 'reallocation':
      return [move.from, move.to];
    case 'label':
      return move.isOut ? [move.label, 'available'] : ['available', move.label];
    case 'reversal': {
      const original = await findTransferDetail(sql, move.original);
      return [original?.toId ?? '', original?.fromId ?? ''];
    }
    case 'capture':
      return [(await findHold(sql, move.hold))?.ledgerAccountId ?? '', move.to ?? 'external'];
  }
}

function changeOf(account: LedgerAccount | undefined, change: bigint): Changes[number] {
  const name = account ? sideName(account) : change < 0n ? 'From' : 'To';
  // The outside world has no balance of the customer.
  return { name, before: account?.kind === 'external' ? undefined : account?.balance, change };
}

async function returned(service: Service, { original, amount }: MoveOf<'return'>): Promise<Changes> {
  const transfer = await findTransferDetail(service.database.sql, original);
  if (!transfer) return [];
  const read = { typed: amount.value, value: amount.value, minorUnits: amountOf({ amount }) };
  return (await planReturn(service, transfer, read)).changes;
}
