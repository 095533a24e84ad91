// Brings what is planned for an account nearer: its clock was moved ahead, while webhooks go by the world's, as their receivers do.
import type { Sql } from '../db/sql.ts';
import { LEASE_MS } from './worker.ts';

/**
 * Moves outstanding deliveries, the overlap of secrets and the patience with failures by so many milliseconds. What falls due within
 * the time of a lease stays: it may be under way now, and would be sent twice. Deliveries come first, as where their outcome is written.
 */
export async function bringNearer(tx: Sql, accountId: string, byMs: number, now: Date): Promise<void> {
  await tx`
    update webhook_due d set due = d.due - ${byMs} * interval '1 ms', first = d.first - ${byMs} * interval '1 ms'
    from webhook_subscription s
    where s.account_id = ${accountId} and d.bucket = s.bucket and d.subscription_id = s.id
      and d.due > ${new Date(now.getTime() + LEASE_MS)}`;
  await tx`
    update webhook_subscription set secret_before_expires = secret_before_expires - ${byMs} * interval '1 ms',
      healthy = healthy - ${byMs} * interval '1 ms'
    where account_id = ${accountId}`;
}
