// Finds lines of evenly spaced marks at any angle, as a machine-readable zone has them.
import type { Mark } from './marks.ts';

/** A mark with its place along (u) and across (v) the direction of its line. */
export type Placed = { u: number; v: number; mark: Mark };
/** Marks from left to right; `v = level + slope * u`. `pitch` is the distance of neighbours in pixels. */
export type TextLine = { marks: Placed[]; level: number; slope: number; pitch: number; size: number };

const BIN_DEGREES = 1;
const BINS = 180 / BIN_DEGREES;
const LEAST_APART_BINS = 8;
/** Sizes of neighbours differ at most by this factor: a `<` or a digit beside a capital. */
const SIZE_FACTOR = 1.7;
const NEIGHBOUR_SIZES = 2.2;
const LEAST_MARKS = 10;

/** Angles in radians, 0 to π, in which most marks have a neighbour of their size; the most frequent first. */
export function findDirections(marks: Mark[], most: number): number[] {
  const votes = new Float32Array(BINS);
  const buckets = bucketsOf(marks);
  for (const mark of marks) {
    for (const { x, y } of nearest(buckets, mark)) {
      const angle = Math.atan2(y - mark.y, x - mark.x);
      votes[Math.floor((((angle * 180) / Math.PI + 360) % 180) / BIN_DEGREES) % BINS]! += 1;
    }
  }
  const smooth = votes.map((_, bin) => {
    let sum = 0;
    for (let side = -3; side <= 3; side++) sum += votes[(bin + side + BINS) % BINS]! * (4 - Math.abs(side));
    return sum;
  });
  const peaks: number[] = [];
  for (const bin of [...smooth.keys()].sort((a, b) => smooth[b]! - smooth[a]!)) {
    const apart = (other: number) => Math.min(Math.abs(bin - other), BINS - Math.abs(bin - other));
    if (peaks.every((peak) => apart(peak) >= LEAST_APART_BINS)) peaks.push(bin);
    if (peaks.length === most) break;
  }
  return peaks.map((peak) => (centroid(votes, peak) * BIN_DEGREES * Math.PI) / 180);
}

/** Lines along a direction, the longest first. A mark may belong to several. */
export function findLines(marks: Mark[], angle: number): TextLine[] {
  const placed = place(marks, angle);
  const taken = new Set<Placed>();
  return chains(placed)
    .sort((a, b) => b.length - a.length)
    .flatMap((chain) => {
      if (chain.filter((mark) => taken.has(mark)).length > chain.length / 2) return [];
      const line = extend(placed, chain);
      if (!line || line.marks.length < LEAST_MARKS) return [];
      for (const mark of line.marks) taken.add(mark);
      return [line];
    })
    .sort((a, b) => b.marks.length - a.marks.length);
}

function isSimilar(one: Mark, two: Mark): boolean {
  return one.size < two.size * SIZE_FACTOR && two.size < one.size * SIZE_FACTOR;
}

const BUCKET_PX = 64;
type Buckets = Map<number, Mark[]>;

function bucketsOf(marks: Mark[]): Buckets {
  return Map.groupBy(marks, ({ x, y }) => Math.floor(x / BUCKET_PX) + 1000 * Math.floor(y / BUCKET_PX));
}

/** The two nearest marks of a similar size, if they are near. */
function nearest(buckets: Buckets, mark: Mark): Mark[] {
  const reach = mark.size * NEIGHBOUR_SIZES;
  let [one, two]: (Mark | undefined)[] = [];
  let [toOne, toTwo] = [reach * reach, reach * reach];
  for (let row = Math.floor((mark.y - reach) / BUCKET_PX); row <= Math.floor((mark.y + reach) / BUCKET_PX); row++) {
    for (let column = Math.floor((mark.x - reach) / BUCKET_PX); column <= Math.floor((mark.x + reach) / BUCKET_PX); column++) {
      for (const other of buckets.get(column + 1000 * row) ?? []) {
        const distance = (other.x - mark.x) ** 2 + (other.y - mark.y) ** 2;
        if (distance > toTwo || other === mark || !isSimilar(mark, other)) continue;
        if (distance < toOne || !one) {
          two = one;
          toTwo = toOne;
          one = other;
          toOne = distance;
        } else {
          two = other;
          toTwo = distance;
        }
      }
    }
  }
  return [one, two].filter((found) => found !== undefined);
}

