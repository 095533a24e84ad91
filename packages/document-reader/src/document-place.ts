// Where a document is expected around the zone or the barcode that was read on it.
import type { Quad } from './barcode-place.ts';
import type { Expected } from './outline.ts';
import type { Raster } from './raster.ts';
import type { Read } from './reading.ts';

type Millimetres = readonly [width: number, height: number];
type ZoneKind = Exclude<Read['kind'], 'aamva'>;
type ZoneForm = {
  mm: Millimetres;
  /** What begins the line with the expiry, its columns up to the end of the expiry, and where it begins on the page. */
  first: 'documentNumber' | 'dateOfBirth';
  columns: number;
  at: Millimetres;
};

const CARD_MM = [85.6, 54] as const;
/** ICAO Doc 9303 parts 4 to 6. */
const ZONES: Record<ZoneKind, ZoneForm> = {
  td3: { mm: [125, 88], first: 'documentNumber', columns: 27, at: [6, 79] },
  td2: { mm: [105, 74], first: 'documentNumber', columns: 27, at: [6, 65] },
  td1: { mm: CARD_MM, first: 'dateOfBirth', columns: 14, at: [4.8, 41.6] },
};
const PITCH_MM = 2.54;
/** How far an edge may be from the place that the standard has: printers and perspective. The upper edge is the farthest from a zone. */
const REACH_MM = { side: 6, top: 10 };
const SIZE_OFF = 0.12;
/** Widths of barcodes on licences. A symbol has no size of its own, so that its frame is in millimetres of a usual one. */
const SYMBOL_MM = { least: 60, usual: 70, most: 78 };
const BESIDE_SYMBOL_MM = 1;

export function sizeOf(kind: Read['kind']): Millimetres {
  return kind === 'aamva' ? CARD_MM : ZONES[kind].mm;
}

export function aroundZone(kind: ZoneKind, places: NonNullable<Read['places']>, { width, height }: Raster): Expected {
  const { mm, first, columns, at } = ZONES[kind];
  const [start, end] = [places[first]!.start, places.expires!.end];
  const length = columns * PITCH_MM;
  const [alongX, alongY] = [((end[0] - start[0]) * width) / length, ((end[1] - start[1]) * height) / length];
  const [wide, high] = mm;
  const { side, top } = REACH_MM;
  return {
    frame: {
      x: start[0] * width - at[0] * alongX + at[1] * alongY,
      y: start[1] * height - at[0] * alongY - at[1] * alongX,
      alongX,
      alongY,
    },
    edges: { left: [-side, side], right: [wide - side, wide + side], top: [-top, top], bottom: [high - side, high + side] },
    columns: [0, wide],
    rows: [0, high],
    width: [wide * (1 - SIZE_OFF), wide * (1 + SIZE_OFF)],
    ratio: wide / high,
  };
}

export function aroundSymbol([topLeft, topRight, bottomRight, bottomLeft]: Quad): Expected {
  const { least, usual, most } = SYMBOL_MM;
  const middle = (one: Quad[0], other: Quad[0]) => ({ x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 });
  const [left, right] = [middle(topLeft, bottomLeft), middle(topRight, bottomRight)];
  const [above, below] = [middle(topLeft, topRight), middle(bottomLeft, bottomRight)];
  const [alongX, alongY] = [(right.x - left.x) / usual, (right.y - left.y) / usual];
  const half = Math.hypot(below.x - above.x, below.y - above.y) / Math.hypot(alongX, alongY) / 2;
  const width = [(CARD_MM[0] * usual) / most, (CARD_MM[0] * usual) / least] as const;
  const ratio = CARD_MM[0] / CARD_MM[1];
  const [wide, high] = [width[1] - BESIDE_SYMBOL_MM, width[1] / ratio - BESIDE_SYMBOL_MM];
  return {
    frame: { ...left, alongX, alongY },
    edges: {
      left: [usual - wide, -BESIDE_SYMBOL_MM],
      right: [usual + BESIDE_SYMBOL_MM, wide],
      top: [half - high, -half - BESIDE_SYMBOL_MM],
      bottom: [half + BESIDE_SYMBOL_MM, high - half],
    },
    columns: [0, usual],
    rows: [-half, half],
    width,
    ratio,
  };
}
