// The fields of a zone that was read, and whether they can be trusted.
import { calibrated } from './calibration.ts';
import { birthDates, expiryDates } from './dates.ts';
import { ISSUERS } from './issuers.ts';
import type { Check, Confidence, Fields, Read } from './reading.ts';
import type { Layout, Span } from './zone-layout.ts';
import { longNumber, textOf, type ZoneText } from './zone-text.ts';

/** Below this mean probability per character the text may be a wrong reading of something else. */
const LEAST_CERTAINTY = 0.85;
/** Each character outside the names; without it, a filler could be forced to be a digit. */
const LEAST_CHARACTER_CERTAINTY = 0.4;

/** Between the surname and the given names. */
const SEPARATOR = '<<';

export function toRead(zone: ZoneText, today: string): Read {
  const { layout, lines } = zone;
  const text = (span: Span) => textOf(lines, span);
  const names = splitNames(text(layout.fields.names));
  const issuer = text(layout.fields.issuer).replaceAll('<', '');
  const nationality = text(layout.fields.nationality).replaceAll('<', '');
  const sex = text(layout.fields.sex);
  const birth = text(layout.fields.birth);
  const expiry = text(layout.fields.expiry);
  const expiries = expiryDates(expiry, today);
  const births = birthDates(birth, today).filter((date) => expiries.length === 0 || date < expiries[0]!);
  const fields: Fields = {
    documentNumber: (longNumber(lines, layout) ?? text(layout.fields.number)).replaceAll('<', ''),
    surname: names.surname,
    givenNames: names.givenNames,
    nameTruncated: names.truncated,
    dateOfBirth: births[0],
    earlierDateOfBirth: births[1],
    expires: expiries[0],
    earlierExpires: expiries[1],
    issuer,
    nationality,
    sex: sex === 'F' || sex === 'M' || sex === 'X' ? sex : undefined,
  };
  const checks: Check[] = [
    ...Object.entries(zone.checks).map(([name, passed]) => ({ name, passed })),
    { name: 'dates', passed: areDatesPossible(fields, { birth, expiry }) },
    { name: 'issuer', passed: ISSUERS.has(issuer) && ISSUERS.has(nationality) },
    { name: 'names', passed: areNamesPossible(text(layout.fields.names)) },
    { name: 'characters', passed: areCharactersClear(zone) },
  ];
  const verified = checks.every(({ passed }) => passed);
  const letters = lettersOf(zone, names);
  const places = placesOf(zone, names);
  return {
    kind: layout.kind,
    verified,
    fields,
    confidence: confidenceOf(zone, verified),
    letters,
    checks,
    lines,
    ...(places && { places }),
  };
}

/** Where the fields are that a person compares with the picture. */
function placesOf({ layout: { fields }, placeOf }: ZoneText, { surname, givenNames }: Names): Read['places'] {
  if (!placeOf) return undefined;
  const [line, from, to] = fields.names;
  const afterSurname = Math.min(to, from + surname.length + SEPARATOR.length);
  const part = (start: number, length: number) =>
    length > 0 && start + length <= to ? placeOf([line, start, start + length]) : undefined;
  const [family, given] = [part(from, surname.length), part(afterSurname, givenNames.length)];
  return {
    ...(family && { surname: family }),
    ...(given && { givenNames: given }),
    ...{ documentNumber: placeOf(fields.number), dateOfBirth: placeOf(fields.birth) },
    ...{ expires: placeOf(fields.expiry), issuer: placeOf(fields.issuer) },
  };
}

type Names = { surname: string; givenNames: string; truncated: { surname: boolean; givenNames: boolean } };

/** Two fillers separate the surname from the given names, one filler separates words (part 3, section 4.6). */
function splitNames(field: string): Names {
  const [surname, ...given] = field.split(SEPARATOR);
  // A name that fills its field may have been cut, the surname as well.
  const isFull = !field.endsWith('<');
  return {
    surname: surname!.replaceAll('<', ' ').trim(),
    givenNames: given.join('<').replaceAll('<', ' ').trim(),
    truncated: { surname: isFull, givenNames: isFull },
  };
}

/** Letters, then fillers: a filler that is read as a letter leaves a gap of fillers or none before it. */
function areNamesPossible(field: string): boolean {
  return /^[A-Z]+(<[A-Z]+)*(<<[A-Z]+(<[A-Z]+)*)?<*$/.test(field);
}

/** A date is complete, or leaves out what the standard allows. Of the possible births, only those before the expiry are left. */
function areDatesPossible({ dateOfBirth, expires }: Fields, { birth, expiry }: Record<'birth' | 'expiry', string>): boolean {
  if (dateOfBirth === undefined && !/^(\d\d|<<)(\d\d<<|<<<<)$/.test(birth)) return false;
  return expires !== undefined || expiry === '<<<<<<';
}

function areCharactersClear({ layout, letters, certainty }: ZoneText): boolean {
  const [nameLine, from, to] = layout.fields.names;
  const isName = (line: number, at: number) => line === nameLine && at >= from && at < to;
  const isClear = (line: number[], index: number) =>
    line.every((share, at) => isName(index, at) || share >= LEAST_CHARACTER_CERTAINTY);
  return certainty >= LEAST_CERTAINTY && letters.every(isClear);
}

/** Probability of each character of the names; words are separated by a filler. */
function lettersOf({ layout, letters }: ZoneText, { surname, givenNames }: Names): Read['letters'] {
  const [line, from] = layout.fields.names;
  const shares = letters[line]!.map(calibrated);
  const given = from + surname.length + 2;
  return { surname: shares.slice(from, from + surname.length), givenNames: shares.slice(given, given + givenNames.length) };
}

function confidenceOf({ layout, letters, lines }: ZoneText, verified: boolean): Confidence {
  const product = ([line, from, to]: Span) =>
    letters[line]!.slice(from, to).reduce((total, share) => total * calibrated(share), 1);
  // The check digits of a verified zone leave about one wrong reading in a thousand of those that a character was wrong in.
  const covered = (span: Span) => (verified ? 1 - (1 - product(span)) / 1000 : product(span));
  const [surname, given] = nameSpans(layout, lines);
  return {
    documentNumber: covered(layout.fields.number),
    surname: product(surname),
    givenNames: product(given),
    dateOfBirth: covered(layout.fields.birth),
    expires: covered(layout.fields.expiry),
    issuer: product(layout.fields.issuer),
  };
}

/** The surname with the separator behind it, and the rest of the field: a wrong filler there changes a name too. */
function nameSpans({ fields }: Layout, lines: string[]): [surname: Span, given: Span] {
  const [line, from, to] = fields.names;
  const end = lines[line]!.indexOf('<<', from);
  const middle = end < 0 || end + 2 > to ? to : end + 2;
  return [
    [line, from, middle],
    [line, middle, to],
  ];
}
