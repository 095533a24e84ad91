// Finds dark marks of the size of letters: local threshold, then connected components.
import type { Raster } from './raster.ts';

/** Centre and extent of a connected dark area, in pixels. */
export type Mark = { x: number; y: number; width: number; height: number; size: number };

const WINDOW_PX = 33;
const LEAST_SIZE_PX = 6;
const MOST_SIZE_PX = 90;
const LEAST_FILL = 0.08;
const MOST_ELONGATION = 9;

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

/** Horizontal dark runs: `starts` and `ends` in pixels, and for each row the index of its first run. */
type Runs = { starts: Uint16Array; ends: Uint16Array; firstOfRow: Int32Array };

/** Memory for the runs of a picture, kept for the next one: fresh memory of this size costs as much as the search. */
const kept = { starts: new Uint16Array(0), ends: new Uint16Array(0) };

function roomFor(count: number): typeof kept {
  if (kept.starts.length < count) Object.assign(kept, { starts: new Uint16Array(count), ends: new Uint16Array(count) });
  return kept;
}

function findRuns({ width, height, data }: Raster, darker: number): Runs {
  const { starts, ends } = roomFor(Math.ceil((width + 1) / 2) * height);
  const firstOfRow = new Int32Array(height + 1);
  const share = 1 - darker;
  const radius = WINDOW_PX >> 1;
  const columns = openColumns({ width, height, data }, radius);
  const inWindow = Int32Array.from({ length: width }, (_, x) => Math.min(x + radius, width - 1) - Math.max(x - radius, 0) + 1);
  let count = 0;
  for (let y = 0, at = 0; y < height; y++) {
    const { sums, rows } = columns.down(y);
    firstOfRow[y] = count;
    let sum = 0;
    for (let x = 0; x <= 2 * radius; x++) sum += sums[x]!;
    let isDark = false;
    for (let x = 0; x < width; x++, at++) {
      sum += sums[x + WINDOW_PX]! - sums[x]!;
      const dark = data[at]! * inWindow[x]! * rows < sum * share;
      if (dark === isDark) continue;
      if (dark) starts[count] = x;
      else ends[count++] = x;
      isDark = dark;
    }
    if (isDark) ends[count++] = width;
  }
  firstOfRow[height] = count;
  return { starts, ends, firstOfRow };
}

type Columns = { down(y: number): { sums: Int32Array; rows: number } };

/** Sums of the columns of the window, moved down row by row: that of column x is at x + radius + 1, and those outside are 0. */
function openColumns({ width, height, data }: Raster, radius: number): Columns {
  const sums = new Int32Array(width + WINDOW_PX);
  const add = (y: number, sign: number) => {
    for (let x = radius + 1, at = y * width; x <= width + radius; x++, at++) sums[x]! += sign * data[at]!;
  };
  let rows = 0;
  return {
    down(y) {
      for (; rows < height && rows <= y + radius; rows++) add(rows, 1);
      const above = Math.max(0, y - radius);
      if (above > 0) add(above - 1, -1);
      return { sums, rows: rows - above };
    },
  };
}

/** Of each area at the index of its first run; the others have no pixels. */
type Areas = { left: Uint16Array; right: Uint16Array; top: Uint16Array; bottom: Uint16Array; pixels: Int32Array };

/** Joins runs that touch, diagonally too, with union-find. */
function gather(runs: Runs): Areas {
  const parents = join(runs);
  const { starts, ends, firstOfRow } = runs;
  const count = parents.length;
  const left = starts.slice(0, count);
  const right = ends.slice(0, count);
  const [top, bottom, pixels] = [new Uint16Array(count), new Uint16Array(count), new Int32Array(count)];
  for (let y = 0; y < firstOfRow.length - 1; y++) {
    for (let run = firstOfRow[y]!; run < firstOfRow[y + 1]!; run++) {
      const root = rootOf(parents, run);
      if (root === run) top[root] = y;
      if (starts[run]! < left[root]!) left[root] = starts[run]!;
      if (ends[run]! > right[root]!) right[root] = ends[run]!;
      bottom[root] = y + 1;
      pixels[root]! += ends[run]! - starts[run]!;
    }
  }
  return { left, right, top, bottom, pixels };
}

/** Returns a run of the same area before each run, or itself when it is the first. */
function join({ starts, ends, firstOfRow }: Runs): Int32Array {
  const rows = firstOfRow.length - 1;
  const parents = new Int32Array(firstOfRow[rows]!);
  for (let run = 0; run < parents.length; run++) parents[run] = run;
  for (let y = 1; y < rows; y++) {
    let above = firstOfRow[y - 1]!;
    const last = firstOfRow[y]!;
    for (let run = last; run < firstOfRow[y + 1]!; run++) {
      while (above < last && ends[above]! < starts[run]!) above++;
      for (let other = above; other < last && starts[other]! <= ends[run]!; other++) {
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
