// Schedules made, paused, resumed and ended by people.
import { refuse } from '../../../core/problems.ts';
import { wallClock } from '../../../core/zone.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { validatorOf } from '../../../platform/http/schemas.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { time } from '../../../platform/pages/time.ts';
import type { Label } from '../../../resources/labels/label.ts';
import { findMoveLimit } from '../../../resources/moves/limit.ts';
import { amountOf } from '../../../resources/moves/move.ts';
import { changeSchedule, endSchedule } from '../../../resources/schedules/change.ts';
import { createSchedule } from '../../../resources/schedules/create.ts';
import { findSchedule, type Schedule } from '../../../resources/schedules/schedule.ts';
import { ScheduleRequest } from '../../../resources/schedules/schemas.ts';
import type { Service } from '../../service/service.ts';
import { amountText } from '../amount.ts';
import { labelField } from '../ledger/label-choice.ts';
import type { Pages } from '../screen.ts';
import { type Choice, select } from '../select.ts';
import { addCreating } from './creating.ts';
import { addEnding } from './ending.ts';
import { givenIn, input, type Owner, requireChosenLabel, requireTypedAmount, requireValid, textIn } from './plan-form.ts';
import { OWN_RULE, REPEATS, ruleText, scheduledText } from './repeats.ts';

const DAY_MS = 24 * 3_600_000;
/** A local time as a browser gives it, without seconds if there are none. */
const TO_THE_MINUTE = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/;
/** `2026-01-31T00:00` */
const DAY_LENGTH = 10;

const AMOUNTS: Choice[] = [
  { value: 'value', text: 'this amount' },
  { value: 'all', text: 'all that is available' },
  { value: 'above', text: 'what is available above this amount' },
  { value: 'upTo', text: 'what the other label lacks to this amount' },
];
const IF_INSUFFICIENT: Choice[] = [
  { value: 'skip', text: 'skip this time' },
  { value: 'partial', text: 'move what is available' },
  { value: 'fail', text: 'count it as failed' },
];
const CATCH_UP: Choice[] = [
  { value: 'each', text: 'run every one that is late' },
  { value: 'last', text: 'run only the newest' },
  { value: 'none', text: 'run none that is over an hour late' },
];

const scheduleErrors = validatorOf(ScheduleRequest);

export function addScheduleForms(pages: Pages, service: Service): void {
  addNewSchedule(pages, service);
  const shared = { folder: 'schedules', type: 'schedule', isNear: false, find: findById, factsOf } as const;
  addEnding<Schedule>(pages, service, {
    ...{
      ...shared,
      word: 'pause',
      action: 'pause_schedule',
      done: 'schedule-paused',
      title: 'Pause this schedule?',
      verb: 'Pause it',
    },
    effect: () => 'No move runs until it is resumed. What passes meanwhile does not run later.',
    end: (tx, schedule, now) => setPaused(tx, schedule, { paused: true, now }),
  });
  addEnding<Schedule>(pages, service, {
    ...{ ...shared, word: 'resume', action: 'resume_schedule', done: 'schedule-resumed', isStart: true },
    ...{ title: 'Resume this schedule?', verb: 'Resume it' },
    effect: () => 'It goes on with the first time from now on. What passed meanwhile does not run.',
    end: (tx, schedule, now) => setPaused(tx, schedule, { paused: false, now }),
  });
  addEnding<Schedule>(pages, service, {
    ...{ ...shared, word: 'end', action: 'end_schedule', done: 'schedule-ended', title: 'End this schedule?', verb: 'End it' },
    effect: () => 'No further move runs. Those that ran stay as they are.',
    end: async (tx, { accountId, id }, now) => {
      await endSchedule(tx, { accountId }, id, now);
      return id;
    },
  });
}

function findById(sql: Sql, id: string): Promise<Schedule | undefined> {
  return findSchedule(sql, id);
}

function factsOf(schedule: Schedule): [name: string, value: Html][] {
  const { rule, timeZone, next, status, reference, externalId, ifInsufficient, catchUp } = schedule;
  const textOf = (choices: Choice[], chosen: string) => choices.find(({ value }) => value === chosen)?.text;
  return [
    ['Moves', scheduledText(schedule)],
    ['Repeats', html`${ruleText(rule)} (${timeZone})`],
    ['State', status],
    ['Next', next ? time(next) : 'none'],
    ['Reference', reference ?? 'none'],
    ['External id', externalId ?? 'none'],
    ['If there is too little', textOf(IF_INSUFFICIENT, ifInsufficient)],
    ['After an interruption', textOf(CATCH_UP, catchUp)],
  ];
}

async function setPaused(tx: Sql, { accountId, id }: Schedule, { paused, now }: { paused: boolean; now: Date }): Promise<string> {
  await changeSchedule(tx, { accountId }, id, { change: { paused }, now });
  return id;
}

