// Prints what was read from a document: the fields with confidence, the checks, and the measures of the picture.
import type { Read, Reading } from '../../../packages/document-reader/src/reading.ts';
import { describeFindings, FIELD_LABELS, LIKENESS_TEXTS } from '../../resources/documents/checking/finding.ts';
import type { StoredResult } from '../../resources/documents/checking/result.ts';
import type { PersonOnRecord } from '../../resources/documents/comparison/compare.ts';
import { HINT_TEXTS } from '../../resources/documents/evidence/picture-evidence.ts';
import { bad, good, heading, printTable, printText, quiet } from './output.ts';

const KINDS: Record<Reading['kind'], string> = {
  td1: 'card with three lines (TD1)',
  td2: 'card with two lines (TD2)',
  td3: 'passport (TD3)',
  aamva: 'licence with a barcode (AAMVA)',
  none: 'nothing that can be read',
};

/** Prints a reading for the person who has the picture. */
export function printReading(reading: Reading): void {
  const { kind, quality } = reading;
  printText(`${heading(`A ${KINDS[kind]}`.replace('A nothing', 'Nothing'))}\n\n`);
  if (kind !== 'none') {
    printTable(fieldRows(reading), '');
    const failed = reading.checks
      .filter(({ passed }) => !passed)
      .map(({ name, why }) => (why === undefined ? name : `${name} (${why})`));
    const names = reading.checks.map(({ name }) => name).join(', ');
    printText(`\n${failed.length > 0 ? bad(`Checks that fail: ${failed.join(', ')}`) : `Checks that hold: ${names}`}\n`);
    const verdict = reading.verified
      ? good('The data was read with confidence. That proves nothing against fraud.')
      : bad('The data was not read with confidence: it decides nothing.');
    printText(`${verdict}\n\n${reading.lines.map((line) => `  ${line}\n`).join('')}\n`);
  }
  for (const { measure, value, limit } of quality.faults) {
    printText(`${bad(`Not readable: ${measure} ${rounded(value)} (limit ${rounded(limit)})`)}\n`);
  }
  for (const hint of reading.hints ?? []) printText(`Hint, which proves nothing: ${HINT_TEXTS[hint]}\n`);
  const measures = [
    `${quality.longEdge} px`,
    ...(['sharpness', 'contrast', 'brightness', 'glare'] as const).map((name) => `${name} ${rounded(quality[name])}`),
    ...(quality.cutOff ? ['touches the edge'] : []),
  ];
  printText(`${quiet(`Picture: ${measures.join(', ')}`)}\n`);
}

function fieldRows({ fields, confidence }: Read): Record<string, string>[] {
  const { documentNumber, surname, givenNames, suffix, dateOfBirth, expires, issuer, nationality, sex } = fields;
  const { earlierDateOfBirth, earlierExpires } = fields;
  const rows: [label: string, value: string | undefined, confidence?: number][] = [
    ['surname', surname, confidence.surname],
    ['given names', givenNames, confidence.givenNames],
    ['suffix', suffix],
    ['date of birth', dateOfBirth, confidence.dateOfBirth],
    ['or born', earlierDateOfBirth],
    ['expiry', expires, confidence.expires],
    ['or expired', earlierExpires],
    ['number', documentNumber, confidence.documentNumber],
    ['issuer', issuer, confidence.issuer],
    ['nationality', nationality],
    ['sex', sex],
  ];
  return rows
    .filter(([, value]) => value)
    .map(([field, value, sure]) => ({
      field,
      value: value!,
      confidence: sure === undefined ? '' : `${Math.floor(sure * 1000) / 10} %`,
    }));
}

/** Prints the result of a check beside the record. Birth dates and numbers are shown only if `reveal` is set. */
export function printResult(result: StoredResult, record: PersonOnRecord | undefined, { reveal }: { reveal: boolean }): void {
  const { checker, version, created, proposal, reasons, likenesses = [], reference } = result;
  const proposed = reasons.length > 0 ? `${proposal}: ${reasons.join(', ')}` : proposal;
  printText(`\n${heading(`${checker} ${version}`)}  ${quiet(created.toISOString())}  proposes ${proposed}\n`);
  const rows = describeFindings(result, record, { reveal }).map(({ field, result, text, read, onRecord }) => ({
    field: FIELD_LABELS[field],
    read,
    'on record': onRecord,
    result,
    why: text,
  }));
  printTable(rows, 'No findings.');
  for (const { kind, documentId, subjectId } of likenesses) {
    printText(`${bad(`${LIKENESS_TEXTS[kind]} was submitted for ${subjectId}: document ${documentId}`)}\n`);
  }
  if (reference !== undefined) printText(`${quiet(`Reference: ${reference}`)}\n`);
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
