// A month in a time zone: the moments at which it begins and ends.
import { firstMoment } from '../../core/zone.ts';

export type Month = { text: string; zone: string; from: Date; before: Date };

const MONTH = /^(?<year>19[7-9]\d|[2-9]\d{3})-(?<month>0[1-9]|1[0-2])$/;

/** The month `yyyy-mm` of a known zone, or undefined if the text is not a month from 1970 on. */
export function readMonth(text: string, zone: string): Month | undefined {
  const { year, month } = MONTH.exec(text)?.groups ?? {};
  if (year === undefined) return undefined;
  const start = (months: number) => firstMoment(Date.UTC(Number(year), Number(month) - 1 + months), zone);
  return { text, zone, from: start(0), before: start(1) };
}
