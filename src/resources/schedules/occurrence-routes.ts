// The route of the occurrences of a schedule.
import { type Clock, later } from '../../core/clock.ts';
import { invalid } from '../../core/problems.ts';
import { Type } from '../../core/type.ts';
import type { Database } from '../../platform/db/sql.ts';
import type { Links } from '../../platform/http/links.ts';
import { Moment, toDate } from '../../platform/http/moments.ts';
import { IdParams, ListOf, listPage, PageQuery } from '../../platform/http/paging.ts';
import type { App } from '../../platform/http/route.ts';
import { listOccurrences, represent } from './occurrence.ts';
import { requireSchedule } from './schedule.ts';
import { OccurrenceSchema } from './schemas.ts';

type Tools = { clock: Clock; database: Database; links: Links };

const DAY_MS = 24 * 3_600_000;
/** By default, from so many days before now. */
const DAYS_BEFORE = 31;
/** The longest range, and the default. */
const RANGE_DAYS = 366;
/** The last moment that is a date-time (RFC 3339). */
const LAST_MOMENT = new Date('9999-12-31T23:59:59.999Z');

const OccurrenceQuery = Type.Object({
  ...PageQuery.properties,
  from: Type.Optional({ ...Moment, description: `${DAYS_BEFORE} days ago by default.` }),
  to: Type.Optional({ ...Moment, description: `Included. At most ${RANGE_DAYS} days after from, which is the default.` }),
});

const tags = ['schedules'];

export function occurrenceRoutes(app: App, { links, database, clock }: Tools): void {
  app.get(
    '/schedules/:id/occurrences',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'listScheduleOccurrences',
        summary: 'List the occurrences of a schedule',
        description:
          'Oldest first: what became of past occurrences, and a preview of those that come while the schedule is active.',
        tags,
        params: IdParams,
        querystring: OccurrenceQuery,
        response: { 200: ListOf('schedule-occurrences', OccurrenceSchema) },
      },
    },
    async ({ caller, params, query }) => {
      const schedule = await requireSchedule(database.sql, caller, params.id);
      const now = clock.now(schedule.accountId);
      const found = await listOccurrences(database.sql, schedule, { ...rangeOf(query, now), now });
      return listPage(links, query, {
        path: `/schedules/${schedule.id}/occurrences`,
        name: 'schedule-occurrences',
        resourceType: 'schedule-occurrence',
        elements: found.slice(query.offset, query.offset + query.limit).map((occurrence) => represent(links, occurrence)),
        total: found.length,
        filters: { from: query.from, to: query.to },
      });
    },
  );
}

function rangeOf({ from, to }: { from?: string | undefined; to?: string | undefined }, now: Date): { from: Date; to: Date } {
  const upToLast = (moment: Date) => (moment > LAST_MOMENT ? LAST_MOMENT : moment);
  // An offset can put a date-time into the year 10000.
  const first = from === undefined ? later(now, -DAYS_BEFORE * DAY_MS) : upToLast(toDate('from', from));
  const limit = upToLast(later(first, RANGE_DAYS * DAY_MS));
  const last = to === undefined ? limit : upToLast(toDate('to', to));
  if (last < first) throw invalid({ code: 'Invalid', message: 'to must not be before from.', path: '/query/to' });
  if (last > limit)
    throw invalid({ code: 'Invalid', message: `to must be at most ${RANGE_DAYS} days after from.`, path: '/query/to' });
  return { from: first, to: last };
}
