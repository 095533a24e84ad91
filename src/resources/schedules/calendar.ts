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
  /** Whether the occurrences of a rule with COUNT can be counted: the library tries each period from the start on. */
  isCountable(): boolean;
};

/** The last year in which a schedule can start, and to which COUNT must be countable. */
export const LAST_YEAR = 2199;
/** Rules without an occurrence in so many periods, such as 30 February, have none. */
export const PERIODS_MAX = 10_000;
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
  const library = libraryRule(read, start);
  // It throws when it has tried PERIODS_MAX periods, or has reached its last year.
  const nextWall = (wallMs: number) => tryTo(() => library.next(new Date(wallMs))?.epochMilliseconds);
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
    isCountable: () => !read.parts.has('COUNT') || tryTo(() => [library.next(new Date(Date.UTC(LAST_YEAR + 1)))]) !== undefined,
  };
}

/** The rule in local time, as if it were UTC. */
function libraryRule({ parts }: Rule, start: string): RRuleTemporal {
  const text = [...parts].map(([name, value]) => `${name}=${value}`).join(';');
  const dtstart = `${start.replaceAll(/[-:]/g, '')}Z`;
  return new RRuleTemporal({ rruleString: `DTSTART:${dtstart}\nRRULE:${text}`, maxIterations: PERIODS_MAX });
}

function tryTo<T>(find: () => T): T | undefined {
  try {
    return find();
  } catch {
    return undefined;
  }
}

/** A local time as if it were UTC, in ms. */
export function toWall(local: string): number {
  return Date.parse(`${local}Z`);
}

function toLocal(wallMs: number): string {
  return new Date(wallMs).toISOString().slice(0, 19);
}
