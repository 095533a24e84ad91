// The reader of pictures: specimens of every kind, what it must not trust, and its weights.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import sharp from 'sharp';
import { measureCharacters } from '../bench/characters.ts';
import type { Tier } from '../specimens/camera.ts';
import { inventHolder } from '../specimens/holder.ts';
import { openRandom } from '../specimens/random.ts';
import { drawPage, inventLayout } from '../specimens/second-drawer.ts';
import { makeSpecimen, type Specimen, type SpecimenKind } from '../specimens/specimens.ts';
import { zoneLines } from '../specimens/zone-lines.ts';
import { spend } from './effort.ts';
import { differingBits, fingerprint, SAME_BITS_MAX } from './fingerprint.ts';
import { decode } from './raster.ts';
import { readPicture } from './read-picture.ts';
import { readZone } from './zone.ts';

const TODAY = '2026-11-22';
const LONG_EDGE_PX = 400;
/** Changes only with a training run: `npm run bench -- reader-train`. */
const WEIGHTS_SHA256 = '080364c0a193cbc84dad749b5a9e0d8a690eff1ae57ea285a52859a841de00e7';
const DECLARED = { td1: 'idCard', td2: 'idCard', td3: 'passport', aamva: 'license' } as const;
/** Of the specimens of seed 1, the passport on a chequered table, which reads as a zone of fillers and two check digits that agree. */
const PATTERNED = 409;

test('the weights are those of the training, and read characters that were not trained on', async () => {
  const weights = readFileSync(new URL('./weights.ts', import.meta.url));
  assert.equal(createHash('sha256').update(weights).digest('hex'), WEIGHTS_SHA256);
  assert.ok(weights.length < 200_000);
  const { accuracy } = await measureCharacters(openRandom(41), 8);
  assert.ok(accuracy > 0.97, `${accuracy}`);
});

test('a pattern beside a passport is not taken for the zone of another document', async () => {
  const random = openRandom(1);
  for (let other = 0; other < PATTERNED; other++) random.fork();
  const { picture, holder } = await makeSpecimen(random.fork(), { kind: 'td3', tier: 'A', today: TODAY });
  const reading = await readPicture(picture, { type: 'passport', today: TODAY });
  assert.ok(reading.kind === 'td3' && reading.verified);
  assert.equal(reading.fields.documentNumber, holder.number);
});

