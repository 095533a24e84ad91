// Lists a customer's transfers of some kinds, newest first: one index scan per kind, so that a page does not cost what the list has.
import { bucketOf, LAST_ID } from '../../core/ids.ts';
import { type Fragment, fragment, type Sql } from '../../platform/db/sql.ts';
import { ofCustomer } from './balance.ts';
import { findPositions, justBefore, type Period } from './past.ts';
import type { Transfer } from './post.ts';
import { type StoredTransfer, sidesOf, storedTransfer } from './transfer.ts';

type Kind = Transfer['kind'];
type Customer = { id: string };
type Place = { id: string; created: Date };
/** A place after which nothing comes, before the newest. */
type Start = { id: string; created: Date | 'infinity' };

/** `period`: by time of creation. The texts match exactly. */
export type TransferFilter = Period & {
  kinds: readonly Kind[];
  reference?: string | undefined;
  correlationId?: string | undefined;
  externalId?: string | undefined;
  /** Pairs that the metadata has. */
  metadata?: Record<string, string> | undefined;
};

/** `after`: the place of the transfer before the page; the offset counts from there. */
type TransferPage = { limit: number; offset: number; after: Place | undefined };

/** Every kind, which a list of all transfers names. */
export const KINDS = [
  ...(['reallocation', 'label', 'deposit', 'withdrawal', 'allocation', 'repayment'] as const),
  ...(['deposit-return', 'withdrawal-return', 'recovery', 'debt'] as const),
] as const satisfies readonly Kind[];
/** The kinds that people see: a reallocation that reverses another one is a reversal. */
export const SHOWN_KINDS = [...KINDS, 'reversal'] as const;

const NEWEST: Start = { id: LAST_ID, created: 'infinity' };

/** The place of a customer's transfer in the list of these kinds, or undefined. */
export async function findPlace(sql: Sql, customer: Customer, kinds: readonly Kind[], id: string): Promise<Place | undefined> {
  const [place] = await sql<Place>`
    select id, created from transfer
    where bucket = ${bucketOf(customer.id)} and id = ${id} and customer_id is not distinct from ${customer.id} and kind = any(${kinds})`;
  return place;
}

/** A page of a customer's transfers, with one more if there is a next page. */
export async function listTransfers(
  sql: Sql,
  customer: Customer,
  filter: TransferFilter,
  { limit, offset, after }: TransferPage,
): Promise<StoredTransfer[]> {
  const { id, created }: Start = after ?? NEWEST;
  const size = limit + 1;
  const scans = scansOf(filter).map(
    (kinds) => fragment`(
      select id, created ${matching(customer, filter, kinds)} and (created, id) < (${created}, ${id})
      order by created desc, id desc limit ${offset + size})`,
  );
  // Reads each row by its key: `lateral … limit 1` keeps the planner from scanning the tables.
  const bucket = bucketOf(customer.id);
  return sql<StoredTransfer>`
    select t.* from (
      select id, created from (${union(scans)}) scans order by created desc, id desc limit ${size} offset ${offset}
    ) w
    join lateral (
      select ${storedTransfer(bucket)} from transfer t ${sidesOf(bucket)}
      where t.bucket = ${bucket} and t.id = w.id limit 1
    ) t on true
    order by t.created desc, t.id desc`;
}

/** The id of the transfer before the last `size` of a list. */
export async function findBeforeLast(
  sql: Sql,
  customer: Customer,
  filter: TransferFilter,
  size: number,
): Promise<string | undefined> {
  const scans = scansOf(filter).map(
    (kinds) => fragment`(
      select id, created ${matching(customer, filter, kinds)} order by created, id limit ${size + 1})`,
  );
  const [row] = await sql<{ id: string }>`
    select id from (${union(scans)}) scans order by created, id limit 1 offset ${size}`;
  return row?.id;
}

/** A page of the reversals of a reallocation, or of the returns of a deposit or withdrawal, with one more if there is a next page, and their number. */
export async function listReversals(
  sql: Sql,
  { id }: { id: string },
  { limit, offset }: { limit: number; offset: number },
): Promise<{ elements: StoredTransfer[]; total: number }> {
  const bucket = bucketOf(id);
  const elements = await sql<StoredTransfer>`
    select ${storedTransfer(bucket)} from transfer t ${sidesOf(bucket)}
    where t.bucket = ${bucket} and t.reverses = ${id}
    order by t.id desc limit ${limit + 1} offset ${offset}`;
  const [count] = await sql<{ total: bigint }>`
    select count(*) as total from transfer where bucket = ${bucket} and reverses = ${id}`;
  return { elements, total: Number(count!.total) };
}

