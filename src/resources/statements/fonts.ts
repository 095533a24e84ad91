// Fonts of statements: the file that draws a character, read when a text first needs it.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Blob, Font, Face as HarfBuzzFace, Variation } from 'harfbuzzjs';
import decompress from 'woff2-encoder/decompress';

/** A file of a family with some of its characters. */
type Slice = { id: string; file: string; family: string; weighted: boolean };
/** Finds the files that may have a character. */
type Family = (point: number) => Slice[];
/** `weight`: 0 for a font of one weight. */
export type Face = { id: string; family: string; sfnt: Uint8Array; weight: number; font: Font };
/** `covers`: whether it has all characters of a text. */
export type LoadedFont = { regular: Face; bold: Face; covers(text: string): boolean };

/** Parts of an em, as in PDF. */
export const EM = 1000;
const WEIGHTS = { regular: 400, bold: 600 };
/** Files that stay loaded for later statements. */
const LOADED_MAX = 64;

const LATIN = '@fontsource-variable/inter';
/** The families of Noto by script. Those of East Asia are in `eastAsianFor`. */
const SCRIPTS: [RegExp, string][] = [
  [/^\p{scx=Arabic}/u, 'arabic'],
  [/^\p{scx=Armenian}/u, 'armenian'],
  [/^\p{scx=Bengali}/u, 'bengali'],
  [/^\p{scx=Devanagari}/u, 'devanagari'],
  [/^\p{scx=Ethiopic}/u, 'ethiopic'],
  [/^\p{scx=Georgian}/u, 'georgian'],
  [/^\p{scx=Gujarati}/u, 'gujarati'],
  [/^\p{scx=Gurmukhi}/u, 'gurmukhi'],
  [/^\p{scx=Hebrew}/u, 'hebrew'],
  [/^\p{scx=Kannada}/u, 'kannada'],
  [/^\p{scx=Khmer}/u, 'khmer'],
  [/^\p{scx=Lao}/u, 'lao'],
  [/^\p{scx=Malayalam}/u, 'malayalam'],
  [/^\p{scx=Myanmar}/u, 'myanmar'],
  [/^\p{scx=Oriya}/u, 'oriya'],
  [/^\p{scx=Sinhala}/u, 'sinhala'],
  [/^\p{scx=Tamil}/u, 'tamil'],
  [/^\p{scx=Telugu}/u, 'telugu'],
  [/^\p{scx=Thaana}/u, 'thaana'],
  [/^\p{scx=Thai}/u, 'thai'],
  [/^\p{scx=Tibetan}/u, 'tibetan'],
];
const EMOJI = '@fontsource-variable/noto-emoji';
/** Symbols, and then a font of pixels with all characters of the Basic Multilingual Plane. */
const LAST_RESORTS = ['@fontsource/noto-sans-symbols-2', EMOJI, '@fontsource/noto-sans-math', '@fontsource/unifontex'];
const SCRIPT_FAMILIES = SCRIPTS.map(([pattern, name]) => ({
  pattern,
  family: `@fontsource-variable/noto-${name === 'tibetan' ? 'serif' : 'sans'}-${name}`,
}));
const EAST_ASIAN = /^[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Bopo}\p{Script=Common}]/u;
const IS_EMOJI = /^\p{RGI_Emoji}$/v;
const IGNORED = /\p{Default_Ignorable_Code_Point}/u;

const families = new Map<string, Promise<Family>>();
const loaded = new Map<string, Promise<LoadedFont>>();

/** The files that may draw a character with its marks, best first. `text` is what it is part of. */
export async function* slicesFor(character: string, text: string): AsyncGenerator<Slice> {
  const ofScript = SCRIPT_FAMILIES.filter(({ pattern }) => pattern.test(character)).map(({ family }) => family);
  const eastAsian = EAST_ASIAN.test(character) ? await eastAsianFor(text) : [];
  const names = [LATIN, ...ofScript, ...eastAsian, ...LAST_RESORTS];
  if (IS_EMOJI.test(character)) names.unshift(EMOJI);
  for (const name of names) yield* (await familyOf(name))(character.codePointAt(0)!);
}

