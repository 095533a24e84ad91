// Ledger entries: schema, queries and representation. An entry is one side of a transfer, on one label.
import type { Static } from 'typebox';
import { bucketOf, legId, parseLegId } from '../../core/ids.ts';
import { AmountSchema, ReferenceSchema, SignedAmountRequest, SignedAmountSchema } from '../../core/money/amount.ts';
import { formatAmount } from '../../core/money/money.ts';
import { type Fault, invalid } from '../../core/problems.ts';
import { STRICT } from '../../core/schema.ts';
import { Type } from '../../core/type.ts';
import { findSequences } from '../../ledger/transfers/past.ts';
import { sidesOf } from '../../ledger/transfers/transfer.ts';
import { lookUp } from '../../platform/db/look-up.ts';
import { fragment, type Sql } from '../../platform/db/sql.ts';
import { LinkSchema, type Links, linkWhen } from '../../platform/http/links.ts';
import { type PeriodQuery, periodOf } from '../../platform/http/moments.ts';
import { IdSchema, type Page } from '../../platform/http/paging.ts';
import type { Label } from '../labels/label.ts';

type LedgerEntry = {
  transferId: string;
  transferKind: string;
  labelId: string;
  accountId: string;
  customerId: string;
  amount: bigint;
  /** The label's balance after this entry. */
  balance: bigint;
  /** 1 for the label's first entry; no gaps. */
  sequence: bigint;
  currency: string;
  reference: string | null;
  correlationId: string | null;
  externalId: string | null;
  created: Date;
  /** Of an allocation: the deposit that it divides, by a rule. */
  depositId: string | null;
  ruleId: string | null;
  /** The return of a deposit that the money was taken for. */
  returnId: string | null;
};

const notOfLabel: Fault = { code: 'Invalid', message: 'after must be the id of an entry of this label.', path: '/query/after' };

export type LedgerEntryRequest = Static<typeof LedgerEntryRequest>;

export const LedgerEntryRequest = Type.Object(
  { amount: SignedAmountRequest, reference: Type.Optional(ReferenceSchema) },
  { title: 'LedgerEntryRequest', ...STRICT },
);

export const LedgerEntrySchema = Type.Object(
  {
    _links: Type.Object({
      self: LinkSchema,
      label: LinkSchema,
      'label-reallocation': linkWhen('Present if the entry is part of a label reallocation.'),
      deposit: linkWhen('Present if an allocation rule moved a part of a deposit.'),
      'allocation-rule': linkWhen('Present if an allocation rule moved a part of a deposit.'),
      return: linkWhen('Present if the money was taken for the return of a deposit.'),
    }),
    id: IdSchema,
    amount: SignedAmountSchema,
    balance: AmountSchema,
    sequence: Type.Integer({ format: 'int64', minimum: 1 }),
    created: Type.String({ format: 'date-time' }),
    reference: Type.Optional(Type.String()),
    correlationId: Type.Optional(Type.String()),
    externalId: Type.Optional(Type.String()),
  },
  { title: 'LedgerEntry' },
);

const columns = fragment`e.transfer_id, e.kind as transfer_kind, e.ledger_account_id as label_id,
  e.amount, e.balance, e.sequence, e.currency, e.reference, e.correlation_id,
  e.external_id, e.created, e.deposit_id,
  e.rule_id, e.return_id`;

/** A transfer with both of its entries, and whether its accounts are labels. */
type Legs = Omit<LedgerEntry, 'labelId' | 'balance' | 'sequence'> &
  Record<'fromId' | 'toId', string> &
  Record<'fromBalance' | 'toBalance' | 'fromSequence' | 'toSequence', bigint> &
  Record<'fromLabel' | 'toLabel', boolean>;

const findLegs = lookUp<Legs>(
  ({ bucket, id }) => fragment`
    select t.id as transfer_id, t.kind as transfer_kind, f.account_id, f.customer_id, t.amount, t.currency, t.reference, t.correlation_id,
      t.external_id, t.created, t.deposit_id, t.rule_id, t.return_id, t.from_id, t.to_id, t.from_balance, t.to_balance, t.from_sequence,
      t.to_sequence, f.kind = 'label' as from_label, g.kind = 'label' as to_label
    from transfer t ${sidesOf(bucket)}
    where t.bucket = ${bucket} and t.id = ${id}`,
);

