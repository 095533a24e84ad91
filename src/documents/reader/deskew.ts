// Turns a picture so that the edges in it run along its axes.
import sharp from 'sharp';
import { type Raster, resized } from './raster.ts';

const SIZE_PX = 800;
const BINS = 360;
const DEGREES_PER_BIN = 90 / BINS;
/** Of the strongest edge: weaker ones are noise or ground. */
const LEAST_STRENGTH = 90;
const SMOOTHING_BINS = 4;

/** Returns the angle, -45 to 45 degrees, by which most edges differ from the axes. */
export async function skewDegrees(picture: Raster): Promise<number> {
  const { width, height, data } = await resized(picture, SIZE_PX);
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

/** Turns the picture clockwise by `degrees` and scales its long edge to `longEdge` pixels. */
export async function turned(
  { width, height, data }: Raster,
  { degrees, longEdge }: { degrees: number; longEdge: number },
): Promise<Raster> {
  const scale = longEdge / Math.max(width, height);
  const size = { width: Math.round(width * scale), height: Math.round(height * scale), fit: 'fill' } as const;
  const enlarged = await sharp(data, { raw: { width, height, channels: 1 } })
    .resize({ ...size, kernel: 'cubic' })
    .toColourspace('b-w')
    .raw()
    .toBuffer();
  const { data: result, info } = await sharp(enlarged, { raw: { width: size.width, height: size.height, channels: 1 } })
    .rotate(degrees, { background: 'white' })
    .toColourspace('b-w')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data: result };
}
