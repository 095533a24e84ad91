// Deposits and withdrawals: schema and representation. They record money that entered or left a customer's balance at the bank.
import type { Static } from 'typebox';
import { legId } from '../../core/ids.ts';
import { AmountOrAllSchema, AmountRequest, AmountSchema, ReferenceSchema } from '../../core/money/amount.ts';
import { formatAmount } from '../../core/money/money.ts';
import { STRICT } from '../../core/schema.ts';
import { Type } from '../../core/type.ts';
import type { Part, StoredTransfer } from '../../ledger/transfers/transfer.ts';
import { external, representExternal } from '../../platform/forms/external.ts';
import { correlated } from '../../platform/http/correlation-id.ts';
import { LinkSchema, type Links, linkWhen } from '../../platform/http/links.ts';
import { IdSchema } from '../../platform/http/paging.ts';
import { LabelLink } from '../labels/label.ts';

export type MovementKind = 'deposit' | 'withdrawal';
export type DepositRequest = Static<typeof DepositRequest>;
export type WithdrawalRequest = Static<typeof WithdrawalRequest>;

const shared = { reference: Type.Optional(ReferenceSchema), ...correlated, ...external };

export const DepositRequest = Type.Object({ amount: AmountRequest, ...shared }, { title: 'DepositRequest', ...STRICT });

export const WithdrawalRequest = Type.Object(
  {
    _links: Type.Optional(
      Type.Object({ from: LabelLink }, { description: 'Without it, the money leaves the available balance.', ...STRICT }),
    ),
    amount: AmountOrAllSchema,
    ...shared,
  },
  { title: 'WithdrawalRequest', ...STRICT },
);

const AllocationSchema = Type.Object(
  { _links: Type.Object({ label: LinkSchema, 'ledger-entry': LinkSchema }), amount: AmountSchema },
  { title: 'Allocation' },
);

export const MovementSchema = Type.Object(
  {
    _links: Type.Object({
      self: LinkSchema,
      customer: LinkSchema,
      from: linkWhen('Present for a withdrawal from a label.'),
      hold: linkWhen('Present for a withdrawal that captured a hold.'),
      'allocation-rule': linkWhen('Present for a deposit that an allocation rule applied to.'),
      'owed-entry': linkWhen('Present for a deposit that paid what the customer owed.'),
      returns: LinkSchema,
      return: linkWhen('Present while a part of the amount is not returned.'),
    }),
    id: IdSchema,
    created: Type.String({ format: 'date-time' }),
    amount: AmountSchema,
    returned: AmountSchema,
    repaid: Type.Optional(AmountSchema),
    reference: Type.Optional(Type.String()),
    correlationId: Type.Optional(Type.String()),
    ...external,
    _embedded: Type.Optional(
      Type.Object(
        { allocations: Type.Array(AllocationSchema) },
        { title: 'Allocations', description: 'What the allocation rule moved to labels, in the order of its steps.' },
      ),
    ),
  },
  {
    title: 'Movement',
    description:
      'A deposit or a withdrawal. `returned`: the sum of its returns. `repaid`: the part of a deposit that paid what the customer owed; absent if that is zero.',
  },
);

/** `parts`: the allocations and the repayment of a deposit. */
export function represent(
  links: Links,
  kind: MovementKind,
  transfer: StoredTransfer,
  parts: Part[] = [],
): Static<typeof MovementSchema> {
  const { ruleId, holdId, currency, amount, reversed } = transfer;
  const repayment = parts.find((part) => part.kind === 'repayment');
  const returns = links.link(`/${kind}s/${transfer.id}/returns`, 'return');
  return {
    _links: {
      self: links.to(kind, transfer.id),
      customer: links.to('customer', transfer.customerId),
      ...(transfer.fromLabel && { from: links.to('label', transfer.fromId) }),
      ...(holdId !== null && { hold: links.to('hold', holdId) }),
      ...(ruleId !== null && { 'allocation-rule': links.to('allocation-rule', ruleId) }),
      ...(repayment && { 'owed-entry': links.to('owed-entry', repayment.id) }),
      returns,
      ...(reversed < amount && { return: returns }),
    },
    id: transfer.id,
    created: transfer.created.toISOString(),
    amount: formatAmount(amount, currency),
    returned: formatAmount(reversed, currency),
    ...(repayment && { repaid: formatAmount(repayment.amount, currency) }),
    ...(transfer.reference !== null && { reference: transfer.reference }),
    ...(transfer.correlationId !== null && { correlationId: transfer.correlationId }),
    ...representExternal(transfer),
    ...(ruleId !== null && {
      _embedded: {
        allocations: parts
          .filter((part) => part.kind === 'allocation')
          .map(({ id, toId, amount }) => ({
            _links: { label: links.to('label', toId), 'ledger-entry': links.to('ledger-entry', legId(id, 'to')) },
            amount: formatAmount(amount, currency),
          })),
      },
    }),
  };
}
