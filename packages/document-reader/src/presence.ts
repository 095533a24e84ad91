// Whether a picture shows a document around the data that was read, part by part.
import type { Quad } from './barcode-place.ts';
import { aroundSymbol, aroundZone, sizeOf } from './document-place.ts';
import type { Homography } from './homography.ts';
import type { Mark } from './marks.ts';
import { findOutline } from './outline.ts';
import { hasPortrait } from './portrait.ts';
import { classifyLine, printedLines, spelledShare } from './printed.ts';
import { type Picture, type Raster, sample } from './raster.ts';
import type { Fields, Presence, Read } from './reading.ts';

const OUTLINE_PX_PER_MM = 3;
const PRINT_PX_PER_MM = 5.5;
/** The height of a zone with its margins. */
const ZONE_MM = 24;
/** Of the characters of the names and the number. In the first drawer, a quarter of those of another person agree, and most of the own. */
const SPELLED_LEAST = 0.42;
/** Beside the data of a side without names. */
const LETTERS_LEAST = 10;

/** What was read: in which picture and, of a barcode, where. */
type Seen = { picture: Picture; read: Read; symbol: Quad | undefined };

/** Looks for the document around verified data. */
export function findPresence({ picture: { grey, colour }, read, symbol }: Seen): Presence {
  const { kind, places } = read;
  const expected = kind === 'aamva' ? symbol && aroundSymbol(symbol) : aroundZone(kind, places!, grey);
  if (!expected) return { outline: false };
  const factor = Math.max(1, Math.round(Math.hypot(expected.frame.alongX, expected.frame.alongY) / OUTLINE_PX_PER_MM));
  const outline = findOutline(colour, factor, expected);
  if (!outline) return { outline: false };
  const page = flatten(grey, outline, kind);
  const lines = printedLines(page, PRINT_PX_PER_MM);
  // Cards of size TD1 and licences have portrait and names on their front.
  if (kind === 'td1' || kind === 'aamva') {
    return { outline: true, print: lines.reduce((sum, line) => sum + line.length, 0) >= LETTERS_LEAST };
  }
  return { outline: true, portrait: hasPortrait(page, PRINT_PX_PER_MM, kind), print: isSpelled(page, lines, read.fields) };
}

function isSpelled(page: Raster, lines: Mark[][], { surname, givenNames, documentNumber }: Fields): boolean {
  const spelled = lines.map((line) => classifyLine(page, line));
  return spelledShare(spelled, [surname, givenNames, documentNumber]) >= SPELLED_LEAST;
}

/** The page as it is from above, without its zone. */
function flatten(picture: Raster, outline: Homography, kind: Read['kind']): Raster {
  const [wide, high] = sizeOf(kind);
  const [columns, rows] = [wide * PRINT_PX_PER_MM, high * PRINT_PX_PER_MM];
  const [width, height] = [Math.round(columns), Math.round(rows - (kind === 'aamva' ? 0 : ZONE_MM * PRINT_PX_PER_MM))];
  const data = new Uint8Array(width * height);
  const [a, b, c, d, e, f, g, h] = outline as unknown as [number, number, number, number, number, number, number, number];
  for (let y = 0, at = 0; y < height; y++) {
    const v = (y + 0.5) / rows;
    for (let x = 0; x < width; x++, at++) {
      const u = (x + 0.5) / columns;
      const w = g * u + h * v + 1;
      data[at] = sample(picture, (a * u + b * v + c) / w, (d * u + e * v + f) / w) + 0.5;
    }
  }
  return { width, height, data };
}
