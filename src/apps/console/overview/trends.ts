// The last day of the sampled figures, each beside the day before it, and what of them is unusual, in words.
import { later } from '../../../core/clock.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import type { Trend } from '../../../platform/pages/trend-chart.ts';
import { callsOfBusiest } from '../../../resources/oauth/calls.ts';
import { type Figures, listSamples, type Sample } from '../../jobs/samples.ts';
import { durationText } from '../quantity.ts';
import type { About } from './leads.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const STEP_MS = 900_000;
const STEPS = DAY_MS / STEP_MS;
/** Applications whose calls have a plot. */
const APPLICATIONS_MAX = 4;

/** What is unusual: fewer than a tenth of the reallocations of the same hour a day earlier, if these were at least so many. */
const QUIET_SHARE = 0.1;
const QUIET_MIN = 50;
/** A share of failed webhooks or refused calls, if it is also twice that of the day before, and there were at least so many. */
const FAILED_SHARE = 0.1;
const COUNTED_MIN = 20;
const DELAY_SECONDS = 60;
const REVIEW_AGE_SECONDS = 86_400;

/** Names of the figures that are counts since the sample before. The others are those of a moment. */
const COUNTS = ['reallocations', 'calls', 'refusals'] as const;

export type Trends = {
  /** The trend of a figure: its last value in each step, or its sum in each step but the last, which is not over. */
  of(figure: (figures: Figures) => number | undefined, isCount?: boolean): Trend;
  last: Sample | undefined;
  /** Sums of the last day and of the day before; undefined without samples of that day. */
  sums: { now: Sums | undefined; before: Sums | undefined };
  currencies: string[];
  /** The applications with the most calls, if there are several. */
  applications: Calling[];
  /** In words, the most important first. */
  unusual: Unusual[];
};
/** The calls of an application. `before`: undefined if it did not call on the day before. */
type Calling = { id: string; name: string; trend: Trend; now: number; before: number | undefined };
type Sums = Record<(typeof COUNTS)[number], number>;
export type Unusual = { text: string; about: About };

export async function readTrends(sql: Sql, now: Date): Promise<Trends> {
  const until = new Date(Math.ceil(now.getTime() / STEP_MS) * STEP_MS);
  const from = later(until, -DAY_MS);
  const since = later(from, -DAY_MS);
  const [samples, calls] = await Promise.all([
    listSamples(sql, since),
    callsOfBusiest(sql, { since, from, stepSeconds: STEP_MS / 1000, most: APPLICATIONS_MAX }),
  ]);
  const [today, dayBefore] = [samples.filter(({ at }) => at >= from), samples.filter(({ at }) => at < from)];
  const last = today.at(-1);
  const [steps, stepsBefore] = [byStep(today, from), byStep(dayBefore, since)];
  return {
    of(figure, isCount = false) {
      const inStep = (step: Figures[]) => {
        const known = step.map(figure).filter((value) => value !== undefined);
        return isCount && known.length > 0 ? known.reduce((sum, value) => sum + value, 0) : known.at(-1);
      };
      const values = steps.map(inStep);
      if (isCount) values[STEPS - 1] = undefined;
      return { from, until, now: values, before: stepsBefore.map(inStep) };
    },
    last,
    sums: { now: sumsOf(today), before: sumsOf(dayBefore) },
    currencies: Object.keys(last?.figures.held ?? {}),
    applications: callingOf(calls, { from, until }),
    unusual: last ? findUnusual(samples, now) : [],
  };
}

/** The plots of the calls of applications. A single application has those of the whole service. */
function callingOf(calls: Awaited<ReturnType<typeof callsOfBusiest>>, { from, until }: { from: Date; until: Date }): Calling[] {
  const byId = Map.groupBy(calls, ({ id }) => id);
  if (byId.size < 2) return [];
  const since = later(from, -DAY_MS);
  return Array.from(byId, ([id, own]) => {
    const counted = new Map(own.map(({ at, calls }) => [at.getTime(), Number(calls)]));
    const inDay = (start: Date) => Array.from({ length: STEPS }, (_, step) => start.getTime() + step * STEP_MS);
    const sumOf = (values: number[]) => values.reduce((sum, value) => sum + value, 0);
    const today = inDay(from).map((at) => counted.get(at) ?? 0);
    const before = own.some(({ at }) => at < from) ? inDay(since).map((at) => counted.get(at) ?? 0) : undefined;
    const trend = { from, until, now: [...today.slice(0, -1), undefined], before: before ?? [] };
    return { id, name: own[0]!.name, trend, now: sumOf(today), before: before && sumOf(before) };
  });
}

