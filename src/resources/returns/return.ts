// Returns: schemas and representation. A return records that the bank took a deposit back, or that a withdrawal came back.
import type { Static } from 'typebox';
import { bucketOf, legId } from '../../core/ids.ts';
import { AmountOrAllSchema, AmountSchema, ReferenceSchema } from '../../core/money/amount.ts';
import { formatAmount } from '../../core/money/money.ts';
import { NO_CONTROL_CHARACTERS, STRICT } from '../../core/schema.ts';
import { Type } from '../../core/type.ts';
import { findSources, type Part, type StoredTransfer } from '../../ledger/transfers/transfer.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { external, representExternal } from '../../platform/forms/external.ts';
import { correlated } from '../../platform/http/correlation-id.ts';
import { LinkSchema, type Links, linkWhen } from '../../platform/http/links.ts';
import { IdSchema } from '../../platform/http/paging.ts';

export const RETURN_KINDS = ['deposit-return', 'withdrawal-return'] as const;

export type DepositReturnRequest = Static<typeof DepositReturnRequest>;
export type WithdrawalReturnRequest = Static<typeof WithdrawalReturnRequest>;

const ReasonSchema = Type.String({
  ...{ minLength: 1, maxLength: 255, pattern: NO_CONTROL_CHARACTERS },
  description: 'Why the bank returned it, such as its code.',
  examples: ['R01 insufficient funds'],
});

const shared = {
  amount: Type.Optional(AmountOrAllSchema),
  reason: ReasonSchema,
  reference: Type.Optional(ReferenceSchema),
  ...correlated,
  ...external,
};
const DEFAULT_AMOUNT = 'Without `amount`, or with the value `all`, what is not returned yet.';

export const DepositReturnRequest = Type.Object(
  {
    ...shared,
    shortfall: Type.Optional(
      Type.Enum(['refuse', 'owe'], {
        description:
          'What happens if the customer does not have the money any more. `refuse`, the default: nothing is recorded. `owe`: the rest is recorded as owed, and paid by the next deposits.',
      }),
    ),
  },
  { title: 'DepositReturnRequest', description: DEFAULT_AMOUNT, ...STRICT },
);

export const WithdrawalReturnRequest = Type.Object(shared, {
  title: 'WithdrawalReturnRequest',
  description: DEFAULT_AMOUNT,
  ...STRICT,
});

const RecoverySchema = Type.Object(
  { _links: Type.Object({ label: LinkSchema, 'ledger-entry': LinkSchema }), amount: AmountSchema },
  { title: 'Recovery' },
);

export const ReturnSchema = Type.Object(
  {
    _links: Type.Object({
      self: LinkSchema,
      customer: LinkSchema,
      deposit: linkWhen('Present for the return of a deposit.'),
      withdrawal: linkWhen('Present for the return of a withdrawal.'),
      to: linkWhen('The label to which a withdrawal came back. Present if it left that label.'),
      'owed-entry': linkWhen('Present if a part was recorded as owed.'),
    }),
    id: IdSchema,
    created: Type.String({ format: 'date-time' }),
    amount: AmountSchema,
    reason: Type.String(),
    owed: Type.Optional(AmountSchema),
    reference: Type.Optional(Type.String()),
    correlationId: Type.Optional(Type.String()),
    ...external,
    _embedded: Type.Optional(
      Type.Object(
        { recoveries: Type.Array(RecoverySchema) },
        { title: 'Recoveries', description: 'What was taken from labels, in this order. Absent if all was available, or owed.' },
      ),
    ),
  },
  {
    title: 'Return',
    description:
      'A deposit that the bank took back, or a withdrawal that came back, or a part of it. `owed`: the part that was recorded as owed; absent if that is zero.',
  },
);

/** Represents returns of one customer, with what they took from labels and as owed. */
export async function representAll(
  { links, sql }: { links: Links; sql: Sql },
  returns: StoredTransfer[],
): Promise<Static<typeof ReturnSchema>[]> {
  const ids = returns.filter(({ kind }) => kind === 'deposit-return').map(({ id }) => id);
  const sources = ids.length > 0 ? await findSources(sql, bucketOf(ids[0]!), ids) : undefined;
  return returns.map((transfer) => represent(links, transfer, sources?.get(transfer.id) ?? []));
}

function represent(links: Links, transfer: StoredTransfer, sources: Part[]): Static<typeof ReturnSchema> {
  const { id, kind, customerId, reverses, toLabel, toId, created, currency } = transfer;
  const debt = sources.find((source) => source.kind === 'debt');
  const recoveries = sources.filter((source) => source.kind === 'recovery');
  const original = kind === 'deposit-return' ? 'deposit' : 'withdrawal';
  return {
    _links: {
      self: links.to('return', id),
      customer: links.to('customer', customerId),
      [original]: links.to(original, reverses!),
      ...(toLabel && { to: links.to('label', toId) }),
      ...(debt && { 'owed-entry': links.to('owed-entry', debt.id) }),
    },
    id,
    created: created.toISOString(),
    amount: formatAmount(transfer.amount, currency),
    reason: transfer.reason!,
    ...(debt && { owed: formatAmount(debt.amount, currency) }),
    ...(transfer.reference !== null && { reference: transfer.reference }),
    ...(transfer.correlationId !== null && { correlationId: transfer.correlationId }),
    ...representExternal(transfer),
    ...(recoveries.length > 0 && {
      _embedded: {
        recoveries: recoveries.map(({ id, fromId, amount }) => ({
          _links: { label: links.to('label', fromId), 'ledger-entry': links.to('ledger-entry', legId(id, 'from')) },
          amount: formatAmount(amount, currency),
        })),
      },
    }),
  };
}
