// Finds and reads the machine-readable zone of a passport or an identity card in a picture at any angle.
import { type Effort, spend } from './effort.ts';
import { findGroups, fitGrid } from './grid.ts';
import { findMarks, type Mark } from './marks.ts';
import { type Raster, resized } from './raster.ts';
import type { Read } from './reading.ts';
import { findDirections, findLines, type TextLine } from './text-lines.ts';
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
/** Check digits of a text that agree by chance in one case of a hundred. */
const LEAST_AGREEING = 2;

/**
 * Returns the first verified reading, else the most certain one, else undefined. With the zone of another document beside it, the first
 * one is not verified.
 */
export async function readZone(picture: Raster, { today, effort }: { today: string; effort: Effort }): Promise<Read | undefined> {
  let best: ZoneText | undefined;
  for (const size of SIZES_PX) {
    // A larger size has more detail only in a larger picture, and only helps where something was found.
    if (size > SIZES_PX[0]! && (best === undefined || Math.max(picture.width, picture.height) <= SIZES_PX[0]!)) break;
    const raster = size === SIZES_PX[0] && isUsual(picture) ? picture : await resized(picture, size);
    for (const threshold of THRESHOLDS) {
      let found: Found | undefined;
      for (const place of places(raster, threshold, effort)) {
        if (found && marksOf(place).some((mark) => found!.marks.has(mark))) continue;
        // Of a second zone, only the best reading counts.
        for (const zone of readPlace(raster, place, effort).slice(0, found ? 1 : 2)) {
          const read = toRead(zone, today);
          if (found) {
            if (isOther(found.read, { read, zone })) return withOther(found.read);
          } else if (read.verified) {
            found = { read, marks: new Set(marksOf(place)) };
            break;
          } else if (!best || score(zone) > score(best)) best = zone;
        }
      }
      if (found) return found.read;
    }
  }
  return best && hint(best, today);
}

/** The name of the check that fails when a picture shows two documents. */
const SINGLE = 'single';

/** Whether the picture shows the zones of two documents. */
export function showsTwo({ checks }: Read): boolean {
  return checks.some(({ name, passed }) => name === SINGLE && !passed);
}

function withOther(read: Read): Read {
  const check = { name: SINGLE, passed: false, why: 'the picture shows the zones of two documents' };
  return { ...read, verified: false, checks: [...read.checks, check] };
}

/** Whether a second zone is one, and of another document or person. Its check digits may be misread in part. */
function isOther({ fields }: Read, { read, zone }: { read: Read; zone: ZoneText }): boolean {
  if (!read.verified && !isLikely(read, zone)) return false;
  return read.fields.documentNumber !== fields.documentNumber || read.fields.dateOfBirth !== fields.dateOfBirth;
}

/** A pattern can look like fillers, whose check digits agree. It has no date. */
function isLikely({ fields }: Read, { certainty, checks }: ZoneText): boolean {
  const hasDate = (checks.birth && fields.dateOfBirth) || (checks.expiry && fields.expires);
  return certainty >= LEAST_CERTAINTY && Object.values(checks).filter(Boolean).length >= LEAST_AGREEING && Boolean(hasDate);
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

type Place = { group: TextLine[]; angle: number };
type Found = { read: Read; marks: ReadonlySet<Mark> };

function marksOf({ group }: Place): Mark[] {
  return group.flatMap(({ marks }) => marks.map(({ mark }) => mark));
}

/** Where lines of a zone may be, the likeliest first in each direction. */
function* places(raster: Raster, threshold: number, effort: Effort): Generator<Place> {
  if (!spend(effort, { step: 'searchedPixel', count: raster.width * raster.height })) return;
  const marks = findMarks(raster, threshold);
  if (!spend(effort, { step: 'mark', count: marks.length })) return;
  for (const angle of findDirections(marks, DIRECTIONS)) {
    for (const group of findGroups(findLines(marks, angle)).slice(0, GROUPS)) yield { group, angle };
  }
}

/** The readings of a place, the best one first. */
function readPlace(raster: Raster, { group, angle }: Place, effort: Effort): ZoneText[] {
  const grid = fitGrid(group, angle);
  return grid && spend(effort, { step: 'grid', count: 1 }) ? readGrid(raster, grid) : [];
}
