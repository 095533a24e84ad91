// `npm run bench -- hints [--seed N --pictures N]`: how often honest pictures have traces of an editor, a copy or a second compression.
import { parseArgs } from 'node:util';
import sharp from 'sharp';
import { openRandom } from '../specimens/random.ts';
import { makeSpecimen } from '../specimens/specimens.ts';
import { findTraces, type Traces } from '../src/traces.ts';

const { values } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, pictures: { type: 'string', default: '300' } },
});
const KINDS = ['td3', 'td1', 'td2', 'aamva', 'front'] as const;
const TIERS = ['A', 'B', 'C'] as const;
const NAMES = ['editor', 'greyCopy', 'recompressed'] as const;
/** What is done to a picture, and the trace that it should leave. */
const CHANGES: Record<string, (picture: Buffer) => Promise<Buffer>> = {
  honest: async (picture) => picture,
  'saved by an editor': (picture) =>
    sharp(picture)
      .withExif({ IFD0: { Software: 'GIMP 2.10.36' } })
      .jpeg({ quality: 92 })
      .toBuffer(),
  'without colour': (picture) => sharp(picture).greyscale().jpeg({ quality: 85 }).toBuffer(),
  'compressed again, finer': (picture) => sharp(picture).jpeg({ quality: 95 }).toBuffer(),
  'compressed again, coarser': (picture) => sharp(picture).jpeg({ quality: 60 }).toBuffer(),
};

const random = openRandom(Number(values.seed));
const found = Object.fromEntries(Object.keys(CHANGES).map((name) => [name, { editor: 0, greyCopy: 0, recompressed: 0 }]));
for (let index = 0; index < Number(values.pictures); index++) {
  const options = { kind: KINDS[index % KINDS.length]!, tier: TIERS[index % TIERS.length]!, today: '2026-11-22' };
  const { picture } = await makeSpecimen(random.fork(), options);
  for (const [name, change] of Object.entries(CHANGES)) count(found[name]!, await findTraces(await change(picture)));
}
console.log(`${'of '.concat(values.pictures).padEnd(28)}${NAMES.map((name) => name.padStart(14)).join('')}`);
for (const [name, counts] of Object.entries(found))
  console.log(name.padEnd(28) + NAMES.map((trace) => String(counts[trace]).padStart(14)).join(''));

function count(counts: Record<keyof Traces, number>, traces: Traces): void {
  for (const trace of NAMES) if (traces[trace]) counts[trace]++;
}
