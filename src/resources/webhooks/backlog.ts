// The backlog of deliveries, for metrics.
import type { Sql } from '../../platform/db/sql.ts';
import { type Head, relationOf } from './claim.ts';

type Backlog = {
  /** Events not yet turned into webhooks, counted once per active subscription. */
  events: number;
  /** When the oldest of these events was created. */
  oldest: Date | undefined;
  /** Deliveries in flight or waiting for a retry; counted up to `DUE_MAX`. */
  due: number;
};

const DUE_MAX = 10_000;

/** Reads each subscription. Does not include unsettled events; a worker settles them several times a second. */
export async function webhookBacklog(sql: Sql): Promise<Backlog> {
  const positions = await sql<Head>`
    select account_id, position from webhook_subscription where removed is null and not paused`;
  const [waiting] = await sql<{ due: bigint }>`
    select count(*) as due from (select 1 from webhook_due limit ${DUE_MAX}) d`;
  const [row] = await sql<{ events: string; oldest: Date | null }>`
    select coalesce(sum(h.position - s.position), 0)::text as events, min(e.created) as oldest
    from ${relationOf(positions)} as s (account_id, position)
    join event_head h on h.account_id = s.account_id and h.position > s.position
    left join lateral (
      select created from event where account_id = s.account_id and position > s.position order by position limit 1
    ) e on true`;
  return { events: Number(row?.events), oldest: row?.oldest ?? undefined, due: Number(waiting?.due) };
}

/** The subscriptions of all accounts by state. Failing: the last delivery failed. */
export async function countSubscriptions(sql: Sql): Promise<{ active: number; failing: number; paused: number }> {
  const [row] = await sql<{ active: number; failing: number; paused: number }>`
    select count(*) filter (where not paused)::int as active, count(*) filter (where not paused and failures > 0)::int as failing,
      count(*) filter (where paused)::int as paused
    from webhook_subscription where removed is null`;
  return row!;
}
