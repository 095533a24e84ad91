// Draws pages of invented documents as SVG, clearly marked as specimens. All text is OCR-B outlines, so no fonts are needed.
import { outlines, REGULAR } from '../src/ocr-b.ts';
import type { Holder } from './holder.ts';
import { between } from './numbers.ts';
import { SHARP } from './ocr-b-sharp.ts';
import type { Random } from './random.ts';

/** `svg` is drawn at `width` x `height` pixels; a card has the size of a bank card. */
export type Page = { svg: string; width: number; height: number; isCard: boolean };
/** A barcode as a picture, with its size in pixels. */
export type Barcode = { png: Buffer; width: number; height: number };

const PX_PER_MM = 12;
/** At 12, the bars of a barcode would differ in width by a third. */
const CARD_PX_PER_MM = 24;
const CARD_WIDTH_MM = 85.6;
const PITCH_MM = 2.54;
const EM_MM = 3.53;

type Sheet = { random: Random; widthMm: number; heightMm: number; parts: string[]; ink: string };

/** A passport's data page: 125 x 88 mm, two lines of 44. */
export function passportPage(random: Random, holder: Holder, lines: string[]): Page {
  const sheet = openSheet(random, 125, 88);
  const portrait = random.pick([6, 6, 88]);
  drawPortrait(sheet, { x: portrait, y: 18, width: 31, height: 40 });
  write(sheet, 'UTOPIA', { x: 6, y: 9, sizeMm: 5 });
  write(sheet, random.pick(['PASSPORT', 'PASSEPORT PASSPORT', 'REISEPASS']), { x: 60, y: 9, sizeMm: 4 });
  writeFields(sheet, holder, { x: portrait > 50 ? 8 : 44, y: 20, gapMm: between(random, 6, 8) });
  writeZone(sheet, lines, { x: between(random, 4, 8), y: between(random, 73.5, 75.5), spacingMm: between(random, 5.6, 6.6) });
  return close(sheet, { x: 40, y: 50, sizeMm: 9 });
}

/** The back of an identity card: 85.6 x 54 mm, three lines of 30. */
export function cardBack(random: Random, holder: Holder, lines: string[]): Page {
  const sheet = openSheet(random, CARD_WIDTH_MM, 54);
  write(sheet, random.pick(['IDENTITY CARD', 'PERSONALAUSWEIS', 'CARTE D IDENTITE']), { x: 4, y: 6, sizeMm: 3 });
  write(sheet, `ISSUED BY ${holder.issuer}`, { x: 4, y: 13, sizeMm: 2.2 });
  if (random.chance(0.5))
    sheet.parts.push('<rect x="66" y="6" width="13" height="13" rx="2" fill="#c9a94b" stroke="#8a6d1f" stroke-width="0.3"/>');
  writeZone(sheet, lines, { x: between(random, 3.6, 5.4), y: between(random, 36, 37.5), spacingMm: between(random, 5.3, 6.3) });
  return close(sheet, { x: 20, y: 26, sizeMm: 7 });
}

/** A card of 105 x 74 mm with two lines of 36. */
export function wideCard(random: Random, holder: Holder, lines: string[]): Page {
  const sheet = openSheet(random, 105, 74);
  drawPortrait(sheet, { x: 5, y: 12, width: 26, height: 34 });
  write(sheet, 'IDENTITY CARD UTOPIA', { x: 5, y: 8, sizeMm: 4 });
  writeFields(sheet, holder, { x: 36, y: 16, gapMm: 6 });
  writeZone(sheet, lines, { x: between(random, 4, 7), y: between(random, 60, 61.5), spacingMm: between(random, 5.6, 6.4) });
  return close(sheet, { x: 36, y: 52, sizeMm: 7 });
}

