// Transfers: schema and representation. Every movement of a customer's money is one, whatever its kind.
import type { Static } from 'typebox';
import { legId } from '../../core/ids.ts';
import { AmountSchema } from '../../core/money/amount.ts';
import { formatAmount } from '../../core/money/money.ts';
import { Type } from '../../core/type.ts';
import type { StoredTransfer } from '../../ledger/transfers/transfer.ts';
import { SHOWN_KINDS } from '../../ledger/transfers/transfer-list.ts';
import { external, representExternal } from '../../platform/forms/external.ts';
import { LinkSchema, type Links, linkWhen } from '../../platform/http/links.ts';
import { IdSchema } from '../../platform/http/paging.ts';

export const TransferSchema = Type.Object(
  {
    _links: Type.Object({
      self: LinkSchema,
      customer: LinkSchema,
      from: linkWhen('Present if the money left a label.'),
      to: linkWhen('Present if the money arrived at a label.'),
      schedule: linkWhen('The schedule that made it. Of reallocations only.'),
    }),
    id: IdSchema,
    kind: Type.Enum(SHOWN_KINDS, { title: 'TransferKind' }),
    created: Type.String({ format: 'date-time' }),
    amount: AmountSchema,
    reason: Type.Optional(Type.String({ description: 'Present for a return.' })),
    from: Type.Optional({ ...IdSchema, description: 'Id of the label that the money left.' }),
    to: Type.Optional({ ...IdSchema, description: 'Id of the label at which the money arrived.' }),
    reference: Type.Optional(Type.String()),
    correlationId: Type.Optional(Type.String()),
    ...external,
  },
  {
    title: 'Transfer',
    description:
      'A movement of money. `self` is the deposit, withdrawal, return or label reallocation; of a transfer between the available balance and a label (`label`, `allocation`, `recovery`), the ledger entry of the label; of a change of what the customer owes (`debt`, `repayment`), the owed entry.',
  },
);

export function represent(links: Links, transfer: StoredTransfer): Static<typeof TransferSchema> {
  const { id, kind, fromId, toId, fromLabel, toLabel } = transfer;
  return {
    _links: {
      self: links.to(...resourceOf(transfer)),
      customer: links.to('customer', transfer.customerId),
      ...(fromLabel && { from: links.to('label', fromId) }),
      ...(toLabel && { to: links.to('label', toId) }),
      ...(transfer.scheduleId !== null && { schedule: links.to('schedule', transfer.scheduleId) }),
    },
    id,
    kind: kind === 'reallocation' && transfer.reverses !== null ? ('reversal' as const) : kind,
    created: transfer.created.toISOString(),
    amount: formatAmount(transfer.amount, transfer.currency),
    ...(transfer.reason !== null && { reason: transfer.reason }),
    ...(fromLabel && { from: fromId }),
    ...(toLabel && { to: toId }),
    ...(transfer.reference !== null && { reference: transfer.reference }),
    ...(transfer.correlationId !== null && { correlationId: transfer.correlationId }),
    ...representExternal(transfer),
  };
}

/** The type and id of the resource that shows a transfer. */
export function resourceOf({ id, kind, fromLabel }: StoredTransfer): [type: string, id: string] {
  switch (kind) {
    case 'label':
    case 'allocation':
    case 'recovery':
      return ['ledger-entry', legId(id, fromLabel ? 'from' : 'to')];
    case 'reallocation':
      return ['label-reallocation', id];
    case 'deposit-return':
    case 'withdrawal-return':
      return ['return', id];
    case 'debt':
    case 'repayment':
      return ['owed-entry', id];
    default:
      return [kind, id];
  }
}
