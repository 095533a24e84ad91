// Pages of a second drawer, with another typeface, other layouts and faces, and the pages of forgers. Text needs the fonts Liberation and DejaVu.
import { outlines, REGULAR } from '../../src/ocr-b.ts';
import type { Holder } from '../holder.ts';
import { between } from '../numbers.ts';
import type { Barcode } from '../pages.ts';
import type { Random } from '../random.ts';

/** `mm`: the size of the sheet. `isFlat`: what is not photographed, such as a screen. */
export type Drawing = { svg: string; mm: readonly [width: number, height: number]; isFlat?: true };

const FONTS = ['Liberation Sans', 'DejaVu Sans', 'Liberation Serif', 'DejaVu Sans Condensed', 'Liberation Sans Narrow'];
const COUNTRIES = ['KINGDOM OF UTOPIA', 'REPUBLIC OF UTOPIA', 'UTOPIAN FEDERATION'];
const MONTHS = 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' ');

type Layout = { font: string; faceRight: boolean; background: string; ink: string };
type Shown = { holder: Holder; face: number };

/** A layout, which many documents have. */
export function inventLayout(random: Random): Layout {
  const hue = random.int(0, 359);
  return {
    font: random.pick(FONTS),
    faceRight: random.chance(0.15),
    background: rosettes(random, hue),
    ink: `hsl(${random.int(200, 260)} 30% ${random.int(8, 22)}%)`,
  };
}

export function passport(random: Random, { holder, face }: Shown, lines: string[], layout = inventLayout(random)): Drawing {
  const x = layout.faceRight ? 84 : 7;
  const parts = [
    layout.background,
    text(random.pick(COUNTRIES), { x: 6, y: 8, size: 3.4, layout, bold: true }),
    text('PASSPORT / PASSEPORT', { x: 74, y: 8, size: 2.6, layout }),
    portrait(face, { x, y: 16, width: 34, height: 44 }),
    fields(holder, { x: layout.faceRight ? 8 : 46, y: 17, step: 7.4, layout }),
    zone(random, lines, { x: 5.6 + between(random, -0.8, 0.8), y: 73.6 + between(random, -0.6, 0.6) }),
  ];
  return sheet([125, 88], parts);
}

export function wideCard(random: Random, { holder, face }: Shown, lines: string[], layout = inventLayout(random)): Drawing {
  const parts = [
    layout.background,
    text('IDENTITY CARD', { x: 5, y: 7, size: 3.4, layout, bold: true }),
    portrait(face, { x: layout.faceRight ? 74 : 5, y: 11, width: 27, height: 36 }),
    fields(holder, { x: layout.faceRight ? 6 : 36, y: 13, step: 6.2, layout }),
    zone(random, lines, { x: 5.4 + between(random, -0.8, 0.8), y: 61 + between(random, -0.5, 0.5) }),
  ];
  return sheet([105, 74], parts);
}

export function cardBack(random: Random, holder: Holder, lines: string[], layout = inventLayout(random)): Drawing {
  const parts = [
    layout.background,
    text(random.pick(['IDENTITY CARD', 'RESIDENCE PERMIT']), { x: 4, y: 6, size: 2.6, layout, bold: true }),
    text(`Issued by ${holder.issuer}. Eyes BROWN, height 174 cm`, { x: 4, y: 12, size: 1.9, layout }),
    `<rect x="62" y="9" width="17" height="13" rx="2" fill="#c3a860" stroke="#7c6527" stroke-width="0.3"/>`,
    zone(random, lines, { x: 4.6 + between(random, -0.6, 0.6), y: 37 + between(random, -0.5, 0.5) }),
  ];
  return sheet([85.6, 54], parts);
}

export function licenceBack(random: Random, barcode: Barcode, layout = inventLayout(random)): Drawing {
  const width = between(random, 66, 74);
  const height = (width * barcode.height) / barcode.width;
  const [x, y] = [(85.6 - width) / 2, random.chance(0.5) ? 6 : 50 - height];
  const parts = [
    layout.background,
    bars(barcode, { x, y, width, height }),
    text('CLASS D - NOT A REAL LICENCE', { x: 6, y: y > 20 ? 8 : 44, size: 2.4, layout }),
    text('Restrictions: NONE  Endorsements: NONE', { x: 6, y: y > 20 ? 12 : 48, size: 1.9, layout }),
  ];
  return sheet([85.6, 54], parts);
}

/** What a forger prints or types: lines or a barcode, and no document around them. */
export const FORGERIES = ['paper', 'cropped', 'letter', 'editor', 'office', 'barcode', 'barcode letter'] as const;
export type Forgery = (typeof FORGERIES)[number];

