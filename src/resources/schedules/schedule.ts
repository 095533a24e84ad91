// Schedules: types, queries and representation. A schedule repeats a reallocation by a rule.
import type { Static } from 'typebox';
import { bucketOf } from '../../core/ids.ts';
import { formatAmount } from '../../core/money/money.ts';
import { nowOfAccount } from '../../platform/db/account-clock.ts';
import { fragment, type Sql } from '../../platform/db/sql.ts';
import { type Metadata, representExternal } from '../../platform/forms/external.ts';
import type { Links } from '../../platform/http/links.ts';
import { requireOwned } from '../../platform/http/owned.ts';
import type { Page } from '../../platform/http/paging.ts';
import type { Recurrence } from './calendar.ts';
import type { AmountKind, CatchUp, EndReason, IfInsufficient, Reason, ScheduleSchema, Status } from './schemas.ts';

/** Amounts are in minor units. `amount`: null if `amountKind` is `all`. */
export type Schedule = Recurrence & {
  id: string;
  accountId: string;
  customerId: string;
  fromId: string;
  toId: string;
  currency: string;
  amountKind: AmountKind;
  amount: bigint | null;
  ifInsufficient: IfInsufficient;
  catchUp: CatchUp;
  status: Status;
  /** The next occurrence and its local time, while the schedule is active. */
  next: Date | null;
  nextLocal: string | null;
  endReason: EndReason | null;
  ended: Date | null;
  created: Date;
  reference: string | null;
  correlationId: string | null;
  externalId: string | null;
  metadata: Metadata | null;
};

export const scheduleColumns = fragment`id, account_id, customer_id, from_id, to_id, currency, amount_kind, amount, rule, start, time_zone,
  if_insufficient, catch_up, status, next, next_local, end_reason, ended, created, reference, correlation_id, external_id, metadata`;

type Last = {
  at: Date;
  status: 'ran' | 'skipped' | 'failed';
  reason: Reason | null;
  amount: bigint | null;
  occurrenceId: string;
};
/** A schedule and what became of its last occurrence. */
type ShownSchedule = Schedule & { [K in keyof Last as `last${Capitalize<K>}`]: Last[K] | null };

const shownColumns = fragment`${scheduleColumns}, last_at, last_status, last_reason, last_amount, last_occurrence_id`;

/** The last occurrence `o` of `schedule s` in a bucket. */
const lastOf = (bucket: number) => fragment`left join lateral (
    select at as last_at, o.status as last_status, reason as last_reason, o.amount as last_amount, o.id as last_occurrence_id
    from schedule_occurrence o where o.bucket = ${bucket} and o.schedule_id = s.id order by at desc limit 1
  ) o on true`;

/** The schedule with this id, ended or not, or undefined. */
export async function findSchedule(sql: Sql, id: string): Promise<ShownSchedule | undefined> {
  const bucket = bucketOf(id);
  const [row] = await sql<ShownSchedule>`
    select ${shownColumns} from schedule s ${lastOf(bucket)} where s.bucket = ${bucket} and s.id = ${id}`;
  return row;
}

/** Returns a schedule of the caller's account. Refuses as requireOwned does. */
export async function requireSchedule(sql: Sql, caller: { accountId: string }, id: string): Promise<ShownSchedule> {
  return requireOwned(await findSchedule(sql, id), caller);
}

/** The id of a customer's schedule, or undefined. */
export async function findScheduleId(sql: Sql, customerId: string, externalId: string): Promise<string | undefined> {
  const [schedule] = await sql<{ id: string }>`
    select id from schedule where bucket = ${bucketOf(customerId)} and customer_id = ${customerId} and external_id = ${externalId}`;
  return schedule?.id;
}

type Filter = { status?: Status | undefined; externalId?: string | undefined };

/** A page of a customer's schedules, newest first, and the total. */
export async function listSchedules(
  sql: Sql,
  customerId: string,
  { limit, offset, status, externalId }: Page & Filter,
): Promise<{ elements: ShownSchedule[]; total: number }> {
  const bucket = bucketOf(customerId);
  const schedules = fragment`
    from schedule
    where bucket = ${bucket} and customer_id = ${customerId}
      and status is not distinct from coalesce(${status}, status)
      and external_id is not distinct from coalesce(${externalId}, external_id)`;
  const elements = await sql<ShownSchedule>`
    select ${shownColumns} from (select * ${schedules} order by id desc limit ${limit} offset ${offset}) s ${lastOf(bucket)} order by s.id desc`;
  const [count] = await sql<{ total: bigint }>`select count(*) as total ${schedules}`;
  return { elements, total: Number(count?.total) };
}

