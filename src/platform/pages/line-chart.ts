// A line chart over time as SVG, which scales to its box: steps between points, for a balance that stays until it changes.
import { type Html, html } from './html.ts';
import { time } from './time.ts';

/** `text`: the value for people. */
type Point = { at: Date; value: number; text: string };

const HEIGHT = 100;

/** `label` names the chart for screen readers, with what it says in words. Points have equal distances. */
export function lineChart({ label, points }: { label: string; points: Point[] }): Html {
  const values = points.map(({ value }) => value);
  const [highest, lowest] = [Math.max(0, ...values), Math.min(0, ...values)];
  const y = (value: number) => (HEIGHT * (highest - value)) / (highest - lowest || 1);
  const width = points.length - 1 || 1;
  const steps = points.map(({ value }, index) => `${index === 0 ? 'M0 ' : `H${index}V`}${y(value).toFixed(2)}`).join('');
  const top = points.find(({ value }) => value === Math.max(...values))!;
  return html`<figure class="plot">
    <div class="plot-top"><span>${top.text}</span></div>
    <svg class="chart" viewBox=${`0 0 ${width} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label=${label}>
      <path class="area" d=${`${steps}V${y(0)}H0Z`} />
      <line class="grid-line" x1="0" x2=${width} y1=${y(0)} y2=${y(0)} vector-effect="non-scaling-stroke" />
      <path class="line" d=${steps} vector-effect="non-scaling-stroke" />
      ${points.map(
        ({ at, text }, index) => html`<rect class="chart-touch" x=${index - 0.5} width="1" y="0" height=${HEIGHT}>
          <title>${at.toISOString().slice(0, 16).replace('T', ' ')} UTC: ${text}</title>
        </rect>`,
      )}
    </svg>
    <div class="plot-axis">${time(points[0]!.at)}${time(points.at(-1)!.at)}</div>
  </figure>`;
}
