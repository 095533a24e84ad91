// The balance of a label, now or at a past moment.
import type { Static } from 'typebox';
import { AmountSchema } from '../../core/money/amount.ts';
import { formatAmount } from '../../core/money/money.ts';
import { Type } from '../../core/type.ts';
import { findPositions } from '../../ledger/transfers/past.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { LinkSchema, type Links } from '../../platform/http/links.ts';
import type { Label } from './label.ts';

export const LabelBalanceSchema = Type.Object(
  {
    _links: Type.Object({ self: LinkSchema, label: LinkSchema }),
    balance: AmountSchema,
    sequence: Type.Integer({ format: 'int64', minimum: 0, description: 'The number of ledger entries until then.' }),
    at: Type.Optional(Type.String({ format: 'date-time', description: 'The time of the balance, if the request names one.' })),
  },
  { title: 'LabelBalance' },
);

/** `at`: undefined for now. The balance is zero before the label was created. */
export async function labelBalance(
  { links, sql }: { links: Links; sql: Sql },
  label: Label,
  at: Date | undefined,
): Promise<Static<typeof LabelBalanceSchema>> {
  const [then] = at ? await findPositions(sql, [label.id], at) : [{ balance: label.balance, sequence: label.version }];
  const query = at ? `?${new URLSearchParams({ at: at.toISOString() })}` : '';
  return {
    _links: { self: links.link(`/labels/${label.id}/balance${query}`, 'balance'), label: links.to('label', label.id) },
    balance: formatAmount(then?.balance ?? 0n, label.currency),
    sequence: Number(then?.sequence ?? 0n),
    ...(at && { at: at.toISOString() }),
  };
}
