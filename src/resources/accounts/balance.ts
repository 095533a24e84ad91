// The balance of an account: what all its customers hold, in each currency.
import type { Static } from 'typebox';
import type { Clock } from '../../core/clock.ts';
import { AmountSchema } from '../../core/money/amount.ts';
import { formatAmount } from '../../core/money/money.ts';
import { Type } from '../../core/type.ts';
import { totalBalances } from '../../ledger/transfers/balance.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { LinkSchema, type Links } from '../../platform/http/links.ts';

/** The sum reads every ledger account, so it is kept. */
const KEPT_MS = 10_000;

export const AccountBalanceSchema = Type.Object(
  {
    _links: Type.Object({ self: LinkSchema, account: LinkSchema }),
    at: Type.String({ format: 'date-time', description: 'When the balances were added up.' }),
    balances: Type.Array(
      Type.Object(
        {
          currency: Type.String(),
          total: AmountSchema,
          available: AmountSchema,
          labelled: AmountSchema,
          owed: Type.Optional(AmountSchema),
          customers: Type.Integer({
            minimum: 0,
            description: 'Number of customers with a balance in the currency, which may be zero.',
          }),
        },
        { title: 'AccountCurrencyBalance' },
      ),
    ),
  },
  {
    title: 'AccountBalance',
    description:
      'What all customers of an account hold in each currency: available = total − labelled, with what is held. `owed` is what customers owe because deposits were returned that they had spent; it is absent if it is zero.',
  },
);

type Read = { at: Date; totals: ReturnType<typeof totalBalances> };

/** Returns a function that answers the balance of an account. Requests of the same ten seconds share one sum. */
export function openAccountBalances({ clock, links, sql }: { clock: Clock; links: Links; sql: Sql }) {
  const reads = new Map<string, Read>();
  const read = (accountId: string): Read => {
    const at = clock.now(accountId);
    const before = reads.get(accountId);
    const ageMs = before ? at.getTime() - before.at.getTime() : KEPT_MS;
    // A reset sets the clock back.
    if (before && ageMs >= 0 && ageMs < KEPT_MS) return before;
    const begun = { at, totals: totalBalances(sql, accountId) };
    reads.set(accountId, begun);
    begun.totals.catch(() => reads.delete(accountId));
    return begun;
  };
  return async (accountId: string): Promise<Static<typeof AccountBalanceSchema>> => {
    const { at, totals } = read(accountId);
    const balances = await totals;
    return {
      _links: { self: links.link(`/accounts/${accountId}/balance`, 'account-balance'), account: links.to('account', accountId) },
      at: at.toISOString(),
      balances: balances.map(({ currency, available, labelled, owed, customers }) => ({
        currency,
        total: formatAmount(available + labelled, currency),
        available: formatAmount(available, currency),
        labelled: formatAmount(labelled, currency),
        ...(owed > 0n && { owed: formatAmount(owed, currency) }),
        customers,
      })),
    };
  };
}