type Listed = { status: 'active' | 'paused'; isLateAt: Date | undefined; limit: number };

/** Ids of schedules of all accounts: the next occurrence first, or the newest paused ones. `isLateAt`: only those whose time has passed then. */
export async function listOfAll(sql: Sql, { status, isLateAt, limit }: Listed): Promise<{ id: string; accountId: string }[]> {
  if (status === 'paused')
    return sql<{ id: string; accountId: string }>`
      select id, account_id from schedule where status = 'paused' order by id desc limit ${limit}`;
  return sql<{ id: string; accountId: string }>`
    select s.id, s.account_id from schedule s left join account_clock clock on clock.account_id = s.account_id
    where s.status = 'active' ${isLateAt ? fragment`and s.next <= ${nowOfAccount(isLateAt)}` : fragment``}
    order by s.next, s.id limit ${limit}`;
}

/** Stores the members of a schedule that can change. The transaction has locked its row. */
export async function saveSchedule(tx: Sql, schedule: Schedule): Promise<void> {
  const { id, amountKind, amount, rule, start, timeZone, ifInsufficient, catchUp } = schedule;
  const { status, next, nextLocal, endReason, ended, reference, metadata } = schedule;
  await tx`
    update schedule set amount_kind = ${amountKind}, amount = ${amount}, rule = ${rule}, start = ${start}, time_zone = ${timeZone},
      if_insufficient = ${ifInsufficient}, catch_up = ${catchUp}, status = ${status}, next = ${next}, next_local = ${nextLocal},
      end_reason = ${endReason}, ended = ${ended}, reference = ${reference}, metadata = ${metadata}::jsonb
    where bucket = ${bucketOf(id)} and id = ${id}`;
}

/** The members of a schedule that has ended. */
export function endedAt(ended: Date, endReason: EndReason) {
  return { status: 'ended', next: null, nextLocal: null, ended, endReason } as const;
}

export function represent(links: Links, schedule: ShownSchedule): Static<typeof ScheduleSchema> {
  const { id, status, next, ended, endReason, reference, correlationId } = schedule;
  const self = links.to('schedule', id);
  return {
    _links: {
      self,
      customer: links.to('customer', schedule.customerId),
      from: links.to('label', schedule.fromId),
      to: links.to('label', schedule.toId),
      occurrences: links.link(`/schedules/${id}/occurrences`, 'schedule-occurrence'),
      ...(status !== 'ended' && { edit: self, remove: self }),
    },
    id,
    created: schedule.created.toISOString(),
    status,
    amount: representAmount(schedule),
    rule: schedule.rule,
    start: schedule.start,
    timeZone: schedule.timeZone,
    ifInsufficient: schedule.ifInsufficient,
    catchUp: schedule.catchUp,
    ...(next && { next: next.toISOString() }),
    ...(schedule.lastAt && { lastOccurrence: representLast(links, schedule) }),
    ...(ended && { ended: ended.toISOString(), endReason: endReason! }),
    ...(reference !== null && { reference }),
    ...(correlationId !== null && { correlationId }),
    ...representExternal(schedule),
  };
}

function representLast(links: Links, schedule: ShownSchedule) {
  const { lastAt, lastStatus, lastReason, lastAmount, lastOccurrenceId, currency } = schedule;
  return {
    _links: { ...(lastStatus === 'ran' && { 'label-reallocation': links.to('label-reallocation', lastOccurrenceId!) }) },
    at: lastAt!.toISOString(),
    status: lastStatus!,
    ...(lastReason !== null && { reason: lastReason }),
    ...(lastAmount !== null && { amount: formatAmount(lastAmount, currency) }),
  };
}

function representAmount({ amountKind, amount, currency }: Schedule) {
  if (amount === null) return { value: 'all', currency };
  return { [amountKind]: formatAmount(amount, currency).value, currency };
}
