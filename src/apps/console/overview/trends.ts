// The last day of the sampled figures, each beside the day before it, and what of them is unusual, in words.
import { later } from '../../../core/clock.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import type { Trend } from '../../../platform/pages/trend-chart.ts';
import { type Figures, listSamples, type Sample } from '../../jobs/samples.ts';
import { durationText } from '../quantity.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const STEP_MS = 900_000;
const STEPS = DAY_MS / STEP_MS;

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
  /** The trend of a figure; of the last moment of each step, or of the sum in it. */
  of(figure: (figures: Figures) => number | undefined, isCount?: boolean): Trend;
  last: Figures | undefined;
  /** Sums of the last day and of the day before; undefined without samples of that day. */
  sums: { now: Sums | undefined; before: Sums | undefined };
  currencies: string[];
  /** In words, the most important first. */
  unusual: Unusual[];
};
type Sums = Record<(typeof COUNTS)[number], number>;
export type Unusual = { text: string; about: 'webhooks' | 'review' | 'applications' | 'money' };

export async function readTrends(sql: Sql, now: Date): Promise<Trends> {
  const until = new Date(Math.ceil(now.getTime() / STEP_MS) * STEP_MS);
  const from = later(until, -DAY_MS);
  const samples = await listSamples(sql, later(from, -DAY_MS));
  const [today, dayBefore] = [samples.filter(({ at }) => at >= from), samples.filter(({ at }) => at < from)];
  const last = today.at(-1)?.figures;
  return {
    of(figure, isCount = false) {
      const valuesOf = (of: Sample[], start: Date) =>
        Array.from({ length: STEPS }, (_, index) => {
          const [first, end] = [later(start, index * STEP_MS), later(start, (index + 1) * STEP_MS)];
          const values = of.filter(({ at }) => at >= first && at < end).map(({ figures }) => figure(figures));
          const known = values.filter((value) => value !== undefined);
          return isCount && known.length > 0 ? known.reduce((sum, value) => sum + value, 0) : known.at(-1);
        });
      return { from, until, now: valuesOf(today, from), before: valuesOf(dayBefore, later(from, -DAY_MS)) };
    },
    last,
    sums: { now: sumsOf(today), before: sumsOf(dayBefore) },
    currencies: Object.keys(last?.held ?? {}),
    unusual: last ? findUnusual(samples, now) : [],
  };
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
  const found: (Unusual | false)[] = [
    isMuch(last.failed, last.failed + last.delivered, then && share(then.failed, then.failed + then.delivered)) && {
      text: `${percent(share(last.failed, last.failed + last.delivered))} of the webhooks of the last hour failed${compared(then && share(then.failed, then.failed + then.delivered))}.`,
      about: 'webhooks',
    },
    last.webhookDelaySeconds > DELAY_SECONDS && {
      text: `Webhooks are ${durationText(last.webhookDelaySeconds * 1000)} behind the events.`,
      about: 'webhooks',
    },
    last.reviewAgeSeconds > REVIEW_AGE_SECONDS && {
      text: `The oldest document has waited for ${durationText(last.reviewAgeSeconds * 1000)}.`,
      about: 'review',
    },
    isMuch(sums.refusals, sums.calls, former && share(former.refusals, former.calls)) && {
      text: `${percent(share(sums.refusals, sums.calls))} of the calls of the last hour were refused${compared(former && share(former.refusals, former.calls))}.`,
      about: 'applications',
    },
    former !== undefined &&
      former.reallocations >= QUIET_MIN &&
      sums.reallocations < former.reallocations * QUIET_SHARE && {
        text: `${sums.reallocations.toLocaleString('en')} reallocations in the last hour, and ${former.reallocations.toLocaleString('en')} in the same hour of the day before.`,
        about: 'money',
      },
  ];
  return found.filter((one) => one !== false);
}

function isMuch(part: number, all: number, before: number | undefined): boolean {
  return all >= COUNTED_MIN && share(part, all) > FAILED_SHARE && share(part, all) > 2 * (before ?? 0);
}

function share(part: number, all: number): number {
  return all === 0 ? 0 : part / all;
}

function compared(before: number | undefined): string {
  return before === undefined ? '' : `, and ${percent(before)} in the same hour of the day before`;
}

export function percent(value: number): string {
  return `${Math.round(value * 100)} %`;
}
