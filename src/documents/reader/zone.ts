// Finds and reads the machine-readable zone of a passport or an identity card in a picture at any angle.
import { findGroups, fitGrid } from './grid.ts';
import { findMarks } from './marks.ts';
import { type Raster, resized } from './raster.ts';
import type { Read } from './reading.ts';
import { findDirections, findLines } from './text-lines.ts';
import { toRead } from './zone-fields.ts';
import { readGrid, score, type ZoneText } from './zone-text.ts';

/** Long edges in pixels and thresholds, in the order that solves most pictures first. */
const SIZES_PX = [1700, 1150, 2300];
const THRESHOLDS = [0.16, 0.1, 0.24];
const DIRECTIONS = 2;
const GROUPS = 4;
/** Readings of a picture, which bounds the time that a page of print takes. */
const MOST_READINGS = 24;
/** Below this mean probability per character the text is not that of a zone. */
const LEAST_CERTAINTY = 0.7;

/** Returns the first verified reading, else the most certain one, else undefined. */
export async function readZone(picture: Raster, today: string): Promise<Read | undefined> {
  let best: ZoneText | undefined;
  let count = 0;
  for (const size of SIZES_PX) {
    // A larger size has more detail only in a larger picture, and only helps where something was found.
    if (size > SIZES_PX[0]! && (best === undefined || Math.max(picture.width, picture.height) <= SIZES_PX[0]!)) break;
    const raster = await resized(picture, size);
    for (const threshold of THRESHOLDS) {
      for (const zone of readings(raster, threshold)) {
        const read = toRead(zone, today);
        if (read.verified) return read;
        if (!best || score(zone) > score(best)) best = zone;
        if (++count === MOST_READINGS) return hint(best, today);
      }
    }
  }
  return best && hint(best, today);
}

/** What a reviewer may see of a zone that is not verified. */
function hint(zone: ZoneText, today: string): Read | undefined {
  return zone.certainty >= LEAST_CERTAINTY ? toRead(zone, today) : undefined;
}

/** The best reading of each likely place. */
function* readings(raster: Raster, threshold: number): Generator<ZoneText> {
  const marks = findMarks(raster, threshold);
  for (const angle of findDirections(marks, DIRECTIONS)) {
    for (const group of findGroups(findLines(marks, angle)).slice(0, GROUPS)) {
      const grid = fitGrid(group, angle);
      if (grid) yield* readGrid(raster, grid).slice(0, 2);
    }
  }
}
