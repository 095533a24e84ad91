// Tests of the comparison of a reading with the person on record: each reason, each doubt, and the confidence that each outcome needs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Reading } from '../../../../packages/document-reader/src/reading.ts';
import { readingOf, unreadOf } from '../../../../test/support/readings.ts';
import { compareReading, type PersonOnRecord } from './compare.ts';

const PERSON: PersonOnRecord = { firstName: 'Anna Maria', lastName: 'Eriksson', dateOfBirth: '1974-08-12' };
const PASSPORT = { type: 'passport', today: '2026-11-22' } as const;

function outcomeOf(reading: Reading, person = PERSON, about: Parameters<typeof compareReading>[2] = PASSPORT) {
  const { outcome, reasons, findings } = compareReading(reading, person, about);
  return [outcome, ...reasons, ...findings.filter(({ result }) => result === 'unclear').map(({ field }) => field)];
}

test('accepts a document with the name and birth date on record', () => {
  assert.deepEqual(outcomeOf(readingOf()), ['accepted']);
  assert.deepEqual(outcomeOf(readingOf(), { ...PERSON, passportNumber: 'l898902-c3' }), ['accepted']);
  const licence = readingOf({ issuer: 'CA' }, { kind: 'aamva' });
  assert.deepEqual(outcomeOf(licence, PERSON, { ...PASSPORT, type: 'license' }), ['accepted']);
  assert.deepEqual(outcomeOf(readingOf({}, { kind: 'td1' }), PERSON, { ...PASSPORT, type: 'idCard' }), ['accepted']);
});

test('rejects for everything that is proven, in the order of the reasons', () => {
  assert.deepEqual(outcomeOf(readingOf({ dateOfBirth: '1974-08-13' })), ['rejected', 'ScanDobMismatch']);
  assert.deepEqual(outcomeOf(readingOf({ surname: 'ERICSSON' })), ['rejected', 'ScanNameMismatch']);
  assert.deepEqual(outcomeOf(readingOf({ surname: 'ERICSSON', givenNames: 'BEATE' })), ['rejected', 'ScanNameMismatch']);
  const all = readingOf({ surname: 'ERICSSON', dateOfBirth: '1974-08-13', expires: '2020-01-01' });
  assert.deepEqual(outcomeOf(all), ['rejected', 'ScanDobMismatch', 'ScanNameMismatch', 'ScanIdExpired']);
  // A doubt beside a proof does not hide it.
  assert.deepEqual(outcomeOf(readingOf({ givenNames: '', expires: '2020-01-01' })), ['rejected', 'ScanIdExpired', 'givenNames']);
});

test('a document is valid through the day of its expiry', () => {
  assert.deepEqual(outcomeOf(readingOf({ expires: '2026-11-22' })), ['accepted']);
  assert.deepEqual(outcomeOf(readingOf({ expires: '2026-11-21' })), ['rejected', 'ScanIdExpired']);
  const { expires: _, ...fields } = readingOf().fields;
  assert.deepEqual(outcomeOf({ ...readingOf(), fields }), ['undecided', 'expires']);
});

test('a person decides what is not proven', () => {
  const { dateOfBirth: _, ...unborn } = PERSON;
  assert.deepEqual(outcomeOf(readingOf(), unborn), ['undecided', 'dateOfBirth']);
  assert.deepEqual(outcomeOf(readingOf(), { ...PERSON, passportNumber: 'X1234567' }), ['undecided', 'documentNumber']);
  assert.deepEqual(outcomeOf(readingOf({ dateOfBirth: '1960-01-01' }, { verified: false })), ['undecided', 'document']);
  for (const kind of ['td1', 'td2', 'aamva'] as const) {
    assert.deepEqual(outcomeOf(readingOf({ expires: '2020-01-01' }, { kind })), ['undecided', 'document'], kind);
  }
  assert.deepEqual(outcomeOf(readingOf(), PERSON, { ...PASSPORT, type: 'other' }), ['undecided', 'document']);
  const swapped = readingOf({ dateOfBirth: '1974-12-08' }, { kind: 'aamva' });
  assert.deepEqual(outcomeOf(swapped, PERSON, { ...PASSPORT, type: 'license' }), ['undecided', 'dateOfBirth']);
});

test('a field that was not read with confidence neither accepts nor rejects', () => {
  const doubtful = outcomeOf(readingOf({}, { sure: 0.89 }));
  assert.deepEqual(doubtful, ['undecided', 'surname', 'givenNames', 'dateOfBirth', 'expires']);
  const different = readingOf({ surname: 'ERICSSON', dateOfBirth: '1974-08-13', expires: '2020-01-01' }, { sure: 0.89 });
  assert.deepEqual(outcomeOf(different), doubtful);
});

test('a picture is not readable only if a measure proves it', () => {
  assert.deepEqual(outcomeOf(unreadOf()), ['undecided', 'document']);
  const blurred = unreadOf([{ measure: 'sharpness', value: 0.0312, limit: 0.2 }]);
  assert.deepEqual(outcomeOf(blurred), ['rejected', 'ScanNotReadable']);
  const { findings } = compareReading(blurred, PERSON, PASSPORT);
  assert.equal(findings[0]!.text, 'The picture is not readable: the sharpness is 0.031 (limit 0.2).');
});

test('sample numbers, an end in more than ten years, and holders under age are for a person', () => {
  for (const [fields, text] of [
    [{ documentNumber: '000000000' }, /The number is one of samples/],
    [{ documentNumber: '123456789' }, /The number is one of samples/],
    [{ expires: '2036-11-23' }, /expires in more than 10 years/],
  ] as const) {
    const { outcome, findings } = compareReading(readingOf(fields), PERSON, PASSPORT);
    assert.equal(outcome, 'undecided', JSON.stringify(fields));
    assert.ok(
      findings.some((finding) => text.test(finding.text)),
      String(text),
    );
  }
  assert.equal(outcomeOf(readingOf({ expires: '2036-11-22' }))[0], 'accepted', 'ten years to the day');
  const child = { ...PERSON, dateOfBirth: '2008-11-23' };
  assert.equal(outcomeOf(readingOf({ dateOfBirth: '2008-11-23' }), child)[0], 'undecided');
  const adult = { ...PERSON, dateOfBirth: '2008-11-22' };
  assert.equal(outcomeOf(readingOf({ dateOfBirth: '2008-11-22' }), adult)[0], 'accepted');
});
