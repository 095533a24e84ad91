// Texts of licence barcodes: versions of the standard, shapes of issued cards, contradictions, and texts that must be refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inventHolder } from '../specimens/holder.ts';
import { licenceText } from '../specimens/licence-text.ts';
import { openRandom } from '../specimens/random.ts';
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
  ['a subfile of another length', licenceOf(GOOD).replace('\r', '\n').replace('DAJCA\r', 'DAJCA\nDAYBRO\r')],
  ['an offset that points elsewhere', licenceOf(GOOD).replace('DL0031', 'DL0034')],
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

test('reads the shapes of issued cards that the standard does not have', () => {
  const expected = parseLicence(licenceOf(GOOD))!.fields;
  const shapes: Record<string, string> = {
    'a length that is one too small': licenceOf(GOOD, { length: -1 }),
    'a length that is one too large': licenceOf(GOOD, { length: 1 }),
    'a length without the two letters': licenceOf(GOOD, { length: -2 }),
    'an offset that counts from one': licenceOf(GOOD, { offset: 1 }),
    'an offset that is one too small': licenceOf(GOOD, { offset: -1 }),
    'lines that end with CR and LF': licenceOf(GOOD, { separator: '\r\n', end: '\r\n' }),
    'no end of the last line': licenceOf(GOOD, { end: '' }),
    'no record separator': licenceOf(GOOD, { begin: '@\n\r' }),
    'CR and LF in the header': licenceOf(GOOD, { begin: '@\r\n\u001e\r\n' }),
  };
  for (const [shape, text] of Object.entries(shapes)) {
    const licence = parseLicence(text);
    assert.deepEqual([licence?.fields, licence?.verified], [expected, true], shape);
  }
});

test('reads version 1, also without DL before the elements, and names in one element', () => {
  const elements = ['DBB19800131', 'DBA20300131', 'DAQX1', 'DAJCA'];
  for (const [name, surname, givenNames] of [
    ['DAADOE,ANN,MARY', 'DOE', 'ANN MARY'],
    ['DAADOE$ANN', 'DOE', 'ANN'],
    ['DAADOE@ANN@M', 'DOE', 'ANN M'],
    ['DAADE LA CRUZ, ANN', 'DE LA CRUZ', 'ANN'],
  ] as const) {
    for (const kind of ['DL', '']) {
      const licence = parseLicence(licenceOf([name, ...elements], { version: '01', kind }));
      assert.deepEqual(
        [licence?.fields.surname, licence?.fields.givenNames, licence?.verified],
        [surname, givenNames, true],
        name,
      );
      assert.equal(licence?.fields.dateOfBirth, '1980-01-31');
    }
  }
});

test('a barcode that contradicts itself is read and not verified, and says why', () => {
  const contradictions: [text: string, failed: string, why: RegExp][] = [
    [licenceOf(GOOD, { issuer: '000000' }), 'issuer', /no issuer has the number 000000/],
    [licenceOf(GOOD, { issuer: '636063' }), 'issuer', /no issuer has the number/],
    [licenceOf(GOOD, { issuer: '636001' }), 'issuer', /636001 is not of CA USA/],
    [licenceOf(GOOD.with(5, 'DCGCAN').with(3, 'DBB19800131').with(4, 'DBA20300131')), 'issuer', /not of CA CAN/],
    [licenceOf([...GOOD, 'DBD02012030']), 'issue date', /after the expiry/],
    [licenceOf([...GOOD, 'DBD01301980']), 'issue date', /before the birth/],
    [licenceOf([...GOOD, 'DBD13452020']), 'issue date', /does not exist/],
  ];
  for (const [text, failed, why] of contradictions) {
    const { verified, checks } = parseLicence(text)!;
    assert.deepEqual([verified, checks.filter(({ passed }) => !passed).map(({ name }) => name)], [false, [failed]]);
    assert.match(checks.find(({ passed }) => !passed)!.why!, why);
  }
  assert.ok(parseLicence(licenceOf([...GOOD, 'DBD01012022']))!.verified);
});

type Shape = {
  begin?: string;
  issuer?: string;
  version?: string;
  kind?: string;
  separator?: string;
  end?: string;
  length?: number;
  offset?: number;
};

/** The text of a licence. `length` and `offset` are what an issuer counts wrong. */
function licenceOf(elements: string[], shape: Shape = {}): string {
  const { begin = '@\n\u001e\r', issuer = '636014', version = '08', kind = 'DL', separator = '\n', end = '\r' } = shape;
  const subfile = `${kind}${elements.join(separator)}${end}`;
  const header = `${begin}ANSI ${issuer}${version}${version === '01' ? '' : '00'}01`;
  const digits = (value: number) => String(value).padStart(4, '0');
  const designator = `DL${digits(header.length + 10 + (shape.offset ?? 0))}${digits(subfile.length + (shape.length ?? 0))}`;
  return header + designator + subfile;
}
