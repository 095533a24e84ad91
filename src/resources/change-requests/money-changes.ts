// Moves of money above the limit of one person, and changes of these limits.
import { isId } from '../../core/ids.ts';
import { CURRENCIES } from '../../core/money/currencies.ts';
import { formatAmount, parseAmount } from '../../core/money/money.ts';
import { refuse } from '../../core/problems.ts';
import { findAccount } from '../accounts/account.ts';
import { findCustomer } from '../customers/customer.ts';
import { findMoveLimit, saveMoveLimit } from '../moves/limit.ts';
import { describeMove } from '../moves/move.ts';
import { requireUnrecorded } from './bank-line.ts';
import type { ChangeOf, Definition } from './change.ts';

/** A lane of the ledger posts it, after the approval is stored (`carryOutRequest`). The ledger decides about the balances. */
export const moveMoney: Definition<ChangeOf<'move_money'>> = {
  permission: 'moveMoney',
  isCarriedOut: true,
  async plan({ tx }, { customerId, move, key }) {
    const customer = await findCustomer(tx, customerId);
    if (!customer) throw refuse('badRequest', { message: 'The customer does not exist any more.' });
    await requireUnrecorded(tx, customer.accountId, { move, key });
    return { ...describeMove(customerId, move), takesTwo: true };
  },
};

/** A higher limit, and none, take a second person: else one could first raise the limit, and then move the money. */
export const setMoveLimit: Definition<ChangeOf<'set_move_limit'>> = {
  permission: 'setPolicies',
  async plan({ tx }, { accountId, currency, amount }) {
    const account = isId(accountId) ? await findAccount(tx, accountId) : undefined;
    if (!account) throw refuse('notFound');
    if (!CURRENCIES.includes(currency)) throw refuse('badRequest', { message: `“${currency}” is not a currency.` });
    const read = amount === null ? undefined : parseAmount({ value: amount, currency });
    if (read && 'code' in read) throw refuse('badRequest', { message: read.message });
    const before = await findMoveLimit(tx, accountId, currency);
    const after = read?.minorUnits;
    if (before === after) throw refuse('badRequest', { message: 'This is the limit already.' });
    const text = (limit: bigint | undefined) =>
      limit === undefined ? 'none' : `${formatAmount(limit, currency).value} ${currency}`;
    return {
      title: `Change the limit of one person for ${account.name} in ${currency}`,
      lines: [
        ['Account', `${account.name} (${account.id})`],
        ['Limit now', text(before)],
        ['New limit', text(after)],
      ],
      takesTwo: before !== undefined && (after === undefined || after > before),
      async perform() {
        await saveMoveLimit(tx, accountId, { currency, amount: after ?? null });
        const resource = { type: 'account', id: accountId };
        return {
          id: accountId,
          act: { action: 'set_move_limit', resource, detail: { currency, before: text(before), after: text(after) } },
        };
      },
    };
  },
};
