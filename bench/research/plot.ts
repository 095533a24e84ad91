// A line plot as SVG: logarithmic or even x axis, each line named at its end, colours readable on light and dark pages.

export type Series = { name: string; colour: string; points: [x: number, y: number][] };
/** `xTicks`: an even axis with these numbers. By default it is logarithmic, with the number of each point. */
export type Panel = { title: string; xTitle: string; series: Series[]; xTicks?: number[] };

/** Readable on white and on black; the background is transparent. */
const INK = '#768390';
const GRID_OPACITY = 0.25;
const FONT = "system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif";
const SIZE = { panel: 440, height: 320 };
const MARGIN = { left: 58, right: 92, top: 44, bottom: 52 };
const TEXT = { title: 14, label: 12, lineHeight: 14 };
const TICKS_MOST = 6;
const DOT = 3;
/** More points than these make a line without dots. */
const DOTS_MOST = 40;

type Scales = { x: (value: number) => number; y: (value: number) => number; ticks: number[]; left: number };

/** Panels side by side, as one SVG document. */
export function plot(panels: Panel[], about: string): string {
  const width = SIZE.panel * panels.length;
  const body = panels.map((panel, index) => drawPanel(panel, index * SIZE.panel)).join('\n');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${SIZE.height}" width="${width}" height="${SIZE.height}" role="img" font-family="${FONT}" font-size="${TEXT.label}" fill="${INK}">
<title>${escaped(about)}</title>
${body}
</svg>
`;
}

/** Evenly spaced round numbers from 0 to at least the maximum: at most six steps of 1, 2 or 5 times a power of ten. */
export function ticksTo(most: number): number[] {
  const power = 10 ** Math.floor(Math.log10(most));
  const step = [0.1, 0.2, 0.5, 1, 2, 5].map((factor) => factor * power).find((step) => Math.ceil(most / step) < TICKS_MOST)!;
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, index) => Math.round(index * step * 1e6) / 1e6);
}

/** A number as the logarithmic axis shows it: 256, 10 k or 10 M. */
export function short(value: number): string {
  if (value >= 1e6) return `${value / 1e6} M`;
  return value >= 1e4 && value % 1e3 === 0 ? `${value / 1e3} k` : value.toLocaleString('en');
}

function drawPanel(panel: Panel, left: number): string {
  const xs = [...new Set(panel.series.flatMap(({ points }) => points.map(([x]) => x)))].sort((a, b) => a - b);
  const ticks = ticksTo(Math.max(...panel.series.flatMap(({ points }) => points.map(([, y]) => y))));
  const inner = {
    left: left + MARGIN.left,
    right: left + SIZE.panel - MARGIN.right,
    top: MARGIN.top,
    bottom: SIZE.height - MARGIN.bottom,
  };
  const place = panel.xTicks ? (x: number) => x : Math.log;
  const share = (x: number) => (place(x) - place(xs[0]!)) / (place(xs.at(-1)!) - place(xs[0]!) || 1);
  const scales: Scales = {
    x: (x) => inner.left + share(x) * (inner.right - inner.left),
    y: (y) => inner.bottom - (y / ticks.at(-1)!) * (inner.bottom - inner.top),
    ticks,
    left: inner.left,
  };
  const middle = (inner.left + inner.right) / 2;
  return [
    text(panel.title, { x: left + 12, y: 20, size: TEXT.title, weight: 600 }),
    ...ticks.map((tick) => gridLine(tick, scales, inner.right)),
    ...(panel.xTicks ?? xs).map((x) => text(short(x), { x: scales.x(x), y: inner.bottom + 20, anchor: 'middle' })),
    text(panel.xTitle, { x: middle, y: inner.bottom + 42, anchor: 'middle' }),
    ...panel.series.map((series) => line(series, scales)),
    ...names(panel.series, scales),
  ].join('\n');
}

function gridLine(tick: number, { y, left }: Scales, right: number): string {
  const opacity = tick === 0 ? 0.8 : GRID_OPACITY;
  const rule = `<line x1="${left}" x2="${right}" y1="${round(y(tick))}" y2="${round(y(tick))}" stroke="${INK}" stroke-opacity="${opacity}"/>`;
  return `${rule}\n${text(tick.toLocaleString('en'), { x: left - 8, y: y(tick) + 4, anchor: 'end' })}`;
}

function line({ colour, points }: Series, { x, y }: Scales): string {
  const at = points.map(([px, py]) => [round(x(px)), round(y(py))] as const);
  const dots = (at.length > DOTS_MOST ? [] : at)
    .map(([cx, cy]) => `<circle cx="${cx}" cy="${cy}" r="${DOT}" fill="${colour}"/>`)
    .join('');
  return `<polyline points="${at.map((pair) => pair.join(',')).join(' ')}" fill="none" stroke="${colour}" stroke-width="${at.length > DOTS_MOST ? 1 : 2}" stroke-linejoin="round"/>${dots}`;
}

/** The names at the ends of their lines, moved apart where lines end close together. A newline starts a second line. */
function names(series: Series[], { x, y }: Scales): string[] {
  const placed = series
    .map((one) => ({ ...one, end: one.points.at(-1)!, lines: one.name.split('\n') }))
    .sort((a, b) => b.end[1] - a.end[1]);
  let free = Number.NEGATIVE_INFINITY;
  return placed.flatMap(({ end, lines, colour }) => {
    const top = Math.max(y(end[1]) + 4 - ((lines.length - 1) * TEXT.lineHeight) / 2, free);
    free = top + lines.length * TEXT.lineHeight + 3;
    return lines.map((one, index) =>
      text(one, { x: x(end[0]) + 9, y: top + index * TEXT.lineHeight, fill: colour, weight: 600 }),
    );
  });
}

type TextOptions = { x: number; y: number; anchor?: string; size?: number; weight?: number; fill?: string };

function text(content: string, { x, y, anchor, size, weight, fill }: TextOptions): string {
  const attributes = { 'text-anchor': anchor, 'font-size': size, 'font-weight': weight, fill };
  const given = Object.entries(attributes).filter(([, value]) => value !== undefined);
  return `<text x="${round(x)}" y="${round(y)}"${given.map(([name, value]) => ` ${name}="${value}"`).join('')}>${escaped(content)}</text>`;
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
