// Occurrences of schedules: what became of them, and those that come. Queries and representation.
import type { Static } from 'typebox';
import { bucketOf, derivedId } from '../../core/ids.ts';
import { formatAmount } from '../../core/money/money.ts';
import { fragment, type Sql } from '../../platform/db/sql.ts';
import type { Links } from '../../platform/http/links.ts';
import { calendarOf, type Occurrence } from './calendar.ts';
import type { Schedule } from './schedule.ts';
import type { OccurrenceSchema, OccurrenceStatus, Reason } from './schemas.ts';

/** What became of an occurrence. `amount`: in minor units, if it ran. */
export type Decision = { status: 'ran'; amount: bigint } | { status: 'skipped' | 'failed'; reason: Reason };

type StoredOccurrence = {
  id: string;
  scheduleId: string;
  at: Date;
  status: OccurrenceStatus;
  reason: Reason | null;
  amount: bigint | null;
  currency: string;
  decided: Date;
};
/** One that comes is not stored, and not decided. */
type ListedOccurrence = Omit<StoredOccurrence, 'decided'> & { decided: Date | null };

const columns = fragment`id, schedule_id, at, status, reason, amount, currency, decided`;

/** The id of an occurrence, and of its reallocation. Nothing else decides it, so neither can exist twice. */
export function occurrenceId(scheduleId: string, at: Date): string {
  return derivedId(bucketOf(scheduleId), at, `${scheduleId} ${at.getTime()}`);
}

/** Stores what became of an occurrence. Fails if that is stored already. */
export async function insertOccurrence(
  tx: Sql,
  schedule: Schedule,
  occurrence: Occurrence & { decision: Decision; decided: Date },
) {
  const { id: scheduleId, accountId, customerId, currency } = schedule;
  const { at, decision, decided } = occurrence;
  const amount = decision.status === 'ran' ? decision.amount : null;
  const reason = decision.status === 'ran' ? null : decision.reason;
  await tx`
    insert into schedule_occurrence (bucket, id, account_id, customer_id, schedule_id, at, status, reason, amount, currency, decided)
    values (${bucketOf(scheduleId)}, ${occurrenceId(scheduleId, at)}, ${accountId}, ${customerId}, ${scheduleId}, ${at}, ${decision.status},
      ${reason}, ${amount}, ${currency}, ${decided})`;
}

/** The occurrences from a moment to another, oldest first: those that were decided, and of an active schedule those that come. */
export async function listOccurrences(
  sql: Sql,
  schedule: Schedule,
  { from, to, now }: { from: Date; to: Date; now: Date },
): Promise<ListedOccurrence[]> {
  const decided = await sql<StoredOccurrence>`
    select ${columns} from schedule_occurrence
    where bucket = ${bucketOf(schedule.id)} and schedule_id = ${schedule.id} and at >= ${from} and at <= ${to} order by at`;
  return [...decided, ...comingOccurrences(schedule, { from, to, now })];
}

function comingOccurrences(schedule: Schedule, { from, to, now }: { from: Date; to: Date; now: Date }): ListedOccurrence[] {
  const { id, currency, next, nextLocal } = schedule;
  const coming: ListedOccurrence[] = [];
  if (!next) return coming;
  const calendar = calendarOf(schedule);
  const first = from > next ? calendar.after(new Date(from.getTime() - 1)) : { at: next, local: nextLocal! };
  for (let occurrence = first; occurrence && occurrence.at <= to; occurrence = calendar.following(occurrence)) {
    const { at } = occurrence;
    coming.push({
      ...{ id: occurrenceId(id, at), scheduleId: id, at, status: at > now ? 'planned' : 'due' },
      ...{ reason: null, amount: null, currency, decided: null },
    });
  }
  return coming;
}

export function represent(links: Links, occurrence: ListedOccurrence): Static<typeof OccurrenceSchema> {
  const { id, scheduleId, status, reason, amount, decided } = occurrence;
  return {
    _links: {
      schedule: links.to('schedule', scheduleId),
      ...(status === 'ran' && { 'label-reallocation': links.to('label-reallocation', id) }),
    },
    id,
    at: occurrence.at.toISOString(),
    status,
    ...(reason !== null && { reason }),
    ...(amount !== null && { amount: formatAmount(amount, occurrence.currency) }),
    ...(decided && { decided: decided.toISOString() }),
  };
}
