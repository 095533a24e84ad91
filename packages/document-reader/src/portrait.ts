// The portrait of a page: an area of the size of a photograph, which is neither text nor ground, and its perceptual hash.
import { fingerprint } from './fingerprint.ts';
import { flatten, type Page } from './page.ts';
import type { Raster } from './raster.ts';

/** Millimetres of the page. */
type Box = { x: number; y: number; width: number; height: number };
export type Portrait = Box & { fingerprint: string };

const BLOCK_MM = 2;
/** Height of the zone and its margins, in which no portrait is. */
const ZONE_MM = 24;
/** Of a block from the ground, in grey values, at least. */
const DISTANCE_LEAST = 12;
const DEVIATION_LEAST = 10;
const FILL_LEAST = 0.5;
const SIZE_MM = { width: [14, 44], height: [20, 58] } as const;
const GROUND_ROUNDS = 3;
/** What is hashed: the same place of each page of a layout, so that a portrait that is found a bit differently has the same hash. */
const HASHED_PX_PER_MM = 3;

/** Returns the largest area that may be a portrait; undefined if there is none. */
export async function findPortrait(page: Page): Promise<Portrait | undefined> {
  const blocks = flatten({ ...page, height: page.height - ZONE_MM }, 1 / BLOCK_MM);
  const distance = fromGround(blocks);
  const marked = opened(closed({ ...blocks, data: distance.map((value) => (Math.abs(value) > DISTANCE_LEAST ? 1 : 0)) }));
  const boxes = areasOf(marked).filter(
    ({ box, fill }) => fill >= FILL_LEAST && hasSize(box) && deviationIn(blocks, box) >= DEVIATION_LEAST,
  );
  const [found] = boxes.sort((a, b) => b.box.width * b.box.height - a.box.width * a.box.height);
  if (!found) return undefined;
  const box = inMm(found.box);
  return { ...box, fingerprint: await hashOf(page, box) };
}

/** Of the half of the page in which the portrait is, above the zone. */
async function hashOf(page: Page, { x, width }: Box): Promise<string> {
  const whole = flatten(page, HASHED_PX_PER_MM);
  const isRight = x + width / 2 > page.width / 2;
  const half = Math.round(whole.width * 0.36);
  const rows = [Math.round(whole.height * 0.12), Math.round((1 - ZONE_MM / page.height) * whole.height)] as const;
  const left = isRight ? whole.width - half : 0;
  const data = new Uint8Array(half * (rows[1] - rows[0]));
  for (let row = rows[0], at = 0; row < rows[1]; row++)
    for (let column = 0; column < half; column++, at++) data[at] = whole.data[row * whole.width + left + column]!;
  return fingerprint({ width: half, height: rows[1] - rows[0], data });
}

type Grid = { width: number; height: number; data: Uint8Array | Float32Array };

/** The distance of each block from a plane through the ground: light falls unevenly on a page. */
function fromGround({ width, height, data }: Raster): Float32Array {
  let kept = [...data.keys()];
  let distance = new Float32Array(data.length);
  for (let round = 0; round < GROUND_ROUNDS; round++) {
    const [a, b, c] = planeThrough(kept.map((at) => [at % width, Math.floor(at / width), data[at]!]));
    distance = Float32Array.from(data, (value, at) => value - (a + b * (at % width) + c * Math.floor(at / width)));
    const sorted = distance.map(Math.abs).sort();
    const median = sorted[sorted.length >> 1]!;
    kept = [...data.keys()].filter((at) => Math.abs(distance[at]!) <= Math.max(4, 1.5 * median));
  }
  void height;
  return distance;
}

function planeThrough(points: [number, number, number][]): [number, number, number] {
  let [n, sx, sy, sxx, syy, sxy, sv, sxv, syv] = [0, 0, 0, 0, 0, 0, 0, 0, 0];
  for (const [x, y, value] of points) {
    n++;
    sx += x;
    sy += y;
    sxx += x * x;
    syy += y * y;
    sxy += x * y;
    sv += value;
    sxv += x * value;
    syv += y * value;
  }
  const [xx, yy, xy] = [sxx - (sx * sx) / n, syy - (sy * sy) / n, sxy - (sx * sy) / n];
  const [xv, yv] = [sxv - (sx * sv) / n, syv - (sy * sv) / n];
  const determinant = xx * yy - xy * xy || 1;
  const [b, c] = [(xv * yy - yv * xy) / determinant, (yv * xx - xv * xy) / determinant];
  return [(sv - b * sx - c * sy) / n, b, c];
}

const closed = (grid: Grid): Grid => spread(spread(grid, 1), 0);
const opened = (grid: Grid): Grid => spread(spread(grid, 0), 1);

/** Gives a value to each block beside one that has it. */
function spread({ width, height, data }: Grid, value: 0 | 1): Grid {
  const result = Uint8Array.from(data);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (data[y * width + x] !== value) continue;
      for (let row = Math.max(0, y - 1); row <= Math.min(height - 1, y + 1); row++)
        for (let column = Math.max(0, x - 1); column <= Math.min(width - 1, x + 1); column++)
          result[row * width + column] = value;
    }
  }
  return { width, height, data: result };
}

function areasOf({ width, height, data }: Grid): { box: Box; fill: number }[] {
  const left = Uint8Array.from(data);
  const areas: { box: Box; fill: number }[] = [];
  for (const start of left.keys()) {
    if (left[start] !== 1) continue;
    left[start] = 0;
    const area = [start];
    for (let index = 0; index < area.length; index++) {
      const [x, y] = [area[index]! % width, Math.floor(area[index]! / width)];
      for (const [column, row] of [
        [x - 1, y],
        [x + 1, y],
        [x, y - 1],
        [x, y + 1],
      ] as const) {
        if (column < 0 || row < 0 || column >= width || row >= height || left[row * width + column] !== 1) continue;
        left[row * width + column] = 0;
        area.push(row * width + column);
      }
    }
    const [xs, ys] = [area.map((at) => at % width), area.map((at) => Math.floor(at / width))];
    const [x, y] = [Math.min(...xs), Math.min(...ys)];
    const box = { x, y, width: Math.max(...xs) - x + 1, height: Math.max(...ys) - y + 1 };
    areas.push({ box, fill: area.length / (box.width * box.height) });
  }
  return areas;
}

function inMm({ x, y, width, height }: Box): Box {
  return { x: x * BLOCK_MM, y: y * BLOCK_MM, width: width * BLOCK_MM, height: height * BLOCK_MM };
}

function hasSize(box: Box): boolean {
  const { width, height } = inMm(box);
  const within = (value: number, [least, most]: readonly [number, number]) => value >= least && value <= most;
  return within(width, SIZE_MM.width) && within(height, SIZE_MM.height) && height >= 0.9 * width;
}

/** A face has light and dark parts; a bar of colour has not. */
function deviationIn({ width, data }: Raster, box: Box): number {
  const values = [];
  for (let y = box.y; y < box.y + box.height; y++)
    for (let x = box.x; x < box.x + box.width; x++) values.push(data[y * width + x]!);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
}
