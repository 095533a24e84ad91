// `npm run bench -- hints [--seed N --photographs N]`: how often honest pictures give a hint, and how often those do that should.
import { parseArgs } from 'node:util';
import sharp from 'sharp';
import { photograph, type Tier } from '../specimens/camera.ts';
import { inventHolder } from '../specimens/holder.ts';
import { EDITING_PROGRAMS, HONEST_PROGRAMS, type Place, withMetadata } from '../specimens/metadata.ts';
import type { Page } from '../specimens/pages.ts';
import { openRandom, type Random } from '../specimens/random.ts';
import { photographScreen } from '../specimens/screen.ts';
import { drawPage, inventLayout } from '../specimens/second-drawer.ts';
import { zoneLines } from '../specimens/zone-lines.ts';
import { findHints } from '../src/hints.ts';
import { decode } from '../src/raster.ts';
import { HINTS, type Hint } from '../src/reading.ts';
import { TODAY } from './trial.ts';

const { values } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, photographs: { type: 'string', default: '340' } },
});
const PX_PER_MM = 12;
const SIZES = { td3: [125, 88], td2: [105, 74] } as const;
const TIERS: Record<string, Tier> = { scan: 'A', 'clear photograph': 'B', 'poor photograph': 'C' };
const PLACES: Place[] = ['exif', 'xmp'];
/** Each photograph is three honest pictures. Of every eighth page, there is a flat picture too, and a forger makes one of each kind. */
const FORGED_EVERY = 8;
/** As the service makes it, which reads the copy, and takes only metadata from the original. */
const COPY = { sidePixels: 2400, quality: 85 };

type Counts = { pictures: number; found: Record<Hint, number> };
const counts = new Map<string, Counts>();
const cpuMs: number[] = [];
const random = openRandom(Number(values.seed));
for (let index = 0; index < Number(values.photographs); index++) {
  const page = inventPage(random.fork());
  const [name, tier] = Object.entries(TIERS)[index % 3]!;
  const picture = await photograph(random.fork(), page, tier);
  await lookAtHonest(random.fork(), name, picture);
  if (index % FORGED_EVERY > 0) continue;
  await look(
    'honest: flat, without grain',
    await sharp(Buffer.from(page.svg))
      .removeAlpha()
      .jpeg({ quality: random.int(60, 95) })
      .toBuffer(),
  );
  await lookAtForged(random.fork(), page, { tier, picture });
}
print();

/** Half of the portraits are engraved, which have no colour on a page that has one. */
function inventPage(random: Random): Page {
  const kind = random.pick(['td3', 'td2'] as const);
  const holder = inventHolder(random, TODAY);
  const shown = { holder, face: random.int(0, 2 ** 31), lines: zoneLines(kind, holder, random) };
  const svg = drawPage(kind, inventLayout(random), shown, PX_PER_MM);
  const engraved = svg.replace(/<svg x=.*?<\/svg>/s, (portrait) =>
    portrait
      .replace(/hsl\((\S+) \S+ /g, 'hsl($1 0% ')
      .replace('#8b3f3a', '#555')
      .replace('#5b4033', '#444'),
  );
  const [width, height] = SIZES[kind].map((mm) => mm * PX_PER_MM);
  return { svg: random.chance(0.5) ? engraved : svg, width: width!, height: height!, isCard: false };
}

async function lookAtHonest(random: Random, name: string, picture: Buffer): Promise<void> {
  const named = { program: random.pick(HONEST_PROGRAMS), place: random.pick(PLACES), isPhone: random.chance(0.5) };
  await look(`honest: ${name}`, withMetadata(picture, named));
  await look(
    'honest: saved again',
    await sharp(picture)
      .jpeg({ quality: random.int(50, 95) })
      .toBuffer(),
  );
  const smaller = sharp(picture).resize({ width: random.int(900, 1300), withoutEnlargement: true });
  await look('honest: made smaller', await smaller.jpeg({ quality: random.int(60, 85) }).toBuffer());
}

async function lookAtForged(random: Random, page: Page, { tier, picture }: { tier: Tier; picture: Buffer }): Promise<void> {
  await look('photograph of a screen', await photographScreen(random, page));
  const grey = await sharp(Buffer.from(page.svg)).greyscale().jpeg({ quality: 95 }).toBuffer();
  await look('grey: photocopy', await photograph(random, { ...page, svg: wrap(page, grey) }, tier));
  await look('grey: saved without colour', await sharp(picture).greyscale().jpeg({ quality: 85 }).toBuffer());
  const named = { program: random.pick(EDITING_PROGRAMS), place: random.pick(PLACES), isPhone: random.chance(0.5) };
  await look("an editor's name", withMetadata(picture, named));
}

function wrap({ width, height }: Page, jpeg: Buffer): string {
  const image = `<image width="${width}" height="${height}" href="data:image/jpeg;base64,${jpeg.toString('base64')}"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${image}</svg>`;
}

async function look(name: string, original: Buffer): Promise<void> {
  const copied = sharp(original).resize({
    width: COPY.sidePixels,
    height: COPY.sidePixels,
    fit: 'inside',
    withoutEnlargement: true,
  });
  const file = await copied.jpeg({ quality: COPY.quality }).toBuffer();
  const picture = await decode(file, COPY.sidePixels);
  const before = process.cpuUsage();
  const hints = await findHints({ kind: 'td3', picture, original });
  const { user, system } = process.cpuUsage(before);
  cpuMs.push((user + system) / 1000);
  for (const group of name.startsWith('honest') ? [name, 'honest: all'] : [name]) {
    const count = counts.get(group) ?? { pictures: 0, found: { screen: 0, greyCopy: 0, editor: 0 } };
    counts.set(group, count);
    count.pictures++;
    for (const hint of hints) count.found[hint]++;
  }
}

function print(): void {
  console.log(`pictures                      count${HINTS.map((hint) => hint.padStart(10)).join('')}`);
  for (const [name, { pictures, found }] of [...counts].sort()) {
    console.log(
      `${name.padEnd(28)}${String(pictures).padStart(7)}${HINTS.map((hint) => String(found[hint]).padStart(10)).join('')}`,
    );
  }
  console.log(`CPU for the hints of a picture: median ${cpuMs.sort((a, b) => a - b)[cpuMs.length >> 1]!.toFixed(1)} ms`);
}
