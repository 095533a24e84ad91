// The clocks of accounts in statements.
import { type Fragment, fragment } from './sql.ts';

/** The time that an account sees when the clock of the service shows `now`. Left join its row of account_clock as `clock`. */
export function nowOfAccount(now: Date): Fragment {
  return fragment`${now}::timestamptz + coalesce(clock.ahead_ms, 0) * interval '1 ms'`;
}
