// Stored transfers: lookup by id, and the money of many at once.
import { mapYielding } from '../../core/map-yielding.ts';
import { bucketArray, uuidArray } from '../../platform/db/binary-array.ts';
import { lookUp } from '../../platform/db/look-up.ts';
import { type Fragment, fragment, type Sql } from '../../platform/db/sql.ts';
import type { Transfer } from './post.ts';

type Kind = Transfer['kind'];

export type StoredTransfer = {
  id: string;
  kind: Kind;
  accountId: string;
  customerId: string;
  fromId: string;
  toId: string;
  /** Whether the sides are labels, or the customer's available and external accounts. */
  fromLabel: boolean;
  toLabel: boolean;
  amount: bigint;
  currency: string;
  /** The balances of both accounts after it. */
  fromBalance: bigint;
  toBalance: bigint;
  reference: string | null;
  correlationId: string | null;
  externalId: string | null;
  metadata: Record<string, string> | null;
  /** The deposit that an allocation or a repayment is a part of. */
  depositId: string | null;
  /** The allocation rule of a deposit. */
  ruleId: string | null;
  /** The hold that it captured. */
  holdId: string | null;
  /** The schedule that made it. */
  scheduleId: string | null;
  created: Date;
  /** The reallocation that this one reverses, or the deposit or withdrawal that it returns. */
  reverses: string | null;
  /** The sum of its reversals or returns. */
  reversed: bigint;
  /** The return that the money was taken for. */
  returnId: string | null;
  /** Of a return. */
  reason: string | null;
};

/** `isSigned`: whether there is evidence of who asked for it. Lists do not show it, so only a look-up by id asks. */
type FoundTransfer = StoredTransfer & { isSigned: boolean };

/** A StoredTransfer of `transfer t`, in a bucket, with its accounts `f` and `g`. */
export function storedTransfer(bucket: number | Fragment): Fragment {
  return fragment`t.id, t.kind, f.account_id, t.customer_id, t.from_id, t.to_id, f.kind = 'label' as from_label,
    g.kind = 'label' as to_label, t.amount, t.currency, t.from_balance, t.to_balance, t.reference, t.correlation_id, t.external_id, t.metadata,
    t.deposit_id, t.rule_id, t.hold_id, t.created, t.return_id, t.reason, t.reverses,
    (select o.schedule_id from schedule_occurrence o where o.bucket = ${bucket} and o.id = t.id) as schedule_id,
    coalesce((select sum(r.amount) from transfer r where r.bucket = ${bucket} and r.reverses = t.id), 0)::bigint as reversed`;
}

/** The accounts `f` and `g` of `transfer t` in a bucket. A limit keeps the planner from beginning with the table of accounts. */
export function sidesOf(bucket: number | Fragment): Fragment {
  return fragment`
    join lateral (select * from ledger_account f where f.bucket = ${bucket} and f.id = t.from_id limit 1) f on true
    join lateral (select * from ledger_account g where g.bucket = ${bucket} and g.id = t.to_id limit 1) g on true`;
}

const findAnyTransfer = lookUp<FoundTransfer>(
  ({ bucket, id }) => fragment`
    select ${storedTransfer(bucket)},
      coalesce((select true from transfer_evidence v where v.bucket = ${bucket} and v.transfer_id = t.id limit 1), false) as is_signed
    from transfer t ${sidesOf(bucket)} where t.bucket = ${bucket} and t.id = ${id}`,
);

/** The transfer with this id and one of the kinds, or undefined. */
export async function findTransfer(sql: Sql, id: string, ...kinds: [Kind, ...Kind[]]): Promise<FoundTransfer | undefined> {
  const transfer = await findAnyTransfer(sql, id);
  return transfer && kinds.includes(transfer.kind) ? transfer : undefined;
}

/** The last captures of holds of one bucket, by hold, oldest first. */
export async function findCaptures(
  sql: Sql,
  bucket: number,
  holdIds: string[],
  limit: number,
): Promise<Map<string, StoredTransfer[]>> {
  const rows = await sql<StoredTransfer & { holdId: string }>`
    select w.*
    from unnest(${holdIds}::uuid[]) as h (id)
    cross join lateral (
      select ${storedTransfer(bucket)} from transfer t ${sidesOf(bucket)}
      where t.bucket = ${bucket} and t.hold_id = h.id order by t.created desc, t.id desc limit ${limit}
    ) w
    order by w.created, w.id`;
  return Map.groupBy(rows, ({ holdId }) => holdId);
}

