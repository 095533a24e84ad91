// `npm run bench -- likeness [--seed N --layouts N]`: in how many bits the hashes of two pictures of one layout differ.
import { parseArgs } from 'node:util';
import sharp from 'sharp';
import { type Holder, inventHolder } from '../specimens/holder.ts';
import { openRandom, type Random } from '../specimens/random.ts';
import { drawPage, inventLayout } from '../specimens/second-drawer.ts';
import { zoneLines } from '../specimens/zone-lines.ts';
import { differingBits, SAME_BITS_MAX } from '../src/fingerprint.ts';
import { readPicture } from '../src/read-picture.ts';
import { TODAY } from './trial.ts';

const { values } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, layouts: { type: 'string', default: '12' } },
});
/** Of each layout: 91 pairs of people, and 84 pairs of one portrait. */
const PEOPLE = 14;
const FORGED = 3;
const DECLARED = { td3: 'passport', td2: 'idCard' } as const;
const LIMITS = [4, 8, 12, 16, SAME_BITS_MAX, 30];

type Seen = { page: string; portrait: string | undefined };
/** Bits that differ, of each pair. `portraits` has the pairs of which both portraits were found. */
type Pairs = { pages: number[]; portraits: number[] };

const random = openRandom(Number(values.seed));
const people: Pairs = { pages: [], portraits: [] };
const forged: Pairs = { pages: [], portraits: [] };
for (let index = 0; index < Number(values.layouts); index++) await compareLayout(random.fork());
console.log(
  `pairs of one layout                 count  differ in at most${LIMITS.map((limit) => `${limit}`.padStart(5)).join('')} bits`,
);
for (const [name, { pages, portraits }] of Object.entries({ 'two people': people, 'one portrait, two zones': forged })) {
  print(`${name}: pages`, pages);
  print(`${name}: portraits`, portraits);
}

/** Flat scans of one layout, cut to the page, with the zone in one place: as alike as honest documents can be. */
async function compareLayout(random: Random): Promise<void> {
  const kind = random.pick(['td3', 'td2'] as const);
  const layout = inventLayout(random);
  const pxPerMm = random.int(10, 11);
  const scan = (zone: Holder, printed: Holder, face: number) => {
    const svg = drawPage(kind, layout, { holder: printed, face, lines: zoneLines(kind, zone, random.fork()) }, pxPerMm);
    return sharp(Buffer.from(svg))
      .removeAlpha()
      .jpeg({ quality: random.int(80, 95) })
      .toBuffer();
  };
  const look = async (picture: Buffer): Promise<Seen> => {
    const { fingerprint: page, portrait } = await readPicture(picture, { type: DECLARED[kind], today: TODAY });
    return { page, portrait };
  };
  const honest: Seen[] = [];
  for (let index = 0; index < PEOPLE; index++) {
    const [holder, face] = [inventHolder(random, TODAY), random.int(0, 2 ** 31)];
    const alike = [await look(await scan(holder, holder, face))];
    for (let copy = 0; copy < FORGED; copy++) {
      // Half of the forgers change the printed fields too. All of them save the picture in another size.
      const forger = inventHolder(random, TODAY);
      const picture = sharp(await scan(forger, random.chance(0.5) ? forger : holder, face));
      const saved = picture.resize({ width: random.int(1050, 1250) }).jpeg({ quality: random.int(60, 90) });
      alike.push(await look(await saved.toBuffer()));
    }
    honest.push(alike[0]!);
    compareAll(forged, alike);
  }
  compareAll(people, honest);
}

function compareAll({ pages, portraits }: Pairs, seen: Seen[]): void {
  for (const [at, one] of seen.entries()) {
    for (const two of seen.slice(at + 1)) {
      pages.push(differingBits(one.page, two.page));
      if (one.portrait !== undefined && two.portrait !== undefined) portraits.push(differingBits(one.portrait, two.portrait));
    }
  }
}

function print(name: string, bits: number[]): void {
  const counts = LIMITS.map((limit) => bits.filter((value) => value <= limit).length);
  console.log(
    `${name.padEnd(36)}${String(bits.length).padStart(5)}${' '.repeat(19)}${counts.map((count) => String(count).padStart(5)).join('')}`,
  );
}
