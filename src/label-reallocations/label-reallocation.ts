// Label reallocations: schema and representation. A reallocation moves an amount between two labels of one customer.
import Type, { type Static } from 'typebox';
import { correlated } from '../http/correlation-id.ts';
import { LinkSchema, type Links } from '../http/links.ts';
import { IdSchema } from '../http/paging.ts';
import { legId } from '../ids.ts';
import type { StoredTransfer } from '../ledger/transfer.ts';
import { AmountSchema, ReferenceSchema } from '../money/amount.ts';
import { formatAmount } from '../money/money.ts';
import { CHECKED_LATER } from '../schema.ts';

export type ReallocationRequest = Static<typeof ReallocationRequest>;

const Href = Type.Object({
  href: Type.String({ description: 'URL of a label, {base}/labels/{id}.', [CHECKED_LATER]: { format: 'uri' } }),
});

export const ReallocationRequest = Type.Object(
  {
    _links: Type.Object({ from: Href, to: Href }),
    amount: AmountSchema,
    reference: Type.Optional(ReferenceSchema),
    ...correlated,
  },
  { title: 'LabelReallocationRequest' },
);

export const LabelReallocation = Type.Object(
  {
    _links: Type.Object({
      self: LinkSchema,
      from: LinkSchema,
      to: LinkSchema,
      'from-ledger-entry': LinkSchema,
      'to-ledger-entry': LinkSchema,
      customer: LinkSchema,
    }),
    id: IdSchema,
    created: Type.String({ format: 'date-time' }),
    amount: AmountSchema,
    reference: Type.Optional(Type.String()),
    correlationId: Type.Optional(Type.String()),
  },
  { title: 'LabelReallocation' },
);

export function represent(links: Links, transfer: StoredTransfer): Static<typeof LabelReallocation> {
  return {
    _links: {
      self: links.to('label-reallocation', transfer.id),
      from: links.to('label', transfer.fromId),
      to: links.to('label', transfer.toId),
      'from-ledger-entry': links.to('ledger-entry', legId(transfer.id, 'from')),
      'to-ledger-entry': links.to('ledger-entry', legId(transfer.id, 'to')),
      customer: links.to('customer', transfer.customerId),
    },
    id: transfer.id,
    created: transfer.created.toISOString(),
    amount: formatAmount(transfer.amount, transfer.currency),
    ...(transfer.reference !== null && { reference: transfer.reference }),
    ...(transfer.correlationId !== null && { correlationId: transfer.correlationId }),
  };
}
