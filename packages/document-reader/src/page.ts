// The page around a zone: its four edges, where the standard has them. A zone on plain paper or on a screen has none.
import { fitHomography, type Homography, project } from './homography.ts';
import { type Raster, resized, sample } from './raster.ts';

/** The centre of a zone in pixels of the picture, and the vector of one millimetre along its lines. */
export type Anchor = { x: number; y: number; alongX: number; alongY: number };
export type ZoneKind = 'td1' | 'td2' | 'td3';
type Side = 'left' | 'right' | 'top' | 'bottom';
/** `map` is from millimetres of the page to `raster`; `edges` the share of each edge that is seen. */
export type Page = { raster: Raster; map: Homography; width: number; height: number; edges: Record<Side, number> };

/** Millimetres (ICAO Doc 9303 parts 4 to 6). `below`: from the middle of the zone to the lower edge. */
const SIZES: Record<ZoneKind, { width: number; height: number; below: number }> = {
  td1: { width: 85.6, height: 54, below: 12.5 },
  td2: { width: 105, height: 74, below: 12 },
  td3: { width: 125, height: 88, below: 12 },
};

const PX_PER_MM = 4;
const MARGIN_MM = 14;
/** How far an edge may be from its place, and how much it may lean: printers and perspective. */
const REACH_MM = { left: 6, right: 6, bottom: 5, top: 9 };
const LEAN_MOST = 0.1;
const LEANS = 21;
const STEP_MM = 0.5;
/** Difference of the grey values on both sides of an edge, over this distance. */
const CONTRAST_LEAST = 6;
const BAND_PX = 4;
/** Of the length of an edge that must be seen, and of the difference from the proportions of the standard. */
const SEEN_LEAST = 0.72;
const SIZE_OFF_MOST = 0.1;
const RATIO_OFF_MOST = 0.07;

/** An edge: its distance from the place that the standard has, and how much it leans, both in pixels of the canvas. */
type Edge = { at: number; lean: number; seen: number };

/** Returns the page with the best edges; undefined without four edges of the right proportions. */
export async function findPage(picture: Raster, anchor: Anchor, kind: ZoneKind): Promise<Page | undefined> {
  const size = SIZES[kind];
  const scale = Math.hypot(anchor.alongX, anchor.alongY);
  const factor = Math.min(1, PX_PER_MM / scale);
  const small = await resized(picture, Math.round(Math.max(picture.width, picture.height) * factor));
  const canvas = cutOut(small, anchor, { ...size, factor: small.width / picture.width });
  const differences = { across: differencesOf(canvas, 1), down: differencesOf(canvas, canvas.width) };
  const place = {
    left: MARGIN_MM * PX_PER_MM,
    right: canvas.width - MARGIN_MM * PX_PER_MM,
    top: MARGIN_MM * PX_PER_MM,
    bottom: canvas.height - MARGIN_MM * PX_PER_MM,
  };
  const across = { length: place.bottom - place.top, from: place.top };
  const along = { length: place.right - place.left, from: place.left };
  const edges = {
    left: findEdge(differences.across, canvas, { ...across, at: place.left, reach: REACH_MM.left, isUpright: true }),
    right: findEdge(differences.across, canvas, { ...across, at: place.right, reach: REACH_MM.right, isUpright: true }),
    top: findEdge(differences.down, canvas, { ...along, at: place.top, reach: REACH_MM.top, isUpright: false }),
    bottom: findEdge(differences.down, canvas, { ...along, at: place.bottom, reach: REACH_MM.bottom, isUpright: false }),
  };
  const corners = [
    meet(edges.left, edges.top, { across, along }),
    meet(edges.right, edges.top, { across, along }),
    meet(edges.right, edges.bottom, { across, along }),
    meet(edges.left, edges.bottom, { across, along }),
  ] as const;
  if (Object.values(edges).some(({ seen }) => seen < SEEN_LEAST) || !hasProportions(corners, size)) return undefined;
  const map = fitHomography(
    corners.map(({ x, y }, index) => ({
      fromX: index === 1 || index === 2 ? size.width : 0,
      fromY: index >= 2 ? size.height : 0,
      toX: x,
      toY: y,
    })),
  );
  const seen = Object.fromEntries(Object.entries(edges).map(([side, edge]) => [side, edge.seen])) as Page['edges'];
  return map && { raster: canvas, map, width: size.width, height: size.height, edges: seen };
}

