// Owed entries: schema and representation. Each is a transfer that changed what a customer owes.
import type { Static } from 'typebox';
import { AmountSchema } from '../../core/money/amount.ts';
import { formatAmount } from '../../core/money/money.ts';
import { Type } from '../../core/type.ts';
import type { StoredTransfer } from '../../ledger/transfers/transfer.ts';
import { LinkSchema, type Links, linkWhen } from '../../platform/http/links.ts';
import { IdSchema } from '../../platform/http/paging.ts';

export const KINDS = ['debt', 'repayment'] as const;

export const OwedEntrySchema = Type.Object(
  {
    _links: Type.Object({
      self: LinkSchema,
      customer: LinkSchema,
      return: linkWhen('Present for a debt: the return of a deposit that the customer had spent.'),
      deposit: linkWhen('Present for a repayment: the deposit that paid it.'),
    }),
    id: IdSchema,
    kind: Type.Enum(KINDS, { title: 'OwedEntryKind' }),
    created: Type.String({ format: 'date-time' }),
    amount: AmountSchema,
  },
  { title: 'OwedEntry', description: 'A change of what a customer owes: a debt adds to it, a repayment takes from it.' },
);

export function represent(links: Links, transfer: StoredTransfer): Static<typeof OwedEntrySchema> {
  const { id, kind, customerId, returnId, depositId, created, amount, currency } = transfer;
  return {
    _links: {
      self: links.to('owed-entry', id),
      customer: links.to('customer', customerId),
      ...(returnId !== null && { return: links.to('return', returnId) }),
      ...(depositId !== null && { deposit: links.to('deposit', depositId) }),
    },
    id,
    kind: kind as (typeof KINDS)[number],
    created: created.toISOString(),
    amount: formatAmount(amount, currency),
  };
}
