// Dates of identity documents: two-digit years of zones, eight digits of barcodes.

/** How far in the future an expiry usually is. */
const MOST_YEARS_VALID = 40;
/** Nobody has been older for long. */
const MOST_YEARS_OLD = 125;
/** Before this year no document had a machine-readable zone. */
const FIRST_YEAR = 1980;

/** The dates of birth, YYYY-MM-DD, that YYMMDD may be; the later one first. */
export function birthDates(text: string, today: string): string[] {
  const first = Number(today.slice(0, 4)) - MOST_YEARS_OLD;
  return datesOf(text, ['20', '19']).filter((date) => date <= today && yearOf(date) >= first);
}

/** The dates of expiry, YYYY-MM-DD, that YYMMDD may be; the likelier one first. Cards without an end have one in the far future. */
export function expiryDates(text: string, today: string): string[] {
  const usual = Number(today.slice(0, 4)) + MOST_YEARS_VALID;
  const dates = datesOf(text, ['20', '19']).filter((date) => yearOf(date) >= FIRST_YEAR);
  return dates.filter((_, at) => at === 0 || yearOf(dates[0]!) > usual);
}

function datesOf(text: string, centuries: string[]): string[] {
  return centuries.flatMap((century) => calendarDate(century + text) ?? []);
}

function yearOf(date: string): number {
  return Number(date.slice(0, 4));
}

/** YYYY-MM-DD of YYYYMMDD, when this day exists. */
export function calendarDate(text: string): string | undefined {
  if (!/^\d{8}$/.test(text)) return undefined;
  const date = `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`;
  const time = Date.parse(`${date}T00:00:00Z`);
  return Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== date ? undefined : date;
}
