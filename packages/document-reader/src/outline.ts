// The outline of a document around its zone or barcode: four edges where the standard has them, in the colours of the picture.
import { fitHomography, type Homography, type Pair } from './homography.ts';
import { type ColourRaster, meanColour } from './raster.ts';

type Point = { x: number; y: number };
/** Where a document is expected: its upper left corner, and a millimetre along its upper edge, in pixels of the picture. */
type Frame = Point & { alongX: number; alongY: number };
type Range = readonly [least: number, most: number];
/** Where each edge may be, between which columns and rows it is seen, and which widths are plausible, in millimetres of the frame. */
export type Expected = {
  frame: Frame;
  edges: { left: Range; right: Range; top: Range; bottom: Range };
  columns: Range;
  rows: Range;
  width: Range;
  /** Width over height. */
  ratio: number;
};

/** A straight edge: where it crosses the middle of its side, and how far it leans there for each millimetre. */
type Edge = { at: number; lean: number; seen: number };

const STEP_MM = 1 / 3;
const ALONG_MM = 1.5;
/** Perspective and the turn that is left over. */
const LEAN_MOST = 0.15;
const LEANS = 19;
/** Steps on each side of an edge that are compared. */
const BAND = 4;
/** Difference of both sides, in grey values of one channel. */
const CONTRAST_LEAST = 6;
/** Of the length of an edge, on which both sides differ in the same direction. */
const SEEN_LEAST = 0.75;
/** Of each side; a magnetic stripe or the edge of a table may be seen better. */
const CANDIDATES = 4;
const RATIO_OFF_MOST = 0.12;

/**
 * Returns the map from the unit square to the document in the picture; undefined without four edges of the right proportions. What is
 * compared are means of squares with a side of `factor` pixels.
 */
export function findOutline(picture: ColourRaster, factor: number, expected: Expected): Homography | undefined {
  const { frame, edges, columns, rows } = expected;
  const find = (reach: Range, along: Range, isUpright: boolean) =>
    findEdges(stripOf(picture, factor, frame, { reach, along, isUpright }), reach, along);
  const sides = [
    find(edges.left, rows, true),
    find(edges.top, columns, false),
    find(edges.right, rows, true),
    find(edges.bottom, columns, false),
  ] as const;
  const middle = { x: (columns[0] + columns[1]) / 2, y: (rows[0] + rows[1]) / 2 };
  let best: { corners: Corners; seen: number } | undefined;
  for (const around of combinations(sides)) {
    const seen = around.reduce((sum, edge) => sum + edge.seen, 0);
    if (seen <= (best?.seen ?? 0)) continue;
    const corners = cornersOf(around, middle);
    if (isPlausible(corners, expected)) best = { corners, seen };
  }
  return best && fitHomography(best.corners.map((corner, index) => toPair(corner, frame, UNIT_SQUARE[index]!)));
}

type Sides<Kind> = readonly [left: Kind, top: Kind, right: Kind, bottom: Kind];
type Corners = readonly [Point, Point, Point, Point];

const UNIT_SQUARE = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 1],
] as const;

function* combinations([lefts, tops, rights, bottoms]: Sides<Edge[]>): Generator<Sides<Edge>> {
  for (const left of lefts)
    for (const top of tops) for (const right of rights) for (const bottom of bottoms) yield [left, top, right, bottom];
}

function cornersOf([left, top, right, bottom]: Sides<Edge>, middle: Point): Corners {
  return [
    meetingOf(left, top, middle),
    meetingOf(right, top, middle),
    meetingOf(right, bottom, middle),
    meetingOf(left, bottom, middle),
  ];
}

function toPair({ x: u, y: v }: Point, { x, y, alongX, alongY }: Frame, [fromX, fromY]: readonly [number, number]): Pair {
  return { fromX, fromY, toX: x + u * alongX - v * alongY, toY: y + u * alongY + v * alongX };
}

/** Colours across a side: `rows` places along it, each with `columns` steps from one end of its reach to the other. */
type Strip = { rows: number; columns: number; data: Float32Array };
type Search = { reach: Range; along: Range; isUpright: boolean };

const SPARE_STEPS = BAND + 1;

/** Steps before the reach: an edge leans, and the bands are beside it. */
function spareSteps([from, to]: Range): number {
  return SPARE_STEPS + Math.ceil((LEAN_MOST * (to - from)) / 2 / STEP_MM);
}

