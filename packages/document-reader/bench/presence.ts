// `npm run bench -- presence [--seed N --pictures N --drawer first|second --only REGEX]`: how many whole documents, and how many forged
// pages, look like a document. Prints rows of the tables in the guide and the model card.
import { parseArgs } from 'node:util';
import { pdf417 } from '../specimens/barcode.ts';
import { FIRST_FORGERIES, forgeFirst } from '../specimens/forgeries.ts';
import { inventHolder } from '../specimens/holder.ts';
import { licenceText } from '../specimens/licence-text.ts';
import { openRandom, type Random } from '../specimens/random.ts';
import { shoot } from '../specimens/second-camera.ts';
import { drawDocument } from '../specimens/second-cards.ts';
import { FORGERIES, forge } from '../specimens/second-forgeries.ts';
import { makeSpecimen, type SpecimenKind } from '../specimens/specimens.ts';
import { zoneLines } from '../specimens/zone-lines.ts';
import { readPicture, warmUp } from '../src/read-picture.ts';
import { showsDocument } from '../src/reading.ts';
import { TODAY } from './trial.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    pictures: { type: 'string', default: '100' },
    drawer: { type: 'string', default: 'second' },
    only: { type: 'string', default: '' },
  },
});
const DECLARED = { td1: 'idCard', td2: 'idCard', td3: 'passport', aamva: 'license' } as const;
const NAMES = { td3: 'passport (TD3)', td2: 'card (TD2)', td1: 'card (TD1), back', aamva: 'licence, back' } as const;
const KINDS = Object.keys(NAMES) as SpecimenKind[];
/** Forgeries by what they have in common, as the beginnings or the words of their names. */
const FORGED = {
  'printed page': /^page: (sheet|cut around the zone|cut to the document|letter|cut)$/,
  'page with a photo anywhere': /^page: .*photo/,
  'editor or word processor': /^screen/,
  'barcode on paper': /^barcode/,
};

type Taken = { kind: SpecimenKind; picture: Buffer };
type Cell = { name: string; take(random: Random): Promise<Taken> };

const cells = values.drawer === 'first' ? firstDrawer() : secondDrawer();
const random = openRandom(Number(values.seed));
await warmUp();
console.log('| pictures | count | read | outline | portrait | print | `document` |\n|---|---:|---:|---:|---:|---:|---:|');
for (const cell of cells) {
  const own = random.fork();
  if (new RegExp(values.only).test(cell.name)) await measure(own, cell);
}

function firstDrawer(): Cell[] {
  const tiers = { clear: 'A', phone: 'B', 'poor phone': 'C' } as const;
  const whole = KINDS.flatMap((kind) =>
    Object.entries(tiers).map(([shot, tier]) => ({
      name: `${NAMES[kind]}, ${shot}`,
      take: async (own: Random) => ({ kind, picture: (await makeSpecimen(own, { kind, tier, today: TODAY })).picture }),
    })),
  );
  return [
    ...whole,
    ...forged(FIRST_FORGERIES, (own, name, parts) => forgeFirst(own, name, parts, own.pick(['A', 'B'] as const))),
  ];
}

function secondDrawer(): Cell[] {
  const whole = KINDS.flatMap((kind) =>
    (['clear', 'phone', 'scan'] as const).map((shot) => ({
      name: `${NAMES[kind]}, ${shot}`,
      take: async (own: Random) => ({ kind, picture: await shoot(own, await drawDocument(own, kind, TODAY), shot) }),
    })),
  );
  const names = Object.keys(FORGERIES) as (keyof typeof FORGERIES)[];
  return [
    ...whole,
    ...forged(names, (own, name, parts) =>
      shoot(own, forge(own, name, parts), name.startsWith('screen') ? 'screen' : own.pick(['clear', 'phone'] as const)),
    ),
  ];
}

type Parts = Parameters<typeof forge>[2];

function forged<Name extends string>(
  names: readonly Name[],
  take: (own: Random, name: Name, parts: Parts) => Promise<Buffer>,
): Cell[] {
  return Object.entries(FORGED).map(([group, pattern]) => ({
    name: `forged: ${group}`,
    async take(own) {
      const name = own.pick(names.filter((one) => pattern.test(one)));
      const zone = own.pick(['td3', 'td2', 'td1'] as const);
      const holder = inventHolder(own, TODAY);
      const parts = { lines: zoneLines(zone, holder, own), barcode: await pdf417(own, licenceText(holder, own).text) };
      const kind = name.includes('barcode') ? 'aamva' : zone;
      return { kind, picture: await take(own, name, parts) };
    },
  }));
}

async function measure(own: Random, { name, take }: Cell): Promise<void> {
  const count = Number(values.pictures);
  const counts = { read: 0, outline: 0, portrait: 0, print: 0, document: 0 };
  let hasPortraits = false;
  for (let index = 0; index < count; index++) {
    const { kind, picture } = await take(own.fork());
    const reading = await readPicture(picture, { type: DECLARED[kind], today: TODAY });
    if (!reading.presence) continue;
    const { outline, portrait, print } = reading.presence;
    hasPortraits ||= portrait !== undefined;
    const held = { read: true, outline, portrait, print, document: showsDocument(reading.presence) };
    for (const [part, holds] of Object.entries(held)) if (holds) counts[part as keyof typeof held]++;
  }
  const { read, outline, portrait, print, document } = counts;
  console.log(`| ${name} | ${count} | ${read} | ${outline} | ${hasPortraits ? portrait : ''} | ${print} | ${document} |`);
}
