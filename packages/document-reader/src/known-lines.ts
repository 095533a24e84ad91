// Reads a machine-readable zone whose characters are known, as a chip has it: no character is a guess.
import { NO_FINGERPRINT } from './fingerprint.ts';
import { NO_QUALITY } from './quality.ts';
import type { Read, Reading } from './reading.ts';
import { toRead } from './zone-fields.ts';
import { LAYOUTS } from './zone-layout.ts';
import { checkDigits } from './zone-text.ts';

/** Reads two lines of 44 or 36 characters, or three of 30. `today`: YYYY-MM-DD. */
export function readKnownLines(lines: string[], today: string): Read & Reading {
  const layout = LAYOUTS.find(
    ({ lines: [first, ...others] }) => lines.length === others.length + 1 && lines[0]!.length === first!.length,
  );
  if (!layout || lines.some((line) => line.length !== lines[0]!.length))
    throw new RangeError('No zone has lines of this length.');
  const letters = lines.map((line) => Array.from(line, () => 1));
  const read = toRead({ layout, lines, letters, certainty: 1, checks: checkDigits(layout, lines) }, today);
  return { ...read, quality: NO_QUALITY, fingerprint: NO_FINGERPRINT };
}
