// Days as people give them, in their time zone.
import { firstMoment } from '../../core/zone.ts';

const DAY = /^(?<year>19[7-9]\d|[2-9]\d{3})-(?<month>\d\d)-(?<day>\d\d)$/;

/** The first moment of a day, or undefined for what is not a day. `after`: of the day so many days later. */
export function startOfDay(text: string, zone: string, after = 0): Date | undefined {
  const { year, month, day } = DAY.exec(text)?.groups ?? {};
  if (year === undefined) return undefined;
  const midnight = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  if (midnight.toISOString().slice(0, 10) !== text) return undefined;
  return firstMoment(midnight.getTime() + after * 86_400_000, zone);
}

/** The first moment after a day. */
export function endOfDay(text: string, zone: string): Date | undefined {
  return startOfDay(text, zone, 1);
}
