// Moments in queries: the `at` of balances, and the period of lists.
import { invalid } from '../../core/problems.ts';
import { Type } from '../../core/type.ts';
import { LongPageQuery } from './paging.ts';

export type PeriodQuery = { createdFrom?: string | undefined; createdBefore?: string | undefined };

export const Moment = Type.String({ format: 'date-time' });
/** Digits after the milliseconds that are not zero. */
const BELOW_MS = /\.\d{3}\d*[1-9]/;

/** The query of a balance. */
export const MomentQuery = Type.Object({
  at: Type.Optional({
    ...Moment,
    description:
      'Return the balance after everything created at or before this time. A time in the last minute is provisional: what is in progress may still be created at it.',
  }),
});

/** The query of a long list that selects by time of creation. */
export const LongPeriodQuery = Type.Object({
  ...LongPageQuery.properties,
  createdFrom: Type.Optional({ ...Moment, description: 'Only what was created at this time or later.' }),
  createdBefore: Type.Optional({ ...Moment, description: 'Only what was created before this time.' }),
});

/** The moment `at`, to the millisecond. Throws ValidationError for one in the future. */
export function pastMoment(at: string, now: Date): Date {
  const moment = toDate('at', at);
  if (moment > now) throw invalid({ code: 'Invalid', message: 'at must not be in the future.', path: '/query/at' });
  return moment;
}

/** The period of a list. Its limits are rounded up to milliseconds, which does not change what they select. */
export function periodOf({ createdFrom, createdBefore }: PeriodQuery): { from: Date | undefined; before: Date | undefined } {
  const limit = (name: string, text: string | undefined) =>
    text === undefined ? undefined : new Date(toDate(name, text).getTime() + (BELOW_MS.test(text) ? 1 : 0));
  return { from: limit('createdFrom', createdFrom), before: limit('createdBefore', createdBefore) };
}

/** The moment of a parameter. Throws ValidationError: the schema admits leap seconds, which a Date does not have. */
export function toDate(name: string, text: string): Date {
  const date = new Date(text);
  if (!Number.isNaN(date.getTime())) return date;
  throw invalid({ code: 'Invalid', message: `${name} must be a time such as 2026-01-31T12:00:00Z.`, path: `/query/${name}` });
}
