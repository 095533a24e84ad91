// Pages of a second drawer: other typefaces, layouts that many documents share, and faces. Text needs the fonts Liberation and DejaVu.
import { outlines, REGULAR } from '../src/ocr-b.ts';
import type { Holder } from './holder.ts';
import { between } from './numbers.ts';
import { openRandom, type Random } from './random.ts';

/** What all documents of a state have in common. */
export type Layout = {
  font: string;
  title: string;
  isFaceRight: boolean;
  ground: string;
  portraitGround: string;
  ink: string;
  /** Of the zone: how far its place is from that of the standard, in millimetres, and how bold its print is. */
  zone: { dx: number; dy: number; weight: number };
};
/** The same seed of a face draws the same portrait. */
export type Shown = { holder: Holder; face: number; lines: string[] };
/** What is drawn on a sheet: SVG in millimetres. */
export type Drawing = { mm: readonly [width: number, height: number]; parts: string[] };
type PageKind = 'td3' | 'td2';
export type Box = { x: number; y: number; width: number; height: number };
type Form = {
  mm: readonly [width: number, height: number];
  portrait: Box;
  fields: { x: number; y: number; step: number };
  zone: number;
};

const FONTS = ['Liberation Sans', 'DejaVu Sans', 'Liberation Serif', 'DejaVu Sans Condensed', 'Liberation Sans Narrow'];
const TITLES = ['KINGDOM OF UTOPIA', 'REPUBLIC OF UTOPIA', 'UTOPIAN FEDERATION'];
const MONTHS = 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' ');
/** Millimetres; `zone` is the baseline of its first line. */
const FORMS: Record<PageKind, Form> = {
  td3: { mm: [125, 88], portrait: { x: 7, y: 16, width: 34, height: 44 }, fields: { x: 46, y: 17, step: 7.4 }, zone: 73.6 },
  td2: { mm: [105, 74], portrait: { x: 5, y: 11, width: 27, height: 36 }, fields: { x: 36, y: 13, step: 6.2 }, zone: 61 },
};
const ZONE = { x: 5.5, pitchMm: 2.54, sizeMm: 3.53, spacingMm: 6.35 };

export function inventLayout(random: Random): Layout {
  return {
    font: random.pick(FONTS),
    title: random.pick(TITLES),
    isFaceRight: random.chance(0.15),
    ground: rosettes(random, random.int(0, 359)),
    portraitGround: `hsl(${random.int(190, 230)} 12% ${random.int(70, 92)}%)`,
    ink: `hsl(${random.int(200, 260)} 30% ${random.int(8, 22)}%)`,
    zone: { dx: between(random, -0.8, 0.8), dy: between(random, -0.5, 0.5), weight: between(random, 0, 10) },
  };
}

/** Returns the page as an SVG of a size in pixels for each millimetre. */
export function drawPage(kind: PageKind, layout: Layout, shown: Shown, pxPerMm: number): string {
  return render(pageOf(kind, layout, shown), pxPerMm);
}

export function render({ mm, parts }: Drawing, pxPerMm: number): string {
  const [width, height] = mm.map((side) => Math.round(side * pxPerMm));
  const size = `width="${width}" height="${height}" viewBox="0 0 ${mm[0]} ${mm[1]}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size}>${parts.join('')}</svg>`;
}

export function pageOf(kind: PageKind, layout: Layout, { holder, face, lines }: Shown): Drawing {
  const { mm, portrait, fields, zone } = FORMS[kind];
  const [faceX, fieldsX] = layout.isFaceRight ? [mm[0] - portrait.x - portrait.width, 7] : [portrait.x, fields.x];
  const parts = [
    layout.ground,
    text(layout.title, { x: 6, y: 8, size: 3.4, layout }),
    drawFace(face, { ...portrait, x: faceX }, layout.portraitGround),
    drawFields(holder, { ...fields, x: fieldsX, layout }),
    drawZone(lines, { x: ZONE.x, y: zone }, layout),
  ];
  return { mm, parts };
}

type Text = { x: number; y: number; size: number; layout: Pick<Layout, 'font' | 'ink'> };

export function text(words: string, { x, y, size, layout: { font, ink } }: Text): string {
  return `<text x="${x}" y="${y}" font-family="${font}" font-size="${size}" font-weight="bold" fill="${ink}">${words}</text>`;
}

