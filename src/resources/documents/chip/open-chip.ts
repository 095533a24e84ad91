// Opens the files of an uploaded chip.
import type { ChipFiles } from './chip-files.ts';
import { readHolder, readPortrait, readZoneLines, requireDg14 } from './data-groups.ts';
import { cleanPortrait } from './portrait.ts';
import { readSecurityObject } from './security-object.ts';

/** Reads every file of a chip, so that a malformed one is refused at its upload, and makes a clean copy of the portrait. */
export async function openChip({ sod, dg1, dg2, dg11, dg14 }: ChipFiles): Promise<{ copy?: Uint8Array }> {
  readSecurityObject(sod);
  readZoneLines(dg1);
  if (dg11) readHolder(dg11);
  if (dg14) requireDg14(dg14);
  const portrait = dg2 && readPortrait(dg2);
  return portrait ? { copy: await cleanPortrait(portrait) } : {};
}
