// Letters that no decomposition of Unicode divides, in the basic letters that banks and people write for them.

const SPELLINGS = new Map(
  'ßss æae œoe þth ðd đd ħh ıi łl øo ŧt ŋn'.split(' ').map(([letter = '', ...spelling]) => [letter, spelling.join('')]),
);

/** Spells them, in a text of small letters: `łódź` → `lódź`. */
export function spellUndivided(text: string): string {
  return Array.from(text, (letter) => SPELLINGS.get(letter) ?? letter).join('');
}
