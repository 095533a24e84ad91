// Findings of a check for people: what was read beside what is on record. Birth dates and numbers are hidden unless revealed.
import type { Hint } from '../../../../packages/document-reader/src/hints.ts';
import type { Reading } from '../../../../packages/document-reader/src/reading.ts';
import type { PersonOnRecord } from '../comparison/compare.ts';
import type { Likeness } from './likeness.ts';
import type { CheckResult } from './result.ts';

type Shown = { read: string; onRecord: string };
export type ShownFinding = CheckResult['findings'][number] & Shown;

export const FIELD_LABELS: Record<ShownFinding['field'], string> = {
  document: 'document',
  quality: 'picture',
  issuer: 'issuer',
  surname: 'surname',
  givenNames: 'given names',
  dateOfBirth: 'date of birth',
  expires: 'expiry',
  documentNumber: 'number',
  note: 'note',
};
/** What a document of another person has too. */
export const LIKENESS_TEXTS: Record<Likeness['kind'], string> = {
  picture: 'The same picture',
  portrait: 'The same portrait, on another page,',
  number: 'The same document number',
  person: 'The same name and birth date, with another number,',
};
/** Some honest pictures have them too. */
export const HINT_TEXTS: Record<Hint, string> = {
  editor: 'The metadata of the file names a program that edits pictures.',
  greyCopy: 'The picture has no colour, as a photocopy has.',
  recompressed: 'The picture was compressed twice, as it is after an edit, and also after a program only saved it again.',
};
export const HIDDEN = '(hidden)';

/** The findings with what was read and what is on record. */
export function describeFindings(
  { findings, reading }: CheckResult,
  record: PersonOnRecord | undefined,
  { reveal }: { reveal: boolean },
): ShownFinding[] {
  const shown = shownFields(reading, record, reveal);
  return findings.map((finding) => ({ ...finding, ...(shown[finding.field] ?? { read: '', onRecord: '' }) }));
}

function shownFields(
  reading: Reading | undefined,
  record: PersonOnRecord | undefined,
  reveal: boolean,
): Partial<Record<string, Shown>> {
  if (!reading || reading.kind === 'none') return {};
  const { fields, kind } = reading;
  const sealed = (value: string | undefined) => (value === undefined || reveal ? (value ?? '') : HIDDEN);
  const either = (...dates: (string | undefined)[]) => dates.filter((date) => date !== undefined).join(' or ') || undefined;
  return {
    document: { read: kind, onRecord: '' },
    issuer: { read: fields.issuer, onRecord: '' },
    surname: { read: fields.surname, onRecord: record?.lastName ?? '' },
    givenNames: { read: fields.givenNames, onRecord: record?.firstName ?? '' },
    dateOfBirth: { read: sealed(either(fields.dateOfBirth, fields.earlierDateOfBirth)), onRecord: sealed(record?.dateOfBirth) },
    expires: { read: either(fields.expires, fields.earlierExpires) ?? '', onRecord: '' },
    documentNumber: { read: sealed(fields.documentNumber), onRecord: sealed(record?.passportNumber) },
  };
}
