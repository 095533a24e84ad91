// Finds pages by words: used by the service for /docs/search, and by browsers for results while typing.

/** Points for the whole query in the title, for a word in the title, at the start of a word of the title, and in the text. */
const PHRASE = 20;
const IN_TITLE = 5;
const AT_START = 5;
const IN_TEXT = 1;

/**
 * Returns the entries that contain every word of the query, best first.
 * @template {{ title: string, text: string }} Entry
 * @param {Entry[]} entries
 * @param {string} query
 * @returns {Entry[]}
 */
export function find(entries, query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  return entries
    .map((entry, index) => ({ entry, index, points: pointsOf(entry, words, query) }))
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points || a.index - b.index)
    .map(({ entry }) => entry);
}

function pointsOf({ title, text }, words, query) {
  const [inTitle, inText] = [title.toLowerCase(), text.toLowerCase()];
  let points = inTitle.includes(query.trim().toLowerCase()) ? PHRASE : 0;
  for (const word of words) {
    const at = inTitle.indexOf(word);
    const found =
      (at >= 0 ? IN_TITLE : 0) +
      (at === 0 || (at > 0 && /\W/.test(inTitle[at - 1])) ? AT_START : 0) +
      (inText.includes(word) ? IN_TEXT : 0);
    if (found === 0) return 0;
    points += found;
  }
  return points;
}
