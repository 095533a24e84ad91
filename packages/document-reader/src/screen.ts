// The grid of a screen in a photograph: a fine regular pattern that has the same frequency in most parts of the picture.
import { fourier } from './fourier.ts';
import type { Raster } from './raster.ts';

/** The parts that are looked at: squares, in a grid over the middle of the picture. */
const SIDE = 32;
const HALF = SIDE / 2;
const GRID = 5;
const MARGIN = 0.15;
/** In periods for each part. Below are letters, and the patterns of tables. */
const FREQUENCY_LEAST = 5;
/** Share of the parts that have the pattern: it is on the page as well as beside it, and on all of the page. */
const SHARE = 0.7;
/** A frequency is compared with the median of those around it, but not with its neighbours. */
const RING = { inner: 1, outer: 3 };
/** How far the power of a frequency is above those around it, as a decimal logarithm (`npm run bench -- hints`). */
const EXCESS_LEAST = 1;

/** Of noise with a deviation of two grey values: without it, the blocks of a JPEG were a pattern on paper without any grain. */
const FAINT_POWER = 2000;

/** Smooth edges, so that they add no frequencies. */
const WINDOW = Float64Array.from({ length: SIDE }, (_, at) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (at + 0.5)) / SIDE));

export function showsScreen(picture: Raster): boolean {
  if (Math.min(picture.width, picture.height) * (1 - 2 * MARGIN) < SIDE * GRID) return false;
  return excessOf(sharedPower(picture)) >= EXCESS_LEAST;
}

/** The power that each frequency has in a share of the parts. Row v and column u; the lower half of the columns repeats the upper one. */
function sharedPower(picture: Raster): Float64Array {
  const corners = cornersOf(picture);
  const powers = corners.flatMap((corner, at) => (at % 2 === 0 ? powersOf(picture, corner, corners[at + 1] ?? corner) : []));
  const values = new Float64Array(powers.length);
  const shared = new Float64Array(SIDE * SIDE);
  for (let at = 0; at < shared.length; at++) {
    const [u, v] = [at % SIDE, Math.floor(at / SIDE)];
    if (u > HALF) continue;
    for (let part = 0; part < powers.length; part++) values[part] = powers[part]![at]!;
    shared[at] = values.sort()[Math.floor(values.length * (1 - SHARE))]!;
    shared[mirrorOf(u, v)] = shared[at]!;
  }
  return shared;
}

/** The same frequency in the opposite direction: real values have the same power there. */
function mirrorOf(u: number, v: number): number {
  return ((SIDE - v) % SIDE) * SIDE + ((SIDE - u) % SIDE);
}

function excessOf(shared: Float64Array): number {
  const around = new Float64Array((2 * RING.outer + 1) ** 2 - (2 * RING.inner + 1) ** 2);
  let most = 0;
  for (let v = -HALF; v < HALF; v++) {
    for (let u = 0; u <= HALF; u++) {
      const value = shared[((v + SIDE) % SIDE) * SIDE + u]!;
      if (value <= most || Math.hypot(u, v) < FREQUENCY_LEAST) continue;
      let count = 0;
      for (let row = v - RING.outer; row <= v + RING.outer; row++) {
        for (let column = u - RING.outer; column <= u + RING.outer; column++) {
          if (Math.max(Math.abs(row - v), Math.abs(column - u)) <= RING.inner) continue;
          around[count++] = shared[((row + SIDE) % SIDE) * SIDE + ((column + SIDE) % SIDE)]!;
        }
      }
      most = Math.max(most, value - around.sort()[count >> 1]!);
    }
  }
  return most;
}

/** Indexes of the first pixels of the parts. */
function cornersOf({ width, height }: Raster): number[] {
  const places = (length: number) => {
    const room = length * (1 - 2 * MARGIN) - SIDE;
    return Array.from({ length: GRID }, (_, at) => Math.floor(length * MARGIN + (room * at) / (GRID - 1)));
  };
  return places(height).flatMap((y) => places(width).map((x) => y * width + x));
}

/** The logarithms of the power of two parts, by one transform: one is the real part of its input, and the other the imaginary one. */
function powersOf({ width, data }: Raster, one: number, other: number): [Float64Array, Float64Array] {
  const [real, imaginary] = [new Float64Array(SIDE * SIDE), new Float64Array(SIDE * SIDE)];
  for (let at = 0; at < real.length; at++) {
    const x = at % SIDE;
    const y = Math.floor(at / SIDE);
    const weight = WINDOW[y]! * WINDOW[x]!;
    real[at] = weight * data[one + y * width + x]!;
    imaginary[at] = weight * data[other + y * width + x]!;
  }
  for (let line = 0; line < SIDE; line++) fourier(real, imaginary, { start: line * SIDE, step: 1, length: SIDE });
  for (let line = 0; line < SIDE; line++) fourier(real, imaginary, { start: line, step: SIDE, length: SIDE });
  const [first, second] = [new Float64Array(SIDE * SIDE), new Float64Array(SIDE * SIDE)];
  for (let at = 0; at < real.length; at++) {
    const mirror = mirrorOf(at % SIDE, Math.floor(at / SIDE));
    first[at] = Math.log10(FAINT_POWER + (real[at]! + real[mirror]!) ** 2 + (imaginary[at]! - imaginary[mirror]!) ** 2);
    second[at] = Math.log10(FAINT_POWER + (imaginary[at]! + imaginary[mirror]!) ** 2 + (real[at]! - real[mirror]!) ** 2);
  }
  return [first, second];
}
