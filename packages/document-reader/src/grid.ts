// The grid of a machine-readable zone: lines of text that belong together, with their columns numbered, mapped onto the picture.
import type { Cell } from './cell.ts';
import { fitHomography, type Homography, type Pair, project } from './homography.ts';
import type { Mark } from './marks.ts';
import type { Placed, TextLine } from './text-lines.ts';

/** `columns` is what was seen, from column 0; real zones may begin left of it and end right of it. */
export type Grid = { lines: number; columns: number; cellAt(column: number, line: number): Cell };

type Numbered = { column: number; line: number; mark: Mark; u: number };

const LEAST_SPACING_PITCHES = 1.2;
const MOST_SPACING_PITCHES = 3.6;
const LEAST_OVERLAP = 0.55;
const MOST_LINES_TRIED = 14;
const LEAST_MARKS = 36;
/** Height over pitch of a capital in OCR-B. */
const CAPITAL_PITCHES = 0.97;
const TRIM_PITCHES = [0.6, 0.35, 0.25];

/** Groups of two or three parallel lines, one text line apart; the ones with most marks first. */
export function findGroups(lines: TextLine[]): TextLine[][] {
  const best = lines.slice(0, MOST_LINES_TRIED);
  const groups: TextLine[][] = [];
  for (const one of best) {
    for (const two of best) {
      if (!isBelow(one, two)) continue;
      groups.push([one, two]);
      for (const three of best) if (isBelow(two, three) && isEvenly(one, two, three)) groups.push([one, two, three]);
    }
  }
  const count = (group: TextLine[]) => group.reduce((sum, { marks }) => sum + marks.length, 0);
  return groups.filter((group) => count(group) >= LEAST_MARKS).sort((a, b) => count(b) - count(a));
}

/** Numbers the columns and fits the map from (column, line) to the picture. Undefined when the marks do not form a grid. */
export function fitGrid(group: TextLine[], angle: number): Grid | undefined {
  const numbered = align(group.map((line, index) => numberColumns(line, index)));
  let kept = numbered;
  let map: Homography | undefined;
  for (const trim of TRIM_PITCHES) {
    map = fitHomography(kept.map(toPair));
    if (!map || kept.length < LEAST_MARKS / 2) return undefined;
    const fitted = map;
    const pitch = group[0]!.pitch;
    kept = numbered.filter(({ column, line, mark }) => {
      const { x, y } = project(fitted, column, line);
      return Math.hypot(x - mark.x, y - mark.y) < trim * pitch;
    });
  }
  map = fitHomography(kept.map(toPair));
  if (!map || kept.length < LEAST_MARKS / 2) return undefined;
  const columns = Math.max(...kept.map(({ column }) => column)) + 1;
  return { lines: group.length, columns, cellAt: cellsOf(map, kept, aspect(group, angle)) };
}

function isBelow(upper: TextLine, lower: TextLine): boolean {
  const pitch = Math.max(upper.pitch, lower.pitch);
  if (upper === lower || Math.min(upper.pitch, lower.pitch) < 0.82 * pitch) return false;
  const [start, end] = [Math.max(first(upper).u, first(lower).u), Math.min(last(upper).u, last(lower).u)];
  const shorter = Math.min(last(upper).u - first(upper).u, last(lower).u - first(lower).u);
  if (end - start < LEAST_OVERLAP * shorter) return false;
  const middle = (start + end) / 2;
  const spacing = (lower.level + lower.slope * middle - upper.level - upper.slope * middle) / pitch;
  return spacing > LEAST_SPACING_PITCHES && spacing < MOST_SPACING_PITCHES && Math.abs(upper.slope - lower.slope) < 0.06;
}

/** Whether three lines have about the same distance. */
function isEvenly(one: TextLine, two: TextLine, three: TextLine): boolean {
  const u = first(two).u;
  const [a, b, c] = [one, two, three].map(({ level, slope }) => level + slope * u) as [number, number, number];
  return (b - a) / (c - b) > 0.75 && (b - a) / (c - b) < 1.33;
}

const first = ({ marks }: TextLine): Placed => marks[0]!;
const last = ({ marks }: TextLine): Placed => marks.at(-1)!;

