// Measures of a picture: they explain why it was not read, and never overrule what was read.
import { type Raster, stretched } from './raster.ts';
import type { Fault, Quality } from './reading.ts';

const SIZE_PX = 1000;
const TILE_PX = 40;
/** Around the tiles of a band: their pixels are compared with it, and it has some light of the next band. */
const MARGIN_PX = 2;
const BAND_PX = TILE_PX + 2 * MARGIN_PX;
/** Of the height of a picture. */
const BANDS_SHARE = 1 / 2;
const LEAST_TILE_DEVIATION = 6;
const SATURATED = 250;
const SATURATED_SHARE = 0.9;
const EDGE_SHARE = 0.012;
const STRONG_STEP = 60;

/** Beyond these, nobody can read a document. Below the size, sharpness means nothing, so that it is not used. */
const LEAST_LONG_EDGE_PX = 400;
const LEAST_SHARPNESS = 0.12;
const LEAST_BRIGHTNESS = 0.04;
const LEAST_CONTRAST = 0.06;

/** What is known of no picture. */
export const NO_QUALITY: Quality = { longEdge: 0, sharpness: 0, glare: 0, brightness: 0, contrast: 0, cutOff: false, faults: [] };

/** Measures a picture of which `longEdge` is the length in the file. With `isRead`, there are no faults. */
export async function measureQuality(picture: Raster, isRead: boolean): Promise<Quality> {
  const longEdge = Math.max(picture.width, picture.height);
  const bands = await bandsOf(picture, SIZE_PX / longEdge);
  const found = bands.flatMap(tilesOf);
  const tiles = found.length > 0 ? found : [NO_TILE];
  const luminance = percentiles(bands);
  const measures = {
    longEdge,
    sharpness: round(sharpnessOf(tiles)),
    glare: round(tiles.filter(({ saturated }) => saturated >= SATURATED_SHARE).length / tiles.length),
    brightness: round(tiles.reduce((sum, { mean }) => sum + mean, 0) / tiles.length / 255),
    contrast: round((luminance.high - luminance.low) / 255),
  };
  return { ...measures, cutOff: touchesEdge(bands), faults: isRead ? [] : faultsOf(measures) };
}

/**
 * Bands over the whole width of a picture, the first at its upper edge and the last at its lower one, in another size, which they change
 * in one piece. The whole picture would take twice as long and say the same.
 */
async function bandsOf({ width, height, data }: Raster, factor: number): Promise<Raster[]> {
  const rows = Math.min(height, Math.round(BAND_PX / factor));
  const count = rows < height ? Math.max(2, Math.ceil((height / rows) * BANDS_SHARE)) : 1;
  const stack = new Uint8Array(width * rows * count);
  for (let band = 0; band < count; band++) {
    const top = Math.round((band * (height - rows)) / (count - 1 || 1));
    stack.set(data.subarray(top * width, (top + rows) * width), band * rows * width);
  }
  const size = { width: Math.max(1, Math.round(width * factor)), height: rows < height ? BAND_PX : Math.ceil(height * factor) };
  const changed = await stretched({ width, height: rows * count, data: stack }, { ...size, height: size.height * count });
  return Array.from({ length: count }, (_, band) => {
    const from = band * size.width * size.height;
    return { ...size, data: changed.data.subarray(from, from + size.width * size.height) };
  });
}

type Measures = Pick<Quality, 'longEdge' | 'sharpness' | 'brightness' | 'contrast'>;

function faultsOf({ longEdge, sharpness, brightness, contrast }: Measures): Fault[] {
  const faults: Fault[] = [];
  if (longEdge < LEAST_LONG_EDGE_PX) faults.push({ measure: 'longEdge', value: longEdge, limit: LEAST_LONG_EDGE_PX });
  else if (sharpness < LEAST_SHARPNESS) faults.push({ measure: 'sharpness', value: sharpness, limit: LEAST_SHARPNESS });
  if (brightness < LEAST_BRIGHTNESS) faults.push({ measure: 'brightness', value: brightness, limit: LEAST_BRIGHTNESS });
  if (contrast < LEAST_CONTRAST) faults.push({ measure: 'contrast', value: contrast, limit: LEAST_CONTRAST });
  return faults;
}

type Tile = { mean: number; deviation: number; sharpness: number; saturated: number };

function tilesOf(band: Raster): Tile[] {
  const count = band.height < BAND_PX ? 0 : Math.floor((band.width - 2 * MARGIN_PX) / TILE_PX);
  return Array.from({ length: Math.max(0, count) }, (_, tile) => tileAt(band, MARGIN_PX + tile * TILE_PX, MARGIN_PX));
}

const NO_TILE: Tile = { mean: 0, deviation: 0, sharpness: 0, saturated: 0 };

/** Laplacian energy over variance: independent of contrast, falls with blur. */
function tileAt({ width, data }: Raster, left: number, top: number): Tile {
  let sum = 0;
  let squares = 0;
  let saturated = 0;
  let energy = 0;
  for (let y = top; y < top + TILE_PX; y++) {
    for (let at = y * width + left, end = at + TILE_PX; at < end; at++) {
      const value = data[at]!;
      const laplacian = 4 * value - data[at - 1]! - data[at + 1]! - data[at - width]! - data[at + width]!;
      energy += laplacian * laplacian;
      sum += value;
      squares += value * value;
      if (value >= SATURATED) saturated++;
    }
  }
  const pixels = TILE_PX * TILE_PX;
  const variance = Math.max(0, squares / pixels - (sum / pixels) ** 2);
  return {
    mean: sum / pixels,
    deviation: Math.sqrt(variance),
    sharpness: energy / pixels / Math.max(1, variance),
    saturated: saturated / pixels,
  };
}

function sharpnessOf(tiles: Tile[]): number {
  const values = tiles.filter(({ deviation }) => deviation >= LEAST_TILE_DEVIATION).map(({ sharpness }) => sharpness);
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.75)] ?? 0;
}

function percentiles(bands: Raster[]): { low: number; high: number } {
  const counts = new Uint32Array(256);
  let pixels = 0;
  for (const { data } of bands) {
    pixels += data.length;
    for (let at = 0; at < data.length; at++) counts[data[at]!]!++;
  }
  const at = (share: number) => {
    let left = share * pixels;
    return counts.findIndex((count) => {
      left -= count;
      return left <= 0;
    });
  };
  return { low: at(0.05), high: at(0.95) };
}

/** Whether text or bars reach the edge of the picture: strong steps along its outermost rows and columns. */
function touchesEdge(bands: Raster[]): boolean {
  const { width, height } = bands[0]!;
  const row = (band: Raster, y: number) => band.data.subarray(y * width, (y + 1) * width);
  const column = ({ data }: Raster, x: number) =>
    Uint8Array.from({ length: height - 2 * MARGIN_PX }, (_, y) => data[(y + MARGIN_PX) * width + x]!);
  const first = MARGIN_PX;
  const last = (length: number) => length - MARGIN_PX - 1;
  return (
    hasStrongSteps([row(bands[0]!, first)]) ||
    hasStrongSteps([row(bands.at(-1)!, last(height))]) ||
    hasStrongSteps(bands.map((band) => column(band, first))) ||
    hasStrongSteps(bands.map((band) => column(band, last(width))))
  );
}

function hasStrongSteps(lines: Uint8Array[]): boolean {
  let [strong, pixels] = [0, 0];
  for (const line of lines) {
    pixels += line.length;
    for (let at = 1; at < line.length; at++) if (Math.abs(line[at]! - line[at - 1]!) > STRONG_STEP) strong++;
  }
  return strong > EDGE_SHARE * pixels;
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
