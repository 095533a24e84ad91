// Time zones: the wall clock of a zone, its days, and the moments at which they begin.

/** Names of IANA begin with a letter; `Intl` also takes offsets such as +01:00. */
const ZONE = /^[A-Za-z][A-Za-z0-9_+\-/]{0,63}$/;
/** No zone is further from UTC, and none changes its offset twice within so short a time. */
const FAR_MS = 36 * 3_600_000;

/** Whether `Intl` knows a time zone. */
export function isZone(zone: string): boolean {
  try {
    return ZONE.test(zone) && new Intl.DateTimeFormat('en', { timeZone: zone }) !== undefined;
  } catch {
    return false;
  }
}

/** The clock of a zone: the wall time at a moment, as if it were UTC. */
export function wallClock(zone: string): (ms: number) => number {
  const format = new Intl.DateTimeFormat('en-u-ca-gregory-nu-latn', {
    timeZone: zone,
    hourCycle: 'h23',
    ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
  });
  return (ms) => {
    const parts = format.formatToParts(ms);
    const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((one) => one.type === type)!.value);
    const seconds = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
    return seconds + (((ms % 1000) + 1000) % 1000);
  };
}

/** The first moment at which the clocks of a zone show a midnight or later. */
export function firstMoment(midnight: number, zone: string): Date {
  return momentOfWall(midnight, wallClock(zone));
}

/**
 * The moment at which a clock shows a wall time (as if it were UTC), the first if it does so twice. A time that a change of the clocks
 * skips is reckoned with the offset before the change (RFC 5545 §3.3.5). The offsets before and after a change give the candidates.
 */
export function momentOfWall(wallMs: number, clock: (ms: number) => number): Date {
  const candidates = [wallMs - FAR_MS, wallMs + FAR_MS].map((ms) => wallMs - (clock(ms) - ms));
  return new Date(Math.min(...candidates.filter((ms) => clock(ms) >= wallMs)));
}

/** Names the day (`yyyy-mm-dd`) of a zone at a moment. */
export function dayOfZone(zone: string): (moment: Date) => string {
  const clock = wallClock(zone);
  return (moment) => new Date(clock(moment.getTime())).toISOString().slice(0, 10);
}