/** Captions with values; dates with names of months or in digits. */
function drawFields(holder: Holder, { x, y, step, layout }: { x: number; y: number; step: number; layout: Layout }): string {
  const date = (day: string) => {
    const [year, month, date] = day.split('-');
    return layout.font.startsWith('DejaVu') ? `${date}.${month}.${year}` : `${date} ${MONTHS[Number(month) - 1]} ${year}`;
  };
  const rows: [caption: string, value: string][] = [
    ['Surname / Nom', holder.surname],
    ['Given names / Prénoms', holder.givenNames],
    ['No. / No', holder.number],
    ['Date of birth', date(holder.dateOfBirth)],
    ['Sex', holder.sex],
    ['Date of expiry', date(holder.expires)],
  ];
  return rows
    .flatMap(([caption, value], row) => [
      text(caption, { x, y: y + row * step, size: 1.5, layout }),
      text(value, { x, y: y + row * step + 3.4, size: 3.1, layout }),
    ])
    .join('');
}

/** `y` is the baseline of the first line. */
export function drawZone(
  lines: string[],
  { x, y }: { x: number; y: number },
  { zone: { dx, dy, weight } }: Pick<Layout, 'zone'>,
): string {
  const { pitchMm, sizeMm } = ZONE;
  const spacingMm = lines.length === 3 ? ZONE.spacingMm - 0.45 : ZONE.spacingMm;
  const drawn = lines.map((line, row) =>
    outlines(line, { x: x + dx, y: y + dy + row * spacingMm, pitchMm, sizeMm, cut: REGULAR }),
  );
  return `<g fill="#15151a" stroke="#15151a" stroke-width="${weight}">${drawn.join('')}</g>`;
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
    const stroke = `hsl(${(hue + 40 * rosette) % 360} 40% 60%)`;
    parts.push(`<path d="M${points.join('L')}Z" fill="none" stroke="${stroke}" stroke-width="0.18" stroke-opacity="0.7"/>`);
  }
  return parts.join('');
}

/** Head, hair, eyes, nose, mouth and shoulders, in front of the ground that all portraits of a state have. */
export function drawFace(seed: number, { x, y, width, height }: Box, ground: string): string {
  const random = openRandom(seed);
  const skin = `hsl(${random.int(14, 34)} ${random.int(25, 55)}% ${random.int(28, 80)}%)`;
  const hair = `hsl(${random.int(15, 45)} ${random.int(10, 50)}% ${random.int(8, 60)}%)`;
  const coat = `hsl(${random.int(0, 359)} 25% ${random.int(12, 60)}%)`;
  const [faceWidth, faceHeight] = [between(random, 0.2, 0.27), between(random, 0.24, 0.31)];
  const [cx, cy] = [0.5 + between(random, -0.03, 0.03), between(random, 0.4, 0.47)];
  const eye = between(random, 0.07, 0.11);
  const at = (u: number, v: number) => `${(x + u * width).toFixed(2)} ${(y + v * height).toFixed(2)}`;
  const oval = (u: number, v: number, a: number, b: number, fill: string) =>
    `<ellipse cx="${x + u * width}" cy="${y + v * height}" rx="${a * width}" ry="${b * height}" fill="${fill}"/>`;
  const long = random.chance(0.5) ? oval(cx, cy + 0.12, faceWidth * 1.35, faceHeight * 1.35, hair) : '';
  const beard = random.chance(0.4) ? oval(cx, cy + faceHeight * 0.7, faceWidth * 0.75, faceHeight * 0.42, hair) : '';
  const shoulders =
    `M${at(0.06, 1)}C${at(0.1, 0.74)} ${at(0.35, 0.74)} ${at(0.4, 0.66)}L${at(0.6, 0.66)}` +
    `C${at(0.65, 0.74)} ${at(0.9, 0.74)} ${at(0.94, 1)}Z`;
  const nose = `M${at(cx, cy + 0.02)}L${at(cx - 0.02, cy + 0.1)}L${at(cx + 0.02, cy + 0.1)}`;
  return [
    `<svg x="${x}" y="${y}" width="${width}" height="${height}" viewBox="${x} ${y} ${width} ${height}">`,
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="${ground}"/>`,
    long,
    `<path d="${shoulders}" fill="${coat}"/>`,
    oval(cx, cy - 0.07, faceWidth * 1.12, faceHeight * 1.05, hair),
    oval(cx, cy + 0.02, faceWidth, faceHeight, skin),
    beard,
    oval(cx - eye, cy - 0.01, 0.028, 0.014, '#1c1a19') + oval(cx + eye, cy - 0.01, 0.028, 0.014, '#1c1a19'),
    `<path d="${nose}" fill="none" stroke="#5b4033" stroke-width="0.25"/>`,
    oval(cx, cy + 0.155, between(random, 0.05, 0.085), 0.012, '#8b3f3a'),
    '</svg>',
  ].join('');
}
