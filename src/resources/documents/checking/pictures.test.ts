// Tests of real pictures that a careful person would not decide as a careless machine does, from the upload to the decision.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import sharp from 'sharp';
import { type Holder, inventHolder } from '../../../../packages/document-reader/specimens/holder.ts';
import { drawPage, inventLayout } from '../../../../packages/document-reader/specimens/second-drawer.ts';
import { makeSpecimen, type Specimen } from '../../../../packages/document-reader/specimens/specimens.ts';
import { zoneLines } from '../../../../packages/document-reader/specimens/zone-lines.ts';
import { type Body, idOf } from '../../../../test/support/http.ts';
import { openRandom } from '../../../../test/support/random.ts';
import { TODAY } from '../../../../test/support/specimen-pictures.ts';
import { openUploads } from '../../../../test/support/uploads.ts';
import { waitUntil } from '../../../../test/support/wait.ts';
import { findDocument } from '../document.ts';
import { listResults } from './result.ts';

const env = { DOCUMENT_CHECKERS: 'reader', AUTO_DECIDE: 'accept-text,reject' };
const production = await openUploads({ after }, { env: { ...env, MODE: 'production' } });

type Person = { firstName: string; lastName: string; dateOfBirth: string };
type Sent = { file: Buffer; person: Person; documentType: string; service?: typeof production };

let seed = 100;
const TYPES = { td1: 'idCard', td2: 'idCard', td3: 'passport', aamva: 'license', front: 'license', letter: 'other' };

/** A clear picture of a document that is valid for years, and its holder. */
async function make(kind: Specimen['kind'], holder: Partial<Holder> = {}, barcode?: (text: string) => string) {
  const shown = { expires: '2034-05-06', issuer: 'NLD', ...holder };
  const options = { kind, tier: 'A', today: TODAY, holder: shown, ...(barcode && { barcode }) } as const;
  const made = await makeSpecimen(openRandom(++seed), options);
  const { surname, givenNames, dateOfBirth } = made.holder;
  return {
    file: made.picture,
    documentType: TYPES[kind],
    person: { firstName: givenNames, lastName: surname, dateOfBirth },
  };
}

/** The status of a document with its reasons, what is unclear about it, and how it is like documents of other people. */
async function decide({ file, person, documentType, service = production }: Sent) {
  const { newOwner, submitted, get } = service;
  const document = await submitted(await newOwner(person), { file, documentType });
  await waitUntil('the check is recorded', async () => (await get(`${document}/reviews`)).total > 0);
  const { documentVerificationStatus, allFailureReasons = [] } = await get(document);
  const found = (await findDocument(service.sql, idOf(document)))!;
  const [result] = await listResults(service.sql, service.service.sealer, found);
  const unclear = result!.findings.filter((finding) => finding.result !== 'same').map(({ text }) => text);
  const alike = (result!.likenesses ?? []).map(({ kind }) => kind);
  return { outcome: [documentVerificationStatus, ...allFailureReasons.map(({ reason }: Body) => reason)], unclear, alike };
}

const withSurname = (surname: string) => (text: string) => {
  const [before, name] = /DCS([^\n]*)/.exec(text)!;
  const length = /(?<=DL00\d\d|ID00\d\d)\d{4}/.exec(text)![0];
  const longer = String(Number(length) + surname.length - name!.length).padStart(4, '0');
  return text.replace(length, longer).replace(before, `DCS${surname}`);
};

test('letters that no zone has do not reject the holder of a licence', async () => {
  for (const [printed, lastName] of [
    ['SØRENSEN', 'Sørensen'],
    ['SØRENSEN', 'Soerensen'],
    ['SØRENSEN', 'Sorensen'],
    ['ÞÓRÐARSON', 'Þórðarson'],
    ['ÆGIR GROß', 'Aegir Gross'],
  ] as const) {
    const { person, ...sent } = await make('aamva', {}, withSurname(printed));
    assert.deepEqual((await decide({ ...sent, person: { ...person, lastName } })).outcome, ['accepted'], printed);
  }
  const { person, ...sent } = await make('aamva', {}, withSurname('S?RENSEN'));
  assert.deepEqual((await decide({ ...sent, person: { ...person, lastName: 'Sørensen' } })).outcome, ['pending']);
  const other = await make('aamva', {}, withSurname('SØRENSEN'));
  const { outcome } = await decide({ ...other, person: { ...other.person, lastName: 'Hansen' } });
  assert.deepEqual(outcome, ['rejected', 'ScanNameMismatch']);
});

