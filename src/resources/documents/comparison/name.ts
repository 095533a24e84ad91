// Compares the name on record with the name that was read. Look-alike spellings are never the same name.
import { provesDifference, type ReadName, type SpelledName, splitSuffix } from './read-name.ts';
import { beginsWith, isSpelled, plain, type Word, wordsOf } from './word.ts';

/** `clash`: the names differ. `open`: a person has to compare them; `why` completes the sentence "a person decides: …". */
export type Comparison = { result: 'same' | 'clash' } | { result: 'open'; why: string };

/** Letters that must be shown of a word that the document cuts off. */
const SHOWN_MIN = 20;
/** Words before a surname that some documents leave out, or list with the given names. */
const PARTICLES = new Set(
  'A AF AL AN AP AV BEN BIN BINT DA DAL DE DEL DELLA DEN DER DES DI DO DOS DU EL IBN LA LAS LE LES LO LOS MC SAN T TE TEN TER VAN VOM VON Y ZU ZUM ZUR'.split(
    ' ',
  ),
);
/** Spellings that different states use for the same letter: words that differ in nothing else may be the same name. */
const OTHER_SPELLINGS: [RegExp, string][] = [
  [/([AOU])E/g, '$1'],
  [/([NOU])XX/g, '$1'],
  [/AA/g, 'A'],
];

const SAME: Comparison = { result: 'same' };
const CLASH: Comparison = { result: 'clash' };
const open = (why: string): Comparison => ({ result: 'open', why });

type Compared = { surname: Comparison; givenNames: Comparison };
type NameOnRecord = { firstName?: string; lastName: string };

/** Of two spellings, the one with better results is the name. A clash weighs more than all else: it holds for every spelling or for none. */
const WEIGHTS = { same: 2, open: 1, clash: -10 };
const UNCLEAR = open('the name on the document has a letter that cannot be compared');

/**
 * Compares both parts of a name, in each spelling of what was read. A part that clashes says so only if the reader is sure of a letter that
 * differs.
 */
export function compareNames(record: NameOnRecord, read: ReadName): Compared {
  const weight = ({ surname, givenNames }: Compared) => WEIGHTS[surname.result] + WEIGHTS[givenNames.result];
  const compared = read.map((spelled) => compareSpelled(record, spelled));
  const best = compared.reduce((one, other) => (weight(other) > weight(one) ? other : one));
  const [{ surname, givenNames }] = read;
  return {
    surname: surname.isClear ? best.surname : UNCLEAR,
    givenNames: givenNames.isClear ? best.givenNames : UNCLEAR,
  };
}

function compareSpelled(record: NameOnRecord, read: SpelledName): Compared {
  const [first, last] = [wordsOf(record.firstName ?? read.givenNames.words.join(' ')), wordsOf(record.lastName)];
  if (!first || !last || first.length === 0 || last.length === 0) {
    const unknown = open('the name on record has letters that the standard does not transliterate');
    return { surname: unknown, givenNames: unknown };
  }
  const family = withoutSuffix(last);
  const given: ReturnType<typeof withoutSuffix> = family.suffix === undefined ? withoutSuffix(first) : { words: first };
  const suffix = family.suffix ?? given.suffix;
  const parts = { surname: compareSurnames(family.words, read), givenNames: compareGivenNames(given.words, read) };
  const areSame = parts.surname.result === 'same' && parts.givenNames.result === 'same';
  const whole = areSame ? SAME : compareWhole(given.words, family.words, read);
  if (!whole) return parts;
  // A word that one side takes for a suffix may be a name on the other.
  const suffixDiffers =
    suffix !== read.suffix &&
    ((suffix !== undefined && read.suffix !== undefined) || given.words.length !== read.givenNames.words.length);
  return { surname: whole === SAME && suffixDiffers ? open('the suffixes differ') : whole, givenNames: whole };
}

function withoutSuffix(record: Word[]): { words: Word[]; suffix?: string } {
  const { words, suffix } = splitSuffix(record.map((word) => plain([word])));
  return { words: record.slice(0, words.length), ...(suffix !== undefined && { suffix }) };
}

function compareSurnames(record: Word[], read: SpelledName): Comparison {
  const { words, truncated } = read.surname;
  const text = words.join('');
  if (text === '') return open('the document has no surname');
  // Without given names, the surname fills the line and may go on.
  if (isSpelled(record.flat(), text)) {
    return truncated && read.givenNames.words.length === 0 ? open('the document may cut off the surname') : SAME;
  }
  // ICAO Doc 9303 part 4, section 4.2.3: when the last place of the line is a letter, each word may be cut, also to its initial.
  const isCut = beginsWith(record.flat(), text) || pairUp(words, record, (shown, own) => beginsWith(own, shown));
  if (truncated && isCut) return open('the document cuts off the surname');
  if (differsByParticles(plain(record), text)) return open('a particle of the surname is missing');
  if (isPartOf(record, words)) return open('only a part of the surname is the same');
  if (isOtherSpelling(plain(record), text)) return open('the surname may be another transliteration');
  return clashOf(record, read.surname);
}

