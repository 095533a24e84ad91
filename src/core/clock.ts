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

const HOUR_MS = 3_600_000;

/** By how much the clock of the machine was ahead of the database's when this process began. */
let startedAheadMs = 0;

/** Notes the time of the database, which may have the clock of another machine. `askedMs`: the machine's time before it was asked. */
export function noteDatabaseTime(time: Date, askedMs: number): void {
  startedAheadMs = Math.max(0, askedMs - time.getTime() - sinceStartMs());
}

/**
 * The time at least some hours before `now`. It is earlier by as much as the clock of the machine is known to be ahead: of the database's
 * at the start, or set ahead since.
 */
export function hoursBefore(now: Date, hours: number): Date {
  const aheadMs = Math.max(0, startedAheadMs + sinceStartMs());
  return new Date(now.getTime() - aheadMs - hours * HOUR_MS);
}

export function later(time: Date, byMs: number): Date {
  return new Date(time.getTime() + byMs);
}

/** By how much the clock was set ahead since this process began. The monotonic clock stands still while a machine sleeps. */
function sinceStartMs(): number {
  return Date.now() - (performance.timeOrigin + performance.now());
}

export const systemClock: Clock = { now: () => new Date() };
