// Label reallocations: schema and representation. A reallocation moves an amount between two labels of one customer.
import type { Static } from 'typebox';
import { legId } from '../../core/ids.ts';
import { AmountOrAllSchema, AmountRequest, AmountSchema, ReferenceSchema } from '../../core/money/amount.ts';
import { formatAmount } from '../../core/money/money.ts';
import { STRICT } from '../../core/schema.ts';
import { Type } from '../../core/type.ts';
import type { StoredTransfer } from '../../ledger/transfers/transfer.ts';
import { external, representExternal } from '../../platform/forms/external.ts';
import { correlated } from '../../platform/http/correlation-id.ts';
import { LinkSchema, type Links, linkWhen } from '../../platform/http/links.ts';
import { IdSchema } from '../../platform/http/paging.ts';
import { LabelLink } from '../labels/label.ts';
import { SignatureSchema } from './request-signature.ts';

export type ReallocationRequest = Static<typeof ReallocationRequest>;

export const ReallocationRequest = Type.Object(
  {
    _links: Type.Object({ from: LabelLink, to: LabelLink }, STRICT),
    amount: AmountOrAllSchema,
    reference: Type.Optional(ReferenceSchema),
    ...correlated,
    ...external,
  },
  { title: 'LabelReallocationRequest', ...STRICT },
);

export type ReversalRequest = Static<typeof ReversalRequest>;

export const ReversalRequest = Type.Object(
  {
    amount: Type.Optional(AmountRequest),
    mode: Type.Optional(
      Type.Enum(['exact', 'available'], {
        description:
          '`exact`, the default: moves the amount back, or nothing. `available`: moves back at most what the label still has available, and responds with the reallocation, whose amount says how much that is.',
      }),
    ),
    reference: Type.Optional(ReferenceSchema),
  },
  { title: 'ReversalRequest', description: 'Without `amount`, what is not reversed yet.', ...STRICT },
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
      hold: linkWhen('The hold that it captured. Present for a capture.'),
      schedule: linkWhen('The schedule that made it.'),
      reversals: linkWhen('Present unless this is a reversal.'),
      reverse: linkWhen('Present while a part of the amount is not reversed.'),
      reverses: linkWhen('The reversed reallocation. Present if this is a reversal.'),
    }),
    id: IdSchema,
    created: Type.String({ format: 'date-time' }),
    amount: AmountSchema,
    reversed: Type.Optional(AmountSchema),
    reference: Type.Optional(Type.String()),
    correlationId: Type.Optional(Type.String()),
    ...external,
    signature: Type.Optional(SignatureSchema),
  },
  { title: 'LabelReallocation' },
);

export function represent(links: Links, transfer: StoredTransfer): Static<typeof LabelReallocation> {
  const { amount, currency, reverses, reversed } = transfer;
  const reversals = links.link(`/label-reallocations/${transfer.id}/reversals`, 'label-reallocation');
  return {
    _links: {
      self: links.to('label-reallocation', transfer.id),
      from: links.to('label', transfer.fromId),
      to: links.to('label', transfer.toId),
      'from-ledger-entry': links.to('ledger-entry', legId(transfer.id, 'from')),
      'to-ledger-entry': links.to('ledger-entry', legId(transfer.id, 'to')),
      customer: links.to('customer', transfer.customerId),
      ...(transfer.holdId !== null && { hold: links.to('hold', transfer.holdId) }),
      ...(transfer.scheduleId !== null && { schedule: links.to('schedule', transfer.scheduleId) }),
      ...(reverses === null ? { reversals } : { reverses: links.to('label-reallocation', reverses) }),
      ...(reverses === null && reversed < amount && { reverse: reversals }),
    },
    id: transfer.id,
    created: transfer.created.toISOString(),
    amount: formatAmount(amount, currency),
    ...(reverses === null && { reversed: formatAmount(reversed, currency) }),
    ...(transfer.reference !== null && { reference: transfer.reference }),
    ...(transfer.correlationId !== null && { correlationId: transfer.correlationId }),
    ...representExternal(transfer),
  };
}
