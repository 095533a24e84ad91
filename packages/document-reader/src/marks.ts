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
  const runs = findRuns(raster, darker);
  return gather(runs).flatMap(({ left, right, top, bottom, area }) => {
    const width = right - left;
    const height = bottom - top;
    const size = Math.max(width, height);
    const fits =
      size >= LEAST_SIZE_PX &&
      size <= MOST_SIZE_PX &&
      area >= LEAST_FILL * width * height &&
      size <= MOST_ELONGATION * Math.min(width, height);
    return fits ? [{ x: (left + right - 1) / 2, y: (top + bottom - 1) / 2, width, height, size }] : [];
  });
}

/** Horizontal dark runs: `starts` and `ends` in pixels, and for each row the index of its first run. */
type Runs = { starts: Int32Array; ends: Int32Array; firstOfRow: Int32Array; count: number };

function findRuns({ width, height, data }: Raster, darker: number): Runs {
  const starts = new Int32Array(Math.ceil((width + 1) / 2) * height);
  const ends = new Int32Array(starts.length);
  const firstOfRow = new Int32Array(height + 1);
  const share = 1 - darker;
  const radius = WINDOW_PX >> 1;
  // Sums of the columns of the window, moved down row by row; the sum of the window moves along the row.
  const columns = new Int32Array(width);
  let rows = 0;
  for (let y = 0; y < radius && y < height; y++, rows++) for (let x = 0; x < width; x++) columns[x]! += data[y * width + x]!;
  let count = 0;
  for (let y = 0; y < height; y++) {
    if (y + radius < height) {
      rows++;
      for (let x = 0, at = (y + radius) * width; x < width; x++, at++) columns[x]! += data[at]!;
    }
    if (y - radius - 1 >= 0) {
      rows--;
      for (let x = 0, at = (y - radius - 1) * width; x < width; x++, at++) columns[x]! -= data[at]!;
    }
    firstOfRow[y] = count;
    let sum = 0;
    let inWindow = 0;
    for (let x = 0; x < radius && x < width; x++, inWindow++) sum += columns[x]!;
    let isDark = false;
    for (let x = 0; x < width; x++) {
      if (x + radius < width) {
        sum += columns[x + radius]!;
        inWindow++;
      }
      if (x - radius - 1 >= 0) {
        sum -= columns[x - radius - 1]!;
        inWindow--;
      }
      const dark = data[y * width + x]! * inWindow * rows < sum * share;
      if (dark && !isDark) starts[count] = x;
      if (!dark && isDark) ends[count++] = x;
      isDark = dark;
    }
    if (isDark) ends[count++] = width;
  }
  firstOfRow[height] = count;
  return { starts, ends, firstOfRow, count };
}

type Area = { left: number; right: number; top: number; bottom: number; area: number };

/** Joins runs that touch, diagonally too, with union-find. */
function gather({ starts, ends, firstOfRow, count }: Runs): Area[] {
  const parents = Int32Array.from({ length: count }, (_, run) => run);
  const rootOf = (run: number): number => {
    let root = run;
    while (parents[root] !== root) {
      parents[root] = parents[parents[root]!]!;
      root = parents[root]!;
    }
    return root;
  };
  const rows = firstOfRow.length - 1;
  for (let y = 1; y < rows; y++) {
    let above = firstOfRow[y - 1]!;
    const last = firstOfRow[y]!;
    for (let run = last; run < firstOfRow[y + 1]!; run++) {
      while (above < last && ends[above]! < starts[run]!) above++;
      for (let other = above; other < last && starts[other]! <= ends[run]!; other++) {
        const [one, two] = [rootOf(run), rootOf(other)];
        if (one < two) parents[two] = one;
        else parents[one] = two;
      }
    }
  }
  const areas = new Map<number, Area>();
  for (let y = 0; y < rows; y++) {
    for (let run = firstOfRow[y]!; run < firstOfRow[y + 1]!; run++)
      addRun(areas, rootOf(run), { y, left: starts[run]!, right: ends[run]! });
  }
  return [...areas.values()];
}

function addRun(areas: Map<number, Area>, root: number, { y, left, right }: { y: number; left: number; right: number }): void {
  const area = areas.get(root);
  if (!area) {
    areas.set(root, { left, right, top: y, bottom: y + 1, area: right - left });
    return;
  }
  area.left = Math.min(area.left, left);
  area.right = Math.max(area.right, right);
  area.bottom = y + 1;
  area.area += right - left;
}
