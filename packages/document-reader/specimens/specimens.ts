// Specimens of all kinds with the truth that is printed on them, repeatable from a seed.

import { pdf417 } from './barcode.ts';
import { photograph, type Tier } from './camera.ts';
import { type Holder, inventHolder } from './holder.ts';
import { licenceText } from './licence-text.ts';
import { cardBack, cardFront, letterPage, licenceBack, type Page, passportPage, wideCard } from './pages.ts';
import type { Random } from './random.ts';
import { zoneLines } from './zone-lines.ts';

export type SpecimenKind = 'td1' | 'td2' | 'td3' | 'aamva';
/** `repainted` has one changed digit in its zone, with the check digit of the former one. */
export type Specimen = {
  picture: Buffer;
  kind: SpecimenKind | 'front' | 'letter';
  tier: Tier;
  holder: Holder;
  repainted: boolean;
};

type Options = {
  kind: Specimen['kind'];
  tier: Tier;
  today: string;
  repainted?: boolean;
  /** Instead of what is invented. */
  holder?: Partial<Holder>;
  /** Changes the text of a licence's barcode. */
  barcode?: (text: string) => string;
};

export async function makeSpecimen(random: Random, { kind, tier, today, ...options }: Options): Promise<Specimen> {
  const { repainted = false, barcode = (text) => text } = options;
  const holder = { ...inventHolder(random, today), ...options.holder };
  const page = await drawPage(random, holder, { kind, repainted, barcode });
  return { picture: await photograph(random, page, tier), kind, tier, holder, repainted };
}

async function drawPage(
  random: Random,
  holder: Holder,
  { kind, repainted, barcode }: Required<Pick<Options, 'kind' | 'repainted' | 'barcode'>>,
): Promise<Page> {
  if (kind === 'front') return cardFront(random, holder);
  if (kind === 'letter') return letterPage(random);
  if (kind === 'aamva') {
    const { text, region } = licenceText(holder, random);
    holder.issuer = region;
    return licenceBack(random, await pdf417(random, barcode(text)));
  }
  const lines = zoneLines(kind, holder, random);
  const printed = repainted ? repaint(random, lines) : lines;
  const draw = { td1: cardBack, td2: wideCard, td3: passportPage }[kind];
  return draw(random, holder, printed);
}

/** Changes one digit of the date of birth or the expiry. */
function repaint(random: Random, lines: string[]): string[] {
  const dated = lines[1]!;
  const start = lines.length === 3 ? random.pick([0, 8]) : random.pick([13, 21]);
  const at = start + random.int(0, 5);
  const digit = (Number(dated[at]) + random.int(1, 9)) % 10;
  return [lines[0]!, dated.slice(0, at) + digit + dated.slice(at + 1), ...lines.slice(2)];
}
