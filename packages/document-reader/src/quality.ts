// Measures of a picture: they explain why it was not read, and never overrule what was read.
import { type Raster, resized } from './raster.ts';
import type { Fault, Quality } from './reading.ts';

const SIZE_PX = 1000;
const TILE_PX = 40;
const LEAST_TILE_DEVIATION = 6;
const SATURATED = 250;
const SATURATED_SHARE = 0.9;
const EDGE_SHARE = 0.012;

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
  const raster = await resized(picture, SIZE_PX);
  const tiles = tilesOf(raster);
  const luminance = percentiles(raster);
  const measures = {
    longEdge,
    sharpness: round(sharpnessOf(tiles)),
    glare: round(tiles.filter(({ saturated }) => saturated >= SATURATED_SHARE).length / tiles.length),
    brightness: round(tiles.reduce((sum, { mean }) => sum + mean, 0) / tiles.length / 255),
    contrast: round((luminance.high - luminance.low) / 255),
  };
  return { ...measures, cutOff: touchesEdge(raster), faults: isRead ? [] : faultsOf(measures) };
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

function tilesOf(raster: Raster): Tile[] {
  const tiles: Tile[] = [];
  for (let top = 0; top + TILE_PX <= raster.height; top += TILE_PX) {
    for (let left = 0; left + TILE_PX <= raster.width; left += TILE_PX) tiles.push(tileAt(raster, left, top));
  }
  return tiles.length > 0 ? tiles : [{ mean: 0, deviation: 0, sharpness: 0, saturated: 0 }];
}

/** Laplacian energy over variance: independent of contrast, falls with blur. */
function tileAt({ width, height, data }: Raster, left: number, top: number): Tile {
  let sum = 0;
  let squares = 0;
  let saturated = 0;
  for (let y = top; y < top + TILE_PX; y++) {
    for (let at = y * width + left, end = at + TILE_PX; at < end; at++) {
      const value = data[at]!;
      sum += value;
      squares += value * value;
      if (value >= SATURATED) saturated++;
    }
  }
  let energy = 0;
  const [first, last] = [Math.max(1, left), Math.min(width - 1, left + TILE_PX)];
  for (let y = Math.max(1, top); y < Math.min(height - 1, top + TILE_PX); y++) {
    for (let at = y * width + first, end = y * width + last; at < end; at++) {
      const laplacian = 4 * data[at]! - data[at - 1]! - data[at + 1]! - data[at - width]! - data[at + width]!;
      energy += laplacian * laplacian;
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

function percentiles({ data }: Raster): { low: number; high: number } {
  const counts = new Uint32Array(256);
  for (let at = 0; at < data.length; at++) counts[data[at]!]!++;
  const at = (share: number) => {
    let left = share * data.length;
    return counts.findIndex((count) => {
      left -= count;
      return left <= 0;
    });
  };
  return { low: at(0.05), high: at(0.95) };
}

/** Whether text or bars reach the edge of the picture: strong steps along its outermost rows and columns. */
function touchesEdge({ width, height, data }: Raster): boolean {
  const strongSteps = (length: number, at: (index: number) => number) => {
    let strong = 0;
    for (let index = 1; index < length; index++) if (Math.abs(data[at(index)]! - data[at(index - 1)]!) > 60) strong++;
    return strong > EDGE_SHARE * length;
  };
  return (
    strongSteps(width, (x) => x + 2 * width) ||
    strongSteps(width, (x) => x + (height - 3) * width) ||
    strongSteps(height, (y) => y * width + 2) ||
    strongSteps(height, (y) => y * width + width - 3)
  );
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
