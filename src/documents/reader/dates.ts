// Dates of identity documents: two-digit years of zones, eight digits of barcodes.

/** How far in the future an expiry may be; a later one belongs to the century before. */
const MOST_YEARS_VALID = 40;

/** YYYY-MM-DD of a date of birth YYMMDD, which is not after today. Undefined when it does not exist. */
export function birthDate(text: string, today: string): string | undefined {
  const later = calendarDate(`20${text}`);
  return later !== undefined && later <= today ? later : calendarDate(`19${text}`);
}

/** YYYY-MM-DD of an expiry YYMMDD. Undefined when it does not exist. */
export function expiryDate(text: string, today: string): string | undefined {
  const later = calendarDate(`20${text}`);
  const most = Number(today.slice(0, 4)) + MOST_YEARS_VALID;
  return later !== undefined && Number(later.slice(0, 4)) <= most ? later : calendarDate(`19${text}`);
}

/** YYYY-MM-DD of YYYYMMDD, when this day exists. */
export function calendarDate(text: string): string | undefined {
  if (!/^\d{8}$/.test(text)) return undefined;
  const date = `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`;
  const time = Date.parse(`${date}T00:00:00Z`);
  return Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== date ? undefined : date;
}
