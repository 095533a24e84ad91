// Documents of the second drawer: pages, and cards with a zone or a barcode on their back.
import { pdf417 } from './barcode.ts';
import { type Holder, inventHolder } from './holder.ts';
import { licenceText } from './licence-text.ts';
import { between } from './numbers.ts';
import type { Barcode } from './pages.ts';
import type { Random } from './random.ts';
import { type Box, type Drawing, drawZone, inventLayout, pageOf, text } from './second-drawer.ts';
import { zoneLines } from './zone-lines.ts';

const CARD_MM = [85.6, 54] as const;

/** The side with the data of a whole document of an invented holder. */
export async function drawDocument(
  random: Random,
  kind: 'td1' | 'td2' | 'td3' | 'aamva',
  today: string,
  own: Partial<Holder> = {},
): Promise<Drawing & { holder: Holder }> {
  const holder = { ...inventHolder(random, today), ...own };
  if (kind === 'aamva') return { ...licenceBack(random, await pdf417(random, licenceText(holder, random).text)), holder };
  const lines = zoneLines(kind, holder, random);
  if (kind === 'td1') return { ...cardBack(random, holder, lines), holder };
  return { ...pageOf(kind, inventLayout(random), { holder, face: random.int(0, 2 ** 31), lines }), holder };
}

function cardBack(random: Random, holder: Holder, lines: string[]): Drawing {
  const layout = inventLayout(random);
  const parts = [
    layout.ground,
    text(random.pick(['IDENTITY CARD', 'RESIDENCE PERMIT']), { x: 4, y: 6, size: 2.6, layout }),
    text(`Issued by ${holder.issuer}. Eyes BROWN, height 174 cm`, { x: 4, y: 12, size: 1.9, layout }),
    '<rect x="62" y="9" width="17" height="13" rx="2" fill="#c3a860" stroke="#7c6527" stroke-width="0.3"/>',
    drawZone(lines, { x: 4.6, y: 37 }, layout),
  ];
  return { mm: CARD_MM, parts };
}

function licenceBack(random: Random, barcode: Barcode): Drawing {
  const layout = inventLayout(random);
  const width = between(random, 66, 74);
  const height = (width * barcode.height) / barcode.width;
  const [x, y] = [(CARD_MM[0] - width) / 2, random.chance(0.5) ? 6 : 50 - height];
  const small = y > 20 ? 8 : 44;
  const parts = [
    layout.ground,
    drawBars(barcode, { x, y, width, height }),
    text('CLASS D - NOT A REAL LICENCE', { x: 6, y: small, size: 2.4, layout }),
    text('Restrictions: NONE  Endorsements: NONE', { x: 6, y: small + 4, size: 1.9, layout }),
  ];
  return { mm: CARD_MM, parts };
}

export function drawBars({ png }: Pick<Barcode, 'png'>, { x, y, width, height }: Box): string {
  const data = `data:image/png;base64,${png.toString('base64')}`;
  const bars = `x="${x}" y="${y}" width="${width}" height="${height}" preserveAspectRatio="none" image-rendering="pixelated"`;
  return `<rect x="${x - 2}" y="${y - 1.5}" width="${width + 4}" height="${height + 3}" fill="#fff"/><image ${bars} href="${data}"/>`;
}
