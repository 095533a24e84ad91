// Fonts in a PDF (ISO 32000-1, 9.7): the glyphs that are drawn, their widths and their text.
import { EM, type Face } from './fonts.ts';
import { subset } from './subset.ts';
import type { Line, Run } from './typesetter.ts';

type Reference = PDFKit.PDFKitReference;
/** A code of a text in a page: a glyph, and what it says to those who copy or search. */
type Code = { code: number; glyph: number; width: number; text: string };
type Drawing = { name: string; reference: Reference };
type Embedded = Drawing & { face: Face; codes: Map<string, Code>; marks: Map<number, Drawing> };
type Placed<Kind> = { drawn: Kind; x: number; y: number };
/** What a page needs for its operators. */
type Needed = { operators: string; fonts: Record<string, Reference>; marks: Record<string, Reference> };
/** Entries of a section of a CMap (Adobe Technical Note 5014). */
const SECTION = 100;

export function embedFonts(doc: PDFKit.PDFDocument) {
  const fonts = new Map<string, Embedded>();

  function fontOf(face: Face): Embedded {
    const known = fonts.get(face.id);
    if (known) return known;
    const font: Embedded = {
      ...{ name: `T${fonts.size + 1}`, reference: doc.ref({}), face, marks: new Map() },
      // Code 0 is the sign for missing characters.
      codes: new Map([['', { code: 0, glyph: 0, width: EM, text: '' }]]),
    };
    fonts.set(face.id, font);
    return font;
  }

  return {
    /** Shows a line from its start on its baseline, in coordinates that begin at the top of the page. */
    show(line: Line, { x, y, size }: { x: number; y: number; size: number }): Needed {
      const needed: Needed = { operators: `BT 1 0 0 -1 ${rounded(x)} ${rounded(y)} Tm `, fonts: {}, marks: {} };
      const scale = size / EM;
      let start = x;
      let marking = '';
      for (const run of line.runs) {
        const font = fontOf(run.face);
        const { letters, marks, width } = placeGlyphs(run, font);
        needed.fonts[font.name] = font.reference;
        needed.operators += `/${font.name} ${rounded(size)} Tf ${showLetters(letters, width, scale)}`;
        for (const { drawn, ...at } of marks) {
          const { name, reference } = markOf(doc, font, drawn);
          needed.marks[name] = reference;
          const place = `${rounded(start + at.x * scale)} ${rounded(y - at.y * scale)}`;
          marking += ` q ${rounded(scale)} 0 0 ${rounded(-scale)} ${place} cm /${name} Do Q`;
        }
        start += width * scale;
      }
      needed.operators += `ET${marking}`;
      return needed;
    },
    /** Writes the fonts, when all text is shown. */
    async end(): Promise<void> {
      for (const font of fonts.values()) await writeFont(doc, font);
    },
  };
}

/** Shows glyphs with `TJ`, whose numbers move what follows to the left. */
function showLetters(letters: Placed<Code>[], width: number, scale: number): string {
  let operators = '';
  let [parts, codes] = ['', ''];
  let [at, height] = [0, 0];
  const moveTo = (x: number) => {
    if (x === at) return;
    if (codes !== '') parts += `<${codes}>`;
    parts += at - x;
    codes = '';
  };
  const endParts = () => {
    if (codes !== '') parts += `<${codes}>`;
    if (parts !== '') operators += `[${parts}] TJ `;
    [parts, codes] = ['', ''];
  };
  for (const { drawn, x, y } of letters) {
    if (y !== height) {
      endParts();
      operators += `${rounded(y * scale)} Ts `;
      height = y;
    }
    moveTo(x);
    codes += hexOf(drawn.code);
    at = x + drawn.width;
  }
  moveTo(width);
  endParts();
  return height === 0 ? operators : `${operators}0 Ts `;
}

/** Marks above and below letters are drawings: as text they would part words for those who copy or search. */
function placeGlyphs({ clusters, rightToLeft }: Run, font: Embedded) {
  const letters: Placed<Code>[] = [];
  const marks: Placed<number>[] = [];
  let width = 0;
  for (const cluster of clusters) {
    const wide = cluster.glyphs.filter(({ advance }) => advance > 0);
    const drawnAsText = wide.length === 0 ? cluster.glyphs.slice(0, 1) : wide;
    const texts = shareText(cluster.text, { parts: drawnAsText.length, rightToLeft });
    for (const glyph of cluster.glyphs) {
      const place = { x: width + glyph.x, y: glyph.y };
      const part = drawnAsText.indexOf(glyph);
      if (part < 0) marks.push({ ...place, drawn: glyph.id });
      else letters.push({ ...place, drawn: codeOf(font, glyph.id, texts[part]!) });
      width += glyph.advance;
    }
  }
  return { letters, marks, width };
}

/** Shares the text of a cluster among its letters from left to right. Readers of a PDF turn right-to-left text round by themselves. */
function shareText(text: string, { parts, rightToLeft }: { parts: number; rightToLeft: boolean }): string[] {
  if (parts === 1 && !rightToLeft) return [text];
  const composed = [...text];
  const characters = composed.length < parts ? [...text.normalize('NFD')] : composed;
  const shared = Array.from({ length: parts }, (_, part) =>
    characters.slice(part, part === parts - 1 ? undefined : part + 1).join(''),
  );
  return rightToLeft ? shared.map((one) => [...one].reverse().join('')).reverse() : shared;
}