/** A transfer that belongs to a deposit, or to the return of one. `wholeId`: of the deposit or the return. */
export type Part = { id: string; kind: Kind; wholeId: string; fromId: string; toId: string; amount: bigint };

/** The allocations and repayments of deposits of one bucket: of each deposit, in the order in which they were made. */
export async function findParts(sql: Sql, bucket: number, depositIds: string[]): Promise<Map<string, Part[]>> {
  const rows = await sql<Part>`
    select id, kind, deposit_id as whole_id, from_id, to_id, amount from transfer
    where bucket = ${bucket} and deposit_id = any(${depositIds}) order by from_sequence`;
  return Map.groupBy(rows, ({ wholeId }) => wholeId);
}

/** What returns of one bucket took from labels, and as owed: of each return, in the order in which it was taken. */
export async function findSources(sql: Sql, bucket: number, returnIds: string[]): Promise<Map<string, Part[]>> {
  const rows = await sql<Part>`
    select id, kind, return_id as whole_id, from_id, to_id, amount from transfer
    where bucket = ${bucket} and return_id = any(${returnIds}) order by to_sequence`;
  return Map.groupBy(rows, ({ wholeId }) => wholeId);
}

/**
 * The money that a transfer moved, with both accounts as it left them. Amount and balances are integers of minor units, as text. `more`:
 * undefined if the transfer has nothing of it.
 */
export type MovedMoney = {
  fromId: string;
  toId: string;
  currency: string;
  amount: string;
  fromSequence: number;
  toSequence: number;
  fromBalance: string;
  toBalance: string;
  more:
    | (Partial<Record<TextName, string>> & {
        metadata?: Record<string, string>;
      })
    | undefined;
};

type TextName = 'reference' | 'correlationId' | 'externalId' | 'reason' | 'reverses' | 'depositId' | 'returnId' | 'ruleId';

type MoneyLine = [string, string, string, string, string, string, string, string, string];

/**
 * Reads the money of transfers: in the order of the ids, and undefined where there is no id or no transfer. The rows come as one text,
 * because `pg` takes longer for a row than the database does.
 */
export async function findMoney(sql: Sql, ids: (string | undefined)[]): Promise<(MovedMoney | undefined)[]> {
  const [read] = await sql<{ lines: string | null }>`
    select string_agg(concat_ws(' ', w.place, t.from_id, t.to_id, t.currency, t.amount, t.from_sequence, t.to_sequence, t.from_balance,
      t.to_balance,
      '{' || nullif(concat_ws(',', '"reference":' || to_json(t.reference)::text, '"correlationId":' || to_json(t.correlation_id)::text,
        '"externalId":' || to_json(t.external_id)::text, '"metadata":' || t.metadata::text, '"reason":' || to_json(t.reason)::text, '"reverses":"' || t.reverses::text || '"',
        '"depositId":"' || t.deposit_id::text || '"', '"returnId":"' || t.return_id::text || '"', '"ruleId":"' || t.rule_id::text || '"'), '') || '}'), e'\\n') as lines
    from unnest(${bucketArray(ids)}::int[], ${uuidArray(ids)}::uuid[]) with ordinality as w (bucket, id, place)
    join transfer t on t.bucket = w.bucket and t.id = w.id`;
  const moved = ids.map((): MovedMoney | undefined => undefined);
  await mapYielding(read!.lines?.split('\n') ?? [], (line) => {
    const object = line.indexOf('{');
    // By index: a destructuring of nine takes a third longer.
    const parts = (object < 0 ? line : line.slice(0, object)).split(' ') as MoneyLine;
    moved[Number(parts[0]) - 1] = {
      fromId: parts[1],
      toId: parts[2],
      currency: parts[3],
      amount: parts[4],
      fromSequence: Number(parts[5]),
      toSequence: Number(parts[6]),
      fromBalance: parts[7],
      toBalance: parts[8],
      more: object < 0 ? undefined : JSON.parse(line.slice(object)),
    };
  });
  return moved;
}

/** The transfers of a list that are not of the customer beside them, with their customers. */
export async function findOtherOwners(
  sql: Sql,
  ids: (string | undefined)[],
  customerIds: (string | undefined)[],
): Promise<Map<string, string>> {
  const rows = await sql<{ id: string; customerId: string }>`
    select t.id, t.customer_id
    from unnest(${bucketArray(ids)}::int[], ${uuidArray(ids)}::uuid[], ${uuidArray(customerIds)}::uuid[]) as w (bucket, id, customer)
    join transfer t on t.bucket = w.bucket and t.id = w.id
    where t.customer_id <> w.customer`;
  return new Map(rows.map(({ id, customerId }) => [id, customerId]));
}
