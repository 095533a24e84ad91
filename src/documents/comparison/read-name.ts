// The name that was read, in words, with the reader's confidence in each letter.
import type { Read } from '../reader/reading.ts';

type Part = {
  words: string[];
  /** Confidence of each letter, without spaces. */
  letters: number[];
  truncated: boolean;
};

export type ReadName = { surname: Part; givenNames: Part; suffix: string | undefined };

/** Confidence of a letter that proves a difference. Measured: misread letters had at most 0.78. */
const PROOF_MIN = 0.97;
const SUFFIXES: Record<string, string> = { JR: 'JR', JUNIOR: 'JR', SR: 'SR', SENIOR: 'SR', II: 'II', III: 'III', IV: 'IV' };
/** What issuers write in place of a missing given name. */
const NO_NAME = new Set(['FNU', 'LNU', 'NFN', 'NMN', 'NONE', 'UNAVL', 'XXX']);
const WORD = /[A-Z]+/g;
const LETTER = /\p{L}/u;
/** Accents, which a barcode may have, and apostrophes. */
const OMITTED = /[\p{M}']/gu;

/** Divides the fields of a reading into words. A zone has the suffix behind the surname or the given names. */
export function readNameOf({ fields, letters }: Read): ReadName {
  const family = splitSuffix(wordsIn(fields.surname));
  const words = wordsIn(fields.givenNames);
  const given = family.suffix === undefined ? splitSuffix(words) : { words, suffix: undefined };
  const encoded = fields.suffix?.replaceAll(/[^A-Z]/gi, '').toUpperCase();
  const part = (name: 'surname' | 'givenNames', shown: string[]): Part => ({
    words: shown.every((word) => NO_NAME.has(word)) ? [] : shown,
    letters: lettersOf(fields[name], letters[name]),
    truncated: fields.nameTruncated[name],
  });
  return {
    surname: part('surname', family.words),
    givenNames: part('givenNames', given.words),
    suffix: family.suffix ?? given.suffix ?? (encoded ? (SUFFIXES[encoded] ?? encoded) : undefined),
  };
}

function wordsIn(text: string): string[] {
  return text.toUpperCase().normalize('NFD').replaceAll(OMITTED, '').match(WORD) ?? [];
}

/** Takes a suffix such as JR from the end of a name of several words. */
export function splitSuffix(words: readonly string[]): { words: string[]; suffix: string | undefined } {
  const suffix = words.length > 1 ? SUFFIXES[words.at(-1)!] : undefined;
  return { words: suffix === undefined ? [...words] : words.slice(0, -1), suffix };
}

/** Whether a difference from a text is proven: by one sure letter at a place of the same word length, else by all letters. */
export function provesDifference(expected: string, { words, letters }: Part): boolean {
  const text = words.join('');
  const sure = (at: number) => (letters[at] ?? 0) >= PROOF_MIN;
  if (expected.length !== text.length) return [...text].every((_, at) => sure(at));
  return [...text].some((letter, at) => letter !== expected[at] && sure(at));
}

/** Readers give a confidence for each character of the text, or for each letter only. */
function lettersOf(text: string, confidences: number[]): number[] {
  if (confidences.length !== text.length) return confidences;
  return confidences.filter((_, at) => LETTER.test(text[at]!));
}