/** The label's entry with this id, or undefined. An entry's id is its transfer's id with the side in the last digit. */
export async function findLedgerEntry(sql: Sql, id: string): Promise<LedgerEntry | undefined> {
  const parsed = parseLegId(id);
  const legs = parsed && (await findLegs(sql, parsed.transferId));
  if (!legs) return undefined;
  if (parsed.leg === 'from')
    return legs.fromLabel
      ? { ...legs, labelId: legs.fromId, amount: -legs.amount, balance: legs.fromBalance, sequence: legs.fromSequence }
      : undefined;
  return legs.toLabel ? { ...legs, labelId: legs.toId, balance: legs.toBalance, sequence: legs.toSequence } : undefined;
}

/**
 * A page of a label's entries, newest first, and one more if there is a next page; the total; and the id before the last `size` entries.
 * Sequences have no gaps, so any page starts at a known one.
 */
export async function listLedgerEntries(
  sql: Sql,
  label: Label,
  query: Page & PeriodQuery & { after?: string | undefined },
): Promise<{ elements: LedgerEntry[]; total: number; idBefore(size: number): Promise<string | undefined> }> {
  const { first, last } = await findSequences(sql, label, periodOf(query));
  const newest = await newestSequence(sql, label, last, query);
  const elements = await sql<LedgerEntry>`
    select ${columns}, ${label.accountId} as account_id, ${label.customerId} as customer_id
    from ledger_entry e
    where e.bucket = ${bucketOf(label.id)} and e.ledger_account_id = ${label.id}
      and e.sequence > ${max(first, newest - BigInt(query.limit) - 1n)} and e.sequence <= ${newest}
    order by e.sequence desc`;
  return { elements, total: Number(last - first), idBefore: (size) => entryIdAt(sql, label, first + BigInt(size) + 1n) };
}

/**
 * What the entries of a label depend on: an entry changes only when its texts are erased. After a restore a version may come again with
 * other entries, but not at the same time.
 */
export function stateOf({ version, latest, erased }: Label): string[] {
  return [version, latest, erased].map(String);
}

/** The id of a label's entry with this sequence, or undefined. */
async function entryIdAt(sql: Sql, label: Label, sequence: bigint): Promise<string | undefined> {
  const [entry] = await sql<{ transferId: string; amount: bigint }>`
    select transfer_id, amount from ledger_entry
    where bucket = ${bucketOf(label.id)} and ledger_account_id = ${label.id} and sequence = ${sequence}`;
  return entry && idOf(entry);
}

export function represent(links: Links, entry: LedgerEntry): Static<typeof LedgerEntrySchema> {
  const id = idOf(entry);
  return {
    _links: {
      self: links.to('ledger-entry', id),
      label: links.to('label', entry.labelId),
      ...(entry.transferKind === 'reallocation' && { 'label-reallocation': links.to('label-reallocation', entry.transferId) }),
      ...(entry.depositId !== null && { deposit: links.to('deposit', entry.depositId) }),
      ...(entry.depositId !== null && entry.ruleId !== null && { 'allocation-rule': links.to('allocation-rule', entry.ruleId) }),
      ...(entry.returnId !== null && { return: links.to('return', entry.returnId) }),
    },
    id,
    amount: formatAmount(entry.amount, entry.currency),
    balance: formatAmount(entry.balance, entry.currency),
    sequence: Number(entry.sequence),
    created: entry.created.toISOString(),
    ...(entry.reference !== null && { reference: entry.reference }),
    ...(entry.correlationId !== null && { correlationId: entry.correlationId }),
    ...(entry.externalId !== null && { externalId: entry.externalId }),
  };
}

function idOf({ transferId, amount }: Pick<LedgerEntry, 'transferId' | 'amount'>): string {
  return legId(transferId, amount < 0n ? 'from' : 'to');
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

async function newestSequence(
  sql: Sql,
  label: Label,
  last: bigint,
  { offset, after }: Page & { after?: string | undefined },
): Promise<bigint> {
  if (after === undefined) return last - BigInt(offset);
  const entry = await findLedgerEntry(sql, after);
  if (entry?.labelId !== label.id) throw invalid(notOfLabel);
  return entry.sequence > last ? last : entry.sequence - 1n;
}
