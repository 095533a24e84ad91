// What a forger without a document shows, by the first drawer: lines or a barcode on paper or on a screen.
import sharp from 'sharp';
import { outlines, REGULAR } from '../src/ocr-b.ts';
import { photograph, type Tier } from './camera.ts';
import { between } from './numbers.ts';
import { type Barcode, drawPortrait, type Page } from './pages.ts';
import type { Random } from './random.ts';

type Parts = { lines: string[]; barcode: Barcode };
type Sheet = { widthMm: number; heightMm: number; content: string };
export const FIRST_FORGERIES = ['page: sheet', 'page: cut', 'page: photo', 'screen', 'barcode: sheet', 'barcode: cut'] as const;

const PX_PER_MM = 12;
const PITCH_MM = 2.54;
const CUT_MM: Record<number, readonly [width: number, height: number]> = { 44: [125, 88], 36: [105, 74], 30: [85.6, 54] };

/** Returns a JPEG; what is on a screen is not photographed. */
export async function forgeFirst(
  random: Random,
  name: (typeof FIRST_FORGERIES)[number],
  parts: Parts,
  tier: Tier,
): Promise<Buffer> {
  const page = toPage(draw(random, name, parts));
  if (name !== 'screen') return photograph(random, page, tier);
  return sharp(Buffer.from(page.svg)).resize({ width: 1900 }).flatten().jpeg({ quality: 90 }).toBuffer();
}

function draw(random: Random, name: (typeof FIRST_FORGERIES)[number], { lines, barcode }: Parts): Sheet {
  const [cutWidth, cutHeight] = CUT_MM[lines[0]!.length]!;
  const below = lines.length === 3 ? 17 : 14;
  const own = zone(lines, { x: 5.5, y: cutHeight - below });
  const paper = (widthMm: number, heightMm: number, content: string) => ({
    ...{ widthMm, heightMm },
    content: `<rect width="100%" height="100%" fill="#fbfbf9"/>${content}`,
  });
  const x = between(random, 8, 188 - lines[0]!.length * PITCH_MM);
  if (name === 'page: cut') return paper(cutWidth, cutHeight, own);
  if (name === 'page: photo') {
    const isCut = random.chance(0.5);
    const face = portrait(random, isCut ? cutWidth : 190, isCut ? cutHeight - below - 6 : 60);
    return isCut ? paper(cutWidth, cutHeight, face + own) : paper(200, 130, face + zone(lines, { x, y: 95 }));
  }
  if (name === 'page: sheet') return paper(200, 130, zone(lines, { x, y: between(random, 20, 110) }));
  const size = { width: 70, height: (70 * barcode.height) / barcode.width };
  if (name === 'barcode: cut')
    return paper(85.6, 54, bars(barcode, { x: between(random, 4, 11), y: between(random, 5, 28), ...size }));
  if (name === 'barcode: sheet')
    return paper(200, 130, bars(barcode, { x: between(random, 8, 120), y: between(random, 8, 95), ...size }));
  const window = `<rect width="100%" height="100%" fill="#2b2b2b"/><rect x="6" y="12" width="188" height="112" fill="#fff"/>`;
  const held = random.chance(0.3)
    ? bars(barcode, { x: between(random, 10, 110), y: between(random, 20, 80), ...size })
    : zone(lines, { x, y: between(random, 30, 105) });
  return { widthMm: 200, heightMm: 130, content: window + held };
}

function toPage({ widthMm, heightMm, content }: Sheet): Page {
  const isCard = widthMm < 90;
  const [width, height] = [widthMm, heightMm].map((mm) => Math.round(mm * (isCard ? 2 : 1) * PX_PER_MM)) as [number, number];
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${widthMm} ${heightMm}">${content}</svg>`;
  return { svg, width, height, isCard };
}

function zone(lines: string[], { x, y }: { x: number; y: number }): string {
  const drawn = lines.map((line, row) => outlines(line, { x, y: y + row * 6, pitchMm: PITCH_MM, sizeMm: 3.53, cut: REGULAR }));
  return `<g fill="#151515">${drawn.join('')}</g>`;
}

function portrait(random: Random, widthMm: number, heightMm: number): string {
  const height = Math.min(between(random, 20, 45), heightMm - 4);
  const parts: string[] = [];
  const [x, y] = [between(random, 3, widthMm - 3 - 0.8 * height), between(random, 2, heightMm - height)];
  drawPortrait({ parts, random }, { x, y, width: 0.8 * height, height });
  return parts.join('');
}

function bars({ png }: Barcode, { x, y, width, height }: { x: number; y: number; width: number; height: number }): string {
  const data = `data:image/png;base64,${png.toString('base64')}`;
  return `<image x="${x}" y="${y}" width="${width}" height="${height}" image-rendering="pixelated" href="${data}"/>`;
}
