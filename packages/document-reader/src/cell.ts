// Cuts the cell of one character out of a picture, in the form that the classifier takes.
import { type Raster, sample } from './raster.ts';

/** The centre of a character, and the vectors of one cell width along the line and downwards, in pixels of the picture. */
export type Cell = { x: number; y: number; alongX: number; alongY: number; downX: number; downY: number };

const CELL_COLUMNS = 20;
const CELL_ROWS = 28;
export const CELL_SIZE = CELL_COLUMNS * CELL_ROWS;
/** Above this distance between samples, in pixels, a sample is the mean of several. */
const MAX_STEP_PX = 1.5;
const LEAST_DEVIATION = 4;
const MOST_PARTS = 4;

/** Of the samples of one row, beside its middle. Kept, because an array for each row costs as much as its samples. */
const xs = new Float64Array(CELL_COLUMNS * MOST_PARTS);
const ys = new Float64Array(CELL_COLUMNS * MOST_PARTS);

/** Writes the cell into `out` at `offset` with mean 0 and deviation 1. A cell is one letter pitch wide and 1.4 high. */
export function cutCell(raster: Raster, cell: Cell, out: Float32Array, offset: number): void {
  const step = Math.hypot(cell.alongX, cell.alongY) / CELL_COLUMNS;
  const parts = Math.min(MOST_PARTS, Math.ceil(step / MAX_STEP_PX));
  for (let at = 0; at < CELL_COLUMNS * parts; at++) {
    const across = (at + 0.5) / parts / CELL_COLUMNS - 0.5;
    xs[at] = cell.x + across * cell.alongX;
    ys[at] = cell.y + across * cell.alongY;
  }
  let sum = 0;
  let squares = 0;
  for (let row = 0, at = offset; row < CELL_ROWS; row++) {
    for (let column = 0; column < CELL_COLUMNS; column++, at++) {
      let value = 0;
      for (let part = 0; part < parts; part++) {
        const down = (row + (part + 0.5) / parts - CELL_ROWS / 2) / CELL_COLUMNS;
        const x = down * cell.downX;
        const y = down * cell.downY;
        for (let from = column * parts; from < (column + 1) * parts; from++)
          value += sample(raster, xs[from]! + x, ys[from]! + y);
      }
      value /= parts * parts;
      out[at] = value;
      sum += value;
      squares += value * value;
    }
  }
  const mean = sum / CELL_SIZE;
  const deviation = Math.max(LEAST_DEVIATION, Math.sqrt(Math.max(0, squares / CELL_SIZE - mean * mean)));
  for (let at = offset; at < offset + CELL_SIZE; at++) out[at] = (out[at]! - mean) / deviation;
}
