// The clock of a service: the time for timestamps and due dates.

export type Clock = {
  /**
   * Returns the current time. `accountId` selects a per-account sandbox clock; `systemClock` ignores it.
   * Use `performance.now()` for durations, as this time may jump.
   */
  now(accountId?: string): Date;
  /** Returns how many milliseconds the account's clock is ahead. Absent if no clock can be. */
  aheadMs?(accountId: string): number;
};

/** By how much the clock of the machine was set ahead since this process began. The monotonic clock stands still while a machine sleeps. */
export function jumpedAheadMs(): number {
  return Math.max(0, Date.now() - (performance.timeOrigin + performance.now()));
}

export const systemClock: Clock = { now: () => new Date() };
