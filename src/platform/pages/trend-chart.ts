// A small chart of one figure over a day as SVG, with the day before it behind, for comparison. Gaps are times without a value.
import { type Html, html } from './html.ts';
import { time } from './time.ts';

/** Values of equal steps of time: `now` of the last day, and `before` of the same times a day earlier. */
export type Trend = { from: Date; until: Date; now: (number | undefined)[]; before: (number | undefined)[] };

const HEIGHT = 100;

/** `label` names the chart for screen readers, with what it says in words. `textOf`: a value for people. */
export function trendChart({ label, trend, textOf }: { label: string; trend: Trend; textOf(value: number): string }): Html {
  const { from, until, now, before } = trend;
  const values = [...now, ...before].filter((value) => value !== undefined);
  const [highest, lowest] = [Math.max(0, ...values), Math.min(0, ...values)];
  const y = (value: number) => ((HEIGHT * (highest - value)) / (highest - lowest || 1)).toFixed(2);
  return html`<figure class="plot">
    <div class="plot-top"><span>${textOf(highest)}</span></div>
    <svg class="chart" viewBox=${`0 0 ${now.length} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label=${label}>
      <path class="line line-before" d=${steps(before, y)} vector-effect="non-scaling-stroke" />
      <line class="grid-line" x1="0" x2=${now.length} y1=${y(0)} y2=${y(0)} vector-effect="non-scaling-stroke" />
      <path class="line" d=${steps(now, y)} vector-effect="non-scaling-stroke" />
    </svg>
    <div class="plot-axis">${time(from)}${time(until)}</div>
  </figure>`;
}

/** A level line for each value, joined where the next value is known too. */
function steps(values: (number | undefined)[], y: (value: number) => string): string {
  return values
    .map((value, index) => {
      if (value === undefined) return '';
      const start = values[index - 1] === undefined ? `M${index} ${y(value)}` : `V${y(value)}`;
      return `${start}H${index + 1}`;
    })
    .join('');
}
