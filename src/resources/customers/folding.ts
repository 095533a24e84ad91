// Text for the search of customers: without case, accents and kinds of punctuation, and its trigrams for the index.
import { spellUndivided } from '../../core/undivided-letters.ts';
import type { Customer } from './customer.ts';

/** The end of a Greek word, and kinds of apostrophes, quotation marks and hyphens. */
const SPELLINGS: Record<string, string> = {
  ς: 'σ',
  ...each('‘’‚‛ʻʼʹʽ`´′＇', "'"),
  ...each('“”„‟«»″', '"'),
  ...each('‐‑‒–—―−', '-'),
};
/** Marks of Latin, Greek and Cyrillic letters. In other scripts a mark makes another letter. */
const ACCENTS = /[\u0300-\u036f]/g;
const SPACES = /\s+/gu;

/** Separates names from the e-mail address, which not everybody may search. A folded text has no line end. */
export const NAMES_END = '\n';
const GRAM = 3;

type SearchColumns = { searchText: string; searchGrams: number[] };
type Named = Pick<Customer, 'accountId' | 'firstName' | 'lastName' | 'email' | 'profile'>;

/** The columns of a customer by which it is found. They are written with each change of a name. */
export function searchColumnsOf({ accountId, firstName, lastName, email, profile }: Named): SearchColumns {
  const names = fold(`${firstName} ${lastName} ${profile.businessName ?? ''}`);
  const searchText = `${names}${NAMES_END}${fold(email)}`;
  return { searchText, searchGrams: gramsOf(searchText, accountId) };
}

/** `Zoë O’Reilly-Łaska` → `zoe o'reilly-laska`. Text that differs only by accents, case or punctuation marks folds to the same. */
export function fold(text: string): string {
  // Marks that stand alone before the decomposition, which makes spaces with accents of them, and letters after it.
  const letters = spell(text).normalize('NFKD').replace(ACCENTS, '').toLowerCase();
  return spell(letters).normalize('NFC').replace(SPACES, ' ').trim();
}

function spell(text: string): string {
  return spellUndivided(Array.from(text, (letter) => SPELLINGS[letter] ?? letter).join(''));
}

/** A number for each three letters in a row, and one for the account: an index finds the texts that have all of them. */
export function gramsOf(folded: string, accountId: string | undefined): number[] {
  const letters = Array.from(folded, (letter) => letter.codePointAt(0)!);
  const grams = letters.slice(GRAM - 1).map((_, index) => numberOf(letters.slice(index, index + GRAM)));
  const account = accountId === undefined ? [] : [numberOf(Array.from(accountId, (letter) => letter.codePointAt(0)!))];
  return [...new Set([...account, ...grams])];
}

/** A hash in 32 bits (FNV-1a). Two texts with one number cost a comparison, never a wrong result. */
function numberOf(letters: number[]): number {
  let hash = 0x811c9dc5;
  for (const letter of letters) hash = Math.imul(hash ^ letter, 0x01000193);
  return hash | 0;
}

function each(letters: string, spelling: string): Record<string, string> {
  return Object.fromEntries(Array.from(letters, (letter) => [letter, spelling]));
}
