// Durations and sizes in words.

const UNITS: [name: string, ms: number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
];
const BYTES = ['bytes', 'kB', 'MB', 'GB', 'TB'];

/** `5400000` → `1 hour 30 minutes` */
export function durationText(ms: number): string {
  const index = UNITS.findIndex(([, size]) => ms >= size);
  if (index < 0) return `${Math.round(ms)} ms`;
  const [unit, next] = [UNITS[index]!, UNITS[index + 1]];
  const whole = Math.floor(ms / unit[1]);
  const rest = next ? Math.floor((ms - whole * unit[1]) / next[1]) : 0;
  return [counted(whole, unit[0]), rest > 0 && next ? counted(rest, next[0]) : ''].join(' ').trim();
}

/** The time since a date. */
export function agoText(date: Date): string {
  return durationText(Math.max(0, Date.now() - date.getTime()));
}

/** `52428800n` → `52.4 MB` */
export function bytesText(bytes: bigint): string {
  let value = Number(bytes);
  let unit = 0;
  while (value >= 1000 && unit < BYTES.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${BYTES[unit]}`;
}

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
