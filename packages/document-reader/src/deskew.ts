// Finds how far a picture is turned, from the directions of its edges.
import type { Raster } from './raster.ts';

const BINS = 360;
const DEGREES_PER_BIN = 90 / BINS;
/** Of the strongest edge: weaker ones are noise or ground. */
const LEAST_STRENGTH = 90;
const SMOOTHING_BINS = 4;

/** The bin of each direction between the axes, by how far it is to the side of an axis for each step along it. */
const RATIOS = 4096;
const BINS_OF_RATIOS = Float64Array.from(
  { length: RATIOS + 1 },
  (_, ratio) => (Math.atan(ratio / RATIOS) * 180) / Math.PI / DEGREES_PER_BIN,
);

/** Returns the angle, -45 to 45 degrees, by which most edges differ from the axes; a small picture is enough. */
export function skewDegrees({ width, height, data }: Raster): number {
  const votes = new Float64Array(BINS);
  for (let y = 1; y < height - 1; y++) {
    for (let x = 1, at = y * width + 1; x < width - 1; x++, at++) {
      const falling = data[at + width + 1]! - data[at - width - 1]!;
      const rising = data[at - width + 1]! - data[at + width - 1]!;
      const dx = falling + rising + 2 * (data[at + 1]! - data[at - 1]!);
      const dy = falling - rising + 2 * (data[at + width]! - data[at - width]!);
      const strength = Math.abs(dx) + Math.abs(dy);
      if (strength >= LEAST_STRENGTH) votes[binOf(dx, dy)]! += strength;
    }
  }
  const degrees = peak(votes) * DEGREES_PER_BIN;
  return degrees > 45 ? degrees - 90 : degrees;
}

/** The bin of a direction; those that differ by a right angle have the same one. */
function binOf(dx: number, dy: number): number {
  // Turned into the first quadrant: one more quarter turn exchanges the axes.
  const isTurned = dx >= 0 !== dy >= 0;
  const along = Math.abs(isTurned ? dy : dx);
  const across = Math.abs(isTurned ? dx : dy);
  const bins =
    across <= along
      ? BINS_OF_RATIOS[Math.floor((across * RATIOS) / along)]!
      : BINS - BINS_OF_RATIOS[Math.floor((along * RATIOS) / across)]!;
  return Math.floor(bins) % BINS;
}

/** The centre of the strongest bins, in bins. */
function peak(votes: Float64Array): number {
  const around = (bin: number) => votes[(bin + BINS) % BINS]!;
  const near = Array.from({ length: 2 * SMOOTHING_BINS + 1 }, (_, index) => index - SMOOTHING_BINS);
  const smooth = votes.map((_, bin) =>
    near.reduce((sum, side) => sum + around(bin + side) * (SMOOTHING_BINS + 1 - Math.abs(side)), 0),
  );
  const best = smooth.indexOf(Math.max(...smooth));
  const sum = near.reduce((total, side) => total + around(best + side), 0);
  const moment = near.reduce((total, side) => total + around(best + side) * side, 0);
  return (best + 0.5 + (sum > 0 ? moment / sum : 0) + BINS) % BINS;
}
