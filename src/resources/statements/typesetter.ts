// Sets text: finds a font for each character, brings right-to-left text into order, and shapes it with HarfBuzz.
import bidiModule from 'bidi-js';
import { BufferFlag, Direction, Feature, Buffer as ShapeBuffer, shape } from 'harfbuzzjs';
import { type Face, type LoadedFont, loadFont, slicesFor } from './fonts.ts';

/** In parts of an em. `x` and `y` move the glyph alone, not what follows. */
type Glyph = { id: number; advance: number; x: number; y: number };
/** Characters that are drawn together, and their glyphs from left to right. */
type Cluster = { text: string; glyphs: Glyph[] };
/** Clusters of one font, from left to right. */
export type Run = { face: Face; rightToLeft: boolean; clusters: Cluster[] };
/** `width`: in parts of an em. */
export type Line = { runs: Run[]; width: number };
/** `figures`: digits of one width. */
type Style = { bold: boolean; figures: boolean };
/** Text of one font and direction. */
type Piece = { text: string; level: number; font: LoadedFont };

/** Characters of the first file of the Latin font that neither join nor change their order. */
const SIMPLE = /^[\x20-\x7e\xa1-\xac\xae-\xff–—‘’“”•…−€]*$/;
/** Explicit directions would reach beyond the text that has them. Isolates do not. */
const UNSAFE = /[\u202a-\u202e\u2066\u2067]/g;
const CONTROLS = /\p{Cc}/gu;
const FIRST_ISOLATE = '\u2068';
const END_OF_ISOLATE = '\u2069';
const ISOLATES = /[\u2068\u2069]/g;
const REPLACEMENT = '\ufffd';
/** Signs that stay in the font of the letter before them. */
const JOINING = /^[^\p{L}\p{N}\x21-\x7e\xa0-\xff]/u;
/** The space of a font of pictures is as wide as they are. */
const PICTURES = /\p{Emoji_Presentation}|\ufe0f/u;
const TABULAR = [new Feature('tnum')];
/** Characters whose font is remembered. */
const CHOSEN_MAX = 20_000;
/** Texts that stay set: a name is drawn often. */
const LINES_MAX = 2000;
// Its types describe an ES module, and Node.js loads the one of CommonJS.
const bidi = (bidiModule as unknown as typeof bidiModule.default)();
const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** One for all texts: HarfBuzz frees those that are dropped too late. */
const buffer = new ShapeBuffer();
const words = new Intl.Segmenter('en', { granularity: 'word' });

/** Text within a sentence, which keeps its own direction. */
export function isolate(text: string): string {
  if (SIMPLE.test(text)) return text;
  return FIRST_ISOLATE + text.replace(ISOLATES, '') + END_OF_ISOLATE;
}

/** The characters as people see them, with their marks. */
export function charactersOf(text: string): string[] {
  return Array.from(characters.segment(text), ({ segment }) => segment);
}

/** The parts of a text between which a line may end. */
export function wordsOf(text: string): string[] {
  const parts: string[] = [];
  let mayEnd = true;
  let afterWord = false;
  for (const { segment, isWordLike = false } of words.segment(text)) {
    // Thai and Chinese write no space between words.
    if (mayEnd || (afterWord && isWordLike)) parts.push(segment);
    else parts[parts.length - 1] += segment;
    mayEnd = /[\s/_、。，・-]$/.test(segment);
    afterWord = isWordLike;
  }
  return parts;
}