export function forge(random: Random, kind: Forgery, { lines, barcode }: { lines: string[]; barcode: Barcode }): Drawing {
  const layout = { ...inventLayout(random), ink: '#111', font: 'Liberation Serif' };
  const white = '<rect width="100%" height="100%" fill="#fdfdfb"/>';
  const across = lines[0]!.length * 2.54;
  const prose = (from: number, to: number) => letter(random, { from, to, layout });
  if (kind === 'paper')
    return sheet([210, 148], [white, zone(random, lines, { x: between(random, 20, 70), y: between(random, 40, 120) }, true)]);
  if (kind === 'cropped') {
    return sheet([across + 13, random.pick([40, 60, 88, 54])], [white, zone(random, lines, { x: 6, y: 25 }, true)]);
  }
  if (kind === 'letter')
    return sheet([210, 297], [white, prose(20, 150), zone(random, lines, { x: 25, y: 175 }, true), prose(200, 270)]);
  if (kind === 'barcode')
    return sheet([210, 148], [white, bars(barcode, { x: between(random, 20, 110), y: 50, width: 75, height: 24 })]);
  if (kind === 'barcode letter')
    return sheet([210, 297], [white, prose(20, 110), bars(barcode, { x: 30, y: 130, width: 75, height: 24 }), prose(180, 270)]);
  const ribbon = kind === 'office' ? '#2b579a' : '#3c3c3c';
  const window = [
    `<rect width="100%" height="100%" fill="${kind === 'office' ? '#d6d6d6' : '#1e1e1e'}"/><rect width="100%" height="9" fill="${ribbon}"/>`,
    `<rect y="9" width="100%" height="6" fill="#888" fill-opacity="0.3"/><rect y="123" width="100%" height="5" fill="${ribbon}"/>`,
    kind === 'office' ? '<rect x="30" y="18" width="150" height="105" fill="#fff" stroke="#bbb" stroke-width="0.4"/>' : '',
    kind === 'office' ? '' : `<rect x="10" y="15" width="190" height="108" fill="#fff"/>`,
    text('File  Edit  View  Help', { x: 4, y: 6, size: 3, layout: { ...layout, ink: '#eee', font: 'DejaVu Sans' } }),
    zone(random, lines, { x: kind === 'office' ? 36 : 20, y: between(random, 60, 95) }, true),
  ];
  return { ...sheet([210, 128], window), isFlat: true };
}

const sheet = (mm: Drawing['mm'], parts: string[]): Drawing => ({
  svg: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${mm[0]} ${mm[1]}" WIDTH HEIGHT>${parts.join('')}</svg>`,
  mm,
});

type Text = { x: number; y: number; size: number; layout: Pick<Layout, 'font' | 'ink'>; bold?: boolean };

function text(words: string, { x, y, size, layout, bold = false }: Text): string {
  const weight = bold ? ' font-weight="bold"' : '';
  return `<text x="${x}" y="${y}" font-family="${layout.font}" font-size="${size}" fill="${layout.ink}"${weight}>${words}</text>`;
}

/** The fields of a page in one of the forms of states: captions, and dates with names of months or in digits. */
function fields(holder: Holder, { x, y, step, layout }: { x: number; y: number; step: number; layout: Layout }): string {
  const date = (day: string) => {
    const [year, month, date] = day.split('-') as [string, string, string];
    return layout.font.startsWith('DejaVu') ? `${date}.${month}.${year}` : `${date} ${MONTHS[Number(month) - 1]} ${year}`;
  };
  const rows = [
    ['Surname / Nom', holder.surname],
    ['Given names / Prénoms', holder.givenNames],
    ['No. / No', holder.number],
    ['Date of birth', date(holder.dateOfBirth)],
    ['Sex', holder.sex],
    ['Date of expiry', date(holder.expires)],
  ];
  return rows
    .map(
      ([caption, value], row) =>
        text(caption!, { x, y: y + row * step, size: 1.5, layout }) +
        text(value!, { x, y: y + row * step + 3.4, size: 3.1, layout, bold: true }),
    )
    .join('');
}

function zone(random: Random, lines: string[], { x, y }: { x: number; y: number }, isPlain = false): string {
  const weight = between(random, 0.85, 1.2);
  const back =
    !isPlain && random.chance(0.5) ? `<rect x="0" y="${y - 6}" width="100%" height="40" fill="#fff" fill-opacity="0.55"/>` : '';
  const step = lines.length === 3 ? 5.9 : 6.35;
  const paint = `fill="#15151a" stroke="#15151a" stroke-width="${30 * (weight - 0.85)}"`;
  const drawn = lines.map((line, row) => outlines(line, { x, y: y + row * step, pitchMm: 2.54, sizeMm: 3.53, cut: REGULAR }));
  return `${back}<g ${paint}>${drawn.join('')}</g>`;
}

function bars({ png }: Barcode, { x, y, width, height }: { x: number; y: number; width: number; height: number }): string {
  const data = `data:image/png;base64,${png.toString('base64')}`;
  return (
    `<rect x="${x - 2}" y="${y - 1.5}" width="${width + 4}" height="${height + 3}" fill="#fff"/>` +
    `<image x="${x}" y="${y}" width="${width}" height="${height}" preserveAspectRatio="none" image-rendering="pixelated" href="${data}"/>`
  );
}