function stripOf(picture: ColourRaster, factor: number, frame: Frame, { reach, along, isUpright }: Search): Strip {
  const spare = spareSteps(along);
  const rows = Math.floor((along[1] - along[0]) / ALONG_MM);
  const columns = Math.ceil((reach[1] - reach[0]) / STEP_MM) + 2 * spare;
  const data = new Float32Array(rows * columns * 3).fill(Number.NaN);
  const [wide, high] = [Math.floor(picture.width / factor), Math.floor(picture.height / factor)];
  for (let row = 0, at = 0; row < rows; row++) {
    const one = along[0] + (row + 0.5) * ALONG_MM;
    for (let column = 0; column < columns; column++, at += 3) {
      const other = reach[0] + (column - spare + 0.5) * STEP_MM;
      const u = isUpright ? other : one;
      const v = isUpright ? one : other;
      const x = Math.floor((frame.x + u * frame.alongX - v * frame.alongY) / factor);
      const y = Math.floor((frame.y + u * frame.alongY + v * frame.alongX) / factor);
      if (x >= 0 && y >= 0 && x < wide && y < high) meanColour(picture, { x, y, factor }, data, at);
    }
  }
  return { rows, columns, data };
}

/** The edges that are seen best, one for each place across the side. */
function findEdges(strip: Strip, [least, most]: Range, along: Range): Edge[] {
  const spare = spareSteps(along);
  const steps = differencesOf(strip);
  const lines = Array.from({ length: LEANS }, (_, index) => {
    const lean = ((2 * index) / (LEANS - 1) - 1) * LEAN_MOST;
    return { lean, offsets: offsetsOf(strip, (lean * ALONG_MM) / STEP_MM) };
  });
  const edges: Edge[] = [];
  const count = Math.ceil((most - least) / STEP_MM);
  for (let step = 0; step < count; step++) {
    let best: Edge = { at: least + (step + 0.5) * STEP_MM, lean: 0, seen: 0 };
    for (const { lean, offsets } of lines) {
      const seen = seenShare(steps, offsets, (step + spare) * 3);
      if (seen > best.seen) best = { ...best, lean, seen };
    }
    edges.push(best);
  }
  return edges
    .filter(({ seen }, at) => seen >= SEEN_LEAST && seen >= (edges[at - 1]?.seen ?? 0) && seen > (edges[at + 1]?.seen ?? 0))
    .sort((one, other) => other.seen - one.seen)
    .slice(0, CANDIDATES);
}

/** Where a leaning line crosses each row, beside where it crosses the middle: the distance in the data of the strip. */
function offsetsOf({ rows, columns }: Strip, lean: number): Int32Array {
  return Int32Array.from({ length: rows }, (_, row) => (row * columns + Math.round(lean * (row + 0.5 - rows / 2))) * 3);
}

/** For each step and channel: 1 if what follows is lighter, -1 if it is darker. */
function differencesOf({ rows, columns, data }: Strip): Int8Array {
  const steps = new Int8Array(data.length);
  for (let row = 0; row < rows; row++) {
    for (let at = (row * columns + BAND) * 3; at < ((row + 1) * columns - BAND) * 3; at++) {
      let sum = 0;
      for (let band = 0; band < BAND; band++) sum += data[at + band * 3]! - data[at - (band + 1) * 3]!;
      if (sum > CONTRAST_LEAST * BAND) steps[at] = 1;
      else if (sum < -CONTRAST_LEAST * BAND) steps[at] = -1;
    }
  }
  return steps;
}

/** The share of the rows in which both sides of a line differ in the same direction, in the channel that shows it best. */
function seenShare(steps: Int8Array, offsets: Int32Array, middle: number): number {
  let most = 0;
  for (let channel = 0; channel < 3; channel++) {
    let differing = 0;
    let balance = 0;
    for (let row = 0; row < offsets.length; row++) {
      const step = steps[middle + offsets[row]! + channel]!;
      differing += step & 1;
      balance += step;
    }
    // The rows that are lighter, or those that are darker.
    most = Math.max(most, (differing + Math.abs(balance)) / 2);
  }
  return most / offsets.length;
}

/** Where an upright and a level edge meet. */
function meetingOf(upright: Edge, level: Edge, middle: Point): Point {
  const y = (level.at + level.lean * (upright.at - upright.lean * middle.y - middle.x)) / (1 - level.lean * upright.lean);
  return { x: upright.at + upright.lean * (y - middle.y), y };
}

function isPlausible([a, b, c, d]: Corners, { width, ratio }: Expected): boolean {
  const far = (one: Point, other: Point) => Math.hypot(one.x - other.x, one.y - other.y);
  const [wide, high] = [(far(a, b) + far(d, c)) / 2, (far(a, d) + far(b, c)) / 2];
  return wide >= width[0] && wide <= width[1] && Math.abs(wide / high / ratio - 1) <= RATIO_OFF_MOST;
}
