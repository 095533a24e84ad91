// Positions of ledger accounts at a past moment: how many entries there were, and the balance after them.
import { bucketOf } from '../../core/ids.ts';
import type { Sql } from '../../platform/db/sql.ts';

/** `sequence`: the number of entries then; 0 before the first. `balance`: in minor units. */
type Position = { id: string; sequence: bigint; balance: bigint };

/**
 * The positions of ledger accounts of one customer after everything dated at or before a moment. Along an account the time never
 * decreases with the sequence (post_transfers), so a binary search over the sequences finds the entry. All searches see one snapshot.
 */
export async function findPositions(sql: Sql, accountIds: string[], at: Date): Promise<Position[]> {
  const [first] = accountIds;
  if (first === undefined) return [];
  const bucket = bucketOf(first);
  return sql<Position>`
    with recursive search (id, low, high) as (
      select id, 0::bigint, version from ledger_account where bucket = ${bucket} and id = any(${accountIds}::uuid[])
      union all
      select s.id, case when m.created <= ${at} then s.middle else s.low end,
        case when m.created <= ${at} then s.high else s.middle - 1 end
      from (select id, low, high, (low + high + 1) / 2 as middle from search where low < high) s
      cross join lateral (
        select created from ledger_entry
        where bucket = ${bucket} and ledger_account_id = s.id and sequence = s.middle
        limit 1
      ) m
    )
    select s.id, s.low as sequence, coalesce(e.balance, 0) as balance
    from search s
    left join lateral (
      select balance from ledger_entry
      where bucket = ${bucket} and ledger_account_id = s.id and sequence = s.low
      limit 1
    ) e on true
    where s.low = s.high`;
}

/** The balances of a ledger account after everything dated at or before each of some moments, in their order. */
export async function findHistory(sql: Sql, accountId: string, moments: Date[]): Promise<bigint[]> {
  const bucket = bucketOf(accountId);
  const rows = await sql<{ balance: bigint }>`
    with recursive search (place, at, low, high) as (
      select m.place, m.at, 0::bigint, a.version
      from unnest(${moments.map((moment) => moment.toISOString())}::timestamptz[]) with ordinality m (at, place),
        (select version from ledger_account where bucket = ${bucket} and id = ${accountId}) a
      union all
      select s.place, s.at, case when m.created <= s.at then s.middle else s.low end,
        case when m.created <= s.at then s.high else s.middle - 1 end
      from (select place, at, low, high, (low + high + 1) / 2 as middle from search where low < high) s
      cross join lateral (
        select created from ledger_entry
        where bucket = ${bucket} and ledger_account_id = ${accountId} and sequence = s.middle
        limit 1
      ) m
    )
    select coalesce(e.balance, 0) as balance
    from search s
    left join lateral (
      select balance from ledger_entry
      where bucket = ${bucket} and ledger_account_id = ${accountId} and sequence = s.low
      limit 1
    ) e on true
    where s.low = s.high order by s.place`;
  return rows.map(({ balance }) => balance);
}

/** A range of an account's sequences: after `first`, up to and including `last`. */
export type Sequences = { first: bigint; last: bigint };
/** `from` is inclusive, `before` exclusive; without them the period has no limit. */
export type Period = { from: Date | undefined; before: Date | undefined };

/** The sequences of an account's entries in a period. `version`: the number of all its entries. */
export async function findSequences(sql: Sql, account: { id: string; version: bigint }, period: Period): Promise<Sequences> {
  const before = async (moment: Date) => (await findPositions(sql, [account.id], justBefore(moment)))[0]?.sequence ?? 0n;
  const [first, last] = await Promise.all([
    period.from ? before(period.from) : 0n,
    period.before ? before(period.before) : account.version,
  ]);
  return { first, last: last < first ? first : last };
}

/** The last moment before another: the ledger's times are whole milliseconds. */
export function justBefore(moment: Date): Date {
  return new Date(moment.getTime() - 1);
}
