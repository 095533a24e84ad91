// The calendar of a schedule: the moments of its occurrences, by rule, start and time zone.
import { RRuleTemporal } from 'rrule-temporal';
import { momentOfWall, wallClock } from '../../core/zone.ts';
import { type Rule, readRule } from './rule.ts';

/** `rule`: RRULE. `start`: the local time of the first possible occurrence, such as 2026-01-31T18:00:00. */
export type Recurrence = { rule: string; start: string; timeZone: string };

/** `local`: its time on the clocks of the zone, such as 2026-01-31T18:00:00. */
export type Occurrence = { at: Date; local: string };

export type Calendar = {
  /** The first occurrence later than a moment. */
  after(moment: Date): Occurrence | undefined;
  /** The occurrence that follows another one. */
  following(occurrence: Occurrence): Occurrence | undefined;
};

/** Rules without an occurrence in so many periods, such as 30 February, have none. */
const PERIODS_MAX = 10_000;
/** A moment and its local time differ from UTC by less. */
const DAY_MS = 24 * 3_600_000;

/**
 * The days come from the library, which reckons in local time without a zone; the moments come from the zone. A local time that the clocks
 * skip is at the same distance after the change as it would have been without, and one that they show twice is the first of both. So an
 * occurrence is never lost or repeated (RFC 5545 §3.3.10 would leave out a time that is skipped). Throws for an invalid rule.
 */
export function calendarOf({ rule, start, timeZone }: Recurrence): Calendar {
  const read = readRule(rule);
  if ('fault' in read) throw new Error(read.fault);
  const nextWall = wallTimesOf(read, start);
  const clock = wallClock(timeZone);
  const occurrenceAt = (wallMs: number): Occurrence => ({ at: momentOfWall(wallMs, clock), local: toLocal(wallMs) });

  const firstLater = (wallMs: number, moment: Date): Occurrence | undefined => {
    for (let wall = nextWall(wallMs); wall !== undefined; wall = nextWall(wall)) {
      const occurrence = occurrenceAt(wall);
      if (read.until && occurrence.at > read.until) return undefined;
      // A zone that skips a day has two local times at one moment.
      if (occurrence.at > moment) return occurrence;
    }
    return undefined;
  };
  return {
    after: (moment) => firstLater(clock(moment.getTime()) - DAY_MS, moment),
    following: ({ at, local }) => firstLater(toWall(local), at),
  };
}

/** Returns a function that finds the first local time of a rule after another one, both as if they were UTC, in ms. */
function wallTimesOf({ parts }: Rule, start: string): (wallMs: number) => number | undefined {
  const text = [...parts].map(([name, value]) => `${name}=${value}`).join(';');
  const dtstart = `${start.replaceAll(/[-:]/g, '')}Z`;
  const rule = new RRuleTemporal({ rruleString: `DTSTART:${dtstart}\nRRULE:${text}`, maxIterations: PERIODS_MAX });
  return (wallMs) => {
    try {
      return rule.next(new Date(wallMs))?.epochMilliseconds;
    } catch {
      // It throws when it has tried PERIODS_MAX periods, or has reached the last year.
      return undefined;
    }
  };
}

/** A local time as if it were UTC, in ms. */
export function toWall(local: string): number {
  return Date.parse(`${local}Z`);
}

function toLocal(wallMs: number): string {
  return new Date(wallMs).toISOString().slice(0, 19);
}
