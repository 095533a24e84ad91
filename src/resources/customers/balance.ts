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
    _links: Type.Object({ self: LinkSchema, customer: LinkSchema, 'owed-entries': LinkSchema }),
    at: Type.Optional(Type.String({ format: 'date-time', description: 'The time of the balances, if the request names one.' })),
    balances: Type.Array(
      Type.Object(
        {
          currency: Type.String(),
          total: AmountSchema,
          available: AmountSchema,
          held: Type.Optional(AmountSchema),
          labelled: AmountSchema,
          owed: Type.Optional(AmountSchema),
        },
        { title: 'Balance' },
      ),
    ),
  },
  {
    title: 'CustomerBalance',
    description:
      'The balance of a customer in each currency: available = total − labelled − held. `held` is what holds keep of the money without a label; it is absent if that is zero, and in the past. `owed` is what the customer owes because deposits were returned that it had spent, which the next deposits pay; it is no part of `total`, and absent if it is zero.',
  },
);

/** `at`: undefined for now. Every currency that the customer has now is listed, with zero before its first deposit or label. */
export async function customerBalance(
  { links, sql }: { links: Links; sql: Sql },
  customerId: string,
  { at, now }: { at: Date | undefined; now: Date },
): Promise<Static<typeof CustomerBalanceSchema>> {
  const balances = at ? await findPastBalances(sql, customerId, at) : await findBalances(sql, customerId, now);
  const query = at ? `?${new URLSearchParams({ at: at.toISOString() })}` : '';
  return {
    _links: {
      self: links.link(`/customers/${customerId}/balance${query}`, 'balance'),
      customer: links.to('customer', customerId),
      'owed-entries': links.link(`/customers/${customerId}/owed-entries`, 'owed-entry'),
    },
    ...(at && { at: at.toISOString() }),
    balances: balances.map(({ currency, available, held, labelled, owed }) => ({
      currency,
      total: formatAmount(available + held + labelled, currency),
      available: formatAmount(available, currency),
      ...(held > 0n && { held: formatAmount(held, currency) }),
      labelled: formatAmount(labelled, currency),
      ...(owed > 0n && { owed: formatAmount(owed, currency) }),
    })),
  };
}
