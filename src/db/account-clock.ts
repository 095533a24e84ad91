// The clocks of accounts in statements.
import { type Fragment, fragment } from './sql.ts';

/** The time that an account sees when the clock of the service shows `now`. Left join its row of account_clock as `clock`. */
export function nowOfAccount(now: Date): Fragment {
  return onAccountClock(fragment`${now}::timestamptz`);
}

/** A time of the clock of the service, as an account sees it. Left join its row of account_clock as `clock`. */
export function onAccountClock(time: Fragment): Fragment {
  return fragment`${time} + coalesce(clock.ahead_ms, 0) * interval '1 ms'`;
}
