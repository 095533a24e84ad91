// Reschedules an account's deliveries when its sandbox clock is advanced: workers use the system clock, as receivers do.
import { later } from '../../core/clock.ts';
import { type Fragment, fragment, type Sql } from '../../platform/db/sql.ts';
import { LEASE_MS } from './claim.ts';

/**
 * Moves due times, the overlap of secrets and the last success `byMs` earlier. Deliveries that fall due within a lease stay: they
 * may be in flight, and would be sent twice. Locks deliveries before subscriptions, as the recorder does.
 */
export async function reschedule(tx: Sql, accountId: string, byMs: number, now: Date): Promise<void> {
  // Without a time zone, because an update on a cluster must not depend on that of the session.
  const earlier = (time: Fragment) => fragment`((${time} at time zone 'UTC' - ${byMs} * interval '1 ms') at time zone 'UTC')`;
  const [due, first] = [earlier(fragment`d.due`), earlier(fragment`d.first`)];
  const [expires, healthy] = [earlier(fragment`secret_before_expires`), earlier(fragment`healthy`)];
  await tx`
    update webhook_due d set due = ${due}, first = ${first}
    from webhook_subscription s
    where s.account_id = ${accountId} and d.bucket = s.bucket and d.subscription_id = s.id and d.attempts >= 0
      and d.due > ${later(now, LEASE_MS)}`;
  await tx`
    update webhook_subscription set secret_before_expires = ${expires}, healthy = ${healthy}
    where account_id = ${accountId}`;
}