/** The page as it would be seen from above, at a number of pixels for a millimetre. */
export function flatten({ raster, map, width, height }: Page, pxPerMm: number): Raster {
  const [columns, rows] = [Math.round(width * pxPerMm), Math.round(height * pxPerMm)];
  const data = new Uint8Array(columns * rows);
  for (let y = 0; y < rows; y++) {
    for (let x = 0; x < columns; x++) {
      const from = project(map, (x + 0.5) / pxPerMm, (y + 0.5) / pxPerMm);
      data[y * columns + x] = sample(raster, from.x, from.y) + 0.5;
    }
  }
  return { width: columns, height: rows, data };
}

type Cut = { width: number; height: number; below: number; factor: number };

/** The surroundings of a zone, upright, with a margin around the page. What is outside the picture is black. */
function cutOut(raster: Raster, { x, y, alongX, alongY }: Anchor, { width, height, below, factor }: Cut): Raster {
  const [columns, rows] = [(width + 2 * MARGIN_MM) * PX_PER_MM, (height + 2 * MARGIN_MM) * PX_PER_MM].map(Math.round) as [
    number,
    number,
  ];
  const data = new Uint8Array(columns * rows);
  for (let row = 0, at = 0; row < rows; row++) {
    const down = row / PX_PER_MM - MARGIN_MM - (height - below);
    for (let column = 0; column < columns; column++, at++) {
      const across = column / PX_PER_MM - MARGIN_MM - width / 2;
      const px = (x + across * alongX - down * alongY) * factor;
      const py = (y + across * alongY + down * alongX) * factor;
      const isInside = px >= 0 && py >= 0 && px <= raster.width - 1 && py <= raster.height - 1;
      data[at] = isInside ? sample(raster, px, py) : 0;
    }
  }
  return { width: columns, height: rows, data };
}

/** For each pixel, the mean of the band behind it less that of the band before it, along an axis. */
function differencesOf({ width, data }: Raster, step: 1 | number): Int16Array {
  const differences = new Int16Array(data.length);
  const reach = BAND_PX * step;
  for (let at = reach; at < data.length - reach; at++) {
    let sum = 0;
    for (let band = 1; band <= BAND_PX; band++) sum += data[at + (band - 1) * step]! - data[at - band * step]!;
    differences[at] = sum / BAND_PX;
  }
  void width;
  return differences;
}

type Search = { at: number; reach: number; from: number; length: number; isUpright: boolean };

/** The line on which most of the differences are large and of one sign. */
function findEdge(differences: Int16Array, { width, height }: Raster, { at, reach, from, length, isUpright }: Search): Edge {
  let best: Edge = { at, lean: 0, seen: 0 };
  const samples = Math.floor(length / PX_PER_MM);
  for (let offset = -reach; offset <= reach; offset += STEP_MM) {
    for (let index = 0; index < LEANS; index++) {
      const lean = (index / (LEANS - 1) - 0.5) * 2 * LEAN_MOST;
      let [lighter, darker] = [0, 0];
      for (let one = 0; one < samples; one++) {
        const along = from + (one + 0.5) * PX_PER_MM;
        const across = Math.round(at + offset * PX_PER_MM + lean * (along - from - length / 2));
        const [x, y] = isUpright ? [across, Math.round(along)] : [Math.round(along), across];
        if (x < 0 || y < 0 || x >= width || y >= height) continue;
        const difference = differences[y * width + x]!;
        if (difference > CONTRAST_LEAST) lighter++;
        else if (difference < -CONTRAST_LEAST) darker++;
      }
      const seen = Math.max(lighter, darker) / samples;
      if (seen > best.seen) best = { at: at + offset * PX_PER_MM, lean, seen };
    }
  }
  return best;
}

type Spans = Record<'across' | 'along', { from: number; length: number }>;
type Point = { x: number; y: number };

/** Where an upright and a level edge meet. */
function meet(upright: Edge, level: Edge, { across, along }: Spans): Point {
  const [middleX, middleY] = [along.from + along.length / 2, across.from + across.length / 2];
  const y = (level.at + level.lean * (upright.at - upright.lean * middleY - middleX)) / (1 - level.lean * upright.lean);
  return { x: upright.at + upright.lean * (y - middleY), y };
}

function hasProportions(
  corners: readonly [Point, Point, Point, Point],
  { width, height }: { width: number; height: number },
): boolean {
  const [a, b, c, d] = corners;
  const far = (one: Point, other: Point) => Math.hypot(one.x - other.x, one.y - other.y) / PX_PER_MM;
  const [wide, high] = [(far(a, b) + far(d, c)) / 2, (far(a, d) + far(b, c)) / 2];
  const off = (found: number, expected: number) => Math.abs(found / expected - 1);
  return (
    off(wide, width) < SIZE_OFF_MOST && off(high, height) < SIZE_OFF_MOST && off(wide / high, width / height) < RATIO_OFF_MOST
  );
}