/** The mean bin around a peak. */
function centroid(votes: Float32Array, peak: number): number {
  let sum = 0;
  let weighted = 0;
  for (let side = -3; side <= 3; side++) {
    const vote = votes[(peak + side + BINS) % BINS]!;
    sum += vote;
    weighted += vote * (peak + side + 0.5);
  }
  return sum > 0 ? weighted / sum : peak + 0.5;
}

function place(marks: Mark[], angle: number): Placed[] {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return marks
    .map((mark) => ({ mark, u: mark.x * cos + mark.y * sin, v: mark.y * cos - mark.x * sin }))
    .sort((a, b) => a.u - b.u);
}

/** Links each mark to its nearest similar mark on the right, when that mark has none nearer on its left. */
function chains(placed: Placed[]): Placed[][] {
  const next = new Map<Placed, Placed>();
  const previous = new Map<Placed, { from: Placed; cost: number }>();
  const largest = placed.reduce((most, { mark }) => Math.max(most, mark.size), 0);
  for (const [index, one] of placed.entries()) {
    const { size } = one.mark;
    let best: Placed | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (let at = index + 1; at < placed.length; at++) {
      const two = placed[at]!;
      const gap = two.u - one.u;
      if (gap > Math.min(2.8 * size, 3 * largest)) break;
      const drop = Math.abs(two.v - one.v);
      const cost = gap + 2.5 * drop;
      if (gap < 0.4 * size || drop > 0.4 * size || cost >= least || !isSimilar(one.mark, two.mark)) continue;
      best = two;
      least = cost;
    }
    if (best && (previous.get(best)?.cost ?? Number.POSITIVE_INFINITY) > least) {
      const rival = previous.get(best)?.from;
      if (rival) next.delete(rival);
      next.set(one, best);
      previous.set(best, { from: one, cost: least });
    }
  }
  return placed
    .filter((mark) => next.has(mark) && !previous.has(mark))
    .map((start) => {
      const chain = [start];
      for (let mark = next.get(start); mark; mark = next.get(mark)) chain.push(mark);
      return chain;
    })
    .filter(({ length }) => length >= 5);
}

/** Grows a chain to all marks on its straight line whose gaps are not too wide. */
function extend(placed: Placed[], chain: Placed[]): TextLine | undefined {
  let marks = chain;
  let line = fit(marks);
  for (let round = 0; round < 2; round++) {
    const { level, slope, size, pitch } = line;
    const near = placed.filter(({ u, v, mark }) => {
      return Math.abs(v - level - slope * u) < 0.5 * size && mark.size < size * 1.5 && mark.size > size * 0.55;
    });
    const middle = marks[marks.length >> 1]!;
    let first = near.indexOf(middle);
    let last = first;
    if (first < 0) return undefined;
    while (first > 0 && near[first]!.u - near[first - 1]!.u < 7 * pitch) first--;
    while (last < near.length - 1 && near[last + 1]!.u - near[last]!.u < 7 * pitch) last++;
    marks = near.slice(first, last + 1);
    line = fit(marks);
  }
  return line;
}

function fit(marks: Placed[]): TextLine {
  const size = median(marks.map(({ mark }) => mark.size));
  const gaps = marks.slice(1).map(({ u }, index) => u - marks[index]!.u);
  const typical = gaps.filter((gap) => gap > 0.5 * size && gap < 1.9 * size);
  let kept = marks;
  let line = regression(kept);
  for (let round = 0; round < 2; round++) {
    kept = marks.filter(({ u, v }) => Math.abs(v - line.level - line.slope * u) < 0.3 * size);
    if (kept.length < 3) break;
    line = regression(kept);
  }
  return { marks, ...line, size, pitch: typical.length > 0 ? median(typical) : size };
}

function regression(marks: Placed[]): { level: number; slope: number } {
  const meanU = marks.reduce((sum, { u }) => sum + u, 0) / marks.length;
  const meanV = marks.reduce((sum, { v }) => sum + v, 0) / marks.length;
  let above = 0;
  let below = 1e-9;
  for (const { u, v } of marks) {
    above += (u - meanU) * (v - meanV);
    below += (u - meanU) ** 2;
  }
  const slope = above / below;
  return { slope, level: meanV - slope * meanU };
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