function compareGivenNames(record: Word[], read: SpelledName): Comparison {
  const { words, truncated } = read.givenNames;
  const text = words.join('');
  if (text === '') return open('the document has no given names');
  if (isSpelled(record.flat(), text)) return SAME;
  if (truncated && isCutOff(record, words)) return SAME;
  const [first, ...further] = words as [string, ...string[]];
  if (isSpelled(record[0]!, first)) return compareFurther(record.slice(1), further);
  if (record.length === words.length && pairUp(record, words, isSpelled)) return SAME;
  if (isNameOrInitial(record[0]!, first)) return open('one side has only an initial');
  if (truncated && beginsWith(record[0]!, first)) return open('the document cuts off the given names');
  if (record.some((word) => words.some((shown) => isSpelled(word, shown)))) return open('the first of the given names differs');
  if (words.some((word) => beginsJoined(record, word))) return open('the given names are divided differently');
  if (isOtherSpelling(plain(record.slice(0, 1)), first)) return open('the given names may be another transliteration');
  return clashOf(record.slice(0, 1), {
    ...read.givenNames,
    words: [first],
    letters: read.givenNames.letters.slice(0, first.length),
  });
}

/** The names after an equal first one: the same in any order, or one more on either side; an initial stands for a name. */
function compareFurther(record: Word[], words: string[]): Comparison {
  const [isMatched, missing] =
    record.length > words.length
      ? [pairUp(words, record, (word, own) => isNameOrInitial(own, word)), record.length - words.length]
      : [pairUp(record, words, isNameOrInitial), words.length - record.length];
  if (!isMatched) return open('a further given name differs');
  return missing <= 1 ? SAME : open('several given names are missing');
}

/** Whether each of some names has a partner among others, and no two the same one. */
function pairUp<One, Other>(some: One[], others: Other[], arePair: (one: One, other: Other) => boolean): boolean {
  const left = [...others];
  return some.every((one) => {
    const at = left.findIndex((other) => arePair(one, other));
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}

function isNameOrInitial(own: Word, word: string): boolean {
  if (isSpelled(own, word)) return true;
  return own.length === 1 ? isSpelled(own, word.slice(0, 1)) : word.length === 1 && beginsWith(own, word);
}

/** Whether given names were cut off at the end of their field, the first one complete and the others cut or left out. */
function isCutOff(record: Word[], words: string[]): boolean {
  const [first = '', ...further] = words;
  const isFirst = isSpelled(record[0]!, first) || (first.length >= SHOWN_MIN && beginsWith(record[0]!, first));
  return isFirst && words.length <= record.length && further.every((word, index) => beginsWith(record[index + 1]!, word));
}

/** Looks at the name as a whole: a particle with the given names is the same name; words that moved are for a person. */
function compareWhole(first: Word[], family: Word[], read: SpelledName): Comparison | undefined {
  const [record, words] = [
    [...first, ...family],
    [...read.givenNames.words, ...read.surname.words],
  ];
  if (words.length !== record.length || !pairUp(record, words, isSpelled)) return undefined;
  const moved = read.givenNames.words.filter((shown) => !first.some((word) => isSpelled(word, shown)));
  const gone = read.surname.words.filter((shown) => !family.some((word) => isSpelled(word, shown)));
  if (moved.length + gone.length > 0 && [...moved, ...gone].every((word) => PARTICLES.has(word))) return SAME;
  return moved.length + gone.length > 0 ? open('surname and given names are divided differently') : undefined;
}

/** Whether all words of one side are on the other. */
function isPartOf(record: Word[], words: string[]): boolean {
  const isOnRecord = (shown: string) => record.some((word) => isSpelled(word, shown));
  const isShown = (word: Word) => words.some((shown) => isSpelled(word, shown));
  return record.every(isShown) || words.every(isOnRecord);
}

/** Whether one text is the other behind particles. */
function differsByParticles(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return long.endsWith(short) && areParticles(long.slice(0, -short.length));
}

function areParticles(text: string): boolean {
  if (text === '') return true;
  return [...PARTICLES].some((particle) => text.startsWith(particle) && areParticles(text.slice(particle.length)));
}

/** Whether a word that was read is several words of the record, or the reverse. */
function beginsJoined(record: Word[], word: string): boolean {
  return record.length > 1 && record.some((_, count) => count > 0 && isSpelled(record.slice(0, count + 1).flat(), word));
}

function isOtherSpelling(one: string, other: string): boolean {
  return folded(one) === folded(other);
}

function folded(text: string): string {
  return OTHER_SPELLINGS.reduce((known, [pattern, letter]) => known.replace(pattern, letter), text);
}

/** A clash, if the reader is sure of a letter that differs. */
function clashOf(record: Word[], part: SpelledName['surname']): Comparison {
  return provesDifference(plain(record), part) ? CLASH : open('a letter that differs was not read with certainty');
}
