// The reader of pictures: specimens of every kind, what it must not trust, and its weights.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import sharp from 'sharp';
import { measureCharacters } from '../../../bench/reader/characters.ts';
import type { Tier } from '../../../test/specimens/camera.ts';
import { makeSpecimen, type Specimen, type SpecimenKind } from '../../../test/specimens/specimens.ts';
import { blankPng } from '../../../test/support/pictures.ts';
import { openRandom } from '../../../test/support/random.ts';
import { readPicture } from './read-picture.ts';

const TODAY = '2026-11-22';
/** Changes only with a training run: `npm run reader:train`. */
const WEIGHTS_SHA256 = '1758f2b2410616b419202571bc725134160dc9c8177e4debf4e53d630333f06c';
const DECLARED = { td1: 'idCard', td2: 'idCard', td3: 'passport', aamva: 'license' } as const;

test('the weights are those of the training, and read characters that were not trained on', async () => {
  const weights = readFileSync(new URL('./weights.ts', import.meta.url));
  assert.equal(createHash('sha256').update(weights).digest('hex'), WEIGHTS_SHA256);
  assert.ok(weights.length < 200_000);
  const { accuracy } = await measureCharacters(openRandom(41), 8);
  assert.ok(accuracy > 0.97, `${accuracy}`);
});

const READABLE: [SpecimenKind, Tier][] = [
  ['td3', 'B'],
  ['td3', 'C'],
  ['td1', 'C'],
  ['td2', 'B'],
  ['aamva', 'A'],
  ['aamva', 'B'],
];

for (const [kind, tier] of READABLE) {
  test(`reads number, names and dates of ${kind} in a picture of tier ${tier}`, async () => {
    const { picture, holder } = await specimen({ kind, tier });
    const reading = await readPicture(picture, { type: DECLARED[kind], today: TODAY });
    assert.ok(reading.kind !== 'none' && reading.verified);
    assert.equal(reading.kind, kind);
    const { documentNumber, surname, givenNames, dateOfBirth, expires, issuer } = reading.fields;
    assert.deepEqual(
      { documentNumber, surname, givenNames, dateOfBirth, expires, issuer },
      {
        documentNumber: holder.number,
        surname: holder.surname,
        givenNames: holder.givenNames,
        dateOfBirth: holder.dateOfBirth,
        expires: holder.expires,
        issuer: holder.issuer,
      },
    );
    assert.ok(reading.confidence.surname > 0.9);
    assert.equal(reading.letters.surname.length, surname.length);
    assert.deepEqual(reading.quality.faults, []);
  });
}

test('reads a zone upside down', async () => {
  const { picture, holder } = await specimen({ kind: 'td3', tier: 'A' });
  const reading = await readPicture(await sharp(picture).rotate(180).jpeg().toBuffer(), { type: 'passport', today: TODAY });
  assert.ok(reading.kind !== 'none' && reading.verified);
  assert.equal(reading.fields.surname, holder.surname);
});

test('a zone with a repainted digit is read, but not verified', async () => {
  const { picture } = await specimen({ kind: 'td1', tier: 'A', repainted: true });
  const reading = await readPicture(picture, { type: 'idCard', today: TODAY });
  assert.ok(reading.kind === 'td1' && !reading.verified);
  assert.ok(reading.checks.some(({ name, passed }) => !passed && ['birth', 'expiry', 'composite'].includes(name)));
});

test('the front of a card and a letter have no data, and nothing proves that they are not readable', async () => {
  const front = await readPicture((await specimen({ kind: 'front', tier: 'B' })).picture, { type: 'license', today: TODAY });
  assert.ok(front.kind === 'none' && front.cause === 'noBarcode');
  assert.deepEqual(front.quality.faults, []);
  const letter = await readPicture((await specimen({ kind: 'letter', tier: 'A' })).picture, { type: 'passport', today: TODAY });
  assert.ok(letter.kind === 'none' || !letter.verified);
});

test('a blurred, a tiny and a blank picture are proven not readable, with the measure', async () => {
  const { picture } = await specimen({ kind: 'td3', tier: 'A' });
  const faultOf = async (file: Buffer) =>
    (await readPicture(file, { type: 'passport', today: TODAY })).quality.faults[0]?.measure;
  assert.equal(await faultOf(await sharp(picture).blur(14).jpeg().toBuffer()), 'sharpness');
  assert.equal(await faultOf(await sharp(picture).resize(140).jpeg().toBuffer()), 'longEdge');
  assert.ok(await faultOf(blankPng(600, 400)));
});

test('a truncated file is undecodable', async () => {
  const { picture } = await specimen({ kind: 'td3', tier: 'A' });
  const reading = await readPicture(picture.subarray(0, picture.length / 2), { type: 'passport', today: TODAY });
  assert.ok(reading.kind === 'none' && reading.cause === 'undecodable');
});

test('the same picture has nearly the same fingerprint after another compression, another picture does not', async () => {
  const [one, two] = [await specimen({ kind: 'td3', tier: 'A' }), await specimen({ kind: 'aamva', tier: 'A' })];
  const hash = async (file: Buffer) => BigInt(`0x${(await readPicture(file, { type: 'other', today: TODAY })).fingerprint}`);
  const bits = (value: bigint) => value.toString(2).replaceAll('0', '').length;
  const [original, compressed, other] = await Promise.all(
    [one.picture, await sharp(one.picture).resize(900).jpeg({ quality: 60 }).toBuffer(), two.picture].map(hash),
  );
  assert.ok(bits(original! ^ compressed!) <= 4);
  assert.ok(bits(original! ^ other!) > 12);
});

const made = new Map<string, Promise<Specimen>>();

/** Each specimen is drawn once. */
function specimen(options: { kind: Specimen['kind']; tier: Tier; repainted?: boolean }): Promise<Specimen> {
  const key = JSON.stringify(options);
  const before = made.get(key) ?? makeSpecimen(openRandom(11), { ...options, today: TODAY });
  made.set(key, before);
  return before;
}
