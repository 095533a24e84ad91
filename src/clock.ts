// The time as a service tells it: of everything that an account sees or that falls due for it.

export type Clock = {
  /**
   * The time now, for an account where one is at hand: an account may have a clock of its own, and its name is how it gets it.
   * Not for how long something takes: the time may jump, and `performance.now()` does not.
   */
  now(accountId?: string): Date;
  /** How many milliseconds an account's clock is ahead; without it, none is. */
  aheadMs?(accountId: string): number;
};

export const systemClock: Clock = { now: () => new Date() };