/** Counts pitches from mark to mark. The pitch adapts, because it changes along a line in perspective. */
function numberColumns({ marks, pitch, level, slope, size }: TextLine, line: number): Numbered[] {
  const straight = marks.filter(({ u, v, mark }) => Math.abs(v - level - slope * u) < 0.35 * size && mark.size > 0.6 * size);
  const numbered: Numbered[] = [];
  let local = pitch;
  for (const { u, mark } of straight) {
    const before = numbered.at(-1);
    if (!before) {
      numbered.push({ column: 0, line, mark, u });
      continue;
    }
    const steps = (u - before.u) / local;
    const whole = Math.round(steps);
    if (whole === 0) {
      if (mark.size > before.mark.size) numbered[numbered.length - 1] = { ...before, mark, u };
      continue;
    }
    if (whole <= 2 && Math.abs(steps - whole) < 0.25) local += 0.15 * ((u - before.u) / whole - local);
    numbered.push({ column: before.column + whole, line, mark, u });
  }
  return numbered;
}

/** Gives characters that are above each other the same column; the leftmost is column 0. */
function align(lines: Numbered[][]): Numbered[] {
  const reference = lines.reduce((longest, line) => (line.length > longest.length ? line : longest));
  const shifted = lines.flatMap((line) => {
    const [start, end] = [Math.max(reference[0]!.u, line[0]!.u), Math.min(reference.at(-1)!.u, line.at(-1)!.u)];
    const shift = Math.round(columnAt(reference, (start + end) / 2) - columnAt(line, (start + end) / 2));
    return line.map((entry) => ({ ...entry, column: entry.column + shift }));
  });
  const least = Math.min(...shifted.map(({ column }) => column));
  return shifted.map((entry) => ({ ...entry, column: entry.column - least }));
}

/** The column at a place along the line, between two characters by interpolation. */
function columnAt(line: Numbered[], u: number): number {
  const right = Math.max(
    1,
    line.findIndex((entry) => entry.u >= u),
  );
  const [one, two] = [line[right - 1]!, line[right] ?? line[right - 1]!];
  return two.u === one.u ? one.column : one.column + ((u - one.u) / (two.u - one.u)) * (two.column - one.column);
}

function toPair({ column, line, mark }: Numbered): Pair {
  return { fromX: column, fromY: line, toX: mark.x, toY: mark.y };
}

/** Height of letters over that of undistorted letters of the same pitch; 1 when the zone is not near an axis of the picture. */
function aspect(group: TextLine[], angle: number): number {
  const nearX = Math.abs(Math.sin(angle)) < 0.14;
  const nearY = Math.abs(Math.cos(angle)) < 0.14;
  if (!nearX && !nearY) return 1;
  const ratios = group.flatMap(({ marks, pitch }) => marks.map(({ mark }) => (nearX ? mark.height : mark.width) / pitch));
  const middle = ratios.sort((a, b) => a - b)[ratios.length >> 1]!;
  return Math.max(0.85, Math.min(1.2, middle / CAPITAL_PITCHES));
}

function cellsOf(map: Homography, kept: Numbered[], stretch: number): Grid['cellAt'] {
  const bends = bendsOf(map, kept);
  return (column, line) => {
    const { x, y } = project(map, column, line);
    const [before, after] = [project(map, column - 0.5, line), project(map, column + 0.5, line)];
    const [above, below] = [project(map, column, line - 0.5), project(map, column, line + 0.5)];
    const [alongX, alongY] = [after.x - before.x, after.y - before.y];
    const spacing = Math.hypot(below.x - above.x, below.y - above.y);
    const factor = (stretch * Math.hypot(alongX, alongY)) / spacing;
    const bend = bends(column, line);
    return {
      x: x + bend.x,
      y: y + bend.y,
      alongX,
      alongY,
      downX: (below.x - above.x) * factor,
      downY: (below.y - above.y) * factor,
    };
  };
}

const BEND_REACH_COLUMNS = 6;

/** What a bent page leaves over: the mean distance of nearby marks from their place on the grid. */
function bendsOf(map: Homography, kept: Numbered[]): (column: number, line: number) => { x: number; y: number } {
  const left = kept.map(({ column, line, mark }) => {
    const { x, y } = project(map, column, line);
    return { column, line, x: mark.x - x, y: mark.y - y };
  });
  return (column, line) => {
    let [x, y, weight] = [0, 0, 3];
    for (const entry of left) {
      const distance = Math.abs(entry.column - column);
      if (entry.line !== line || distance > BEND_REACH_COLUMNS) continue;
      const share = 1 - distance / (BEND_REACH_COLUMNS + 1);
      x += share * entry.x;
      y += share * entry.y;
      weight += share;
    }
    return { x: x / weight, y: y / weight };
  };
}
