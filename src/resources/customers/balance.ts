// The balance of a customer in each currency, now or at a past moment.
import type { Static } from 'typebox';
import { AmountSchema } from '../../core/money/amount.ts';
import { formatAmount } from '../../core/money/money.ts';
import { Type } from '../../core/type.ts';
import { findBalances, findPastBalances } from '../../ledger/transfers/balance.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { LinkSchema, type Links } from '../../platform/http/links.ts';

export const CustomerBalanceSchema = Type.Object(
  {
    _links: Type.Object({ self: LinkSchema, customer: LinkSchema }),
    at: Type.Optional(Type.String({ format: 'date-time', description: 'The time of the balances, if the request names one.' })),
    balances: Type.Array(
      Type.Object(
        { currency: Type.String(), total: AmountSchema, available: AmountSchema, labelled: AmountSchema },
        { title: 'Balance' },
      ),
    ),
  },
  { title: 'CustomerBalance', description: 'The balance of a customer in each currency: available = total − labelled.' },
);

/** `at`: undefined for now. Every currency that the customer has now is listed, with zero before its first deposit or label. */
export async function customerBalance(
  { links, sql }: { links: Links; sql: Sql },
  customerId: string,
  at: Date | undefined,
): Promise<Static<typeof CustomerBalanceSchema>> {
  const balances = at ? await findPastBalances(sql, customerId, at) : await findBalances(sql, customerId);
  const query = at ? `?${new URLSearchParams({ at: at.toISOString() })}` : '';
  return {
    _links: {
      self: links.link(`/customers/${customerId}/balance${query}`, 'balance'),
      customer: links.to('customer', customerId),
    },
    ...(at && { at: at.toISOString() }),
    balances: balances.map(({ currency, available, labelled }) => ({
      currency,
      total: formatAmount(available + labelled, currency),
      available: formatAmount(available, currency),
      labelled: formatAmount(labelled, currency),
    })),
  };
}
