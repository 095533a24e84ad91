// Reads the characters of a grid: tries the layouts of the standard at each possible first column, upright and upside down.
import { ALPHABET } from './alphabet.ts';
import { CELL_SIZE, cutCell } from './cell.ts';
import { classify } from './classifier.ts';
import type { Grid } from './grid.ts';
import type { Raster } from './raster.ts';
import { CLASSES, checkDigit, LAYOUTS, type Layout, type Span } from './zone-layout.ts';

/** `letters` has the probability of each character among those that the layout allows in its place. */
export type ZoneText = { layout: Layout; lines: string[]; letters: number[][]; certainty: number; checks: ZoneChecks };
/** By name of the check: whether the check digit agrees. */
export type ZoneChecks = Record<string, boolean>;

/** How many columns at most a grid may lack, or have too many of. */
const MOST_MISSING = 14;
const ORIENTATION_STEP_COLUMNS = 3;

const INDEXES = Object.fromEntries(
  Object.entries(CLASSES).map(([name, characters]) => [name, [...characters].map((character) => ALPHABET.indexOf(character))]),
);

/** Returns the readings of a grid, the one with most checks and the highest certainty first. */
export function readGrid(raster: Raster, grid: Grid): ZoneText[] {
  const cells = openCells(raster, grid);
  const turned = isTurned(cells, grid);
  return LAYOUTS.filter(({ lines }) => lines.length === grid.lines)
    .flatMap((layout) =>
      windows(layout.lines[0]!.length, grid.columns).map((start) => readWindow(cells, layout, { start, turned })),
    )
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

/** Whether the letters are more certain upside down. */
function isTurned(cells: Cells, grid: Grid): boolean {
  let [upright, turned] = [0, 0];
  for (let line = 0; line < grid.lines; line++) {
    for (let column = 1; column < grid.columns; column += ORIENTATION_STEP_COLUMNS) {
      upright += Math.max(...cells(column, line, false));
      turned += Math.max(...cells(column, line, true));
    }
  }
  return turned > upright;
}

/** Possible first columns, the likeliest first. */
function windows(length: number, columns: number): number[] {
  const missing = columns - length;
  if (Math.abs(missing) > MOST_MISSING) return [];
  const [least, most] = [Math.min(0, missing) - 1, Math.max(0, missing) + 1];
  return Array.from({ length: most - least + 1 }, (_, index) => least + index);
}

function readWindow(cells: Cells, layout: Layout, { start, turned }: { start: number; turned: boolean }): ZoneText {
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
    sum += read.reduce((total, { certainty }) => total + certainty, 0);
  }
  const characters = layout.lines.length * layout.lines[0]!.length;
  return { layout, lines, letters, certainty: sum / characters, checks: checkDigits(layout, lines) };
}

/** The likeliest of the allowed characters, its share among them, and its probability among all. */
function pick(probabilities: Float32Array, allowed: number[]): { index: number; share: number; certainty: number } {
  let index = allowed[0]!;
  let sum = 0;
  for (const candidate of allowed) {
    sum += probabilities[candidate]!;
    if (probabilities[candidate]! > probabilities[index]!) index = candidate;
  }
  const certainty = probabilities[index]!;
  return { index, share: sum > 0 ? certainty / sum : 0, certainty };
}

export function textOf(lines: string[], [line, from, to]: Span): string {
  return lines[line]!.slice(from, to);
}

function checkDigits(layout: Layout, lines: string[]): ZoneChecks {
  const checks: ZoneChecks = {};
  for (const field of layout.checked) {
    const [line, , end] = layout.fields[field];
    checks[field] = agrees(textOf(lines, layout.fields[field]), lines[line]![end]!);
  }
  const optional = textOf(lines, layout.fields.optional);
  if (lines[layout.fields.number[0]]![layout.fields.number[2]] === '<') checks.number = longNumber(lines, layout) !== undefined;
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
export function longNumber(lines: string[], { kind, fields }: Layout): string | undefined {
  if (kind === 'td3') return undefined;
  const [rest] = textOf(lines, fields.optional).split('<');
  const number = textOf(lines, fields.number) + rest!.slice(0, -1);
  return rest!.length >= 2 && checkDigit(number) === rest!.at(-1) ? number : undefined;
}
