// Texts of licence barcodes: versions of the standard, dates by country, and texts that must be refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inventHolder } from '../../../test/specimens/holder.ts';
import { licenceText } from '../../../test/specimens/licence-text.ts';
import { openRandom } from '../../../test/support/random.ts';
import { parseLicence } from './licence.ts';

const TODAY = '2026-11-22';

test('reads every version since 2005 and both orders of dates', () => {
  const versions = new Set<number>();
  const regions = new Set<string>();
  for (let seed = 0; seed < 200; seed++) {
    const holder = inventHolder(openRandom(seed), TODAY);
    const { text, region, version } = licenceText(holder, openRandom(seed + 1000));
    const licence = parseLicence(text);
    assert.ok(licence, text);
    const { surname, givenNames, dateOfBirth, expires, documentNumber, issuer } = licence.fields;
    assert.deepEqual(
      { surname, givenNames, dateOfBirth, expires, documentNumber, issuer },
      {
        surname: holder.surname,
        givenNames: holder.givenNames,
        dateOfBirth: holder.dateOfBirth,
        expires: holder.expires,
        documentNumber: holder.number,
        issuer: region,
      },
    );
    versions.add(version);
    regions.add(region);
  }
  assert.deepEqual(
    [...versions].sort((a, b) => a - b),
    [3, 4, 5, 6, 7, 8, 9, 10],
  );
  assert.ok(regions.has('ON') && regions.has('CA'));
});

test('reports names that the issuer cut', () => {
  const text = licenceOf([
    'DAQX1',
    'DCSLONG',
    'DDET',
    'DACANN',
    'DDFN',
    'DADNONE',
    'DDGN',
    'DBB01311980',
    'DBA01312030',
    'DCGUSA',
    'DAJCA',
  ]);
  assert.deepEqual(parseLicence(text)?.fields.nameTruncated, { surname: true, givenNames: false });
});

const GOOD = ['DAQX1', 'DCSDOE', 'DACANN', 'DBB01311980', 'DBA01312030', 'DCGUSA', 'DAJCA'];
const REFUSED: [string, string][] = [
  ['no compliance header', licenceOf(GOOD).replace('ANSI ', 'ANSY ')],
  ['a subfile of another length', `${licenceOf(GOOD)}X`.replace('\rX', 'X\r')],
  ['an offset that points elsewhere', licenceOf(GOOD).replace('DL0031', 'DL0032')],
  ['a repeated element', licenceOf([...GOOD, 'DCSROE'])],
  ['a line that is not an element', licenceOf([...GOOD, 'd!x'])],
  ['a date that does not exist', licenceOf(GOOD.with(3, 'DBB02301980'))],
  ['an expiry before birth', licenceOf(GOOD.with(4, 'DBA01311970'))],
  ['no surname', licenceOf(GOOD.toSpliced(1, 1))],
  ['no number', licenceOf(GOOD.toSpliced(0, 1))],
];

for (const [fault, text] of REFUSED) {
  test(`refuses a text with ${fault}`, () => {
    assert.ok(parseLicence(licenceOf(GOOD)));
    assert.equal(parseLicence(text), undefined);
  });
}

function licenceOf(elements: string[]): string {
  const subfile = `DL${elements.join('\n')}\r`;
  return `@\n\u001e\rANSI 636014080001DL0031${String(subfile.length).padStart(4, '0')}${subfile}`;
}
