// Changes, pauses, resumes and ends a schedule.
import { bucketOf } from '../../core/ids.ts';
import { refuse } from '../../core/problems.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { nothingGiven } from '../../platform/forms/check.ts';
import { endedAt, requireSchedule, type Schedule, saveSchedule } from './schedule.ts';
import { ScheduleChange } from './schemas.ts';
import { requireOccurrence, requireScheduleAmount } from './terms.ts';

const MEMBERS = Object.keys(ScheduleChange.properties);

/**
 * Changes what has not run yet. A new rule, start or zone, and a resumed schedule, go on with the first occurrence from now on. Refuses with
 * InvalidResourceState if the schedule has ended, and with ValidationError.
 */
export async function changeSchedule(
  tx: Sql,
  caller: { accountId: string },
  id: string,
  { change, now }: { change: ScheduleChange; now: Date },
): Promise<void> {
  const before = await lockSchedule(tx, caller, id);
  if (Object.keys(change).length === 0) throw nothingGiven(MEMBERS);
  const { paused, amount, ...members } = change;
  const status = paused === undefined ? before.status : paused ? 'paused' : 'active';
  const schedule: Schedule = {
    ...before,
    ...members,
    ...(amount !== undefined && requireScheduleAmount(amount, before.currency)),
    ...{ status, ...(status === 'paused' && { next: null, nextLocal: null }) },
  };
  const isNewCalendar = ['rule', 'start', 'timeZone'].some((name) => name in members);
  if (isNewCalendar || (status === 'active' && before.status === 'paused')) {
    // The clock of a process may be behind that of the one that decided the last occurrence.
    const next = requireOccurrence(schedule, {
      now,
      after: before.lastAt && before.lastAt > now ? before.lastAt : now,
      isNewStart: members.start !== undefined,
    });
    if (status === 'active') Object.assign(schedule, { next: next.at, nextLocal: next.local });
  }
  await saveSchedule(tx, schedule);
}

/** Ends a schedule, which stays readable. Refuses with InvalidResourceState if it has ended. */
export async function endSchedule(tx: Sql, caller: { accountId: string }, id: string, now: Date): Promise<void> {
  await saveSchedule(tx, { ...(await lockSchedule(tx, caller, id)), ...endedAt(now, 'Ended') });
}

async function lockSchedule(tx: Sql, caller: { accountId: string }, id: string) {
  await tx`select 1 from schedule where bucket = ${bucketOf(id)} and id = ${id} for update`;
  const schedule = await requireSchedule(tx, caller, id);
  if (schedule.status === 'ended') throw refuse('scheduleEnded');
  return schedule;
}
