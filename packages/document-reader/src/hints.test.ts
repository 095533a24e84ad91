// Hints: what gives one, what looks alike and gives none, and metadata that strangers made up.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import { inventHolder } from '../specimens/holder.ts';
import { HONEST_PROGRAMS, type Place, segment, withMetadata } from '../specimens/metadata.ts';
import { openRandom } from '../specimens/random.ts';
import { photographScreen } from '../specimens/screen.ts';
import { drawPage, inventLayout } from '../specimens/second-drawer.ts';
import { zoneLines } from '../specimens/zone-lines.ts';
import { findHints } from './hints.ts';
import { decode } from './raster.ts';
import type { Hint, Reading } from './reading.ts';

const TODAY = '2026-11-22';
const PLACES: Place[] = ['exif', 'xmp'];
/** Signature and IHDR: texts may follow. */
const PNG_HEAD = 33;
/** CPU of the hints of one picture is about 13 ms; a slow machine takes a few times as long. */
const CPU_MAX_MS = 500;

const random = openRandom(4);
const holder = inventHolder(random, TODAY);
const svg = drawPage('td3', inventLayout(random), { holder, face: 4, lines: zoneLines('td3', holder, random) }, 12);
const page = await sharp(Buffer.from(svg)).jpeg({ quality: 88 }).toBuffer();

async function hintsOf(
  file: Buffer,
  { kind = 'td3', original = file }: { kind?: Reading['kind']; original?: Buffer } = {},
): Promise<Hint[]> {
  return findHints({ kind, picture: await decode(file, 2600), original });
}

test('a page as it was taken has no hint, in colour and in any size; without colour it has one, unless it is the back of a licence', async () => {
  assert.deepEqual(await hintsOf(page), []);
  assert.deepEqual(await hintsOf(await sharp(page).resize(900).jpeg({ quality: 60 }).toBuffer()), []);
  assert.deepEqual(await hintsOf(await sharp(page).resize(120).toBuffer()), [], 'too small for a pattern');
  const grey = await sharp(page).greyscale().png().toBuffer();
  assert.deepEqual(await hintsOf(grey), ['greyCopy']);
  assert.deepEqual(await hintsOf(grey, { kind: 'aamva' }), []);
});

test('a photograph of a screen has a hint', async () => {
  assert.deepEqual(await hintsOf(await photographScreen(openRandom(8), { svg, width: 1500, height: 1056, isCard: false })), [
    'screen',
  ]);
});

test('the name of an editor is found in each place, and none in what cameras, scanners and messengers write', async () => {
  const small = await sharp(page).resize(120).jpeg().toBuffer();
  const picture = await decode(small, 120);
  const hintsIn = (program: string, place: Place, isPhone: boolean) =>
    findHints({ kind: 'td3', picture, original: withMetadata(small, { program, place, isPhone }) });
  for (const place of PLACES) {
    assert.deepEqual(await hintsIn('Adobe Photoshop 25.1 (Windows)', place, false), ['editor'], place);
    for (const program of HONEST_PROGRAMS) assert.deepEqual(await hintsIn(program, place, true), [], `${program} in ${place}`);
  }
  const png = await sharp(small).png().toBuffer();
  const text = Buffer.from('tEXtSoftware\0Adobe Photoshop');
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(text.length - 4);
  sum.writeUInt32BE(crc32(text));
  const original = Buffer.concat([png.subarray(0, PNG_HEAD), length, text, sum, png.subarray(PNG_HEAD)]);
  assert.deepEqual(await findHints({ kind: 'td3', picture, original }), ['editor']);
});

test('metadata of any size and shape takes a bounded time', async () => {
  const picture = await decode(page, 2600);
  const repeated = (marker: number, head: string, unit: string) =>
    Array.from({ length: 140 }, () => segment(marker, Buffer.concat([Buffer.from(head), Buffer.alloc(65_000, unit)])));
  const cases = {
    'expressions that begin again and again': repeated(0xe1, 'http://ns.adobe.com/xap/1.0/\0', 'CreatorTool="'),
    comments: repeated(0xfe, '', 'photosho'),
    'EXIF that leads to itself': [
      segment(0xe1, Buffer.from('Exif\0\0II*\0\x08\0\0\0\xff\xff\x69\x87\x04\0\x01\0\0\0\x08\0\0\0', 'latin1')),
    ],
    'no picture': [Buffer.from('GIF89a')],
  };
  for (const [name, segments] of Object.entries(cases)) {
    const original = Buffer.concat([page.subarray(0, 2), ...segments, page.subarray(2)]);
    const before = process.cpuUsage();
    assert.deepEqual(await findHints({ kind: 'td3', picture, original }), [], name);
    const { user, system } = process.cpuUsage(before);
    assert.ok((user + system) / 1000 < CPU_MAX_MS, `${name}: ${(user + system) / 1000} ms`);
  }
});