/** The number of matches. All transfers, and reallocations without a filter, are counted by the numbers that accounts keep. */
export async function countTransfers(sql: Sql, customer: Customer, filter: TransferFilter): Promise<number> {
  const { kinds, from, before } = filter;
  const isTexted = textOf(filter) !== undefined;
  if (!isTexted && kinds.length === KINDS.length) return countAll(sql, customer, filter);
  if (!isTexted && !from && !before && kinds.length === 1 && kinds[0] === 'reallocation')
    return countReallocations(sql, customer);
  const scans = scansOf(filter).map((kinds) => fragment`(select count(*) as matches ${matching(customer, filter, kinds)})`);
  const [count] = await sql<{ total: bigint }>`select sum(matches)::bigint as total from (${union(scans)}) scans`;
  return Number(count!.total);
}

/** The kinds that each scan finds: one by the index of a kind, or all by the index of a text. */
function scansOf(filter: TransferFilter): (readonly Kind[])[] {
  return textOf(filter) === undefined ? filter.kinds.map((kind) => [kind]) : [filter.kinds];
}

/** The condition on the text whose index a scan uses, or undefined. */
function textOf({ reference, correlationId, externalId, metadata }: TransferFilter): Fragment | undefined {
  if (externalId !== undefined) return fragment`external_id = ${externalId}`;
  if (reference !== undefined) return fragment`reference = ${reference}`;
  if (correlationId !== undefined) return fragment`correlation_id = ${correlationId}`;
  return metadata && fragment`metadata @> ${metadata}::jsonb`;
}

/**
 * The transfers of some kinds that match. The conditions leave one index: that of a text, of a pair of metadata, or of the only kind.
 * `array_position` and `is not distinct from` use no index.
 */
function matching({ id }: Customer, filter: TransferFilter, kinds: readonly Kind[]): Fragment {
  const { from, before, reference, correlationId, externalId, metadata } = filter;
  const none = fragment``;
  const bucket = bucketOf(id);
  const text = textOf(filter);
  const [pair] = (reference ?? correlationId ?? externalId) ? [] : Object.entries(metadata ?? {});
  return fragment`
    from ${pair ? withPair({ id, bucket }, pair) : fragment`transfer`}
    where bucket = ${bucket} and customer_id = ${id}
      and ${text ? fragment`${text} and array_position(${kinds}::text[], kind) is not null` : ofKind(kinds[0]!)}
      ${reference === undefined ? none : fragment`and reference is not distinct from ${reference}`}
      ${correlationId === undefined ? none : fragment`and correlation_id is not distinct from ${correlationId}`}
      ${metadata === undefined ? none : fragment`and metadata @> ${metadata}::jsonb`}
      ${from ? fragment`and created >= ${from}` : none}
      ${before ? fragment`and created < ${before}` : none}`;
}

/** The transfers with a pair of metadata, or with one of the same hash, by the index of pairs. */
function withPair({ id, bucket }: { id: string; bucket: number }, [key, value]: [string, string]): Fragment {
  return fragment`(
      select m.bucket, m.customer_id, m.created, m.transfer_id as id, t.kind, t.metadata
      from transfer_metadata m
      join lateral (select kind, metadata from transfer t where t.bucket = ${bucket} and t.id = m.transfer_id limit 1) t on true
      where m.bucket = ${bucket} and m.customer_id = ${id} and m.pair = md5(${`${key}=${value}`})::uuid
    ) transfer`;
}

function ofKind(kind: Kind): Fragment {
  return kind === 'reallocation' ? fragment`kind = 'reallocation'` : fragment`kind <> 'reallocation' and kind = ${kind}`;
}

function union(scans: Fragment[]): Fragment {
  return scans.reduce((all, scan) => fragment`${all} union all ${scan}`);
}

/** Each transfer has two entries, on accounts of its customer. */
async function countAll(sql: Sql, { id }: Customer, { from, before }: Period): Promise<number> {
  const accounts = await sql<{ id: string; version: bigint }>`
    select id, version from ledger_account where ${ofCustomer(id)}`;
  const ids = accounts.map((account) => account.id);
  const until = async (moment: Date) => sum((await findPositions(sql, ids, justBefore(moment))).map(({ sequence }) => sequence));
  const [first, last] = await Promise.all([
    from ? until(from) : 0n,
    before ? until(before) : sum(accounts.map(({ version }) => version)),
  ]);
  return last < first ? 0 : Number((last - first) / 2n);
}

async function countReallocations(sql: Sql, { id }: Customer): Promise<number> {
  const [count] = await sql<{ total: bigint }>`
    select coalesce(sum(reallocations_out), 0)::bigint as total from ledger_account
    where bucket = ${bucketOf(id)} and customer_id = ${id} and kind = 'label'`;
  return Number(count!.total);
}

function sum(numbers: bigint[]): bigint {
  return numbers.reduce((total, number) => total + number, 0n);
}