function markOf(doc: PDFKit.PDFDocument, { name, face, marks }: Embedded, glyph: number): Drawing {
  const known = marks.get(glyph);
  if (known) return known;
  const { xBearing: x, yBearing: y, width, height } = face.font.glyphExtents(glyph)!;
  const reference = doc.ref({ Type: 'XObject', Subtype: 'Form', BBox: [x, y + height, x + width, y] });
  reference.end(`${outlineOf(face, glyph)}f`);
  const mark = { name: `${name}M${marks.size + 1}`, reference };
  marks.set(glyph, mark);
  return mark;
}

/** The outline of a glyph as operators. PDF has no quadratic curves. */
function outlineOf({ font }: Face, glyph: number): string {
  let operators = '';
  let [x, y] = [0, 0];
  for (const { type, values } of font.glyphToJson(glyph)) {
    const [a = 0, b = 0, c = 0, d = 0] = values;
    if (type === 'M') operators += `${a} ${b} m `;
    else if (type === 'L') operators += `${a} ${b} l `;
    else if (type === 'C') operators += `${values.join(' ')} c `;
    else if (type === 'Q') {
      const controls = [x + (2 * (a - x)) / 3, y + (2 * (b - y)) / 3, c + (2 * (a - c)) / 3, d + (2 * (b - d)) / 3];
      operators += `${controls.map(rounded).join(' ')} ${c} ${d} c `;
    } else operators += 'h ';
    [x = 0, y = 0] = values.length > 0 ? values.slice(-2) : [x, y];
  }
  return operators;
}

function codeOf({ codes, face }: Embedded, glyph: number, text: string): Code {
  const key = `${glyph} ${text}`;
  const known = codes.get(key);
  if (known) return known;
  const code = { code: codes.size, glyph, width: face.font.glyphHAdvance(glyph), text };
  codes.set(key, code);
  return code;
}

async function writeFont(doc: PDFKit.PDFDocument, { reference, face, codes: known, name }: Embedded): Promise<void> {
  const codes = [...known.values()];
  // Six capitals before a plus say that it is a subset.
  const prefix = [...name.slice(1).padStart(6, '0')].map((digit) => String.fromCharCode(65 + Number(digit))).join('');
  const baseFont = `${prefix}+${face.family}-${face.weight || 'regular'}`;
  const bytes = await subset(face, new Set(codes.map(({ glyph }) => glyph)));
  const file = doc.ref({ Length1: bytes.length });
  file.end(bytes);
  const { ascender, descender } = face.font.hExtents();
  const descriptor = doc.ref({
    ...{ Type: 'FontDescriptor', FontName: baseFont, Flags: 4, FontBBox: boxOf(face), ItalicAngle: 0 },
    ...{ Ascent: ascender, Descent: descender, CapHeight: ascender, StemV: 80, FontFile2: file },
  });
  const glyphs = doc.ref({});
  glyphs.end(Buffer.from(codes.map(({ glyph }) => hexOf(glyph)).join(''), 'hex'));
  const descendant = doc.ref({
    ...{ Type: 'Font', Subtype: 'CIDFontType2', BaseFont: baseFont, CIDToGIDMap: glyphs, FontDescriptor: descriptor },
    CIDSystemInfo: { Registry: new String('Adobe'), Ordering: new String('Identity'), Supplement: 0 },
    W: [0, codes.map(({ width }) => width)],
  });
  const unicode = doc.ref({});
  unicode.end(unicodeMapOf(codes));
  Object.assign(reference.data, {
    ...{ Type: 'Font', Subtype: 'Type0', BaseFont: baseFont, Encoding: 'Identity-H' },
    ...{ DescendantFonts: [descendant], ToUnicode: unicode },
  });
  for (const one of [descriptor, descendant, reference]) one.end(undefined);
}

/** The box around all glyphs, from the table `head` (OpenType 1.9). */
function boxOf({ font }: Face): number[] {
  const table = font.face.referenceTable('head')!;
  const head = new DataView(table.buffer, table.byteOffset, table.byteLength);
  const unitsPerEm = head.getUint16(18);
  return [36, 38, 40, 42].map((at) => Math.round((head.getInt16(at) * EM) / unitsPerEm));
}

function unicodeMapOf(codes: Code[]): string {
  const sections: string[] = [];
  for (let at = 0; at < codes.length; at += SECTION) {
    const lines = codes.slice(at, at + SECTION).map(({ code, text }) => `<${hexOf(code)}> <${utf16Of(text)}>`);
    sections.push(`${lines.length} beginbfchar\n${lines.join('\n')}\nendbfchar`);
  }
  return [
    ...['/CIDInit /ProcSet findresource begin', '12 dict begin', 'begincmap'],
    '/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def',
    ...['/CMapName /Adobe-Identity-UCS def', '/CMapType 2 def'],
    ...['1 begincodespacerange', '<0000> <ffff>', 'endcodespacerange', ...sections],
    ...['endcmap', 'CMapName currentdict /CMap defineresource pop', 'end', 'end'],
  ].join('\n');
}

function hexOf(value: number): string {
  return value.toString(16).padStart(4, '0');
}

function utf16Of(text: string): string {
  return Buffer.from(text, 'utf16le').swap16().toString('hex');
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