/** Each country draws some Chinese characters in its own way: other letters, or which of them are in use, show the country. */
async function eastAsianFor(text: string): Promise<string[]> {
  const country = /[\p{scx=Hira}\p{scx=Kana}]/u.test(text) ? 'jp' : /\p{scx=Hang}/u.test(text) ? 'kr' : undefined;
  const points = [...text].filter((character) => /\p{Script=Han}/u.test(character)).map((character) => character.codePointAt(0)!);
  const counted = [];
  for (const name of ['sc', 'tc', 'jp', 'kr']) {
    const family = await familyOf(`@fontsource-variable/noto-sans-${name}`);
    counted.push({ name, count: name === country ? Infinity : points.filter((point) => family(point).length > 0).length });
  }
  return counted.sort((a, b) => b.count - a.count).map(({ name }) => `@fontsource-variable/noto-sans-${name}`);
}

function familyOf(name: string): Promise<Family> {
  const known = families.get(name) ?? readFamily(name);
  families.set(name, known);
  return known;
}

async function readFamily(name: string): Promise<Family> {
  const parts: Record<string, string> = JSON.parse(
    await readFile(fileURLToPath(import.meta.resolve(`${name}/unicode.json`)), 'utf8'),
  );
  const family = name.slice(name.indexOf('/') + 1);
  const weighted = name.startsWith('@fontsource-variable/');
  const sliceOf = (part: string): Slice => ({
    ...{ id: `${family}-${part}`, family, weighted },
    file: `${name}/files/${family}-${part}-${weighted ? 'wght' : WEIGHTS.regular}-normal.woff2`,
  });
  // Packages of a single file list its characters incompletely.
  const only = [sliceOf('latin')];
  if (Object.keys(parts).length < 2) return () => only;
  const characters = new Map<number, Slice[]>();
  for (const [part, ranges] of Object.entries(parts)) {
    const slice = sliceOf(part.replace(/[[\]]/g, ''));
    for (const point of pointsOf(ranges)) {
      const others = characters.get(point);
      if (others) others.push(slice);
      else characters.set(point, [slice]);
    }
  }
  return (point) => characters.get(point) ?? [];
}

/** The points of `U+200D,U+1F1E6-1F1FF`. */
function* pointsOf(ranges: string): Generator<number> {
  for (const range of ranges.split(',')) {
    const [first, last = first] = range.replace('U+', '').split('-');
    for (let point = Number.parseInt(first!, 16); point <= Number.parseInt(last!, 16); point++) yield point;
  }
}

export function loadFont(slice: Slice): Promise<LoadedFont> {
  const font = loaded.get(slice.id) ?? readFont(slice);
  // The one that was used last is at the end.
  loaded.delete(slice.id);
  loaded.set(slice.id, font);
  if (loaded.size > LOADED_MAX) loaded.delete(loaded.keys().next().value!);
  return font;
}

async function readFont({ id, file, family, weighted }: Slice): Promise<LoadedFont> {
  const sfnt = await decompress(await readFile(fileURLToPath(import.meta.resolve(file))));
  const face = new HarfBuzzFace(new Blob(sfnt));
  const of = (weight: number): Face => {
    const font = new Font(face);
    font.setScale(EM, EM);
    if (weight > 0) font.setVariations([new Variation('wght', weight)]);
    return { id: `${id}-${weight}`, family, sfnt, weight, font };
  };
  const regular = of(weighted ? WEIGHTS.regular : 0);
  const covers = (characters: string) =>
    [...characters].every((one) => IGNORED.test(one) || regular.font.nominalGlyph(one.codePointAt(0)!) !== undefined);
  return { regular, bold: weighted ? of(WEIGHTS.bold) : regular, covers };
}
