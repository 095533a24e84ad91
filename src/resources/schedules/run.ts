// Runs the due occurrences of a customer's schedules, in the order of their times: each with its reallocation, event and result in one commit.
import { bucketOf, newId } from '../../core/ids.ts';
import { writeEvent } from '../../ledger/feed/event.ts';
import { postTransfers } from '../../ledger/transfers/post.ts';
import type { Groups } from '../../platform/db/groups.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { lockAccount } from '../holds/held-account.ts';
import { type Calendar, calendarOf, type Occurrence } from './calendar.ts';
import { decide } from './decide.ts';
import { type Decision, insertOccurrence, occurrenceId } from './occurrence.ts';
import { endedAt, type Schedule, saveSchedule, scheduleColumns } from './schedule.ts';

/** The most occurrences of a transaction: a schedule that is behind by years is caught up in many. */
const OCCURRENCES_MAX = 50;

/**
 * Runs at most OCCURRENCES_MAX due occurrences. Returns whether there may be more. A schedule goes on to its next occurrence in the transaction
 * that decides this one, under the lock of its row, and the ids of reallocation and result follow from the occurrence: whoever repeats
 * it, after a crash or at the same time, finds it decided. `clock` returns the time.
 */
export async function runCustomer({ groups }: { groups: Groups }, customerId: string, clock: () => Date): Promise<boolean> {
  return groups.near(bucketOf(customerId)).transaction(async (tx) => {
    const due = await lockDue(tx, customerId, clock());
    // After the locks: an entry must be committed before its month is closed.
    const now = clock();
    let budget = OCCURRENCES_MAX;
    for (; due.length > 0 && budget > 0; budget--) {
      due.sort((a, b) => a.schedule.next!.getTime() - b.schedule.next!.getTime() || (a.schedule.id < b.schedule.id ? -1 : 1));
      const first = due[0]!;
      first.schedule = await runNext(tx, first, now);
      if (first.schedule.next && first.schedule.next <= now) continue;
      await saveSchedule(tx, first.schedule);
      due.shift();
    }
    for (const { schedule } of due) await saveSchedule(tx, schedule);
    return due.length > 0;
  });
}

type Due = { schedule: Schedule; calendar: Calendar };

/** Locks the schedules that are due, and then the accounts of their labels in the order of post_transfers. */
async function lockDue(tx: Sql, customerId: string, now: Date): Promise<Due[]> {
  const bucket = bucketOf(customerId);
  // A reset locks the customer first too.
  await tx`select 1 from customer where bucket = ${bucket} and id = ${customerId} for key share`;
  const schedules = await tx<Schedule>`
    select ${scheduleColumns} from schedule
    where bucket = ${bucket} and customer_id = ${customerId} and status = 'active' and next <= ${now} order by id for update`;
  const labels = [...new Set(schedules.flatMap(({ fromId, toId }) => [fromId, toId]))];
  await tx`
    select 1 from ledger_account where bucket = ${bucket} and id = any (${labels}) order by id for no key update`;
  return schedules.map((schedule) => ({ schedule, calendar: calendarOf(schedule) }));
}

/** Decides and stores the next occurrence. Returns the schedule as it is then. */
async function runNext(tx: Sql, { schedule, calendar }: Due, now: Date): Promise<Schedule> {
  const { id, accountId, customerId } = schedule;
  const occurrence: Occurrence = { at: schedule.next!, local: schedule.nextLocal! };
  const following = calendar.following(occurrence);
  const from = await lockAccount(tx, schedule.fromId, now);
  const to = await lockAccount(tx, schedule.toId, now);
  const planned = decide(schedule, { from, to }, { at: occurrence.at, following, now });
  const decision =
    planned.status === 'ran' ? await post(tx, schedule, { at: occurrence.at, amount: planned.amount, now }) : planned;
  await insertOccurrence(tx, schedule, { ...occurrence, decision, decided: now });
  const resourceId = decision.status === 'ran' ? occurrenceId(id, occurrence.at) : id;
  const topic = `customer_schedule_${decision.status}`;
  await writeEvent(tx, { bucket: bucketOf(id), accountId, customerId, topic, resourceId }, now);
  if (decision.status === 'failed' && decision.reason === 'LabelRemoved') return { ...schedule, ...endedAt(now, 'LabelRemoved') };
  if (!following) return { ...schedule, ...endedAt(now, 'Finished') };
  return { ...schedule, next: following.at, nextLocal: following.local };
}

/** Posts the reallocation of an occurrence. One that exists is not posted again. */
async function post(
  tx: Sql,
  schedule: Schedule,
  { at, amount, now }: { at: Date; amount: bigint; now: Date },
): Promise<Decision> {
  const { accountId, fromId, toId, currency, reference, correlationId, metadata } = schedule;
  const id = occurrenceId(schedule.id, at);
  const transfer = {
    ...({ id, kind: 'reallocation', accountId, fromId, toId, amount, currency, idempotency: undefined } as const),
    reference: reference ?? undefined,
    correlationId: correlationId ?? undefined,
    metadata: metadata ?? undefined,
    event: { id: newId(bucketOf(id)), topic: 'customer_label_reallocation_created' },
    resource: { type: 'label-reallocation', id },
  };
  const [outcome] = await postTransfers(tx, [transfer], { now, isRetry: true });
  if (outcome?.code === 'limit') return { status: 'failed', reason: 'BalanceLimit' };
  if (outcome?.code !== 'posted') throw new Error(`a scheduled reallocation cannot be ${outcome?.code}`);
  return { status: 'ran', amount };
}
