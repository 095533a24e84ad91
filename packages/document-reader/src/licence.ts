// Reads the text of a licence's barcode: the AAMVA card design standard, versions 1 (2000) to 10 (2020).
import { calendarDate } from './dates.ts';
import { LICENCE_ISSUERS } from './licence-issuers.ts';
import { divideLicence, type LicenceText } from './licence-text.ts';
import type { Check, Fields, Read } from './reading.ts';

const EMPTY = /^(NONE|N\/A|UNAVL|UNAVAIL|UNKNOWN)?$/i;
const CONFIDENT = { documentNumber: 1, surname: 1, givenNames: 1, dateOfBirth: 1, expires: 1, issuer: 1 };
/** The years of the versions of the standard, from version 1. */
const VERSION_YEARS = [2000, 2003, 2005, 2009, 2010, 2011, 2012, 2013, 2016, 2020];
/** What parts the names of one element, beside spaces. */
const BETWEEN_NAMES = /[,@$;/]/;

/** Returns the licence, or undefined when the text is none. What contradicts itself is read, and not verified. */
export function parseLicence(text: string): Read | undefined {
  const divided = divideLicence(text);
  return divided && toRead(divided);
}

function toRead({ issuerNumber, version, elements }: LicenceText): Read | undefined {
  const value = (name: string) => (EMPTY.test(elements.get(name) ?? '') ? undefined : elements.get(name)!);
  const names = namesOf(value);
  const dates = datesOf(value);
  const documentNumber = value('DAQ');
  const issuer = value('DAJ') ?? value('DAO') ?? LICENCE_ISSUERS.get(issuerNumber)?.jurisdictions[0];
  if (!names || !dates || !documentNumber || !issuer) return undefined;
  const cut = (name: string) => elements.get(name) === 'T' || (version >= 4 && elements.get(name) === 'U');
  const fields: Fields = {
    documentNumber: documentNumber.replaceAll(/[ -]/g, ''),
    surname: names.surname,
    givenNames: names.given,
    suffix: value('DCU') ?? value('DAE'),
    nameTruncated: { surname: cut('DDE'), givenNames: cut('DDF') || cut('DDG') },
    dateOfBirth: dates.birth,
    expires: dates.expiry,
    issuer,
    sex: sexOf(value('DBC')),
  };
  const checks = [
    { name: 'structure', passed: true },
    { name: 'dates', passed: true },
    checkIssuer(issuerNumber, { jurisdiction: issuer, country: value('DCG') }),
    checkIssue(dates, version),
  ];
  return {
    kind: 'aamva',
    verified: checks.every(({ passed }) => passed),
    fields,
    confidence: { ...CONFIDENT },
    letters: { surname: ones(fields.surname), givenNames: ones(fields.givenNames) },
    checks,
    lines: [...elements].map(([name, content]) => name + content),
  };
}

type Value = (name: string) => string | undefined;

/** DAC and DAD since version 4; DCT in versions 2 and 3, where a comma or a space parts the names; DAA is the whole name in version 1. */
function namesOf(value: Value): { surname: string; given: string } | undefined {
  const [whole, ...wholeGiven] = (value('DAA') ?? '').split(BETWEEN_NAMES);
  const surname = value('DCS') ?? value('DAB') ?? whole;
  const first = value('DAC') ?? value('DCT') ?? wholeGiven.join(' ');
  const given = [first, value('DAD') ?? ''].join(' ');
  const tidy = (text: string) => text.replaceAll(',', ' ').replaceAll(/\s+/g, ' ').trim().toUpperCase();
  return surname ? { surname: tidy(surname), given: tidy(given) } : undefined;
}

/** `issue` is undefined on a licence without it, and '' when it does not exist. */
type Dates = { birth: string; expiry?: string | undefined; issue?: string | undefined };

/** Undefined when birth or expiry does not exist, or birth is not before the expiry. A licence without an expiry is possible. */
function datesOf(value: Value): Dates | undefined {
  const inCanada = value('DCG') === 'CAN';
  const date = (name: string) => {
    const text = value(name)?.replaceAll(/[-/]/g, '');
    if (text === undefined) return undefined;
    // Version 1 has no country: years tell the order, as no month is 19 or 20.
    const isYearFirst = inCanada || /^(19|20)/.test(text);
    return calendarDate(isYearFirst ? text : text.slice(4) + text.slice(0, 4)) ?? '';
  };
  const [birth, expiry, issue] = [date('DBB'), date('DBA'), date('DBD')];
  if (!birth || expiry === '') return undefined;
  return expiry !== undefined && birth >= expiry ? undefined : { birth, expiry, issue };
}

function checkIssuer(number: string, { jurisdiction, country }: { jurisdiction: string; country: string | undefined }): Check {
  const issuer = LICENCE_ISSUERS.get(number);
  const name = 'issuer';
  if (!issuer) return { name, passed: false, why: `no issuer has the number ${number}` };
  const isOwn = issuer.jurisdictions.length === 0 || issuer.jurisdictions.includes(jurisdiction.toUpperCase());
  if (isOwn && (country === undefined || country === issuer.country)) return { name, passed: true };
  return { name, passed: false, why: `the number ${number} is not of ${jurisdiction} ${country ?? ''}`.trim() };
}

function checkIssue({ birth, expiry, issue }: Dates, version: number): Check {
  const name = 'issue date';
  if (issue === undefined) return { name, passed: true };
  if (issue === '') return { name, passed: false, why: 'it does not exist' };
  if (issue <= birth) return { name, passed: false, why: 'it is before the birth' };
  if (expiry !== undefined && issue > expiry) return { name, passed: false, why: 'it is after the expiry' };
  const since = VERSION_YEARS[version - 1];
  if (since !== undefined && Number(issue.slice(0, 4)) < since)
    return { name, passed: false, why: `version ${version} of the standard is of ${since}` };
  return { name, passed: true };
}

function sexOf(code: string | undefined): Fields['sex'] {
  if (code === '1' || code === 'M') return 'M';
  if (code === '2' || code === 'F') return 'F';
  return code === '9' ? 'X' : undefined;
}

function ones(text: string): number[] {
  return Array.from(text, () => 1);
}
