// `npm run bench -- hints [--seed N --pictures N]`: how often the files of honest pictures give a hint, and those of changed ones.
import { parseArgs } from 'node:util';
import sharp from 'sharp';
import { openRandom } from '../specimens/random.ts';
import { makeSpecimen } from '../specimens/specimens.ts';
import { findHints, HINTS, type Hint } from '../src/hints.ts';
import { TODAY } from './trial.ts';

const { values } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, pictures: { type: 'string', default: '150' } },
});
const PICTURES = Number(values.pictures);
const KINDS = ['td3', 'td1', 'td2', 'aamva', 'front'] as const;
const TIERS = ['A', 'B', 'C'] as const;
/** What is done to a picture. */
const CHANGES: Record<string, (picture: Buffer) => Promise<Buffer>> = {
  'honest: as taken': async (picture) => picture,
  'honest: made smaller by a messenger': (picture) => sharp(picture).resize({ width: 1000 }).jpeg({ quality: 75 }).toBuffer(),
  'without colour': (picture) => sharp(picture).greyscale().jpeg({ quality: 85 }).toBuffer(),
  'saved again, finer': (picture) => sharp(picture).jpeg({ quality: 95 }).toBuffer(),
};

const random = openRandom(Number(values.seed));
const found = new Map(Object.keys(CHANGES).map((name) => [name, [] as Hint[]]));
let cpuMs = 0;
for (let index = 0; index < PICTURES; index++) {
  const options = { kind: KINDS[index % KINDS.length]!, tier: TIERS[index % TIERS.length]!, today: TODAY };
  const { picture } = await makeSpecimen(random.fork(), options);
  for (const [name, change] of Object.entries(CHANGES)) {
    const file = await change(picture);
    const before = process.cpuUsage();
    found.get(name)!.push(...(await findHints(file)));
    const { user, system } = process.cpuUsage(before);
    cpuMs += (user + system) / 1000;
  }
}
console.log(`pictures with a hint, of ${String(PICTURES).padEnd(10)}${HINTS.map((hint) => hint.padStart(14)).join('')}`);
for (const [name, hints] of found) {
  const counts = HINTS.map((hint) => hints.filter((one) => one === hint).length);
  console.log(name.padEnd(35) + counts.map((count) => String(count).padStart(14)).join(''));
}
console.log(`CPU for each picture: ${(cpuMs / PICTURES / found.size).toFixed(0)} ms`);