/** The back of a licence with its barcode above or below the small print. */
export function licenceBack(random: Random, barcode: Barcode): Page {
  const sheet = openSheet(random, CARD_WIDTH_MM, 54);
  const above = random.chance(0.5);
  const widthMm = between(random, 68, 75);
  const heightMm = (widthMm * barcode.height) / barcode.width;
  const [x, y] = [between(random, 5, 80 - widthMm), above ? 8 : Math.max(20, 50 - heightMm)];
  if (random.chance(0.6)) sheet.parts.push(`<rect y="${above ? 46 : 2}" width="100%" height="7" fill="#221f20"/>`);
  sheet.parts.push(`<rect x="${x - 3}" y="${y - 2}" width="${widthMm + 6}" height="${heightMm + 4}" fill="#fff"/>`);
  const data = `data:image/png;base64,${barcode.png.toString('base64')}`;
  sheet.parts.push(
    `<image x="${x}" y="${y}" width="${widthMm}" height="${heightMm}" image-rendering="pixelated" href="${data}"/>`,
  );
  const small = above ? y + heightMm + 5 : 12;
  for (const [row, text] of ['NOT A REAL LICENCE', 'CLASS C  RESTRICTIONS NONE', 'IF FOUND RETURN TO SAMPLETOWN'].entries()) {
    write(sheet, text, { x: 6, y: small + row * 3, sizeMm: 1.8 });
  }
  return close(sheet, { x: 46, y: small + 4, sizeMm: 5 });
}

/** The front of a card: portrait and printed fields, nothing for machines. */
export function cardFront(random: Random, holder: Holder): Page {
  const sheet = openSheet(random, CARD_WIDTH_MM, 54);
  drawPortrait(sheet, { x: 4, y: 12, width: 24, height: 32 });
  write(sheet, random.pick(['DRIVER LICENSE', 'IDENTITY CARD', 'PERMIS DE CONDUIRE']), { x: 4, y: 8, sizeMm: 4 });
  writeFields(sheet, holder, { x: 32, y: 16, gapMm: 6 });
  return close(sheet, { x: 32, y: 50, sizeMm: 6 });
}

/** A letter with many lines of text: not a document of identity. */
export function letterPage(random: Random): Page {
  const sheet = openSheet(random, 105, 148);
  const words = 'INVOICE TOTAL AMOUNT DUE THANK YOU ORDER NUMBER 4711 DELIVERY 2024 PAGE ONE OF TWO <<<< P<UTO'.split(' ');
  for (let y = 12; y < 140; y += random.pick([5, 6, 7])) {
    const text = Array.from({ length: random.int(2, 6) }, () => random.pick(words))
      .join(' ')
      .slice(0, 44);
    write(sheet, text, { x: 8, y, sizeMm: random.pick([2.2, 3, 3.5]) });
  }
  return close(sheet, { x: 30, y: 70, sizeMm: 9 });
}

function openSheet(random: Random, widthMm: number, heightMm: number): Sheet {
  const hue = random.int(0, 359);
  const pale = between(random, 84, 97);
  const sheet: Sheet = {
    random,
    widthMm,
    heightMm,
    parts: [],
    ink: `rgb(${random.int(0, 50)},${random.int(0, 50)},${random.int(0, 60)})`,
  };
  sheet.parts.push(
    `<defs><linearGradient id="g" x2="1" y2="${random.int(0, 1)}"><stop stop-color="hsl(${hue} 45% ${pale}%)"/>` +
      `<stop offset="1" stop-color="hsl(${hue + random.int(20, 90)} 40% ${pale - 5}%)"/></linearGradient></defs><rect width="100%" height="100%" fill="url(#g)"/>`,
  );
  const stroke = `hsl(${hue} 50% ${pale - between(random, 6, 24)}%)`;
  const waves = random.int(10, 34);
  for (let wave = 0; wave < waves; wave++) {
    const y = (heightMm * wave) / waves;
    const rise = between(random, 2, 9);
    const path = `M0 ${y}q${widthMm / 8} ${-rise} ${widthMm / 4} 0t${widthMm / 4} 0t${widthMm / 4} 0t${widthMm / 4} 0`;
    sheet.parts.push(`<path d="${path}" fill="none" stroke="${stroke}" stroke-width="${between(random, 0.08, 0.35)}"/>`);
  }
  if (random.chance(0.4)) {
    for (let ring = 4; ring < 22; ring += 2) {
      sheet.parts.push(
        `<circle cx="${widthMm * 0.7}" cy="${heightMm * 0.6}" r="${ring}" fill="none" stroke="${stroke}" stroke-width="0.2"/>`,
      );
    }
  }
  return sheet;
}

