// Checks of the terms of a schedule: amount, rule, start and time zone.
import { type AmountFault, parseAmount } from '../../core/money/money.ts';
import { type Fault, invalid } from '../../core/problems.ts';
import { isZone } from '../../core/zone.ts';
import { calendarOf, LAST_YEAR, type Occurrence, PERIODS_MAX, type Recurrence, toWall } from './calendar.ts';
import { faultOfNew, readRule } from './rule.ts';
import type { Schedule } from './schedule.ts';
import type { AmountKind, ScheduleAmount } from './schemas.ts';

/** Of a new start. The library counts from there for a rule with COUNT. */
const START_DAYS_AGO = 366;
const DAY_MS = 24 * 3_600_000;
const KINDS = ['value', 'above', 'upTo'] as const;

/** Reads an amount in the currency of the labels. Throws ValidationError. */
export function requireScheduleAmount(request: ScheduleAmount, currency: string): Pick<Schedule, 'amountKind' | 'amount'> {
  const [kind, other] = KINDS.filter((name) => request[name] !== undefined);
  if (!kind) throw invalid({ code: 'Required', message: 'The amount must have value, above or upTo.', path: '/amount/value' });
  if (other)
    throw invalid({ code: 'NotAllowed', message: 'The amount has one of value, above and upTo.', path: `/amount/${other}` });
  const text = request[kind]!;
  const isAll = kind === 'value' && text === 'all';
  if (kind === 'value' && !isAll && request.currency === undefined)
    throw invalid({ code: 'Required', message: 'An amount needs its currency.', path: '/amount/currency' });
  if (request.currency !== undefined && request.currency !== currency)
    throw invalid({ code: 'Invalid', message: `Currency must be that of the labels, ${currency}.`, path: '/amount/currency' });
  if (isAll) return { amountKind: 'all', amount: null };
  const parsed = parseAmount({ value: text, currency });
  if ('code' in parsed) throw invalid(faultOf(parsed, kind));
  if (parsed.minorUnits === 0n && kind !== 'above')
    throw invalid({ code: 'Invalid', message: 'Amount must be greater than zero.', path: `/amount/${kind}` });
  return { amountKind: kind, amount: parsed.minorUnits };
}

function faultOf({ code, message, member }: AmountFault, kind: AmountKind): Fault {
  return { code, message, path: `/amount/${member === 'value' ? kind : member}` };
}

/** The first occurrence after a moment. Throws ValidationError for a rule, start or zone that is not valid, or has none. */
export function requireOccurrence(
  recurrence: Recurrence,
  { now, after = now, isNewStart }: { now: Date; after?: Date; isNewStart: boolean },
): Occurrence {
  const rule = readRule(recurrence.rule);
  const start = toWall(recurrence.start);
  const faults: Fault[] = [];
  const ruleFault = 'fault' in rule ? rule.fault : faultOfNew(rule);
  if (ruleFault !== undefined) faults.push({ code: 'Invalid', message: ruleFault, path: '/rule' });
  // A day such as 31 February becomes another one.
  if (Number.isNaN(start) || new Date(start).toISOString().slice(0, 19) !== recurrence.start)
    faults.push({ code: 'Invalid', message: 'Start must be a local time such as 2026-01-31T18:00:00.', path: '/start' });
  else if (isNewStart && (start < now.getTime() - START_DAYS_AGO * DAY_MS || start >= Date.UTC(LAST_YEAR + 1)))
    faults.push({
      code: 'Invalid',
      message: `Start must be at most ${START_DAYS_AGO} days ago, and before ${LAST_YEAR + 1}.`,
      path: '/start',
    });
  if (!isZone(recurrence.timeZone))
    faults.push({ code: 'Invalid', message: 'Time zone must be an IANA time zone such as Europe/Berlin.', path: '/timeZone' });
  const [first, ...rest] = faults;
  if (first) throw invalid(first, ...rest);
  const calendar = calendarOf(recurrence);
  if (!calendar.isCountable()) throw invalid(notCountable);
  const occurrence = calendar.after(after);
  if (!occurrence) throw invalid({ code: 'Invalid', message: 'The rule has no occurrence from now on.', path: '/rule' });
  return occurrence;
}

const notCountable: Fault = {
  code: 'Invalid',
  message: `COUNT cannot be counted over more than ${PERIODS_MAX} days, weeks, months or years of the rule. Use UNTIL.`,
  path: '/rule',
};
