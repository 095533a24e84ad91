// Finds how far a picture is turned, from the directions of its edges.
import type { Raster } from './raster.ts';

const BINS = 360;
const DEGREES_PER_BIN = 90 / BINS;
/** Of the strongest edge: weaker ones are noise or ground. */
const LEAST_STRENGTH = 90;
const SMOOTHING_BINS = 4;

/** Returns the angle, -45 to 45 degrees, by which most edges differ from the axes; a small picture is enough. */
export function skewDegrees({ width, height, data }: Raster): number {
  const votes = new Float64Array(BINS);
  for (let y = 1; y < height - 1; y++) {
    for (let x = 1, at = y * width + 1; x < width - 1; x++, at++) {
      const right = data[at - width + 1]! + 2 * data[at + 1]! + data[at + width + 1]!;
      const left = data[at - width - 1]! + 2 * data[at - 1]! + data[at + width - 1]!;
      const below = data[at + width - 1]! + 2 * data[at + width]! + data[at + width + 1]!;
      const above = data[at - width - 1]! + 2 * data[at - width]! + data[at - width + 1]!;
      const [dx, dy] = [right - left, below - above];
      const strength = Math.abs(dx) + Math.abs(dy);
      if (strength < LEAST_STRENGTH) continue;
      const degrees = (Math.atan2(dy, dx) * 180) / Math.PI + 360;
      votes[Math.floor((degrees % 90) / DEGREES_PER_BIN)]! += strength;
    }
  }
  const degrees = peak(votes) * DEGREES_PER_BIN;
  return degrees > 45 ? degrees - 90 : degrees;
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
