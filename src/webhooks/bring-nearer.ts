// Brings what is planned for an account nearer: its clock was moved ahead, while webhooks go by the world's, as their receivers do.
import type { Sql } from '../db/sql.ts';

/** Moves outstanding deliveries, the overlap of secrets and the patience with failures by so many milliseconds. */
export async function bringNearer(tx: Sql, accountId: string, byMs: number): Promise<void> {
  await tx`
    update webhook_subscription set secret_before_expires = secret_before_expires - ${byMs} * interval '1 ms',
      healthy = healthy - ${byMs} * interval '1 ms'
    where account_id = ${accountId}`;
  await tx`
    update webhook_due d set due = d.due - ${byMs} * interval '1 ms', first = d.first - ${byMs} * interval '1 ms'
    from webhook_subscription s
    where s.account_id = ${accountId} and d.bucket = s.bucket and d.subscription_id = s.id`;
}
