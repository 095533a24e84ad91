// Finds and reads the machine-readable zone of a passport or an identity card in a picture at any angle.
import { type Effort, spend } from './effort.ts';
import { findGroups, fitGrid } from './grid.ts';
import { findMarks } from './marks.ts';
import { type Raster, resized } from './raster.ts';
import type { Read } from './reading.ts';
import { findDirections, findLines } from './text-lines.ts';
import { toRead } from './zone-fields.ts';
import { readGrid, score, type ZoneText } from './zone-text.ts';

/** Long edges in pixels and thresholds, in the order that solves most pictures first. */
const SIZES_PX = [1700, 1150, 2300];
const USUAL_PX = { least: 1050, most: 2050 };
const THRESHOLDS = [0.16, 0.1, 0.24];
const DIRECTIONS = 2;
const GROUPS = 4;
/** Below this mean probability per character the text is not that of a zone. */
const LEAST_CERTAINTY = 0.7;

/** Returns the first verified reading, else the most certain one, else undefined. */
export async function readZone(picture: Raster, { today, effort }: { today: string; effort: Effort }): Promise<Read | undefined> {
  let best: ZoneText | undefined;
  for (const size of SIZES_PX) {
    // A larger size has more detail only in a larger picture, and only helps where something was found.
    if (size > SIZES_PX[0]! && (best === undefined || Math.max(picture.width, picture.height) <= SIZES_PX[0]!)) break;
    const raster = size === SIZES_PX[0] && isUsual(picture) ? picture : await resized(picture, size);
    for (const threshold of THRESHOLDS) {
      for (const zone of readings(raster, threshold, effort)) {
        const read = toRead(zone, today);
        if (read.verified) return read;
        if (!best || score(zone) > score(best)) best = zone;
      }
    }
  }
  return best && hint(best, today);
}

/** Whether the first attempt needs no other size. */
function isUsual({ width, height }: Raster): boolean {
  const longEdge = Math.max(width, height);
  return longEdge >= USUAL_PX.least && longEdge <= USUAL_PX.most;
}

/** What a reviewer may see of a zone that is not verified. */
function hint(zone: ZoneText, today: string): Read | undefined {
  return zone.certainty >= LEAST_CERTAINTY ? toRead(zone, today) : undefined;
}

/** The best reading of each likely place. */
function* readings(raster: Raster, threshold: number, effort: Effort): Generator<ZoneText> {
  if (!spend(effort, { step: 'searchedPixel', count: raster.width * raster.height })) return;
  const marks = findMarks(raster, threshold);
  if (!spend(effort, { step: 'mark', count: marks.length })) return;
  for (const angle of findDirections(marks, DIRECTIONS)) {
    for (const group of findGroups(findLines(marks, angle)).slice(0, GROUPS)) {
      const grid = fitGrid(group, angle);
      if (grid && spend(effort, { step: 'grid', count: 1 })) yield* readGrid(raster, grid).slice(0, 2);
    }
  }
}
