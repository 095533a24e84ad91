// Reads the characters of a grid: tries the layouts of the standard at each possible first column, upright and upside down.
import { ALPHABET } from './alphabet.ts';
import { CELL_SIZE, cutCell } from './cell.ts';
import { classify } from './classifier.ts';
import type { Grid } from './grid.ts';
import type { Raster } from './raster.ts';
import type { Place } from './reading.ts';
import { CLASSES, checkDigit, LAYOUTS, type Layout, type Span } from './zone-layout.ts';

/** `letters` has the probability of each character, `certainty` their mean. */
export type ZoneText = {
  layout: Layout;
  lines: string[];
  letters: number[][];
  certainty: number;
  checks: ZoneChecks;
  /** Where the characters of a part of a line are; undefined without a picture. */
  placeOf?: (span: Span) => Place;
};
/** By name of the check: whether the check digit agrees. */
type ZoneChecks = Record<string, boolean>;

/** How many columns at most a grid may lack, or have too many of. */
const MOST_MISSING = 10;
const ORIENTATION_STEP_COLUMNS = 3;
/** Mean probability of the likeliest character, below which cells do not hold characters. */
const LEAST_CERTAINTY = 0.55;
const PLACE_STEPS = 10_000;

const INDEXES = Object.fromEntries(
  Object.entries(CLASSES).map(([name, characters]) => [name, [...characters].map((character) => ALPHABET.indexOf(character))]),
);

/** Pairs that only their place tells apart: a digit where letters are excluded, and the reverse. */
const PAIRS = ['0O', '0Q', '0D', '1I', '1L', '2Z', '4A', '5S', '6G', '7T', '8B'];
const LOOK_ALIKES = [...ALPHABET].map((character) =>
  PAIRS.filter((pair) => pair.includes(character)).map((pair) => ALPHABET.indexOf(pair.replace(character, ''))),
);

/** Returns the readings of a grid, the one with most checks and the highest certainty first. */
export function readGrid(raster: Raster, grid: Grid): ZoneText[] {
  const places = LAYOUTS.filter(({ lines }) => lines.length === grid.lines).flatMap((layout) =>
    windows(layout.lines[0]!.length, grid.columns).map((start) => ({ layout, start })),
  );
  if (places.length === 0) return [];
  const cells = openCells(raster, grid);
  const turned = orientation(cells, grid);
  if (turned === undefined) return [];
  return places
    .map(({ layout, start }) => ({
      ...readWindow(cells, layout, { start, turned }),
      placeOf: (span: Span) => placeIn(raster, grid, { layout, start, turned, span }),
    }))
    .sort((a, b) => score(b) - score(a));
}

/** Comparable among readings of one picture. */
export function score({ checks, certainty, layout }: ZoneText): number {
  const passed = Object.values(checks).filter(Boolean).length;
  return passed / (layout.checked.length + 1) + 2 * certainty;
}

type Cells = (column: number, line: number, turned: boolean) => Float32Array;

/** Classifies cells when they are asked for, and remembers them. */
function openCells(raster: Raster, grid: Grid): Cells {
  const inputs = new Float32Array(CELL_SIZE);
  const known = new Map<string, Float32Array>();
  return (column, line, turned) => {
    const key = `${column} ${line} ${turned}`;
    const before = known.get(key);
    if (before) return before;
    cutCell(raster, grid.cellAt(column, line), inputs, 0);
    const probabilities = classify(inputs, 0, turned);
    known.set(key, probabilities);
    return probabilities;
  };
}

/** Whether the letters are upside down; undefined when they are not letters of a zone either way. */
function orientation(cells: Cells, grid: Grid): boolean | undefined {
  let [upright, turned, count] = [0, 0, 0];
  for (let line = 0; line < grid.lines; line++) {
    for (let column = 1; column < grid.columns; column += ORIENTATION_STEP_COLUMNS, count++) {
      upright += Math.max(...cells(column, line, false));
      turned += Math.max(...cells(column, line, true));
    }
  }
  return Math.max(upright, turned) < LEAST_CERTAINTY * count ? undefined : turned > upright;
}

/** Possible first columns, the likeliest first. */
function windows(length: number, columns: number): number[] {
  const missing = columns - length;
  if (Math.abs(missing) > MOST_MISSING) return [];
  const [least, most] = [Math.min(0, missing) - 1, Math.max(0, missing) + 1];
  return Array.from({ length: most - least + 1 }, (_, index) => least + index);
}

