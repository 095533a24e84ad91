// Draws the data page of an invented passport for rehearsals, clearly marked as a specimen.
import { randomInt } from 'node:crypto';
import sharp from 'sharp';
import { outlines, REGULAR } from '../../../packages/document-reader/src/ocr-b.ts';

/** A passport's data page is 125 x 88 mm. */
const WIDTH_MM = 125;
const HEIGHT_MM = 88;
const PX_PER_MM = 10;
const PITCH = 0.75;
const HUES = 360;
const WAVES = 22;

type Holder = { lastName: string; firstName: string; dateOfBirth: string };

/** A PNG with the name and birth date. It has no machine-readable zone: a person decides. No two are the same. */
export async function drawSpecimen({ lastName, firstName, dateOfBirth }: Holder): Promise<Buffer> {
  const hue = randomInt(HUES);
  const fields = [
    ['SURNAME', lastName],
    ['GIVEN NAMES', firstName],
    ['DATE OF BIRTH', dateOfBirth.replaceAll('-', ' ')],
    ['PASSPORT NO', `X${randomInt(1e7, 1e8)}`],
  ] as const;
  const lines = fields.flatMap(([name, value], index) => [
    write(name, { x: 48, y: 24 + index * 12, sizeMm: 1.8 }),
    write(value.toUpperCase(), { x: 48, y: 28.5 + index * 12, sizeMm: 3.6 }),
  ]);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH_MM} ${HEIGHT_MM}" width="${WIDTH_MM * PX_PER_MM}" height="${HEIGHT_MM * PX_PER_MM}">
    ${background(hue)}${portrait()}
    <g fill="#1c2430">${write('UTOPIA', { x: 8, y: 12, sizeMm: 5.5 })}${write('PASSPORT', { x: 48, y: 12, sizeMm: 4 })}${lines.join('')}</g>
    <g fill="#c8102e" fill-opacity="0.5">${write('SPECIMEN', { x: 30, y: 80, sizeMm: 11 })}</g>
  </svg>`;
  return sharp(Buffer.from(svg)).png().toBuffer();
}

function write(text: string, place: { x: number; y: number; sizeMm: number }): string {
  return outlines(text, { ...place, pitchMm: place.sizeMm * PITCH, cut: REGULAR });
}

function background(hue: number): string {
  const waves = Array.from({ length: WAVES }, (_, index) => {
    const y = (HEIGHT_MM * index) / WAVES;
    return `<path d="M0 ${y}q15.6 -6 31.2 0t31.2 0t31.2 0t31.4 0" fill="none" stroke="hsl(${hue} 45% 78%)" stroke-width="0.25"/>`;
  });
  return `<rect width="100%" height="100%" fill="hsl(${hue} 45% 92%)"/>${waves.join('')}`;
}

function portrait(): string {
  const skin = `hsl(${15 + randomInt(20)} 40% ${30 + randomInt(45)}%)`;
  return `<rect x="8" y="19" width="34" height="44" fill="#d5dade"/>
    <path d="M10 63q15 -32 30 0z" fill="hsl(${randomInt(HUES)} 30% 30%)"/>
    <ellipse cx="25" cy="38" rx="8.5" ry="11.5" fill="${skin}"/>`;
}
