// Tests of the calendar of schedules through previews: changes of the clocks, and random rules against a separate model.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { assertRefused } from '../../../test/support/http.ts';
import { openSchedules } from '../../../test/support/schedules.ts';
import { startService } from '../../../test/support/service.ts';

// Shared by all tests of the file; each has its own account.
const shared = await startService({ after });

const DAY_MS = 24 * 3_600_000;
const HOUR_MS = 3_600_000;

type Terms = { rule: string; start: string; timeZone: string };

/** The moments that a preview lists from one day to another. */
async function previewed(terms: Terms, from: string, to: string): Promise<string[]> {
  const { newSchedule, occurrences } = await openSchedules(shared);
  const rows = await occurrences(await newSchedule(terms), `from=${from}T00:00:00Z&to=${to}T00:00:00Z&limit=200`);
  return rows.map(({ at }) => at);
}

test('a local time that clocks skip or show twice occurs once', async () => {
  const start = (time: string) => `${new Date().getUTCFullYear()}-01-01T${time}`;
  for (const [timeZone, time, [from, to], expected] of [
    // Clocks go from 2:00 to 3:00 on 28 March 2027.
    ['Europe/Berlin', '02:30:00', ['2027-03-27', '2027-03-30'], ['27T01:30', '28T01:30', '29T00:30']],
    // And from 3:00 to 2:00 on 31 October 2027: the first 2:30 is in summer time.
    ['Europe/Berlin', '02:30:00', ['2027-10-30', '2027-11-02'], ['30T00:30', '31T00:30', '01T01:30']],
    ['America/New_York', '02:30:00', ['2027-03-13', '2027-03-16'], ['13T07:30', '14T07:30', '15T06:30']],
    ['America/New_York', '01:30:00', ['2027-11-06', '2027-11-09'], ['06T05:30', '07T05:30', '08T06:30']],
    // Half an hour in summer: 2:00 becomes 2:30 on 3 October 2027.
    ['Australia/Lord_Howe', '02:15:00', ['2027-10-02', '2027-10-04'], ['02T15:45', '03T15:15']],
    ['Asia/Kolkata', '00:00:00', ['2027-03-01', '2027-03-03'], ['01T18:30', '02T18:30']],
  ] as const) {
    const found = await previewed({ rule: 'FREQ=DAILY', start: start(time), timeZone }, from, to);
    assert.deepEqual(
      found.map((at) => at.slice(8, 16)),
      expected,
      `${timeZone} ${time}`,
    );
  }
});

test('COUNT counts from the start, over at most 10,000 periods', async () => {
  const { schedule, daily, newSchedule, get } = await openSchedules(shared);
  const leap = 'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29';
  assertRefused(await schedule(daily({ rule: `${leap};COUNT=20` })), {
    ...{ status: 400, code: 'ValidationError', path: '/rule' },
    message: 'COUNT cannot be counted over more than 10000 days, weeks, months or years of the rule. Use UNTIL.',
  });
  for (const rule of [`${leap};COUNT=2`, `${leap};UNTIL=21000101T000000Z`, `FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;COUNT=20`])
    assert.match((await get(await newSchedule({ rule }))).next, /-02-29T/);
  const past = new Date(Date.now() - 3 * DAY_MS).toISOString().slice(0, 19);
  const [last, ...others] = await previewed({ rule: 'FREQ=DAILY;COUNT=5', start: past, timeZone: 'UTC' }, ...days(past, 0, 30));
  assert.deepEqual([last, others], [`${days(past, 4, 4)[0]}T${past.slice(11)}.000Z`, []], 'four of five are over');
});

function days(start: string, from: number, to: number): [string, string] {
  const day = (add: number) => new Date(Date.parse(`${start}Z`) + add * DAY_MS).toISOString().slice(0, 10);
  return [day(from), day(to)];
}

const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];

type Parts = { freq: string; interval: number; weekdays: number[]; monthDays: number[] };

