// The time of an account for a command: in a sandbox its clock may be ahead.
import { type Clock, later } from '../../core/clock.ts';
import type { Sql } from '../../platform/db/sql.ts';

export async function accountTime(sql: Sql, accountId: string): Promise<Date> {
  const [clock] = await sql<{ aheadMs: bigint }>`select ahead_ms from account_clock where account_id = ${accountId}`;
  return new Date(Date.now() + Number(clock?.aheadMs ?? 0n));
}

/** A clock of one account. */
export async function accountClock(sql: Sql, accountId: string): Promise<Clock> {
  const aheadMs = (await accountTime(sql, accountId)).getTime() - Date.now();
  return { now: () => later(new Date(), aheadMs) };
}
