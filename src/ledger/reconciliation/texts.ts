// Finds references of movements in what a bank writes: case, accents, spaces and punctuation do not count.
import { spellUndivided } from '../../core/undivided-letters.ts';
import type { BankLine } from '../bank-files/statement.ts';

/** The references that are looked for: the numbers of words of those that begin with a word. */
export type Wanted = { whole: Set<string>; lengthsByWord: Map<string, Set<number>> };

/** A shorter reference must be the whole of what the bank writes: `12` is in many texts. */
const INSIDE_MIN = 5;
const WORD = /[\p{L}\p{N}]+/gu;
const MARKS = /\p{M}/gu;

export function wantedTexts(references: readonly string[]): Wanted {
  const whole = new Set<string>();
  const lengthsByWord = new Map<string, Set<number>>();
  for (const reference of references) {
    const words = wordsOf(reference);
    const [first] = words;
    if (first === undefined) continue;
    whole.add(words.join(' '));
    const lengths = lengthsByWord.get(first);
    if (lengths) lengths.add(words.length);
    else lengthsByWord.set(first, new Set([words.length]));
  }
  return { whole, lengthsByWord };
}

/** The wanted references in a line, folded, the longest first. */
export function keysOf({ references, text }: Pick<BankLine, 'references' | 'text'>, { whole, lengthsByWord }: Wanted): string[] {
  const found = new Set<string>();
  for (const part of [...references, text]) {
    const words = wordsOf(part);
    const all = words.join(' ');
    if (whole.has(all)) found.add(all);
    for (const [index, word] of words.entries()) {
      for (const length of lengthsByWord.get(word) ?? []) {
        const phrase = words.slice(index, index + length).join(' ');
        if (phrase.length >= INSIDE_MIN && whole.has(phrase)) found.add(phrase);
      }
    }
  }
  return [...found].sort((one, other) => other.length - one.length || (one < other ? -1 : 1));
}

/** A reference as it is compared. */
export function fold(text: string): string {
  return wordsOf(text).join(' ');
}

function wordsOf(text: string): string[] {
  return spellUndivided(text.normalize('NFKD').replace(MARKS, '').toLowerCase()).match(WORD) ?? [];
}
