// Values of bank files: amounts and days, with the line of the file in the error of a wrong one.
import { minorDigits } from '../../core/money/currencies.ts';
import { parseAmount } from '../../core/money/money.ts';
import { faultAt, quote } from './statement.ts';

const DAY = /^(\d{4})-(\d\d)-(\d\d)$/;
const SHORT_DAY = /^(\d\d)(\d\d)(\d\d)$/;
const TIME = /^T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?$/;
const MINOR_UNITS = /^[+-]?[0-9]{1,18}$/;
/** Two digits of a year below it are of this century, as ISO 9735 and BAI2 have it. */
const CENTURY_BORDER = 80;
const LENGTH_MAX = 40;
/** Of `yyyy-mm-dd`. */
export const DAY_LENGTH = 10;
const DAY_MS = 86_400_000;

/** Reads a decimal amount into minor units: digits with at most the decimals of the currency, or zeros after them. `-0.00` is zero. */
export function readDecimal(text: string, place: { at: number; currency: string; signed: boolean }): bigint {
  const { at, currency, signed } = place;
  const parsed = parseAmount({ value: shorten(text, minorDigits(currency)!), currency }, { signed });
  if ('code' in parsed) throw faultAt(at, `${quote(text)} is not an amount in ${currency}.`);
  return parsed.minorUnits;
}

/** Removes zeros that a bank writes after the last digit of a currency, and a point without digits after it: `12.` and `12.000` are 12. */
function shorten(text: string, digits: number): string {
  const point = text.indexOf('.');
  if (point < 1 || text.length > LENGTH_MAX) return text;
  let end = text.length;
  while (end - point - 1 > digits && text[end - 1] === '0') end -= 1;
  return text.slice(0, end - point === 1 ? point : end);
}

/** Reads an integer of minor units, such as those of BAI2. */
export function readMinorUnits(text: string, at: number): bigint {
  if (!MINOR_UNITS.test(text)) throw faultAt(at, `${quote(text)} is not an amount in minor units.`);
  return BigInt(text.replace('+', ''));
}

/** Requires a currency of ISO 4217. */
export function requireCurrency(text: string | undefined, at: number): string {
  if (text === undefined || minorDigits(text) === undefined)
    throw faultAt(at, `${quote(text ?? '')} is not a currency code of ISO 4217.`);
  return text;
}

/** Reads `yyyy-mm-dd`. */
export function readDay(text: string, at: number): string {
  if (!isCalendarDay(text)) throw faultAt(at, `${quote(text)} is not a day.`);
  return text;
}

/** Whether a text is a day as `yyyy-mm-dd`. */
export function isCalendarDay(text: string): boolean {
  const [, year, month, day] = DAY.exec(text) ?? [];
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === text;
}

/** Reads `yymmdd`. */
export function readShortDay(text: string, at: number): string {
  const [, year, month, day] = SHORT_DAY.exec(text) ?? [];
  if (year === undefined) throw faultAt(at, `${quote(text)} is not a day such as 260131.`);
  return readDay(`${Number(year) < CENTURY_BORDER ? '20' : '19'}${year}-${month}-${day}`, at);
}

/** Reads the day on which a period ends: one that ends at midnight does not include the day that begins then. */
export function readLastDay(text: string, at: number, dayOf: (moment: Date) => string): string {
  const day = readDayTime(text, at, dayOf);
  if (isDay(text)) return day;
  if (TIME.exec(text.slice(DAY_LENGTH))![3] !== undefined) return dayOf(new Date(Date.parse(text) - 1));
  return new Date(Date.parse(`${text}Z`) - 1).toISOString().slice(0, DAY_LENGTH);
}

/** Reads a day and time of ISO 8601. With an offset from UTC it is the day of the given zone at that moment, otherwise as written. */
export function readDayTime(text: string, at: number, dayOf: (moment: Date) => string): string {
  const day = readDay(text.slice(0, DAY_LENGTH), at);
  if (isDay(text)) return day;
  const time = TIME.exec(text.slice(DAY_LENGTH));
  const moment = new Date(text);
  if (!time || Number.isNaN(moment.getTime())) throw faultAt(at, `${quote(text)} is not a time.`);
  return time[3] === undefined ? day : dayOf(moment);
}

/** A day of XML Schema may have an offset from UTC, which is that of the bank. */
function isDay(text: string): boolean {
  return /^.{10}(Z|[+-]\d\d:\d\d)?$/.test(text);
}

/** The day some days later. */
export function daysLater(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}
