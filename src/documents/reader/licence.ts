// Parses the text of a licence's barcode: the AAMVA card design standard, versions 1 (2000) to 10 (2020).
import { calendarDate } from './dates.ts';
import type { Fields, Read } from './reading.ts';

/** Compliance header of the standard: version, and from version 2 the jurisdiction's version; then the number of subfiles. */
const HEADER = /^@\n\p{Cc}\r(?:ANSI |AAMVA)(?<issuer>\d{6})(?<version>\d{2})/u;
const DESIGNATOR_LENGTH = 10;
const SUBFILE = /^(?<kind>DL|ID|EN)(?<offset>\d{4})(?<length>\d{4})$/;
const ELEMENT = /^(?<name>[A-Z]{2}[A-Z0-9])(?<value>[\x20-\x7e\u00a0-\u00ff]*)$/;
const FIRST_WITH_JURISDICTION_VERSION = 2;
const LAST_VERSION = 12;
const EMPTY = /^(NONE|N\/A|UNAVL|UNAVAIL|UNKNOWN)?$/i;
const CONFIDENT = { documentNumber: 1, surname: 1, givenNames: 1, dateOfBirth: 1, expires: 1, issuer: 1 };

/** Returns the licence, or undefined when the structure does not hold: the barcode library calls garbage valid now and then. */
export function parseLicence(text: string): Read | undefined {
  const header = HEADER.exec(text);
  if (!header) return undefined;
  const version = Number(header.groups!.version);
  if (version < 1 || version > LAST_VERSION) return undefined;
  const elements = elementsOf(text, header[0].length + (version >= FIRST_WITH_JURISDICTION_VERSION ? 2 : 0));
  return elements && toRead(elements, version);
}

type Elements = Map<string, string>;

/** Elements of the first subfile, whose offset and length must match exactly. */
function elementsOf(text: string, start: number): Elements | undefined {
  const count = text.slice(start, start + 2);
  if (!/^\d{2}$/.test(count) || count === '00') return undefined;
  const subfile = SUBFILE.exec(text.slice(start + 2, start + 2 + DESIGNATOR_LENGTH))?.groups;
  if (!subfile) return undefined;
  const [offset, length] = [Number(subfile.offset), Number(subfile.length)];
  const body = text.slice(offset, offset + length);
  // Some issuers do not count the two letters of the subfile's kind.
  if (!body.startsWith(subfile.kind!) || body.length !== length || !body.endsWith('\r')) return undefined;
  const elements: Elements = new Map();
  for (const line of body.slice(2, -1).split('\n')) {
    const element = ELEMENT.exec(line)?.groups;
    if (line === '') continue;
    if (!element || elements.has(element.name!)) return undefined;
    elements.set(element.name!, element.value!.trim());
  }
  return elements;
}

function toRead(elements: Elements, version: number): Read | undefined {
  const value = (name: string) => (EMPTY.test(elements.get(name) ?? '') ? undefined : elements.get(name)!);
  const names = namesOf(value);
  const dates = datesOf(value);
  const [documentNumber, issuer] = [value('DAQ'), value('DAJ')];
  if (!names || !dates || !documentNumber || !issuer) return undefined;
  const cut = (name: string) => elements.get(name) === 'T' || (version >= 4 && elements.get(name) === 'U');
  const fields: Fields = {
    documentNumber: documentNumber.replaceAll(/[ -]/g, ''),
    surname: names.surname,
    givenNames: names.given,
    suffix: value('DCU') ?? value('DAE'),
    nameTruncated: { surname: cut('DDE'), givenNames: cut('DDF') || cut('DDG') },
    ...dates,
    issuer,
    sex: sexOf(value('DBC')),
  };
  return {
    kind: 'aamva',
    verified: true,
    fields,
    confidence: { ...CONFIDENT },
    letters: { surname: ones(fields.surname), givenNames: ones(fields.givenNames) },
    checks: [
      { name: 'structure', passed: true },
      { name: 'dates', passed: true },
    ],
    lines: [...elements].map(([name, content]) => name + content),
  };
}

type Value = (name: string) => string | undefined;

/** DAC and DAD since version 4; DCT in versions 2 and 3, where a comma or a space parts the names; DAA is the whole name in version 1. */
function namesOf(value: Value): { surname: string; given: string } | undefined {
  const [whole, wholeGiven] = (value('DAA') ?? '').split(/,(.*)/s);
  const surname = value('DCS') ?? value('DAB') ?? whole;
  const first = value('DAC') ?? value('DCT') ?? wholeGiven ?? '';
  const given = [first, value('DAD') ?? ''].join(' ');
  const tidy = (text: string) => text.replaceAll(',', ' ').replaceAll(/\s+/g, ' ').trim().toUpperCase();
  return surname ? { surname: tidy(surname), given: tidy(given) } : undefined;
}

/** Undefined when a date does not exist, or birth is not before the expiry. A licence without an expiry is possible. */
function datesOf(value: Value): { dateOfBirth: string; expires?: string } | undefined {
  const inCanada = value('DCG') === 'CAN';
  const date = (text: string) => {
    const american = calendarDate(text.slice(4) + text.slice(0, 4));
    const canadian = calendarDate(text);
    // Version 1 has no country: years tell the order, as no month is 19 or 20.
    return inCanada || /^(19|20)/.test(text) ? canadian : american;
  };
  const dateOfBirth = date(value('DBB') ?? '');
  const expiry = value('DBA');
  const expires = expiry === undefined ? undefined : date(expiry);
  if (!dateOfBirth || (expiry !== undefined && !expires)) return undefined;
  return expires !== undefined && dateOfBirth >= expires ? undefined : { dateOfBirth, expires };
}

function sexOf(code: string | undefined): Fields['sex'] {
  if (code === '1' || code === 'M') return 'M';
  if (code === '2' || code === 'F') return 'F';
  return code === '9' ? 'X' : undefined;
}

function ones(text: string): number[] {
  return Array.from(text, () => 1);
}
