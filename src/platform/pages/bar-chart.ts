// A bar chart over time as SVG, which scales to its box; the labels are text beside it.
import { type Html, html } from './html.ts';
import { time } from './time.ts';

/** `value` is a count; the bars have equal widths. */
export type Bar = { from: Date; value: number };

const HEIGHT = 100;
const GAP = 0.25;

/** `label` names the chart for screen readers, with what the bars say in words. */
export function barChart({ label, bars, unit }: { label: string; bars: Bar[]; unit: string }): Html {
  const highest = Math.max(1, ...bars.map(({ value }) => value));
  const [first, last] = [bars[0]!, bars.at(-1)!];
  return html`<figure class="plot">
    <div class="plot-top"><span>${Math.max(...bars.map(({ value }) => value)).toLocaleString('en')}</span></div>
    <svg class="chart" viewBox=${`0 0 ${bars.length} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label=${label}>
      <line class="grid-line" x1="0" x2=${bars.length} y1="0" y2="0" vector-effect="non-scaling-stroke" />
      <line class="grid-line" x1="0" x2=${bars.length} y1=${HEIGHT / 2} y2=${HEIGHT / 2} vector-effect="non-scaling-stroke" />
      ${bars.map(({ from, value }, index) => {
        const height = (value / highest) * HEIGHT;
        return html`<rect
          class="bar-mark"
          x=${index + GAP / 2}
          width=${1 - GAP}
          y=${(HEIGHT - height).toFixed(2)}
          height=${height.toFixed(2)}
        >
          <title>${from.toISOString().slice(11, 16)} UTC: ${value.toLocaleString('en')} ${unit}</title>
        </rect>`;
      })}
      <line class="grid-line" x1="0" x2=${bars.length} y1=${HEIGHT} y2=${HEIGHT} vector-effect="non-scaling-stroke" />
    </svg>
    <div class="plot-axis">${time(first.from)}${time(last.from)}</div>
  </figure>`;
}