function letter(
  random: Random,
  { from, to, layout }: { from: number; to: number; layout: Pick<Layout, 'font' | 'ink'> },
): string {
  const words =
    'we confirm that the holder of this account has asked us to send a copy of the page and kindly ask for your reply'.split(' ');
  const rows = [];
  for (let y = from; y < to; y += 6) {
    rows.push(
      text(Array.from({ length: random.int(8, 14) }, () => random.pick(words)).join(' '), { x: 25, y, size: 3.6, layout }),
    );
  }
  return rows.join('');
}

/** Rosettes of curves on a tinted ground, as printers of banknotes draw them. */
function rosettes(random: Random, hue: number): string {
  const parts = [`<rect width="100%" height="100%" fill="hsl(${hue} ${random.int(20, 45)}% ${random.int(78, 92)}%)"/>`];
  for (let rosette = 0; rosette < 4; rosette++) {
    const [cx, cy, petals] = [between(random, 10, 115), between(random, 5, 70), random.int(5, 13)];
    const points = Array.from({ length: 240 }, (_, at) => {
      const angle = (at / 240) * 2 * Math.PI;
      const radius = 9 + 6 * Math.cos(petals * angle);
      return `${(cx + radius * Math.cos(angle)).toFixed(2)} ${(cy + radius * Math.sin(angle)).toFixed(2)}`;
    });
    parts.push(
      `<path d="M${points.join('L')}Z" fill="none" stroke="hsl(${(hue + 40 * rosette) % 360} 40% 60%)" stroke-width="0.18" stroke-opacity="0.7"/>`,
    );
  }
  return parts.join('');
}

/** A face from a seed: head, hair, eyes, nose, mouth, shoulders. */
function portrait(seed: number, { x, y, width, height }: { x: number; y: number; width: number; height: number }): string {
  const vary = (bit: number, least: number, most: number) =>
    least + ((most - least) * ((Math.imul(seed + 1, 2654435761 + bit * 40503) >>> 8) & 0xff)) / 255;
  const skin = `hsl(${vary(1, 14, 34)} ${vary(2, 25, 55)}% ${vary(3, 28, 80)}%)`;
  const hair = `hsl(${vary(4, 15, 45)} ${vary(5, 10, 50)}% ${vary(6, 8, 60)}%)`;
  const [faceWidth, faceHeight] = [vary(7, 0.2, 0.27), vary(8, 0.24, 0.31)];
  const [cx, cy] = [0.5 + vary(9, -0.03, 0.03), vary(10, 0.4, 0.47)];
  const eye = vary(11, 0.07, 0.11);
  const at = (u: number, v: number) => `${(x + u * width).toFixed(2)} ${(y + v * height).toFixed(2)}`;
  const oval = (u: number, v: number, a: number, b: number, fill: string) =>
    `<ellipse cx="${x + u * width}" cy="${y + v * height}" rx="${a * width}" ry="${b * height}" fill="${fill}"/>`;
  const beard = vary(12, 0, 1) > 0.6 ? oval(cx, cy + faceHeight * 0.7, faceWidth * 0.75, faceHeight * 0.42, hair) : '';
  const long = vary(13, 0, 1) > 0.5 ? oval(cx, cy + 0.12, faceWidth * 1.35, faceHeight * 1.35, hair) : '';
  return [
    `<svg x="${x}" y="${y}" width="${width}" height="${height}" viewBox="${x} ${y} ${width} ${height}">`,
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="hsl(${vary(14, 190, 230)} 12% ${vary(15, 70, 92)}%)"/>`,
    long,
    `<path d="M${at(0.06, 1)}C${at(0.1, 0.74)} ${at(0.35, 0.74)} ${at(0.4, 0.66)}H${(x + 0.6 * width).toFixed(2)}C${at(0.65, 0.74)} ${at(0.9, 0.74)} ${at(0.94, 1)}Z" fill="hsl(${vary(16, 0, 359)} 25% ${vary(17, 12, 60)}%)"/>`,
    oval(cx, cy - 0.07, faceWidth * 1.12, faceHeight * 1.05, hair),
    oval(cx, cy + 0.02, faceWidth, faceHeight, skin),
    beard,
    oval(cx - eye, cy - 0.01, 0.028, 0.014, '#1c1a19') + oval(cx + eye, cy - 0.01, 0.028, 0.014, '#1c1a19'),
    `<path d="M${at(cx, cy + 0.02)}L${at(cx - 0.02, cy + 0.1)}L${at(cx + 0.02, cy + 0.1)}" fill="none" stroke="#5b4033" stroke-width="0.25"/>`,
    oval(cx, cy + 0.155, vary(18, 0.05, 0.085), 0.012, '#8b3f3a'),
    '</svg>',
  ].join('');
}
