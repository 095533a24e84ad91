// Recurrence rules (RRULE, RFC 5545 §3.3.10): what a schedule accepts of them.

/** The parts of a rule by name. `until`: the moment of UNTIL, which is not among the parts. */
export type Rule = { parts: Map<string, string>; until: Date | undefined };

export const RULE_LENGTH = 200;

const COUNT_MAX = 1_000;
const INTERVAL_MAX = 1_000;
/** The weeks that a year can have. */
const WEEKS_MAX = 53;
const FREQUENCIES = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'];
const DAY = /^(?:[+-]?(\d{1,2}))?(?:MO|TU|WE|TH|FR|SA|SU)$/;
const UNTIL = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;

/** The check of each part: whether a value is valid, and how one looks. */
const PARTS: Record<string, { isValid(value: string): boolean; example: string }> = {
  FREQ: { isValid: (value) => FREQUENCIES.includes(value), example: FREQUENCIES.join(', ') },
  INTERVAL: { isValid: integer(1, INTERVAL_MAX), example: `1 to ${INTERVAL_MAX}` },
  COUNT: { isValid: integer(1, COUNT_MAX), example: `1 to ${COUNT_MAX}` },
  UNTIL: { isValid: (value) => momentOf(value) !== undefined, example: 'a time in UTC such as 20261231T235959Z' },
  BYDAY: { isValid: listOf(isDay), example: 'days such as MO,FR, or 1MO and -1FR in a month or year' },
  BYMONTHDAY: { isValid: listOf(signed(31)), example: '1 to 31, or -1 to -31 from the end' },
  BYMONTH: { isValid: listOf(integer(1, 12)), example: '1 to 12' },
  BYSETPOS: { isValid: listOf(signed(366)), example: '1 to 366, or -1 to -366 from the end' },
  WKST: { isValid: (value) => isDay(value) && value.length === 2, example: 'a day such as MO' },
};

/** Reads a rule, or returns what is wrong with it. */
export function readRule(text: string): Rule | { fault: string } {
  const parts = new Map<string, string>();
  for (const part of text.toUpperCase().split(';')) {
    const [name = '', value = '', ...more] = part.split('=');
    const known = Object.hasOwn(PARTS, name) ? PARTS[name] : undefined;
    if (!known) return { fault: `A rule has the parts ${Object.keys(PARTS).join(', ')}, such as FREQ=MONTHLY;BYMONTHDAY=-1.` };
    if (parts.has(name)) return { fault: `The rule has ${name} twice.` };
    if (more.length > 0 || !known.isValid(value)) return { fault: `${name} must be ${known.example}.` };
    parts.set(name, value);
  }
  const fault = faultOf(parts);
  if (fault !== undefined) return { fault };
  const until = parts.get('UNTIL');
  parts.delete('UNTIL');
  return { parts, until: until === undefined ? undefined : momentOf(until) };
}

/** The rules between parts (RFC 5545 §3.3.10). */
function faultOf(parts: Map<string, string>): string | undefined {
  const frequency = parts.get('FREQ');
  const isLong = frequency === 'MONTHLY' || frequency === 'YEARLY';
  if (!frequency) return `A rule must have FREQ: ${FREQUENCIES.join(', ')}.`;
  if (parts.has('COUNT') && parts.has('UNTIL')) return 'A rule has either COUNT or UNTIL.';
  if (/\d/.test(parts.get('BYDAY') ?? '') && !isLong) return 'BYDAY has numbers only with FREQ=MONTHLY or FREQ=YEARLY.';
  if (parts.has('BYMONTHDAY') && frequency === 'WEEKLY') return 'BYMONTHDAY is not possible with FREQ=WEEKLY.';
  if (parts.has('BYSETPOS') && !['BYDAY', 'BYMONTHDAY', 'BYMONTH'].some((name) => parts.has(name)))
    return 'BYSETPOS selects among the days of BYDAY, BYMONTHDAY or BYMONTH.';
  return undefined;
}

/** What is wrong with a new rule only. Stored schedules may have one like it, and go on as they began: the library ignores BYMONTHDAY. */
export function faultOfNew({ parts }: Rule): string | undefined {
  const hasNumberedDays = /\d/.test(parts.get('BYDAY') ?? '');
  if (parts.get('FREQ') === 'YEARLY' && parts.has('BYMONTHDAY') && hasNumberedDays && !parts.has('BYMONTH'))
    return 'BYMONTHDAY and numbers in BYDAY are possible together with FREQ=YEARLY only with BYMONTH.';
  return undefined;
}

function momentOf(text: string): Date | undefined {
  const match = UNTIL.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hours, minutes, seconds] = match;
  const iso = `${year}-${month}-${day}T${hours}:${minutes}:${seconds}.000Z`;
  const moment = new Date(iso);
  // A date such as 31 February becomes another one.
  return !Number.isNaN(moment.getTime()) && moment.toISOString() === iso ? moment : undefined;
}

function isDay(text: string): boolean {
  const match = DAY.exec(text);
  const number = Number(match?.[1] ?? 1);
  return match !== null && number >= 1 && number <= WEEKS_MAX;
}

function integer(min: number, max: number) {
  return (text: string) => /^\d{1,6}$/.test(text) && Number(text) >= min && Number(text) <= max;
}

function signed(max: number) {
  return (text: string) => /^[+-]?\d{1,3}$/.test(text) && Math.abs(Number(text)) >= 1 && Math.abs(Number(text)) <= max;
}

function listOf(isValid: (text: string) => boolean) {
  return (text: string) => text.split(',').every(isValid);
}
