// Times in options of commands.
import { CallError } from './command.ts';

const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/;
const DAY_LENGTH = 10;

/** Reads a day, which means its beginning in UTC, or a time with its offset. Throws a CallError, also for a day that no month has. */
export function readTime(name: string, text: string): Date {
  const [time, day] = [new Date(text), text.slice(0, DAY_LENGTH)];
  const dayTime = new Date(`${day}T00:00:00Z`);
  // `Date` takes the 30th of February for the 2nd of March.
  const exists = TIME.test(text) && !Number.isNaN(time.getTime()) && dayTime.toISOString().startsWith(day);
  if (!exists) throw new CallError(`${name} must be a date such as 2026-01-31 or a time such as 2026-01-31T12:00:00Z.`);
  return time;
}
