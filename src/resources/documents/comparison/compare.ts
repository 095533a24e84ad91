// Compares what was read from a document with the person on record: accepted, rejected for proven reasons, or undecided.
import type { Quality, Read, Reading } from '../../../../packages/document-reader/src/reading.ts';
import { byPrecedence, type DocumentType, type Reason } from '../reason.ts';
import { type Comparison, compareNames } from './name.ts';
import { PROOF_MIN, readNameOf } from './read-name.ts';

/** Dates are YYYY-MM-DD. Without a first name the given names are not compared. */
export type PersonOnRecord = { firstName?: string; lastName: string; dateOfBirth?: string; passportNumber?: string };

/** `unclear`: a person decides; `text` says why. Findings do not repeat birth dates or numbers. */
export type Finding = {
  field: 'document' | 'quality' | 'issuer' | 'surname' | 'givenNames' | 'dateOfBirth' | 'expires' | 'documentNumber';
  result: 'same' | 'different' | 'unclear';
  text: string;
};

export type Compared = { outcome: 'accepted' | 'rejected' | 'undecided'; reasons: Reason[]; findings: Finding[] };

/** Confidence that a field needs before it can accept a document, and a letter before a name differs. */
export const THRESHOLDS = { field: 0.9, differingLetter: PROOF_MIN };

/** The kinds of data that each type of document has. */
const KINDS: Record<DocumentType, Read['kind'][]> = {
  passport: ['td3'],
  license: ['aamva', 'td1'],
  idCard: ['td1', 'td2', 'aamva'],
  other: [],
};
const REASONS: Partial<Record<Finding['field'], Reason>> = {
  quality: 'ScanNotReadable',
  issuer: 'ScanFailedOther',
  dateOfBirth: 'ScanDobMismatch',
  surname: 'ScanNameMismatch',
  givenNames: 'ScanNameMismatch',
  expires: 'ScanIdExpired',
};
const CAUSES = {
  noMachineReadableZone: 'No machine-readable zone was found.',
  noBarcode: 'No barcode was found: the front of a licence has none.',
  noData: 'No data was found.',
  undecodable: 'The picture cannot be decoded.',
};

const VALID_YEARS_MAX = 10;
const ADULT_YEARS = 18;

/** The state of specimens, which exists nowhere else (ICAO Doc 9303 part 3, section 5). */
const SPECIMEN_STATE = 'UTO';

/** `today` is the date of the account's clock, YYYY-MM-DD. Specimens are refused in production only. */
type About = { type: DocumentType; today: string; mode?: 'sandbox' | 'production' };

/**
 * Rejects for everything that is proven, and accepts only if every field is the
 * same and read with confidence.
 */
export function compareReading(reading: Reading, person: PersonOnRecord, about: About): Compared {
  const findings = reading.kind === 'none' ? [explainUnread(reading)] : compareFields(reading, person, about);
  const isProof = reading.kind === 'none' || (reading.verified && KINDS[about.type].includes(reading.kind));
  const reasons = isProof ? findings.flatMap(({ field, result }) => (result === 'different' ? (REASONS[field] ?? []) : [])) : [];
  if (reasons.length > 0) return { outcome: 'rejected', reasons: byPrecedence(reasons), findings };
  return { outcome: findings.every(({ result }) => result === 'same') ? 'accepted' : 'undecided', reasons: [], findings };
}

function explainUnread({ cause, quality }: Extract<Reading, { kind: 'none' }> & { quality: Quality }): Finding {
  const faults = quality.faults.map(
    ({ measure, value, limit }) => `${MEASURES[measure]} is ${round(value)} (limit ${round(limit)})`,
  );
  if (faults.length === 0) return { field: 'document', result: 'unclear', text: CAUSES[cause] };
  return { field: 'quality', result: 'different', text: `The picture is not readable: ${faults.join('; ')}.` };
}

const MEASURES = {
  longEdge: 'the longer side in pixels',
  sharpness: 'the sharpness',
  brightness: 'the brightness',
  contrast: 'the contrast',
};

function round(value: number): number {
  return Number(value.toPrecision(2 + Math.floor(Math.log10(Math.max(1, value)))));
}

function compareFields(read: Read, person: PersonOnRecord, { type, today, mode = 'sandbox' }: About): Finding[] {
  const names = compareNames(person, readNameOf(read));
  const isNamed = person.firstName !== undefined;
  return [
    compareKind(read, type),
    ...(mode === 'production' ? refuseSpecimen(read) : []),
    findingOfName(read, 'surname', names.surname),
    ...(isNamed ? [findingOfName(read, 'givenNames', names.givenNames)] : []),
    compareBirth(read, person.dateOfBirth),
    compareExpiry(read, today),
    ...compareNumber(read, person.passportNumber),
    ...unusual(read, person.dateOfBirth, today),
  ];
}

function compareKind({ kind, verified, checks }: Read, type: DocumentType): Finding {
  const field = 'document';
  if (!KINDS[type].includes(kind)) {
    return { field, result: 'unclear', text: `A document of type ${type} was expected, and the data is of kind ${kind}.` };
  }
  if (verified) return { field, result: 'same', text: 'The data was read, and every check of it holds.' };
  const failed = checks.filter(({ passed }) => !passed).map(({ name, why }) => (why === undefined ? name : `${name} (${why})`));
  const text = failed.length > 0 ? `Checks that fail: ${failed.join(', ')}.` : 'The data was not read with confidence.';
  return { field, result: 'unclear', text };
}

