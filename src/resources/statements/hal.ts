// Statements as HAL: schema, and representation in parts, so that a long one never is in memory as a whole.
import type { Static } from 'typebox';
import { AmountSchema, SignedAmountSchema } from '../../core/money/amount.ts';
import { formatAmount } from '../../core/money/money.ts';
import { Type } from '../../core/type.ts';
import type { Entry } from '../../ledger/transfers/entries.ts';
import { SHOWN_KINDS } from '../../ledger/transfers/transfer-list.ts';
import { LinkSchema, type Links, linkWhen } from '../../platform/http/links.ts';
import { IdSchema } from '../../platform/http/paging.ts';
import type { Selection, Statement, StatementAccount } from './statement.ts';
import { addUp, type Sums } from './sums.ts';

const EntrySchema = Type.Object(
  {
    _links: Type.Object({
      self: linkWhen('Present for an entry of a label.'),
      label: linkWhen('Present for an entry of a label.'),
      'label-reallocation': linkWhen('Present if the entry is part of a label reallocation.'),
      deposit: linkWhen('Present if the entry is part of a deposit, or of its allocation or repayment.'),
      'allocation-rule': linkWhen('Present if an allocation rule moved a part of a deposit.'),
      withdrawal: linkWhen('Present if the entry is part of a withdrawal.'),
      return: linkWhen('Present if the entry is part of the return of a deposit or a withdrawal.'),
      'owed-entry': linkWhen('Present if the entry changed what the customer owes.'),
    }),
    id: IdSchema,
    kind: Type.Enum(SHOWN_KINDS, { title: 'TransferKind' }),
    amount: SignedAmountSchema,
    balance: SignedAmountSchema,
    sequence: Type.Integer({ format: 'int64', minimum: 1 }),
    created: Type.String({ format: 'date-time' }),
    reference: Type.Optional(Type.String()),
    correlationId: Type.Optional(Type.String()),
    externalId: Type.Optional(Type.String()),
  },
  { title: 'StatementEntry' },
);

const AccountSchema = Type.Object(
  {
    _links: Type.Object({ label: linkWhen('Present for a label.') }),
    kind: Type.Enum(['available', 'label', 'owed'], { title: 'StatementAccountKind' }),
    currency: Type.String(),
    name: Type.Optional(Type.String()),
    opening: SignedAmountSchema,
    _embedded: Type.Object({ 'ledger-entries': Type.Array(EntrySchema) }),
    totalIn: AmountSchema,
    totalOut: AmountSchema,
    closing: SignedAmountSchema,
  },
  {
    title: 'StatementAccount',
    description:
      'The available balance, a label, or what is owed, which has balances of zero or less: opening + totalIn − totalOut = closing.',
  },
);

export const StatementSchema = Type.Object(
  {
    _links: Type.Object({ self: LinkSchema, customer: LinkSchema }),
    month: Type.String(),
    zone: Type.String(),
    from: Type.String({ format: 'date-time' }),
    before: Type.String({ format: 'date-time' }),
    closed: Type.Boolean({ description: 'Whether the month ended more than a minute ago. Then the statement never changes.' }),
    accounts: Type.Array(AccountSchema),
  },
  { title: 'Statement' },
);

export async function* halOf(links: Links, statement: Statement, selection: Selection): AsyncGenerator<string> {
  const { customer, month, closed, accounts } = statement;
  const self = links.link(`/customers/${customer.id}/statements/${month.text}?${queryOf(month.zone, selection)}`, 'statement');
  const head: Omit<Static<typeof StatementSchema>, 'accounts'> = {
    _links: { self, customer: links.to('customer', customer.id) },
    ...{ month: month.text, zone: month.zone, from: month.from.toISOString(), before: month.before.toISOString(), closed },
  };
  yield `${openEnd(head)},"accounts":[`;
  for (const [index, account] of accounts.entries()) {
    if (index > 0) yield ',';
    yield* accountOf(links, statement, account);
  }
  yield ']}';
}

async function* accountOf(links: Links, { readEntries }: Statement, account: StatementAccount): AsyncGenerator<string> {
  const { id, kind, currency, name, opening, closing } = account;
  const sums: Sums = { totalIn: 0n, totalOut: 0n };
  const head: Pick<Static<typeof AccountSchema>, '_links' | 'kind' | 'currency' | 'name' | 'opening'> = {
    _links: kind === 'label' ? { label: links.to('label', id) } : {},
    kind,
    currency,
    ...(name !== null && { name }),
    opening: formatAmount(opening.balance, currency),
  };
  yield `${openEnd(head)},"_embedded":{"ledger-entries":[`;
  let separator = '';
  for await (const entries of readEntries(account)) {
    addUp(sums, entries);
    yield separator + entries.map((entry) => JSON.stringify(entryOf(links, account, entry))).join(',');
    separator = ',';
  }
  const tail = {
    totalIn: formatAmount(sums.totalIn, currency),
    totalOut: formatAmount(sums.totalOut, currency),
    closing: formatAmount(closing.balance, currency),
  };
  yield `]},${JSON.stringify(tail).slice(1)}`;
}

function entryOf(links: Links, account: StatementAccount, entry: Entry): Static<typeof EntrySchema> {
  const { id, kind, reference, correlationId, externalId, created, sequence, amount, balance } = entry;
  const { currency } = account;
  return {
    _links: {
      ...(account.kind === 'label' && { self: links.to('ledger-entry', id), label: links.to('label', account.id) }),
      ...causesOf(links, entry),
    },
    ...{ id, kind, amount: formatAmount(amount, currency), balance: formatAmount(balance, currency) },
    sequence: Number(sequence),
    created: created.toISOString(),
    ...(reference !== null && { reference }),
    ...(correlationId !== null && { correlationId }),
    ...(externalId !== null && { externalId }),
  };
}

/** Links to what an entry is a part of. */
function causesOf(links: Links, { transferId, kind, depositId, ruleId, reverses, returnId }: Entry) {
  const isReturn = kind === 'deposit-return' || kind === 'withdrawal-return';
  const original = kind === 'deposit-return' ? 'deposit' : 'withdrawal';
  return {
    ...((kind === 'reallocation' || kind === 'reversal') && { 'label-reallocation': links.to('label-reallocation', transferId) }),
    ...(kind === 'deposit' && { deposit: links.to('deposit', transferId) }),
    ...(depositId !== null && { deposit: links.to('deposit', depositId) }),
    ...(depositId !== null && ruleId !== null && { 'allocation-rule': links.to('allocation-rule', ruleId) }),
    ...(kind === 'withdrawal' && { withdrawal: links.to('withdrawal', transferId) }),
    ...(isReturn && { return: links.to('return', transferId), [original]: links.to(original, reverses!) }),
    ...(returnId !== null && { return: links.to('return', returnId) }),
    ...((kind === 'debt' || kind === 'repayment') && { 'owed-entry': links.to('owed-entry', transferId) }),
  };
}

/** The JSON of an object without its closing brace. */
function openEnd(object: object): string {
  return JSON.stringify(object).slice(0, -1);
}

function queryOf(zone: string, { currency, label }: Selection): URLSearchParams {
  return new URLSearchParams({ zone, ...(currency !== undefined && { currency }), ...(label !== undefined && { label }) });
}
