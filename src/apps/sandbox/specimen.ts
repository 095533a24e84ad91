// Draws the data page of an invented passport for rehearsals, clearly marked as a specimen.
import { randomInt } from 'node:crypto';
import sharp from 'sharp';
import { outlines, REGULAR } from '../../../packages/document-reader/src/ocr-b.ts';
import { zoneLines } from './specimen-zone.ts';

/** A passport's data page is 125 x 88 mm. */
const WIDTH_MM = 125;
const HEIGHT_MM = 88;
const PX_PER_MM = 10;
const PITCH = 0.75;
const HUES = 360;
const WAVES = 22;
const CLOUDS = 14;

/** `expires`: with it the passport has a machine-readable zone. */
type Holder = { lastName: string; firstName: string; dateOfBirth: string; expires?: string | undefined };

/** A PNG with the name and birth date. Without a zone a person decides. No two are the same. */
export async function drawSpecimen(holder: Holder): Promise<Buffer> {
  const { lastName, firstName, dateOfBirth, expires } = holder;
  const number = `X${randomInt(1e7, 1e8)}`;
  const fields = [
    ['SURNAME', lastName],
    ['GIVEN NAMES', firstName],
    ['DATE OF BIRTH', dateOfBirth.replaceAll('-', ' ')],
    ['PASSPORT NO', number],
  ] as const;
  const lines = fields.flatMap(([name, value], index) => [
    write(name, { x: 48, y: 24 + index * 12, sizeMm: 1.8 }),
    write(value.toUpperCase(), { x: 48, y: 28.5 + index * 12, sizeMm: 3.6 }),
  ]);
  const zone = expires && zoneLines({ surname: lastName, givenNames: firstName, number, dateOfBirth, expires });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH_MM} ${HEIGHT_MM}" width="${WIDTH_MM * PX_PER_MM}" height="${HEIGHT_MM * PX_PER_MM}">
    ${background(randomInt(HUES))}${portrait()}
    <g fill="#1c2430">${write('UTOPIA', { x: 8, y: 12, sizeMm: 5.5 })}${write('PASSPORT', { x: 48, y: 12, sizeMm: 4 })}${lines.join('')}${zone && zoneOf(zone)}</g>
    <g fill="#c8102e" fill-opacity="0.5">${write('SPECIMEN', zone ? { x: 80, y: 18, sizeMm: 6 } : { x: 30, y: 80, sizeMm: 11 })}</g>
  </svg>`;
  return sharp(Buffer.from(svg)).png().toBuffer();
}

/** Two lines at ten characters an inch, above the lower edge. */
function zoneOf(lines: string[]): string {
  return lines
    .map((line, index) => outlines(line, { x: 6.5, y: 75 + index * 6.2, sizeMm: 3.53, pitchMm: 2.54, cut: REGULAR }))
    .join('');
}

function write(text: string, place: { x: number; y: number; sizeMm: number }): string {
  return outlines(text, { ...place, pitchMm: place.sizeMm * PITCH, cut: REGULAR });
}

function background(hue: number): string {
  const waves = Array.from({ length: WAVES }, (_, index) => {
    const y = (HEIGHT_MM * index) / WAVES;
    return `<path d="M0 ${y}q15.6 -6 31.2 0t31.2 0t31.2 0t31.4 0" fill="none" stroke="hsl(${hue} 45% 78%)" stroke-width="0.25"/>`;
  });
  return `<rect width="100%" height="100%" fill="hsl(${hue} 45% 92%)"/>${clouds(hue)}${waves.join('')}`;
}

/** Without them the pictures of two people are alike, as copies of one are. */
function clouds(hue: number): string {
  return Array.from({ length: CLOUDS }, () => {
    const [x, y, width, height] = [randomInt(WIDTH_MM), randomInt(HEIGHT_MM), randomInt(8, 30), randomInt(8, 30)];
    return `<ellipse cx="${x}" cy="${y}" rx="${width}" ry="${height}" fill="hsl(${hue} 50% ${randomInt(55, 100)}%)" fill-opacity="0.5"/>`;
  }).join('');
}

/** Place, size and shades of a head, its hair and its shoulders are random: portraits of two people are not alike. */
function portrait(): string {
  const skin = `hsl(${15 + randomInt(20)} 40% ${30 + randomInt(45)}%)`;
  const hair = `hsl(${randomInt(HUES)} 30% ${randomInt(10, 80)}%)`;
  const [x, y, width, height] = [randomInt(20, 31), randomInt(34, 43), randomInt(6, 11), randomInt(8, 14)];
  const [shoulder, rise] = [randomInt(11, 18), randomInt(22, 36)];
  return `<clipPath id="portrait"><rect x="8" y="19" width="34" height="44"/></clipPath>
    <g clip-path="url(#portrait)">
      <rect x="8" y="19" width="34" height="44" fill="hsl(0 0% ${randomInt(60, 95)}%)"/>
      <ellipse cx="${x + randomInt(-4, 5)}" cy="${y - randomInt(2, 7)}" rx="${width + randomInt(1, 6)}" ry="${height + randomInt(0, 9)}" fill="${hair}"/>
      <path d="M${x - shoulder} 63q${shoulder} -${rise} ${2 * shoulder} 0z" fill="hsl(${randomInt(HUES)} 30% ${randomInt(15, 75)}%)"/>
      <ellipse cx="${x}" cy="${y}" rx="${width}" ry="${height}" fill="${skin}"/>
    </g>`;
}
