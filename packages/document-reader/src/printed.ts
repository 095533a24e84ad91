// The print of a page beside its zone or barcode: lines of letters, and whether they spell what was read.
import { ALPHABET } from './alphabet.ts';
import { CELL_SIZE, cutCell } from './cell.ts';
import { classify } from './classifier.ts';
import { findMarks, type Mark } from './marks.ts';
import type { Raster } from './raster.ts';

/** Capitals of print, in millimetres. */
const HEIGHT_MM = [1.2, 3.8] as const;
const DARKER = 0.16;
/** Of neighbours in a line, in heights: their distance, how far one is below the other, and the ratio of their heights. */
const GAP_MOST = 1.9;
const DROP_MOST = 0.3;
const HEIGHT_FACTOR = 1.45;
const LINE_LEAST = 4;
/** A capital of OCR-B in its cell: its height and width, as shares of the pitch. */
const CAPITAL = { height: 0.97, width: 0.69 } as const;
/** Wider or narrower letters are taken for letters of OCR-B of another width. */
const STRETCH = [0.75, 1.6] as const;
/** Of a pair of letters; a wrong one, and one that has no counterpart. */
const SCORE = { most: 3, least: -2, skipped: -1.5 } as const;
const TWINS: Readonly<Record<string, string>> = {
  O: '0',
  0: 'O',
  I: '1',
  1: 'I',
  S: '5',
  5: 'S',
  B: '8',
  8: 'B',
  Z: '2',
  2: 'Z',
};

/** Lines of letters, from left to right. */
export function printedLines(raster: Raster, pxPerMm: number): Mark[][] {
  const [least, most] = HEIGHT_MM.map((mm) => mm * pxPerMm) as [number, number];
  const marks = findMarks(raster, DARKER).filter(({ height, width }) => height >= least && height <= most && width <= 1.6 * most);
  const next = new Map<Mark, Mark>();
  const taken = new Set<Mark>();
  const sorted = marks.toSorted((one, other) => one.x - other.x);
  for (const [index, mark] of sorted.entries()) {
    for (const other of sorted.slice(index + 1)) {
      const gap = other.x - other.width / 2 - (mark.x + mark.width / 2);
      if (gap > GAP_MOST * mark.height) break;
      if (gap < -0.2 * mark.height || taken.has(other) || !isBeside(mark, other)) continue;
      next.set(mark, other);
      taken.add(other);
      break;
    }
  }
  return marks
    .filter((mark) => !taken.has(mark))
    .map((start) => {
      const line = [start];
      for (let mark = next.get(start); mark; mark = next.get(mark)) line.push(mark);
      return line;
    })
    .filter(({ length }) => length >= LINE_LEAST);
}

function isBeside(one: Mark, other: Mark): boolean {
  const factor = one.height / other.height;
  return Math.abs(one.y - other.y) < DROP_MOST * one.height && factor < HEIGHT_FACTOR && factor > 1 / HEIGHT_FACTOR;
}

/** The probabilities of the characters of a line. */
export function classifyLine(raster: Raster, line: Mark[]): Float32Array[] {
  const height = line.map((mark) => mark.height).toSorted((one, other) => one - other)[line.length >> 1]!;
  const pitch = height / CAPITAL.height;
  return line.map(({ x, y, width }) => {
    const along = Math.min(STRETCH[1] * pitch, Math.max(STRETCH[0] * pitch, width / CAPITAL.width));
    const cell = new Float32Array(CELL_SIZE);
    cutCell(raster, { x, y, alongX: along, alongY: 0, downX: 0, downY: pitch }, cell, 0);
    return classify(cell, 0, false);
  });
}

/** The share of the characters of some texts that lines spell, each text in the line that spells it best. */
export function spelledShare(lines: Float32Array[][], texts: string[]): number {
  const plain = texts.map((text) => text.replaceAll(/[^A-Z0-9]/g, ''));
  const score = plain.reduce((sum, text) => sum + Math.max(0, ...lines.map((line) => spelling(line, text))), 0);
  return score / (SCORE.most * Math.max(1, plain.join('').length));
}

/** How well a part of a line spells a part of a text: the best local alignment, by how much likelier each pair is than chance. */
function spelling(line: Float32Array[], text: string): number {
  const indexes = [...text].map((letter) => [letter, TWINS[letter] ?? letter].map((one) => ALPHABET.indexOf(one)));
  let before = new Float64Array(indexes.length + 1);
  let most = 0;
  for (const probabilities of line) {
    const row = new Float64Array(indexes.length + 1);
    for (const [at, [letter, twin]] of indexes.entries()) {
      const share = Math.max(probabilities[letter!]!, probabilities[twin!]!);
      const score = Math.min(SCORE.most, Math.max(SCORE.least, Math.log(share * ALPHABET.length + 1e-9)));
      row[at + 1] = Math.max(0, before[at]! + score, before[at + 1]! + SCORE.skipped, row[at]! + SCORE.skipped);
      most = Math.max(most, row[at + 1]!);
    }
    before = row;
  }
  return most;
}