function refuseSpecimen({ fields: { issuer, nationality }, confidence }: Read): Finding[] {
  if (issuer !== SPECIMEN_STATE && nationality !== SPECIMEN_STATE) return [];
  const text = `The document is a specimen: ${SPECIMEN_STATE} is not a state.`;
  return [sureOf(confidence.issuer, { field: 'issuer', result: 'different', text })];
}

function findingOfName({ confidence }: Read, field: 'surname' | 'givenNames', compared: Comparison): Finding {
  if (compared.result === 'clash') return { field, result: 'different', text: 'The name differs.' };
  if (compared.result === 'open') return { field, result: 'unclear', text: `A person decides: ${compared.why}.` };
  return sureOf(confidence[field], { field, result: 'same', text: 'The name matches the record.' });
}

function compareBirth({ fields, confidence, kind }: Read, dateOfBirth: string | undefined): Finding {
  const field = 'dateOfBirth';
  if (dateOfBirth === undefined) return { field, result: 'unclear', text: 'The record has no birth date.' };
  if (fields.dateOfBirth === undefined) return { field, result: 'unclear', text: 'The document has no complete birth date.' };
  if (fields.dateOfBirth === dateOfBirth || fields.earlierDateOfBirth === dateOfBirth) {
    return sureOf(confidence.dateOfBirth, { field, result: 'same', text: 'The birth date matches the record.' });
  }
  // The barcodes of two countries differ in the order of a date.
  if (kind === 'aamva' && isSwapped(fields.dateOfBirth, dateOfBirth)) {
    return { field, result: 'unclear', text: 'Day and month of the birth date are in another order.' };
  }
  return sureOf(confidence.dateOfBirth, { field, result: 'different', text: 'The birth date differs.' });
}

function isSwapped(one: string, other: string): boolean {
  const [year, month, day] = one.split('-');
  return `${year}-${day}-${month}` === other;
}

/** A document is valid through the day of its expiry. */
function compareExpiry({ fields, confidence }: Read, today: string): Finding {
  const field = 'expires';
  if (fields.expires === undefined) return { field, result: 'unclear', text: 'The document has no expiry date.' };
  if (fields.earlierExpires !== undefined) {
    const text = `The expiry may be ${fields.expires} or ${fields.earlierExpires}.`;
    return { field, result: 'unclear', text };
  }
  const [result, text] =
    fields.expires < today
      ? (['different', `The document expired on ${fields.expires}.`] as const)
      : (['same', `The document is not expired until ${fields.expires}.`] as const);
  return sureOf(confidence.expires, { field, result, text });
}

/** Documents that a person looks at, whatever else agrees. */
function unusual({ kind, fields }: Read, onRecord: string | undefined, today: string): Finding[] {
  const { documentNumber, expires, earlierExpires, dateOfBirth, earlierDateOfBirth } = fields;
  // A zone has two digits of a year: the record tells a child from a person of a hundred years.
  const isChild =
    dateOfBirth !== undefined &&
    dateOfBirth > yearsFrom(today, -ADULT_YEARS) &&
    (onRecord === undefined || earlierDateOfBirth !== onRecord);
  const found: Finding[] = [];
  if (isSampleNumber(documentNumber)) {
    found.push({ field: 'documentNumber', result: 'unclear', text: 'The number is one of samples.' });
  }
  // A licence may be valid until its holder retires.
  if (kind !== 'aamva' && expires !== undefined && earlierExpires === undefined && expires > yearsFrom(today, VALID_YEARS_MAX)) {
    found.push({ field: 'expires', result: 'unclear', text: `The document expires in more than ${VALID_YEARS_MAX} years.` });
  }
  if (isChild) {
    found.push({ field: 'dateOfBirth', result: 'unclear', text: `The holder is younger than ${ADULT_YEARS}.` });
  }
  return found;
}

/** One character again and again, or digits in their order: no state gives such numbers. */
function isSampleNumber(number: string): boolean {
  return number.length > 0 && (new Set(number).size === 1 || '01234567890123456789'.includes(number));
}

function yearsFrom(day: string, years: number): string {
  return `${String(Number(day.slice(0, 4)) + years).padStart(4, '0')}${day.slice(4)}`;
}

function compareNumber({ kind, fields, confidence }: Read, passportNumber: string | undefined): Finding[] {
  if (kind !== 'td3' || passportNumber === undefined) return [];
  const field = 'documentNumber';
  const plain = (number: string) => number.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
  if (plain(passportNumber) === plain(fields.documentNumber)) {
    return [sureOf(confidence.documentNumber, { field, result: 'same', text: 'The passport number matches the record.' })];
  }
  return [{ field, result: 'unclear', text: 'The passport has another number than the record, as a renewed one has.' }];
}

function sureOf(confidence: number, finding: Finding): Finding {
  return confidence >= THRESHOLDS.field
    ? finding
    : { ...finding, result: 'unclear', text: 'The field was not read with confidence.' };
}
