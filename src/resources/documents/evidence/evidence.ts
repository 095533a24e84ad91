// Evidence of a document: the level that was reached, and the parts that it is made of.

import type { Hint } from '../../../../packages/document-reader/src/reading.ts';

/** From nothing read to data that a state signed. A level includes those before it. */
export const LEVELS = ['none', 'text', 'document', 'chip'] as const;
export type Level = (typeof LEVELS)[number];

/** `unknown`: the part could not be tested. `text` is for people, and repeats no birth date or number. */
export type Part = { name: PartName; result: 'holds' | 'fails' | 'unknown'; text: string };
type PartName = (typeof PART_NAMES)[number];

export const PART_NAMES = [
  'data',
  'outline',
  'portrait',
  'printedText',
  'consistency',
  'dataGroups',
  'signature',
  'issuer',
  'validity',
  'revocation',
  'algorithms',
] as const;

/** What a level is worth, in one sentence. */
export const LEVEL_TEXTS: Record<Level, string> = {
  none: 'Nothing was read that proves anything.',
  text: 'The lines were read and their check digits hold. A page printed at home passes this level.',
  document:
    'The picture shows a document around the data, or the chip is signed with an algorithm or a key that is too weak today. A forger with means passes this level.',
  chip: 'A state signed these data. That does not prove that the sender is the holder, or that the chip is no copy.',
};

export const PART_LABELS: Record<PartName, string> = {
  data: 'machine-readable data',
  outline: 'page outline',
  portrait: 'portrait',
  printedText: 'printed text',
  consistency: 'consistency',
  dataGroups: 'data groups',
  signature: 'signature',
  issuer: 'issuing state',
  validity: 'certificates',
  revocation: 'revocation list',
  algorithms: 'algorithms',
};

/** What a reviewer should look for. It changes no level, and decides nothing. */
export type ShownHint = { name: Hint; text: string };

/** `hints`: absent if there are none. */
export type Evidence = { level: Level; parts: Part[]; hints?: ShownHint[] };

export const NO_EVIDENCE: Evidence = { level: 'none', parts: [] };

/** The evidence with the highest level, and the hints of all. */
export function strongest(found: Evidence[]): Evidence {
  const hints = found.flatMap((one) => one.hints ?? []);
  const best = found.reduce((best, other) => (reaches(best.level, other.level) ? best : other), NO_EVIDENCE);
  return hints.length > 0 ? { ...best, hints } : best;
}

/** Whether a level is at least as good as another. */
export function reaches(level: Level, wanted: Level): boolean {
  return LEVELS.indexOf(level) >= LEVELS.indexOf(wanted);
}