export function drawPortrait(
  { parts, random }: Pick<Sheet, 'parts' | 'random'>,
  { x, y, width, height }: { x: number; y: number; width: number; height: number },
): void {
  const skin = `hsl(${random.int(15, 35)} 40% ${random.int(25, 75)}%)`;
  const [middle, coat] = [x + width / 2, `hsl(${random.int(0, 359)} 30% 30%)`];
  parts.push(
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="#d5dade"/>` +
      `<path d="M${x + 2} ${y + height}q${width / 2 - 2} ${-height * 0.55} ${width - 4} 0z" fill="${coat}"/>` +
      `<ellipse cx="${middle}" cy="${y + height * 0.42}" rx="${width * 0.24}" ry="${height * 0.26}" fill="${skin}"/>`,
  );
}

function writeFields(sheet: Sheet, holder: Holder, { x, y, gapMm }: { x: number; y: number; gapMm: number }): void {
  const rows = [holder.surname, holder.givenNames, holder.number, holder.dateOfBirth, holder.expires, holder.sex];
  for (const [row, text] of rows.entries()) {
    write(sheet, 'FIELD NAME', { x, y: y + row * gapMm - 2.6, sizeMm: 1.3 });
    write(sheet, text.replaceAll('-', ' '), { x, y: y + row * gapMm, sizeMm: 2.6 });
  }
}

type Place = { x: number; y: number; sizeMm: number };

/** Writes capitals, digits and spaces with the baseline at y. */
function write(sheet: Sheet, text: string, { x, y, sizeMm }: Place, paint = `fill="${sheet.ink}"`): void {
  sheet.parts.push(`<g ${paint}>${outlines(text, { x, y, pitchMm: sizeMm * 0.75, sizeMm, cut: REGULAR })}</g>`);
}

/** Writes the lines of a zone with the weight, proportions and density of one of many printers. */
function writeZone(sheet: Sheet, lines: string[], { x, y, spacingMm }: { x: number; y: number; spacingMm: number }): void {
  const { random, parts } = sheet;
  const sizeMm = EM_MM * between(random, 0.93, 1.06);
  const cut = random.chance(0.5) ? REGULAR : SHARP;
  const weight = between(random, 0, random.chance(0.3) ? 70 : 30);
  const grey = random.int(0, 70);
  const ink = `rgb(${grey},${grey},${grey + 8})`;
  if (random.chance(0.4)) parts.push(`<rect y="${y - 5}" width="100%" height="40" fill="#fff" fill-opacity="0.6"/>`);
  const paint = `fill="${ink}" stroke="${ink}" stroke-width="${weight}" fill-opacity="${between(random, 0.85, 1)}"`;
  for (const [row, line] of lines.entries()) {
    parts.push(`<g ${paint}>${outlines(line, { x, y: y + row * spacingMm, pitchMm: PITCH_MM, sizeMm, cut })}</g>`);
  }
}

function close(sheet: Sheet, mark: Place): Page {
  write(sheet, 'SPECIMEN', mark, 'fill="#c8102e" fill-opacity="0.45"');
  const { widthMm, heightMm, parts } = sheet;
  const isCard = widthMm === CARD_WIDTH_MM;
  const scale = isCard ? CARD_PX_PER_MM : PX_PER_MM;
  const [width, height] = [Math.round(widthMm * scale), Math.round(heightMm * scale)];
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${widthMm} ${heightMm}">${parts.join('')}</svg>`;
  return { svg, width, height, isCard };
}
