// The heads of the feeds of accounts, which a cluster has on the coordinator, while subscriptions are on the workers.
import { type Fragment, fragment, type Sql } from '../../platform/db/sql.ts';

export type Head = { accountId: string; position: bigint };

/** The heads that are greater than these positions. */
export function headsBeyond(sql: Sql, positions: Head[]): Promise<Head[]> {
  return sql<Head>`
    select h.account_id, h.position
    from ${relationOf(positions)} as s (account_id, position)
    join event_head h on h.account_id = s.account_id and h.position > s.position`;
}

/** Heads as a relation of a statement that cannot join the feed. */
export function relationOf(heads: Head[]): Fragment {
  return fragment`unnest(${heads.map(({ accountId }) => accountId)}::uuid[], ${heads.map(({ position }) => position)}::bigint[])`;
}
