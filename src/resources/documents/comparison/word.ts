// Words of names: their letters with all spellings, and the ways in which they match the capitals that were read.
import { type Spellings, spellingsOf } from './letters.ts';

/** The letters of a word on record. */
export type Word = Spellings[];

const NO_LETTER = /[\p{P}\p{S}\p{M}]/gu;
const BETWEEN_WORDS = /[\s\p{Pd}/]+/u;
/** Apostrophes and primes are omitted; they do not divide a word. */
export const APOSTROPHES = /['’‘ʼʹ`´]/g;

/** Divides a name on record into words. Returns undefined when a letter cannot be transliterated. */
export function wordsOf(name: string): Word[] | undefined {
  const words = name.normalize('NFC').toUpperCase().replaceAll(APOSTROPHES, '').split(BETWEEN_WORDS);
  const spelled = words.map((word) => [...word.replaceAll(NO_LETTER, '')].map(spellingsOf)).filter((word) => word.length > 0);
  return spelled.every((word) => word.every((letter) => letter !== undefined)) ? (spelled as Word[]) : undefined;
}

/** Whether a word can be spelled as a text. */
export function isSpelled(word: Word, text: string): boolean {
  return endsOf(word, text).has(text.length);
}

/** Whether a text is the begin of a spelling of a word. */
export function beginsWith(word: Word, text: string): boolean {
  let ends = new Set([0]);
  for (const letter of word) {
    const next = new Set<number>();
    for (const at of ends) {
      for (const spelling of letter) {
        const rest = text.slice(at);
        if (spelling.startsWith(rest)) return true;
        if (rest.startsWith(spelling)) next.add(at + spelling.length);
      }
    }
    ends = next;
  }
  return false;
}

/** The recommended spelling of words, without spaces. */
export function plain(words: Word[]): string {
  return words
    .flat()
    .map(([first]) => first)
    .join('');
}

/** Where a text can stand after all letters of a word. */
function endsOf(word: Word, text: string): Set<number> {
  let ends = new Set([0]);
  for (const letter of word) {
    const next = new Set<number>();
    for (const at of ends) for (const spelling of letter) if (text.startsWith(spelling, at)) next.add(at + spelling.length);
    ends = next;
  }
  return ends;
}
