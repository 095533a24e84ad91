// Small plots of the last day, each with the day before it behind.
import { type Html, html } from '../../../platform/pages/html.ts';
import { card, emptyState } from '../../../platform/pages/parts.ts';
import { type Trend, trendChart } from '../../../platform/pages/trend-chart.ts';
import { amountText } from '../amount.ts';
import { durationText } from '../quantity.ts';
import type { Visit } from '../screen.ts';
import { type About, leadOf } from './leads.ts';
import { percent, shareOf, type Trends } from './trends.ts';

/** Currencies that have a plot. */
const CURRENCIES_MAX = 2;
/** From here on a multiple says more than a percentage. */
const TIMES_MIN = 3;

/** `value`: for the whole day or at its end. `note`: what it is of, or the change since the day before. `href`: by default that of `about`. */
type Plot = {
  title: string;
  about: About;
  href?: string;
  value: string;
  note?: string;
  trend: Trend;
  textOf(value: number): string;
};

export function trendCards(visit: Visit, { of, last: sample, sums: { now, before }, currencies, applications }: Trends): Html {
  if (!sample || !now) {
    return card(
      { title: 'Last 24 hours beside the day before' },
      emptyState({ icon: 'clock', title: 'Nothing sampled yet', text: 'The first figures appear some minutes after the start.' }),
    );
  }
  const last = sample.figures;
  const counts = (name: 'reallocations' | 'calls'): Plot => ({
    ...(name === 'calls' ? { title: 'Calls', about: 'applications' } : { title: 'Reallocations', about: 'money' }),
    ...countText(now[name], before?.[name]),
    trend: of((figures) => figures[name], true),
    textOf: (value) => value.toLocaleString('en'),
  });
  const seconds = (value: number) => (value === 0 ? 'none' : durationText(value * 1000));
  const succeeded = shareOf(last.delivered, last.delivered + last.failed);
  const plots: Plot[] = [
    ...currencies.slice(0, CURRENCIES_MAX).map((currency): Plot => {
      const held = of((figures) => (figures.held[currency] === undefined ? undefined : Number(figures.held[currency])));
      const text = (minorUnits: bigint) => `${amountText(minorUnits, currency)} ${currency}`;
      return {
        title: `Money held in ${currency}`,
        about: 'money',
        value: text(BigInt(last.held[currency]!)),
        trend: held,
        textOf: (value) => text(BigInt(Math.round(value))),
      };
    }),
    counts('reallocations'),
    counts('calls'),
    {
      title: 'Refused calls',
      about: 'applications',
      ...countText(now.refusals, before?.refusals),
      trend: of((figures) => figures.refusals, true),
      textOf: (value) => value.toLocaleString('en'),
    },
    ...applications.map(
      ({ id, name, trend, now, before }): Plot => ({
        title: `Calls of ${name}`,
        about: 'applications',
        href: `/console/applications/${id}`,
        ...countText(now, before),
        trend,
        textOf: (value) => value.toLocaleString('en'),
      }),
    ),
    {
      title: 'Webhooks that succeeded',
      about: 'webhooks',
      ...(succeeded === undefined
        ? { value: 'none', note: 'in the last hour' }
        : { value: percent(succeeded), note: 'of the last hour' }),
      trend: of(({ delivered, failed }) => shareOf(delivered, delivered + failed)),
      textOf: percent,
    },
    {
      title: 'Delay of webhooks',
      about: 'webhooks',
      value: seconds(last.webhookDelaySeconds),
      trend: of((figures) => figures.webhookDelaySeconds),
      textOf: seconds,
    },
    {
      title: 'Age of the oldest document to review',
      about: 'review',
      value: seconds(last.reviewAgeSeconds),
      trend: of((figures) => figures.reviewAgeSeconds),
      textOf: seconds,
    },
  ];
  return card(
    { title: 'Last 24 hours beside the day before', lead: 'The dotted line is the day before' },
    html`<ul class="plots">
      ${plots.map(
        ({ title, about, href, value, note, trend, textOf }) => html`<li>
          <h3>${titleOf(leadOf(visit, about), { title, href })}</h3>
          <p class="plot-value">${value}</p>
          <p class="small muted">${note}</p>
          ${trendChart({ label: `${title} in the last 24 hours: ${value}${note ? `, ${note}` : ''}`, trend, textOf })}
        </li>`,
      )}
    </ul>`,
  );
}

/** `lead`: undefined for a person who may not follow it. */
function titleOf(lead: string | undefined, { title, href = lead }: { title: string; href: string | undefined }): Html {
  return lead ? html`<a href=${href}>${title}</a>` : title;
}

function countText(now: number, before: number | undefined): Pick<Plot, 'value' | 'note'> {
  return { value: now.toLocaleString('en'), ...(before && { note: changeText(now, before) }) };
}

/** `8 % more than the day before` */
function changeText(now: number, before: number): string {
  if (now >= TIMES_MIN * before) return `${Math.round(now / before).toLocaleString('en')} times as many as the day before`;
  const change = Math.round((100 * (now - before)) / before);
  return change === 0 ? 'as the day before' : `${Math.abs(change)} % ${change > 0 ? 'more' : 'fewer'} than the day before`;
}
