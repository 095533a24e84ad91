// The name that was read: words in capitals A to Z, with the reader's confidence in each letter.
import type { Read } from '../../../../packages/document-reader/src/reading.ts';
import { spellingsOf } from './letters.ts';
import { APOSTROPHES } from './word.ts';

type Part = {
  words: string[];
  /** Confidence of each letter, without spaces. */
  letters: number[];
  truncated: boolean;
  /** Without an unknown letter: a character that no letter has, or one that an issuer writes in place of a letter. */
  isClear: boolean;
};

export type SpelledName = { surname: Part; givenNames: Part; suffix: string | undefined };
/** The spellings of a name: one for a zone; a barcode may have letters such as Ø, which documents and records spell in several ways. */
export type ReadName = [SpelledName, ...SpelledName[]];

/** Confidence of a letter that proves a difference. Measured: misread letters had at most 0.78. */
export const PROOF_MIN = 0.97;
const SUFFIXES: Record<string, string> = { JR: 'JR', JUNIOR: 'JR', SR: 'SR', SENIOR: 'SR', II: 'II', III: 'III', IV: 'IV' };
/** What issuers write in place of a missing given name. */
const NO_NAME = new Set(['FNU', 'LNU', 'NFN', 'NMN', 'NONE', 'UNAVL', 'XXX']);
const CAPITAL = /[A-Z]/;
const LETTER = /\p{L}/u;
const MARK = /\p{M}/u;
/** What issuers write in place of a letter that they cannot represent. */
const PLACEHOLDER = /[?*#_¿\ufffd]/;
/** Of one part of a name. A letter is spelled alike within a part. */
const SPELLINGS_MAX = 24;

/** Divides the fields of a reading into words. A zone has the suffix behind the surname or the given names. */
export function readNameOf({ fields, letters }: Read): ReadName {
  const [surnames, givenNames] = [spell(fields.surname, letters.surname), spell(fields.givenNames, letters.givenNames)];
  const encoded = fields.suffix?.replaceAll(/[^A-Z]/gi, '').toUpperCase();
  const { nameTruncated } = fields;
  return surnames.flatMap((surname) =>
    givenNames.map((given) => {
      const family = splitSuffix(surname.words);
      const first = family.suffix === undefined ? splitSuffix(given.words) : { words: given.words, suffix: undefined };
      return {
        surname: { ...surname, words: withoutPlaceholders(family.words), truncated: nameTruncated.surname },
        givenNames: { ...given, words: withoutPlaceholders(first.words), truncated: nameTruncated.givenNames },
        suffix: family.suffix ?? first.suffix ?? (encoded ? (SUFFIXES[encoded] ?? encoded) : undefined),
      };
    }),
  ) as unknown as ReadName;
}

function withoutPlaceholders(words: string[]): string[] {
  return words.every((word) => NO_NAME.has(word)) ? [] : words;
}

type Spelled = Pick<Part, 'words' | 'letters' | 'isClear'>;

/** The spellings of a text; the recommended one comes first. With too many, only that one, which is not clear. */
function spell(text: string, confidences: number[]): [Spelled, ...Spelled[]] {
  const characters = [...text.normalize('NFC').toUpperCase()];
  // Readers give a confidence for each character of the text, or for each letter only.
  const isPerLetter = confidences.length !== characters.length;
  let letter = -1;
  const sure = characters.map((character, at) => {
    if (LETTER.test(character)) letter++;
    return confidences[isPerLetter ? letter : at] ?? 0;
  });
  const special = [...new Set(characters.filter((character) => LETTER.test(character) && !CAPITAL.test(character)))];
  const isKnown = special.every((character) => spellingsOf(character)) && !PLACEHOLDER.test(text);
  let choices: Record<string, string>[] = [{}];
  for (const character of special) {
    choices = choices.flatMap((chosen) =>
      (spellingsOf(character) ?? ['']).map((spelling) => ({ ...chosen, [character]: spelling })),
    );
  }
  const isClear = isKnown && choices.length <= SPELLINGS_MAX;
  const [first, ...others] = isClear ? choices : choices.slice(0, 1);
  const toSpelled = (chosen: Record<string, string>) => ({ ...write(characters, sure, chosen), isClear });
  return [toSpelled(first!), ...others.map(toSpelled)];
}

function write(characters: string[], sure: number[], chosen: Record<string, string>): Pick<Part, 'words' | 'letters'> {
  let text = '';
  const letters: number[] = [];
  for (const [at, character] of characters.entries()) {
    if (MARK.test(character) || character.replaceAll(APOSTROPHES, '') === '') continue;
    const spelling = CAPITAL.test(character) ? character : (chosen[character] ?? ' ');
    text += spelling;
    if (spelling !== ' ') for (const _ of spelling) letters.push(sure[at]!);
  }
  return { words: text.split(' ').filter((word) => word !== ''), letters };
}

/** Takes a suffix such as JR from the end of a name of several words. */
export function splitSuffix(words: readonly string[]): { words: string[]; suffix: string | undefined } {
  const suffix = words.length > 1 ? SUFFIXES[words.at(-1)!] : undefined;
  return { words: suffix === undefined ? [...words] : words.slice(0, -1), suffix };
}

/** Whether a difference from a text is proven: by one sure letter at a place of the same word length, else by all letters. */
export function provesDifference(expected: string, { words, letters }: Pick<Part, 'words' | 'letters'>): boolean {
  const text = words.join('');
  const sure = (at: number) => (letters[at] ?? 0) >= PROOF_MIN;
  if (expected.length !== text.length) return [...text].every((_, at) => sure(at));
  return [...text].some((letter, at) => letter !== expected[at] && sure(at));
}
