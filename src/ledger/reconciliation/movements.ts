// Reads from the ledger what a bank has too: transfers with the outside world, and how much the customers of an account had at a moment.
import { bucketOf, FIRST_ID } from '../../core/ids.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { findPositions, justBefore } from '../transfers/past.ts';
import type { Movement } from './match.ts';

type External = { id: string; customerId: string; currency: string };
/** `from` is inclusive, `before` exclusive. `balancesAt`: the moments just before which balances are wanted. */
type Range = { currencies: string[]; from: Date; before: Date; balancesAt: Date[] };
type Row = Omit<Movement, 'created' | 'day'> & { created: Date };

export type LedgerSide = {
  movements: Movement[];
  /** What the ledger had in each currency just before each moment of `balancesAt`, in minor units. */
  balances: Map<string, bigint[]>;
};

const PAGE_CUSTOMERS = 10_000;

/**
 * Reads the movements of all customers of an account, bucket by bucket, so that no statement grows with the account. What is dated in the
 * last minute may not be complete.
 */
export async function readLedgerSide(
  sql: Sql,
  accountId: string,
  range: Range,
  dayOf: (moment: Date) => string,
): Promise<LedgerSide> {
  const balances = new Map(range.currencies.map((currency) => [currency, range.balancesAt.map(() => 0n)]));
  const movements: Movement[] = [];
  for (const customers of (await customersByBucket(sql, accountId)).values()) {
    const accounts = await findExternal(sql, customers, range.currencies);
    if (accounts.length === 0) continue;
    const ids = accounts.map(({ id }) => id);
    const positionsAt = (moment: Date) => findPositions(sql, ids, justBefore(moment));
    const currencyOf = new Map(accounts.map(({ id, currency }) => [id, currency]));
    for (const [index, moment] of range.balancesAt.entries()) {
      // What left the outside world is with the customers.
      for (const { id, balance } of await positionsAt(moment)) balances.get(currencyOf.get(id)!)![index]! -= balance;
    }
    const [first, last] = [await positionsAt(range.from), await positionsAt(range.before)];
    const rows = await readMovements(sql, accounts, { first: sequences(first), last: sequences(last) });
    movements.push(...rows.map((row) => ({ ...row, created: row.created.toISOString(), day: dayOf(row.created) })));
  }
  return { movements, balances };
}

async function customersByBucket(sql: Sql, accountId: string): Promise<Map<number, string[]>> {
  const all: string[] = [];
  for (let after = FIRST_ID; ; ) {
    const page = await sql<{ id: string }>`
      select id from customer where account_id = ${accountId} and id > ${after} order by id limit ${PAGE_CUSTOMERS}`;
    all.push(...page.map(({ id }) => id));
    if (page.length < PAGE_CUSTOMERS) return Map.groupBy(all, bucketOf);
    after = page.at(-1)!.id;
  }
}

/** The accounts of the outside world of customers in one bucket. */
function findExternal(sql: Sql, customers: string[], currencies: string[]): Promise<External[]> {
  return sql<External>`
    select id, customer_id, currency from ledger_account
    where bucket = ${bucketOf(customers[0]!)} and customer_id = any(${customers}::uuid[]) and kind <> 'label' and kind = 'external'
      and currency = any(${currencies}::text[])
    order by id`;
}

function sequences(positions: { id: string; sequence: bigint }[]): Map<string, bigint> {
  return new Map(positions.map(({ id, sequence }) => [id, sequence]));
}

async function readMovements(
  sql: Sql,
  accounts: External[],
  { first, last }: { first: Map<string, bigint>; last: Map<string, bigint> },
): Promise<Row[]> {
  const bucket = bucketOf(accounts[0]!.id);
  const ranges = accounts.map(({ id }) => ({ id, first: first.get(id) ?? 0n, last: last.get(id) ?? 0n }));
  const moved = ranges.filter((range) => range.last > range.first);
  if (moved.length === 0) return [];
  return sql<Row>`
    select t.id, t.kind, t.customer_id, -e.amount as amount, t.currency, t.created, t.external_id, t.reference,
      case when o.id is not null then jsonb_build_object('externalId', o.external_id, 'reference', o.reference) end as original
    from unnest(${moved.map(({ id }) => id)}::uuid[], ${moved.map((range) => range.first)}::bigint[],
      ${moved.map((range) => range.last)}::bigint[]) a (id, first, last)
    cross join lateral (
      select transfer_id, amount from ledger_entry
      where bucket = ${bucket} and ledger_account_id = a.id and sequence > a.first and sequence <= a.last
    ) e
    cross join lateral (select * from transfer t where t.bucket = ${bucket} and t.id = e.transfer_id limit 1) t
    left join lateral (select * from transfer o where o.bucket = ${bucket} and o.id = t.reverses limit 1) o on true
    order by t.created, t.id`;
}
