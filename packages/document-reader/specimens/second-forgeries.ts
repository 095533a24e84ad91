// What a forger without a document shows, by the second drawer: lines or a barcode on paper or on a screen.
import { between } from './numbers.ts';
import type { Barcode } from './pages.ts';
import type { Random } from './random.ts';
import { drawBars } from './second-cards.ts';
import { type Drawing, drawFace, drawZone, type Layout, text } from './second-drawer.ts';

type Size = Drawing['mm'];
type Parts = { lines: string[]; barcode: Barcode };
export type Forgery = keyof typeof FORGERIES;

const PLAIN: Pick<Layout, 'font' | 'ink' | 'zone'> = { font: 'Liberation Serif', ink: '#111', zone: { dx: 0, dy: 0, weight: 0 } };
const MENU = { font: 'DejaVu Sans', ink: '#eee' };
const WORDS =
  'we confirm that the holder of this account has asked us to send a copy of the page and kindly ask for your reply'.split(' ');
const PITCH_MM = 2.54;
/** Sizes of documents by the length of a line of their zone, and where its first baseline is. */
const CUT: Record<number, { mm: Size; x: number; y: number }> = {
  44: { mm: [125, 88], x: 5.5, y: 73.6 },
  36: { mm: [105, 74], x: 5.5, y: 61 },
  30: { mm: [85.6, 54], x: 4.6, y: 37 },
};
const BARS_MM = { width: 72, height: 24 };

/** By name, each of them on paper unless it begins with `screen`. */
export const FORGERIES = {
  'page: sheet': (random, { lines }) => sheet([210, 148], [zoneIn(random, lines, [210, 148])]),
  'page: cut around the zone': (_random, { lines }) =>
    sheet([lines[0]!.length * PITCH_MM + 13, 40], [drawZone(lines, { x: 6, y: 18 }, PLAIN)]),
  'page: cut to the document': (_random, { lines }) => {
    const { mm, ...at } = cutOf(lines);
    return sheet(mm, [drawZone(lines, at, PLAIN)]);
  },
  'page: letter': (random, { lines }) =>
    sheet([210, 297], [prose(random, 20, 150), drawZone(lines, { x: 25, y: 175 }, PLAIN), prose(random, 200, 270)]),
  'page: sheet with a photo': (random, { lines }) =>
    sheet([210, 148], [face(random, [210, 110]), zoneIn(random, lines, [210, 148])]),
  'page: cut to the document, with a photo': (random, { lines }) => {
    const { mm, ...at } = cutOf(lines);
    return sheet(mm, [face(random, [mm[0], at.y - 4]), drawZone(lines, at, PLAIN)]);
  },
  'screen: editor': (random, { lines }) => editor(zoneIn(random, lines, [190, 100])),
  'screen: word processor': (random, { lines }) => office(drawZone(lines, { x: 36, y: between(random, 60, 95) }, PLAIN)),
  'screen: word processor with a photo': (random, { lines }) =>
    office(face(random, [140, 60], [36, 20]) + drawZone(lines, { x: 36, y: between(random, 90, 108) }, PLAIN)),
  'barcode: sheet': (random, { barcode }) =>
    sheet([210, 148], [drawBars(barcode, { x: between(random, 10, 120), y: between(random, 10, 110), ...BARS_MM })]),
  'barcode: cut to the card': (random, { barcode }) =>
    sheet([85.6, 54], [drawBars(barcode, { x: between(random, 5, 8), y: between(random, 6, 24), ...BARS_MM })]),
  'barcode: letter': (random, { barcode }) =>
    sheet([210, 297], [prose(random, 20, 110), drawBars(barcode, { x: 30, y: 130, ...BARS_MM }), prose(random, 180, 270)]),
  'screen: barcode in an editor': (random, { barcode }) =>
    editor(drawBars(barcode, { x: between(random, 20, 100), y: between(random, 25, 90), ...BARS_MM })),
} satisfies Record<string, (random: Random, parts: Parts) => Drawing>;

export function forge(random: Random, name: Forgery, parts: Parts): Drawing {
  return (FORGERIES[name] as (random: Random, parts: Parts) => Drawing)(random, parts);
}

function sheet(mm: Size, parts: string[]): Drawing {
  return { mm, parts: ['<rect width="100%" height="100%" fill="#fdfdfb"/>', ...parts] };
}

function cutOf(lines: string[]) {
  return CUT[lines[0]!.length]!;
}

/** A zone anywhere on a sheet. */
function zoneIn(random: Random, lines: string[], [width, height]: Size): string {
  const free = width - lines[0]!.length * PITCH_MM - 16;
  return drawZone(lines, { x: 8 + between(random, 0, free), y: between(random, 25, height - 25) }, PLAIN);
}

/** A photo of any usual size, anywhere on a part of a sheet. */
function face(random: Random, [width, height]: Size, [x, y]: readonly [number, number] = [4, 4]): string {
  const high = Math.min(between(random, 20, 50), height - 4);
  const wide = high * between(random, 0.7, 0.85);
  const at = { x: x + between(random, 0, width - wide - 8), y: y + between(random, 0, height - high - 4) };
  return drawFace(random.int(0, 2 ** 31), { ...at, width: wide, height: high }, random.pick(['#e4e7ea', '#fff', '#b9c4cf']));
}

function editor(content: string): Drawing {
  const parts = [
    '<rect width="100%" height="100%" fill="#1e1e1e"/><rect width="100%" height="9" fill="#3c3c3c"/>',
    '<rect x="10" y="15" width="190" height="108" fill="#fff"/><rect y="123" width="100%" height="5" fill="#3c3c3c"/>',
    text('File  Edit  View  Help', { x: 4, y: 6, size: 3, layout: MENU }),
    content,
  ];
  return { mm: [210, 128], parts };
}

function office(content: string): Drawing {
  const parts = [
    '<rect width="100%" height="100%" fill="#d6d6d6"/><rect width="100%" height="9" fill="#2b579a"/>',
    '<rect y="9" width="100%" height="6" fill="#888" fill-opacity="0.3"/><rect y="123" width="100%" height="5" fill="#2b579a"/>',
    '<rect x="30" y="18" width="150" height="105" fill="#fff" stroke="#bbb" stroke-width="0.4"/>',
    text('File  Edit  View  Help', { x: 4, y: 6, size: 3, layout: MENU }),
    content,
  ];
  return { mm: [210, 128], parts };
}

function prose(random: Random, from: number, to: number): string {
  const rows: string[] = [];
  for (let y = from; y < to; y += 6) {
    const words = Array.from({ length: random.int(8, 14) }, () => random.pick(WORDS)).join(' ');
    rows.push(text(words, { x: 25, y, size: 3.6, layout: PLAIN }));
  }
  return rows.join('');
}