function addNewSchedule(pages: Pages, service: Service): void {
  addCreating(pages, service, {
    ...{ folder: 'schedules', action: 'create_schedule', type: 'schedule', done: 'scheduled', isNear: false },
    ...{ title: 'Schedule a move', verb: 'Create the schedule' },
    lead: 'Repeats a move between two labels. Each time uses only what is available then.',
    missing: ({ offered }) => (offered.total < 2 ? 'A schedule moves money between two labels of the customer.' : undefined),
    fields: (owner, { zone }) => scheduleFields(owner, { zone, now: service.clock.now(owner.customer.accountId) }),
    async read(owner, form) {
      const request = readSchedule(service, owner, form);
      await requireWithinLimit(service, requireFrom(owner, form), request.amount);
      return { request };
    },
    create: (tx, { customer }, { request }, now) => createSchedule({ tx, links: service.links }, customer, request, now),
  });
}

function scheduleFields(owner: Owner, { zone, now }: { zone: string; now: Date }): Html {
  const tomorrow = new Date(wallClock(zone)(now.getTime()) + DAY_MS).toISOString().slice(0, DAY_LENGTH);
  return html`${labelField({ id: 'from', label: 'From' }, owner.offered, {})}
      ${labelField({ id: 'to', label: 'To', hint: 'In the same currency.' }, owner.offered, { first: second(owner)?.id })}
      ${select({ id: 'kind', label: 'Move' }, AMOUNTS)}
      ${input({ id: 'amount', label: 'Amount', hint: 'In the currency of the labels. Empty for all that is available.' }, true)}
      ${select({ id: 'repeats', label: 'Repeats' }, REPEATS)}
      ${input({ id: 'rule', label: 'Own rule', hint: 'Only for “by the rule below”: an RRULE such as FREQ=MONTHLY;BYDAY=1MO.' })}
      ${input({ id: 'start', label: 'Start', hint: 'Local time of the first move, and time of day of all. Months without its day are left out.', type: 'datetime-local', value: `${tomorrow}T09:00`, isRequired: true })}
      ${input({ id: 'timeZone', label: 'Time zone', hint: 'Such as Europe/Berlin.', value: zone, isRequired: true })}
      ${select({ id: 'ifInsufficient', label: 'If there is too little' }, IF_INSUFFICIENT)}
      ${select({ id: 'catchUp', label: 'After an interruption' }, CATCH_UP)}
      ${input({ id: 'reference', label: 'Reference', hint: 'Optional. Each move has it, on statements.' })}
      ${input({ id: 'externalId', label: 'External id', hint: 'Optional. No two schedules of the customer have the same.' })}`;
}

/** The first label that can get money of the first one. */
function second({
  offered: {
    labels: [first, ...others],
  },
}: Owner): Label | undefined {
  return others.find(({ currency }) => currency === first?.currency);
}

function requireFrom(owner: Owner, form: URLSearchParams): Label {
  return requireChosenLabel(owner, textIn(form, 'from'), 'the label that money leaves');
}

function readSchedule({ links }: Pick<Service, 'links'>, owner: Owner, form: URLSearchParams): ScheduleRequest {
  const from = requireFrom(owner, form);
  const to = requireChosenLabel(owner, textIn(form, 'to'), 'the label that gets it');
  const repeats = textIn(form, 'repeats');
  const rule = repeats === OWN_RULE ? textIn(form, 'rule') : repeats;
  if (rule === '') throw refuse('badRequest', { message: 'Write the rule, or choose how often the move repeats.' });
  if (repeats !== OWN_RULE && textIn(form, 'rule') !== '')
    throw refuse('badRequest', { message: 'Choose “by the rule below”, or leave the own rule empty.' });
  const start = textIn(form, 'start');
  const hrefOf = (id: string) => ({ href: links.to('label', id).href });
  const request = {
    _links: { from: hrefOf(from.id), to: hrefOf(to.id) },
    amount: readAmount(form, from.currency),
    rule,
    start: TO_THE_MINUTE.test(start) ? `${start}:00` : start,
    timeZone: textIn(form, 'timeZone'),
    ...givenIn(form, 'ifInsufficient', 'catchUp', 'reference', 'externalId'),
  };
  requireValid(scheduleErrors, request);
  return request as ScheduleRequest;
}

/** Refuses what may be above the limit of one person: a schedule does not wait for a second one. */
async function requireWithinLimit(
  { database }: Pick<Service, 'database'>,
  { accountId, currency }: Label,
  amount: ScheduleRequest['amount'],
): Promise<void> {
  const limit = await findMoveLimit(database.sql, accountId, currency);
  const most = amount.upTo ?? (amount.value === 'all' ? undefined : amount.value);
  if (limit === undefined || (most !== undefined && amountOf({ amount: { value: most, currency } }) <= limit)) return;
  const text = `${amountText(limit, currency)} ${currency}`;
  throw refuse('badRequest', {
    message: `One person moves up to ${text}, and a schedule does not wait for a second one: give an amount up to that.`,
  });
}

function readAmount(form: URLSearchParams, currency: string): ScheduleRequest['amount'] {
  const [kind, typed] = [textIn(form, 'kind'), textIn(form, 'amount')];
  if (kind === 'all') {
    if (typed !== '') throw refuse('badRequest', { message: 'All that is available has no amount: leave it empty.' });
    return { value: 'all' };
  }
  if (typed === '') throw refuse('badRequest', { message: 'Give the amount.' });
  const { value } = requireTypedAmount(typed, currency);
  return { [kind === 'above' || kind === 'upTo' ? kind : 'value']: value, currency };
}
