// Child process that makes clean copies of pictures and chips, one at a time. Its CPU time for each is limited.
import sharp from 'sharp';
import { findTraces } from '../../../packages/document-reader/src/traces.ts';
import type { ChipFiles } from './chip/chip-files.ts';
import { readHolder, readPortrait, readZoneLines, requireDg14 } from './chip/data-groups.ts';
import { cleanPortrait } from './chip/portrait.ts';
import { readSecurityObject } from './chip/security-object.ts';
import { HINTS, type Hint } from './evidence/hint.ts';
import { serveTasks } from './worker-process.ts';

export type DecodeTask = { picture: Uint8Array } | { chip: ChipFiles };
/** `copy`: a clean JPEG. A chip may be without a portrait. `hints`: from the file that was sent, which has more than the copy. */
export type Decoded = { copy?: Uint8Array; hints: Hint[] };

const MAX_PIXELS = 40_000_000;
/** Each row and column has a fixed cost: a picture one pixel wide takes a hundred times as long as a square one with as many pixels. */
const MAX_SIDE_PIXELS = 12_000;
// The cubic kernel and the standard Huffman tables cut the time by 40 % and add a few percent to the size.
const COPY = { sidePixels: 2400, kernel: 'cubic', quality: 85, optimiseCoding: false } as const;

// The error of a library is dropped, because it may quote the file.
serveTasks((task: DecodeTask) => ('chip' in task ? openChip(task.chip) : reencode(task.picture)).catch(() => undefined));

/** Decodes the whole picture and encodes it as an upright sRGB JPEG on white, of bounded size, without metadata or appended data. */
async function reencode(file: Uint8Array): Promise<Decoded | undefined> {
  const picture = sharp(file, { limitInputPixels: MAX_PIXELS, failOn: 'truncated', animated: false });
  const { width, height } = await picture.metadata();
  if (Math.max(width, height) > MAX_SIDE_PIXELS) return undefined;
  const copy = await picture
    .autoOrient()
    .resize({ width: COPY.sidePixels, height: COPY.sidePixels, fit: 'inside', withoutEnlargement: true, kernel: COPY.kernel })
    .flatten({ background: 'white' })
    .jpeg({ quality: COPY.quality, optimiseCoding: COPY.optimiseCoding })
    .toBuffer();
  const traces = await findTraces(file);
  return { copy, hints: HINTS.filter((hint) => traces[hint]) };
}

/** Reads every file of a chip, so that a malformed one is refused at its upload, and makes a clean copy of the portrait. */
async function openChip({ sod, dg1, dg2, dg11, dg14 }: ChipFiles): Promise<Decoded> {
  readSecurityObject(sod);
  readZoneLines(dg1);
  if (dg11) readHolder(dg11);
  if (dg14) requireDg14(dg14);
  const portrait = dg2 && readPortrait(dg2);
  return { hints: [], ...(portrait && { copy: await cleanPortrait(portrait) }) };
}
