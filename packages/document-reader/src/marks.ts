// Finds dark marks of the size of letters: local threshold, then connected components.
import type { Raster } from './raster.ts';

/** Centre and extent of a connected dark area, in pixels. */
export type Mark = { x: number; y: number; width: number; height: number; size: number };

const WINDOW_PX = 33;
const LEAST_SIZE_PX = 6;
const MOST_SIZE_PX = 90;
const LEAST_FILL = 0.08;
const MOST_ELONGATION = 9;
const MOST_EDGE = 65535;

/** Marks that are at least `darker` (0 to 1) darker than the mean of their neighbourhood. */
export function findMarks(raster: Raster, darker: number): Mark[] {
  const { left, right, top, bottom, pixels } = gather(findRuns(raster, darker));
  const marks: Mark[] = [];
  for (let area = 0; area < pixels.length; area++) {
    if (pixels[area] === 0) continue;
    const width = right[area]! - left[area]!;
    const height = bottom[area]! - top[area]!;
    const size = Math.max(width, height);
    const fits =
      size >= LEAST_SIZE_PX &&
      size <= MOST_SIZE_PX &&
      pixels[area]! >= LEAST_FILL * width * height &&
      size <= MOST_ELONGATION * Math.min(width, height);
    if (!fits) continue;
    marks.push({ x: (left[area]! + right[area]! - 1) / 2, y: (top[area]! + bottom[area]! - 1) / 2, width, height, size });
  }
  return marks;
}

/** Horizontal dark runs: `edges` has the start and the end of each in pixels, and `firstOfRow` the index of the first run of each row. */
type Runs = { edges: Uint16Array; firstOfRow: Int32Array };

/** Memory for the edges of a picture, kept for the next one: fresh memory of this size costs as much as the search. */
let kept = new Uint16Array(0);

function roomFor(count: number): Uint16Array {
  if (kept.length < count) kept = new Uint16Array(count);
  return kept;
}

function findRuns({ width, height, data }: Raster, darker: number): Runs {
  // Each pixel writes its place, and only an edge keeps it: a branch that nobody can predict costs more.
  const edges = roomFor((width + 2) * height + 1);
  const firstOfRow = new Int32Array(height + 1);
  const percent = Math.round(100 * (1 - darker));
  const radius = WINDOW_PX >> 1;
  const columns = openColumns({ width, height, data }, radius);
  const inWindow = Int32Array.from({ length: width }, (_, x) => Math.min(x + radius, width - 1) - Math.max(x - radius, 0) + 1);
  let count = 0;
  for (let y = 0, at = 0; y < height; y++) {
    const { sums, rows } = columns.down(y);
    firstOfRow[y] = count >> 1;
    let sum = 0;
    for (let x = 0; x <= 2 * radius; x++) sum += sums[x]!;
    let isDark = 0;
    for (let x = 0; x < width; x++, at++) {
      sum += sums[x + WINDOW_PX]! - sums[x]!;
      const dark = (Math.imul(Math.imul(data[at]!, inWindow[x]!), 100 * rows) - Math.imul(sum, percent)) >>> 31;
      edges[count] = x;
      count += dark ^ isDark;
      isDark = dark;
    }
    if (isDark) edges[count++] = width;
  }
  firstOfRow[height] = count >> 1;
  return { edges, firstOfRow };
}

type Columns = { down(y: number): { sums: Int32Array; rows: number } };

/** Sums of the columns of the window, moved down row by row: that of column x is at x + radius + 1, and those outside are 0. */
function openColumns({ width, height, data }: Raster, radius: number): Columns {
  const sums = new Int32Array(width + WINDOW_PX);
  const start = radius + 1;
  const add = (row: number, sign: number) => {
    for (let x = start, at = row * width; x < start + width; x++, at++) sums[x]! += sign * data[at]!;
  };
  /** One row leaves and another enters, in one pass. */
  const exchange = (leaving: number, entering: number) => {
    for (let x = start, from = leaving * width, to = entering * width; x < start + width; x++)
      sums[x]! += data[to++]! - data[from++]!;
  };
  let [first, end] = [0, 0];
  return {
    down(y) {
      for (; end < height && end < y + radius; end++) add(end, 1);
      const hasNext = end < height;
      if (y > radius && hasNext) exchange(first++, end++);
      else if (y > radius) add(first++, -1);
      else if (hasNext) add(end++, 1);
      return { sums, rows: end - first };
    },
  };
}

/** Of each area at the index of its first run; the others have no pixels. */
type Areas = { left: Uint16Array; right: Uint16Array; top: Uint16Array; bottom: Uint16Array; pixels: Int32Array };

/** Joins runs that touch, diagonally too, with union-find. */
function gather(runs: Runs): Areas {
  const parents = join(runs);
  const { edges, firstOfRow } = runs;
  const count = parents.length;
  const [left, right] = [new Uint16Array(count).fill(MOST_EDGE), new Uint16Array(count)];
  const [top, bottom, pixels] = [new Uint16Array(count), new Uint16Array(count), new Int32Array(count)];
  for (let y = 0; y < firstOfRow.length - 1; y++) {
    for (let run = firstOfRow[y]!; run < firstOfRow[y + 1]!; run++) {
      const root = rootOf(parents, run);
      const start = edges[2 * run]!;
      const end = edges[2 * run + 1]!;
      if (root === run) top[root] = y;
      if (start < left[root]!) left[root] = start;
      if (end > right[root]!) right[root] = end;
      bottom[root] = y + 1;
      pixels[root]! += end - start;
    }
  }
  return { left, right, top, bottom, pixels };
}

/** Returns a run of the same area before each run, or itself when it is the first. */
function join({ edges, firstOfRow }: Runs): Int32Array {
  const rows = firstOfRow.length - 1;
  const parents = new Int32Array(firstOfRow[rows]!);
  for (let run = 0; run < parents.length; run++) parents[run] = run;
  for (let y = 1; y < rows; y++) {
    let above = firstOfRow[y - 1]!;
    const last = firstOfRow[y]!;
    for (let run = last; run < firstOfRow[y + 1]!; run++) {
      const start = edges[2 * run]!;
      const end = edges[2 * run + 1]!;
      while (above < last && edges[2 * above + 1]! < start) above++;
      for (let other = above; other < last && edges[2 * other]! <= end; other++) {
        const one = rootOf(parents, run);
        const two = rootOf(parents, other);
        if (one < two) parents[two] = one;
        else parents[one] = two;
      }
    }
  }
  return parents;
}

function rootOf(parents: Int32Array, run: number): number {
  let root = run;
  while (parents[root] !== root) {
    parents[root] = parents[parents[root]!]!;
    root = parents[root]!;
  }
  return root;
}
