// Advances an account's clock, and moves the account's planned deliveries accordingly.
import { invalid } from '../../core/problems.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { reschedule } from '../../resources/webhooks/reschedule.ts';

const AHEAD_MAX_YEARS = 10;
const AHEAD_MAX_MS = AHEAD_MAX_YEARS * 366 * 86_400_000;

/** Returns how many milliseconds the clock is ahead now. Throws ValidationError if that would exceed ten years. Call in a transaction. */
export async function advanceClock(tx: Sql, accountId: string, byMs: number, now: Date): Promise<number> {
  const [clock] = await tx<{ aheadMs: bigint }>`
    insert into account_clock as c (account_id, ahead_ms) values (${accountId}, ${byMs})
    on conflict (account_id) do update set ahead_ms = c.ahead_ms + excluded.ahead_ms
    where c.ahead_ms + excluded.ahead_ms <= ${AHEAD_MAX_MS}
    returning ahead_ms`;
  if (!clock) {
    const message = `A clock can be at most ${AHEAD_MAX_YEARS} years ahead. A reset sets it back.`;
    throw invalid({ code: 'Invalid', path: '/advanceSeconds', message });
  }
  // After the clock, which a reset locks before the deliveries too.
  await reschedule(tx, accountId, byMs, now);
  return Number(clock.aheadMs);
}