const READABLE: [SpecimenKind, Tier][] = [
  ['td3', 'C'],
  ['td1', 'C'],
  ['td2', 'B'],
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

test('reads a zone upside down or followed by another file, and turns a picture by each EXIF orientation', async () => {
  const { picture, holder } = await specimen({ kind: 'td3', tier: 'C' });
  const page = '<html><script>alert(1)</script></html>';
  const variants = {
    'upside down': await sharp(picture).rotate(180).jpeg().toBuffer(),
    polyglot: Buffer.concat([picture, Buffer.from(`${page}%PDF-1.7`)]),
  };
  for (const [name, file] of Object.entries(variants)) {
    const reading = await readPicture(file, { type: 'passport', today: TODAY });
    assert.ok(reading.kind !== 'none' && reading.verified, name);
    assert.equal(reading.fields.surname, holder.surname);
  }
  const { grey: upright } = await decode(picture, LONG_EDGE_PX);
  for (let orientation = 1; orientation <= 8; orientation++) {
    const { width, height, data } = (await decode(await turnedBy(picture, orientation), LONG_EDGE_PX)).grey;
    assert.deepEqual([width, height], [upright.width, upright.height], `orientation ${orientation}`);
    const strange = data.reduce((sum, value, at) => sum + Number(Math.abs(value - upright.data[at]!) > 40), 0);
    assert.ok(strange < data.length / 100, `orientation ${orientation}: ${strange}`);
  }
});

/** The picture as a camera stores it that is held another way: EXIF says how it is upright. */
async function turnedBy(picture: Buffer, orientation: number): Promise<Buffer> {
  const isMirrored = [2, 4, 5, 7].includes(orientation);
  const degrees = [0, 0, 180, 180, 90, 270, 270, 90][orientation - 1]!;
  const turned = await sharp(picture).rotate(degrees).png().toBuffer();
  return sharp(turned).flop(isMirrored).jpeg({ quality: 95 }).withMetadata({ orientation }).toBuffer();
}

test('a zone with a repainted digit is read, but not verified', async () => {
  const { picture } = await specimen({ kind: 'td1', tier: 'B', repainted: true });
  const reading = await readPicture(picture, { type: 'idCard', today: TODAY });
  assert.ok(reading.kind === 'td1' && !reading.verified);
  assert.ok(reading.checks.some(({ name, passed }) => !passed && ['birth', 'expiry', 'composite'].includes(name)));
});

test('the front of a card and a letter have no data, and nothing proves that they are not readable', async () => {
  const front = await readPicture((await specimen({ kind: 'front', tier: 'C' })).picture, { type: 'license', today: TODAY });
  assert.ok(front.kind === 'none' && front.cause === 'noBarcode');
  assert.deepEqual(front.quality.faults, []);
  const letter = await readPicture((await specimen({ kind: 'letter', tier: 'C' })).picture, { type: 'passport', today: TODAY });
  assert.ok(letter.kind === 'none' || !letter.verified);
});

test('a blurred, a tiny and a blank picture are proven not readable, with the measure', async () => {
  const { picture } = await specimen({ kind: 'td3', tier: 'C' });
  const faultOf = async (file: Buffer) =>
    (await readPicture(file, { type: 'passport', today: TODAY })).quality.faults[0]?.measure;
  assert.equal(await faultOf(await sharp(picture).blur(14).jpeg().toBuffer()), 'sharpness');
  assert.equal(await faultOf(await sharp(picture).resize(140).jpeg().toBuffer()), 'longEdge');
  assert.ok(await faultOf(await blank(600, 400)));
});

test('measures light and contrast over the whole picture, and sees at which edge something is cut off', async () => {
  const measure = async (
    bars: { left: number; top: number; width: number; height: number },
    size = { width: 1500, height: 1000 },
  ) => {
    const input = await sharp({ create: { width: bars.width, height: bars.height, channels: 3, background: 'black' } })
      .png()
      .toBuffer();
    const plain = sharp({ create: { ...size, channels: 3, background: 'white' } });
    const isTall = bars.height > bars.width;
    const places = Array.from({ length: 10 }, (_, bar) => ({
      input,
      left: bars.left + (isTall ? bar * 40 : 0),
      top: bars.top + (isTall ? 0 : bar * 40),
    }));
    return (await readPicture(await plain.composite(places).png().toBuffer(), { type: 'other', today: TODAY })).quality;
  };
  const edges = {
    left: { left: 0, top: 300, width: 200, height: 20 },
    right: { left: 1300, top: 300, width: 200, height: 20 },
    top: { left: 300, top: 0, width: 20, height: 200 },
    bottom: { left: 300, top: 800, width: 20, height: 200 },
  };
  for (const [edge, bars] of Object.entries(edges)) assert.equal((await measure(bars)).cutOff, true, edge);
  assert.equal((await measure({ ...edges.bottom, top: 770 })).cutOff, false, 'near the lower edge');
  const { cutOff, brightness, contrast } = await measure({ left: 500, top: 300, width: 300, height: 39 });
  assert.equal(cutOff, false);
  assert.ok(Math.abs(brightness - 0.92) < 0.04, `${brightness} of the picture is white`);
  assert.equal(contrast, 1);
  const strip = await measure({ left: 300, top: 20, width: 20, height: 60 }, { width: 1500, height: 80 });
  assert.equal(strip.cutOff, true, 'at the lower edge of a strip');
});

test('a truncated file is undecodable', async () => {
  const { picture } = await specimen({ kind: 'td3', tier: 'C' });
  const reading = await readPicture(picture.subarray(0, picture.length / 2), { type: 'passport', today: TODAY });
  assert.ok(reading.kind === 'none' && reading.cause === 'undecodable');
});

test('the same picture has nearly the same fingerprint after another compression, another of its layout does not', async () => {
  const [one, other] = [await specimen({ kind: 'td3', tier: 'C' }), await specimen({ kind: 'td3', tier: 'C' }, 12)];
  const hash = async (file: Buffer) => BigInt(`0x${await fingerprint((await decode(file, LONG_EDGE_PX)).grey)}`);
  const bits = (value: bigint) => value.toString(2).replaceAll('0', '').length;
  const compressed = await sharp(one.picture).resize(900).jpeg({ quality: 60 }).toBuffer();
  const original = await hash(one.picture);
  assert.ok(bits(original ^ (await hash(compressed))) <= 10);
  assert.ok(bits(original ^ (await hash(other.picture))) > 30);
  assert.equal(await hash(await blank(600, 400)), 0n);
});

test('the portrait has the same hash with another zone, size and side of the page; another one has not, and some documents have none', async () => {
  for (const isFaceRight of [false, true]) {
    const random = openRandom(5);
    const layout = { ...inventLayout(random), isFaceRight };
    const portraitOn = async (face: number, { px, turn = 0 }: { px: number; turn?: number }) => {
      const holder = inventHolder(random, TODAY);
      const svg = drawPage('td3', layout, { holder, face, lines: zoneLines('td3', holder, random) }, px);
      const picture = await sharp(Buffer.from(svg)).rotate(turn).jpeg({ quality: 80 }).toBuffer();
      return (await readPicture(picture, { type: 'passport', today: TODAY })).portrait!;
    };
    const first = await portraitOn(1, { px: 14 });
    assert.ok(differingBits(first, await portraitOn(1, { px: 10, turn: 180 })) <= SAME_BITS_MAX);
    assert.ok(differingBits(first, await portraitOn(2, { px: 14 })) > 2 * SAME_BITS_MAX);
  }
  const back = await readPicture((await specimen({ kind: 'td1', tier: 'B' })).picture, { type: 'idCard', today: TODAY });
  assert.ok(back.kind === 'td1' && back.portrait === undefined);
});

test('a page of noise costs a bounded effort', async () => {
  const effort = { leftMs: 300 };
  const speckles = { type: 'gaussian' as const, mean: 128, sigma: 30 };
  const create = { width: 1200, height: 800, channels: 3 as const, background: 'white', noise: speckles };
  const { grey: noise } = await decode(await sharp({ create }).jpeg().toBuffer(), 1200);
  await readZone(noise, { today: TODAY, effort });
  assert.ok(effort.leftMs >= 0);
  assert.ok(!spend(effort, { step: 'searchedPixel', count: 1600 * 1700 }), `${effort.leftMs} ms are left`);
});

function blank(width: number, height: number): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: 'black' } })
    .png()
    .toBuffer();
}

const made = new Map<string, Promise<Specimen>>();

/** Each specimen is drawn once. */
function specimen(options: { kind: Specimen['kind']; tier: Tier; repainted?: boolean }, seed = 11): Promise<Specimen> {
  const key = JSON.stringify([options, seed]);
  const before = made.get(key) ?? makeSpecimen(openRandom(seed), { ...options, today: TODAY });
  made.set(key, before);
  return before;
}