/** A typesetter knows the characters of the texts that it has loaded. */
export async function openTypesetter() {
  /** In the order in which they were needed. */
  const fonts = new Map<string, LoadedFont>();
  const chosen = new Map<string, LoadedFont>();
  const lines = new Map<string, Line>();
  const simple = new Map<string, Cluster>();
  const latin = (await fontFor('a', 'a'))!;
  /** Draws a sign for characters that no font has. */
  let replacing = latin;

  /** Loads the fonts of texts, before they are set. */
  async function load(texts: (string | null | undefined)[]): Promise<void> {
    if (chosen.size > CHOSEN_MAX) chosen.clear();
    for (const text of texts) {
      if (text === null || text === undefined || SIMPLE.test(text)) continue;
      const cleaned = clean(text);
      for (const character of charactersOf(cleaned))
        if (!SIMPLE.test(character) && !chosen.has(character)) chosen.set(character, await fontOrReplacement(character, cleaned));
    }
  }

  async function fontOrReplacement(character: string, text: string): Promise<LoadedFont> {
    const font = await fontFor(character, text);
    if (font) return font;
    replacing = (await fontFor(REPLACEMENT, REPLACEMENT))!;
    return replacing;
  }

  async function fontFor(character: string, text: string): Promise<LoadedFont | undefined> {
    for await (const slice of slicesFor(character, text)) {
      const font = fonts.get(slice.id) ?? (await loadFont(slice));
      fonts.set(slice.id, font);
      if (font.covers(character)) return font;
    }
    return undefined;
  }

  function setLine(text: string, style: Style): Line {
    if (SIMPLE.test(text)) {
      const clusters = Array.from(text, (one) => setSimple(one, style));
      return lineOf([{ face: faceOf(latin, style), rightToLeft: false, clusters }]);
    }
    const key = `${style.bold}${style.figures}${text}`;
    const line = lines.get(key) ?? lineOf(piecesOf(clean(text)).map((piece) => setPiece(piece, style)));
    if (lines.size >= LINES_MAX) lines.clear();
    lines.set(key, line);
    return line;
  }

  /** Most text is simple, and shaping takes longer than all else. */
  function setSimple(character: string, style: Style): Cluster {
    const key = `${style.bold}${style.figures}${character}`;
    const known = simple.get(key);
    if (known) return known;
    const [cluster] = setPiece({ text: character, level: 0, font: latin }, style).clusters;
    simple.set(key, cluster!);
    return cluster!;
  }

  /** Divides text by font and direction, in the order from left to right. */
  function piecesOf(text: string): Piece[] {
    const embedding = bidi.getEmbeddingLevels(text);
    const pieces: (Piece & { start: number })[] = [];
    for (const { segment, index } of characters.segment(text)) {
      const last = pieces.at(-1);
      const level = embedding.levels[index]!;
      const joins = last && JOINING.test(segment) && !PICTURES.test(last.text) && last.font.covers(segment);
      const font = joins ? last.font : fontOf(segment);
      const drawn = font.covers(segment) ? segment : REPLACEMENT;
      if (font === last?.font && level === last.level) last.text += drawn;
      else pieces.push({ text: drawn, level, font, start: index });
    }
    const places = new Map(bidi.getReorderedIndices(text, embedding).map((index, place) => [index, place]));
    return pieces.sort((a, b) => places.get(a.start)! - places.get(b.start)!);
  }

  function fontOf(character: string): LoadedFont {
    if (SIMPLE.test(character)) return latin;
    return chosen.get(character) ?? [...fonts.values()].find((font) => font.covers(character)) ?? replacing;
  }

  return { load, setLine };
}

function clean(text: string): string {
  return text.normalize('NFC').replace(CONTROLS, ' ').replace(UNSAFE, '');
}

function faceOf(font: LoadedFont, { bold }: Style): Face {
  return bold ? font.bold : font.regular;
}

function lineOf(runs: Run[]): Line {
  let width = 0;
  for (const { clusters } of runs) for (const { glyphs } of clusters) for (const { advance } of glyphs) width += advance;
  return { runs, width };
}

function setPiece({ text, level, font }: Piece, style: Style): Run {
  const face = faceOf(font, style);
  const rightToLeft = level % 2 === 1;
  buffer.reset();
  buffer.addText(text);
  buffer.guessSegmentProperties();
  buffer.setLanguage('en');
  buffer.setDirection(rightToLeft ? Direction.RTL : Direction.LTR);
  buffer.setFlags(BufferFlag.REMOVE_DEFAULT_IGNORABLES);
  shape(face.font, buffer, style.figures ? TABULAR : []);
  const positions = buffer.getGlyphPositions();
  const clusters: (Cluster & { start: number })[] = [];
  for (const [index, { codepoint: id, cluster: start }] of buffer.getGlyphInfos().entries()) {
    const { xAdvance: advance, xOffset: x, yOffset: y } = positions[index]!;
    const glyph = { id, advance, x, y };
    if (clusters.at(-1)?.start === start) clusters.at(-1)!.glyphs.push(glyph);
    else clusters.push({ text: '', start, glyphs: [glyph] });
  }
  // A cluster ends where the next one in the order of the text begins.
  const ends = [...clusters.map(({ start }) => start).sort((a, b) => a - b), text.length];
  for (const cluster of clusters) {
    const own = text.slice(cluster.start, ends[ends.indexOf(cluster.start) + 1]).replace(ISOLATES, '');
    // Brackets are drawn as their opposites.
    cluster.text = (rightToLeft && bidi.getMirroredCharacter(own)) || own;
  }
  return { face, rightToLeft, clusters };
}