test('people of more than a hundred years are not read a century late', async () => {
  const dateOfBirth = '1923-05-01';
  for (const kind of ['td3', 'td1', 'td2'] as const) {
    assert.deepEqual((await decide(await make(kind, { dateOfBirth }))).outcome, ['accepted'], kind);
  }
  const { person, ...sent } = await make('td3', { dateOfBirth });
  const { outcome } = await decide({ ...sent, person: { ...person, dateOfBirth: '1923-05-02' } });
  assert.deepEqual(outcome, ['rejected', 'ScanDobMismatch']);
});

test('a card that is valid permanently has not expired', async () => {
  const { outcome, unclear } = await decide(await make('td1', { expires: '2099-01-01' }));
  assert.deepEqual([outcome, unclear], [['pending'], ['The expiry may be 2099-01-01 or 1999-01-01.']]);
  const { outcome: expired } = await decide(await make('td1', { expires: '2021-01-01' }));
  assert.deepEqual(expired, ['rejected', 'ScanIdExpired']);
});

test('a line that the names fill does not accept a longer surname', async () => {
  const names = { surname: 'WOLFESCHLEGELSTEINHAUSEN', givenNames: 'HUBERTBLAINEW' };
  const { person, ...sent } = await make('td3', names);
  assert.deepEqual((await decide({ ...sent, person })).outcome, ['accepted']);
  const longer = await make('td3', names);
  const lastName = 'Wolfeschlegelsteinhausenbergerdorff';
  const { outcome, unclear } = await decide({ ...longer, person: { ...longer.person, lastName } });
  assert.deepEqual([outcome, unclear], [['pending'], ['A person decides: the document cuts off the surname.']]);
  const filled = await make('td3', { surname: 'WOLFESCHLEGELSTEINHAUSENBERGERDORFFWELC', givenNames: 'HUBERT' });
  assert.deepEqual((await decide(filled)).outcome, ['pending']);
});

test('two passports in one picture are for a person, and one passport twice is not', async () => {
  const both = async (one: Sent, other: Sent) => {
    const [upper, lower] = await Promise.all(
      [one, other].map(({ file }) => sharp(file).resize(1300, 900, { fit: 'fill' }).toBuffer()),
    );
    const page = sharp({ create: { width: 1300, height: 1840, channels: 3, background: '#777' } });
    return page
      .composite([
        { input: upper!, top: 0, left: 0 },
        { input: lower!, top: 940, left: 0 },
      ])
      .jpeg({ quality: 92 })
      .toBuffer();
  };
  const [one, other] = [await make('td3'), await make('td3')];
  const file = await both(one, other);
  for (const { person } of [one, other]) {
    const { outcome, unclear } = await decide({ file, person, documentType: 'passport' });
    assert.deepEqual(outcome, ['pending']);
    assert.match(unclear.join(' '), /zones of two documents/);
  }
  const third = await make('td3');
  const twice = await both(third, third);
  const { outcome, unclear } = await decide({ ...third, file: twice });
  assert.deepEqual([outcome, unclear], [['accepted'], []]);
});

test('two people with pages of one layout are accepted; a portrait that was sent with another zone is for a person', async () => {
  const random = openRandom(7);
  const layout = inventLayout(random);
  const [one, other, third] = [1, 2, 3].map(() => ({ ...inventHolder(random, TODAY), expires: '2034-05-06', issuer: 'NLD' }));
  const send = async (holder: Holder, { face, px }: { face: number; px: number }) => {
    const svg = drawPage('td3', layout, { holder, face, lines: zoneLines('td3', holder, random) }, px);
    const { surname, givenNames, dateOfBirth } = holder;
    const person = { firstName: givenNames, lastName: surname, dateOfBirth };
    const file = await sharp(Buffer.from(svg)).jpeg({ quality: 85 }).toBuffer();
    return decide({ file, documentType: 'passport', person });
  };
  assert.deepEqual((await send(one!, { face: 1, px: 12 })).outcome, ['accepted']);
  const { outcome, alike } = await send(other!, { face: 2, px: 12 });
  assert.deepEqual([outcome, alike], [['accepted'], []]);
  const forged = await send(third!, { face: 1, px: 10 });
  assert.deepEqual([forged.outcome, forged.alike.length], [['pending'], 1]);
  assert.match(forged.alike[0]!, /^(portrait|picture)$/);
});

