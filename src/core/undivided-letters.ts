// Letters that no decomposition of Unicode divides, in the basic letters that banks and people write for them.

const SPELLINGS: Record<string, string> = Object.fromEntries(
  'ßss æae œoe þth ðd đd ħh ıi łl øo ŧt ŋn'.split(' ').map(([letter = '', ...spelling]) => [letter, spelling.join('')]),
);
const LETTERS = new RegExp(`[${Object.keys(SPELLINGS).join('')}]`, 'gu');

/** Spells them, in a text of small letters: `łódź` → `lódź`. */
export function spellUndivided(text: string): string {
  return text.replace(LETTERS, (letter) => SPELLINGS[letter]!);
}