/** The figures of each step of a day, oldest first. */
function byStep(samples: Sample[], start: Date): Figures[][] {
  const steps = Array.from({ length: STEPS }, (): Figures[] => []);
  for (const { at, figures } of samples) steps[Math.floor((at.getTime() - start.getTime()) / STEP_MS)]?.push(figures);
  return steps;
}

function sumsOf(samples: Sample[]): Sums | undefined {
  if (samples.length === 0) return undefined;
  const sum = (name: (typeof COUNTS)[number]) => samples.reduce((total, { figures }) => total + figures[name], 0);
  return Object.fromEntries(COUNTS.map((name) => [name, sum(name)])) as Sums;
}

/** Compares the last hour with the same hour of the day before. */
function findUnusual(samples: Sample[], now: Date): Unusual[] {
  const hourUntil = (end: Date) => samples.filter(({ at }) => at > later(end, -HOUR_MS) && at <= end);
  const [lastHour, hourBefore] = [hourUntil(now), hourUntil(later(now, -DAY_MS))];
  const [sums, former] = [sumsOf(lastHour), sumsOf(hourBefore)];
  const [last, then] = [lastHour.at(-1)?.figures, hourBefore.at(-1)?.figures];
  if (!sums || !last) return [];
  const webhooks = compare(last, then, ({ failed, delivered }) => [failed, failed + delivered]);
  const calls = compare(sums, former, ({ refusals, calls }) => [refusals, calls]);
  const found: (Unusual | false)[] = [
    webhooks.isMuch && { text: `${webhooks.text} of the webhooks of the last hour failed${webhooks.before}.`, about: 'webhooks' },
    last.webhookDelaySeconds > DELAY_SECONDS && {
      text: `Webhooks are ${durationText(last.webhookDelaySeconds * 1000)} behind the events.`,
      about: 'webhooks',
    },
    last.reviewAgeSeconds > REVIEW_AGE_SECONDS && {
      text: `The oldest document has waited for ${durationText(last.reviewAgeSeconds * 1000)}.`,
      about: 'review',
    },
    calls.isMuch && { text: `${calls.text} of the calls of the last hour were refused${calls.before}.`, about: 'applications' },
    former !== undefined &&
      former.reallocations >= QUIET_MIN &&
      sums.reallocations < former.reallocations * QUIET_SHARE && {
        text: `${sums.reallocations.toLocaleString('en')} reallocations in the last hour, and ${former.reallocations.toLocaleString('en')} in the same hour of the day before.`,
        about: 'money',
      },
  ];
  return found.filter((one) => one !== false);
}

/** A share now and in the same hour of the day before, in words. `partsOf`: the part and the whole. */
function compare<Counted>(
  now: Counted,
  former: Counted | undefined,
  partsOf: (counted: Counted) => [part: number, whole: number],
): { isMuch: boolean; text: string; before: string } {
  const [part, whole] = partsOf(now);
  const shareNow = shareOf(part, whole) ?? 0;
  const before = former && (shareOf(...partsOf(former)) ?? 0);
  return {
    isMuch: whole >= COUNTED_MIN && shareNow > FAILED_SHARE && shareNow > 2 * (before ?? 0),
    text: percent(shareNow),
    before: before === undefined ? '' : `, and ${percent(before)} in the same hour of the day before`,
  };
}

/** Undefined of nothing. */
export function shareOf(part: number, whole: number): number | undefined {
  return whole === 0 ? undefined : part / whole;
}

export function percent(value: number): string {
  return `${Math.round(value * 100)} %`;
}