function readWindow(
  cells: Cells,
  layout: Layout,
  { start, turned }: { start: number; turned: boolean },
): Omit<ZoneText, 'placeOf'> {
  const lines: string[] = [];
  const letters: number[][] = [];
  let sum = 0;
  for (const [line, classes] of layout.lines.entries()) {
    const read = [...classes].map((name, at) => {
      const column = turned ? start + classes.length - 1 - at : start + at;
      const probabilities = cells(column, turned ? layout.lines.length - 1 - line : line, turned);
      return pick(probabilities, INDEXES[name]!);
    });
    lines.push(read.map(({ index }) => ALPHABET[index]!).join(''));
    letters.push(read.map(({ share }) => share));
    sum += read.reduce((total, { share }) => total + share, 0);
  }
  const characters = layout.lines.length * layout.lines[0]!.length;
  return { layout, lines, letters, certainty: sum / characters, checks: checkDigits(layout, lines) };
}

/** The cells of characters, as they are read: from the left edge of the first to the right edge of the last. */
function placeIn(
  { width, height }: Raster,
  grid: Grid,
  { layout, start, turned, span: [line, from, to] }: { layout: Layout; start: number; turned: boolean; span: Span },
): Place {
  const { length } = layout.lines[0]!;
  const cell = (at: number) =>
    grid.cellAt(turned ? start + length - 1 - at : start + at, turned ? layout.lines.length - 1 - line : line);
  const edge = (at: number, side: number): [number, number] => {
    const { x, y, alongX, alongY } = cell(at);
    const half = turned ? -side / 2 : side / 2;
    return [rounded((x + half * alongX) / width), rounded((y + half * alongY) / height)];
  };
  return { start: edge(from, -1), end: edge(to - 1, 1), characters: to - from };
}

function rounded(share: number): number {
  return Math.round(share * PLACE_STEPS) / PLACE_STEPS;
}

/** The likeliest of the allowed characters. What it is taken for where the layout excludes the look-alike counts for it. */
function pick(probabilities: Float32Array, allowed: number[]): { index: number; share: number } {
  let index = allowed[0]!;
  for (const candidate of allowed) if (probabilities[candidate]! > probabilities[index]!) index = candidate;
  const mistaken = LOOK_ALIKES[index]!.filter((other) => !allowed.includes(other));
  return { index, share: mistaken.reduce((sum, other) => sum + probabilities[other]!, probabilities[index]!) };
}

export function textOf(lines: string[], [line, from, to]: Span): string {
  return lines[line]!.slice(from, to);
}

export function checkDigits(layout: Layout, lines: string[]): ZoneChecks {
  const checks: ZoneChecks = {};
  for (const field of layout.checked) {
    const [line, , end] = layout.fields[field];
    checks[field] = agrees(textOf(lines, layout.fields[field]), lines[line]![end]!);
  }
  const optional = textOf(lines, layout.fields.optional);
  if (isLong(lines, layout)) checks.number = longNumber(lines, layout) !== undefined;
  if (layout.checked.includes('optional') && /^<+$/.test(optional)) delete checks.optional;
  const covered = layout.composite.over.map((span) => textOf(lines, span)).join('');
  checks.composite = checkDigit(covered) === textOf(lines, layout.composite.at);
  return checks;
}

/** A field of fillers may have a filler for its check digit. */
function agrees(text: string, digit: string): boolean {
  return checkDigit(text) === digit || (digit === '<' && /^<+$/.test(text));
}

/** A number of more than nine characters goes on in the optional data and ends with its check digit (part 5, note j). */
export function longNumber(lines: string[], layout: Layout): string | undefined {
  if (!isLong(lines, layout)) return undefined;
  const [rest] = textOf(lines, layout.fields.optional).split('<');
  const number = textOf(lines, layout.fields.number) + rest!.slice(0, -1);
  return rest!.length >= 2 && checkDigit(number) === rest!.at(-1) ? number : undefined;
}

function isLong(lines: string[], { kind, fields: { number } }: Layout): boolean {
  return kind !== 'td3' && lines[number[0]]![number[2]] === '<';
}