test('a barcode that contradicts itself is for a person, who sees why', async () => {
  const cases: [name: string, change: (text: string) => string, why: RegExp][] = [
    ['no issuer', (text) => text.replace(/ANSI \d{6}/, 'ANSI 000000'), /no issuer has the number 000000/],
    ['an unknown issuer', (text) => text.replace(/ANSI \d{6}/, 'ANSI 636099'), /no issuer has the number 636099/],
    ['another state', (text) => text.replace(/ANSI \d{6}/, 'ANSI 636050'), /636050 is not of/],
    [
      'issued after expiry',
      (text) => text.replace(/DBD\d{8}/, /DCGCAN/.test(text) ? 'DBD20350101' : 'DBD01012035'),
      /after the expiry/,
    ],
    [
      'issued before birth',
      (text) => text.replace(/DBD\d{8}/, /DCGCAN/.test(text) ? 'DBD19010101' : 'DBD01011901'),
      /before the birth/,
    ],
    [
      'issued before its version',
      (text) => text.replace(/DBD\d{8}/, /DCGCAN/.test(text) ? 'DBD20040101' : 'DBD01012004'),
      /version \d+ of the standard is of/,
    ],
  ];
  for (const [name, change, why] of cases) {
    const { outcome, unclear } = await decide(await make('aamva', { dateOfBirth: '1980-01-31' }, change));
    assert.deepEqual([outcome, unclear.length], [['pending'], 1], name);
    assert.match(unclear[0]!, why);
  }
});

test('shapes of barcodes that issued cards have are read', async () => {
  const grow = (text: string, by: number) =>
    text.replace(/(?<=(DL|ID)00\d\d)\d{4}/, (length) => String(Number(length) + by).padStart(4, '0'));
  const shapes: Record<string, (text: string) => string> = {
    'a length that is one too small': (text) => grow(text, -1),
    'a length that is one too large': (text) => grow(text, 1),
    'lines that end with CR and LF': (text) => {
      const lines = text.split('\n').length - 3;
      const [begin, body] = [text.slice(0, 31), text.slice(31)];
      return grow(begin, lines + 1) + body.replaceAll('\n', '\r\n').replace(/\r$/, '\r\n');
    },
    'no record separator': (text) =>
      text.replace('\u001e', '').replace(/(?<=DL|ID)00\d\d/, (offset) => String(Number(offset) - 1).padStart(4, '0')),
  };
  for (const [shape, change] of Object.entries(shapes)) {
    assert.deepEqual((await decide(await make('aamva', {}, change))).outcome, ['accepted'], shape);
  }
  // Two people: one with two numbers would be for a person.
  for (const [kind, year] of [
    ['DL', 1980],
    ['', 1981],
  ]) {
    const body = `${kind}DAADOE,ANN,MARY\nDAQX12345${kind}\nDAG1 SPECIMEN STREET\nDAISAMPLETOWN\nDAJCA\nDBA20300131\nDBB${year}0131\r`;
    const text = `@\n\u001e\rANSI 63601401${'01'}DL0029${String(body.length).padStart(4, '0')}${body}`;
    const { file, documentType } = await make('aamva', {}, () => text);
    const person = { firstName: 'Ann Mary', lastName: 'Doe', dateOfBirth: `${year}-01-31` };
    assert.deepEqual((await decide({ file, documentType, person })).outcome, ['accepted'], `version 1 with ${kind}`);
  }
});

test('a specimen of the state UTO is refused in production, and accepted in the sandbox', async (t) => {
  const issuer = 'UTO';
  assert.deepEqual((await decide(await make('td3', { issuer }))).outcome, ['rejected', 'ScanFailedOther']);
  const sandbox = await openUploads(t, { env: { ...env, SANDBOX_REVIEW_DELAY_MS: '0' } });
  // In the sandbox, another first name asks for no document.
  const { person, ...sent } = await make('td3', { issuer });
  const { outcome } = await decide({ ...sent, person: { ...person, firstName: 'document' }, service: sandbox });
  assert.deepEqual(outcome, ['accepted']);
});
