// Finds pages by words: used by the service for /docs/search, and by browsers for results while typing.

/** Points for the whole query in the title, for several words of it in this order in the text, for a word in the title, at the start of a word of the title, and in the text. */
const PHRASE = 20;
const PHRASE_IN_TEXT = 10;
const IN_TITLE = 5;
const AT_START = 5;
const IN_TEXT = 1;

/** What others call it, and the word that these pages have. The beginning of a word stands for all its forms. */
const SYNONYMS = {
  envelope: 'label',
  pocket: 'label',
  wallet: 'label',
  subaccount: 'label',
  vault: 'label',
  transfer: 'reallocation',
  refund: 'return',
  chargeback: 'return',
  bounce: 'return',
  undo: 'revers',
  payout: 'withdraw',
  payroll: 'hold',
  escrow: 'hold',
  authoriz: 'hold',
  reserve: 'hold',
  sweep: 'schedule',
  recurring: 'schedule',
  cron: 'schedule',
  alert: 'monitor',
  kyc: 'document',
  passport: 'document',
  ubo: 'beneficial',
  throttl: 'limit',
  pagination: 'page',
  paging: 'page',
  cursor: 'after',
  callback: 'webhook',
  mock: 'test',
  testing: 'test',
};

/**
 * Returns the entries that contain every word of the query, or a synonym of it, best first.
 * @template {{ title: string, text: string }} Entry
 * @param {Entry[]} entries
 * @param {string} query
 * @returns {Entry[]}
 */
export function find(entries, query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean).map(withSynonyms);
  if (words.length === 0) return [];
  return entries
    .map((entry, index) => ({ entry, index, points: pointsOf(entry, words, query) }))
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points || a.index - b.index)
    .map(({ entry }) => entry);
}

function pointsOf({ title, text }, words, query) {
  const [inTitle, inText] = [title.toLowerCase(), text.toLowerCase()];
  const phrase = query.trim().toLowerCase();
  let points = inTitle.includes(phrase) ? PHRASE : words.length > 1 && inText.includes(phrase) ? PHRASE_IN_TEXT : 0;
  for (const word of words) {
    const found = Math.max(...word.map((one) => pointsOfWord(one, inTitle, inText)));
    if (found === 0) return 0;
    points += found;
  }
  return points;
}

function pointsOfWord(word, inTitle, inText) {
  const at = inTitle.indexOf(word);
  return (
    (at >= 0 ? IN_TITLE : 0) +
    (at === 0 || (at > 0 && /\W/.test(inTitle[at - 1])) ? AT_START : 0) +
    (inText.includes(word) ? IN_TEXT : 0)
  );
}

function withSynonyms(word) {
  return [word, ...Object.entries(SYNONYMS).flatMap(([other, ours]) => (word.startsWith(other) ? [ours] : []))];
}