/** The local days of a rule, day by day from the start, by the words of RFC 5545. */
function isOn({ freq, interval, weekdays, monthDays }: Parts, first: Date, day: Date): boolean {
  const daysBetween = Math.round((day.getTime() - first.getTime()) / DAY_MS);
  const monthsBetween = (day.getUTCFullYear() - first.getUTCFullYear()) * 12 + day.getUTCMonth() - first.getUTCMonth();
  const last = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 0)).getUTCDate();
  const ofMonth = monthDays.map((number) => (number < 0 ? last + 1 + number : number));
  const onWeekday = weekdays.length === 0 || weekdays.includes(day.getUTCDay());
  const onMonthDay = ofMonth.length === 0 || ofMonth.includes(day.getUTCDate());
  if (freq === 'DAILY') return daysBetween % interval === 0 && onWeekday && onMonthDay;
  if (freq === 'WEEKLY') {
    // Weeks begin on Monday.
    const week = (date: Date) => Math.floor((date.getTime() / DAY_MS + 3) / 7);
    const onDay = weekdays.length === 0 ? day.getUTCDay() === first.getUTCDay() : onWeekday;
    return (week(day) - week(first)) % interval === 0 && onDay;
  }
  const onDate = monthDays.length > 0 ? onMonthDay : weekdays.length > 0 || day.getUTCDate() === first.getUTCDate();
  return monthsBetween % interval === 0 && onWeekday && onDate;
}

/** The first moment at which a zone shows a local time, or where it is skipped, as much after the change: found by trying minutes. */
function momentOf(local: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const shows = (moment: number) => Date.parse(`${format.format(moment).replace(' ', 'T')}Z`);
  for (let offset = 15 * HOUR_MS; offset >= -15 * HOUR_MS; offset -= HOUR_MS / 4)
    if (shows(local - offset) === local) return local - offset;
  const before = local - DAY_MS;
  return local - (shows(before) - before);
}

test('random rules occur on the days of an independent model, at their local time', async () => {
  const { newSchedule, occurrences } = await openSchedules(shared);
  const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'America/Santiago', 'Africa/Cairo'];
  const terms = fc.record({
    freq: fc.constantFrom('DAILY', 'WEEKLY', 'MONTHLY'),
    interval: fc.integer({ min: 1, max: 4 }),
    weekdays: fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { maxLength: 3 }),
    monthDays: fc.uniqueArray(fc.oneof(fc.integer({ min: 1, max: 31 }), fc.integer({ min: -31, max: -1 })), { maxLength: 3 }),
    time: fc.constantFrom('00:00:00', '01:30:00', '02:15:00', '02:30:00', '18:00:00'),
    timeZone: fc.constantFrom(...zones),
  });
  const startDay = new Date(Date.now() - 2 * DAY_MS).toISOString().slice(0, 10);
  const [from, to] = days(`${startDay}T00:00:00`, 60, 420);
  await fc.assert(
    fc.asyncProperty(terms, async ({ time, timeZone, ...drawn }) => {
      // Not every part goes with every frequency.
      const parts = { ...drawn, monthDays: drawn.freq === 'WEEKLY' ? [] : drawn.monthDays };
      const { freq, interval, weekdays, monthDays } = parts;
      const rule = [
        ...[`FREQ=${freq}`, `INTERVAL=${interval}`],
        ...(weekdays.length > 0 ? [`BYDAY=${weekdays.map((day) => WEEKDAYS[day]).join(',')}`] : []),
        ...(monthDays.length > 0 ? [`BYMONTHDAY=${monthDays.join(',')}`] : []),
      ].join(';');
      const [first, begin, end] = [startDay, from, to].map((day) => new Date(`${day}T00:00:00Z`)) as [Date, Date, Date];
      const expected: string[] = [];
      for (let day = first.getTime(); day <= end.getTime() + DAY_MS; day += DAY_MS) {
        if (!isOn(parts, first, new Date(day))) continue;
        const at = momentOf(day + Date.parse(`1970-01-01T${time}Z`), timeZone);
        if (at >= begin.getTime() && at <= end.getTime()) expected.push(new Date(at).toISOString());
      }
      fc.pre(expected.length > 0);
      const url = await newSchedule({ rule, start: `${startDay}T${time}`, timeZone });
      const query = `from=${from}T00:00:00Z&to=${to}T00:00:00Z&limit=200`;
      const found = [...(await occurrences(url, query)), ...(await occurrences(url, `${query}&offset=200`))];
      assert.deepEqual(
        found.map(({ at }) => at),
        expected,
        `${rule} ${time} ${timeZone}`,
      );
    }),
    { numRuns: 60 },
  );
});
