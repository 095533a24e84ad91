// Sheets of a PDF: pages with a footer, text in the fonts of a statement, and rows that continue on the next page.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import PDFDocument from 'pdfkit';

/** A4, in points. */
export const PAGE = { width: 595.28, height: 841.89, left: 56, right: 539.28, top: 64, bottom: 772 };
export const COLORS = { ink: '#16202e', soft: '#5b6675', rule: '#d5dae1', hair: '#eceff3', accent: '#0b5c63', notice: '#fdf5e2' };
const TEXT_SIZE = 8.5;
const FOOTER_Y = 796;
const FOOTER_SIZE = 7.5;
const FOOTER_WIDTH = 360;
/** The width kept for `of 12345` behind the number of a page. */
const TOTAL_WIDTH = 34;
const FONTS = { regular: '400Regular/Inter_400Regular.ttf', bold: '600SemiBold/Inter_600SemiBold.ttf' };
/** The share of the size of Inter above its baseline. */
const ASCENT = 0.96875;
const ELLIPSIS = '…';
/** `tnum`: figures of one width. */
const FEATURES: Record<'text' | 'figures', PDFKit.Mixins.OpenTypeFeatures[]> = { text: ['kern'], figures: ['tnum'] };

/** `figures`: the text is a number of a column. */
type Look = { size?: number; bold?: boolean; color?: string; figures?: boolean };
type Place = { x: number; y: number };
/** Parts of pdfkit that its types leave out. */
type Glyph = { advanceWidth: number };
type Position = { xAdvance: number; yAdvance: number; xOffset: number; yOffset: number; advanceWidth: number };
type Run = { glyphs: Glyph[]; positions: Position[]; advanceWidth: number };
type Font = {
  id: string;
  scale: number;
  font: { layout(text: string, features: string[]): { glyphs: Glyph[] } };
  layout(text: string, features?: string[]): Run;
  ref(): object;
  encode(text: string, features: string[]): [string[]];
};
type Internals = { _font: Font };
type Content = { write(operators: string): void; end(): void };

export type Sheet = ReturnType<typeof openSheet>;

const fonts = new Map<string, Buffer>();

/** `created` is the only time in the file, so that its bytes do not depend on when it is written. `footer` is on every page. */
export function openSheet({ title, author, created, footer }: { title: string; author: string; created: Date; footer: string }) {
  const doc = new PDFDocument({
    ...{ size: [PAGE.width, PAGE.height], margin: 0, autoFirstPage: false, lang: 'en', displayTitle: true, pdfVersion: '1.7' },
    info: { Title: title, Author: author, Creator: 'Earmark', Producer: 'Earmark', CreationDate: created },
  });
  for (const [name, file] of Object.entries(FONTS)) {
    doc.registerFont(name, readFont(file)).font(name);
    layOutByCharacter((doc as unknown as Internals)._font);
  }
  // Drawn on every page and written last, when the number of pages is known.
  const total = doc.ref({ Type: 'XObject', Subtype: 'Form', BBox: [0, -3, TOTAL_WIDTH, FOOTER_SIZE] });
  let pages = 0;

  const style = ({ size = TEXT_SIZE, bold = false, color = COLORS.ink }: Look) =>
    doc
      .font(bold ? 'bold' : 'regular')
      .fontSize(size)
      .fillColor(color);
  const widthOf = (text: string, look: Look = {}) => style(look).widthOfString(text, { features: featuresOf(look) });

  const sheet = {
    doc,
    /** The top of the next row. */
    y: PAGE.top,
    widthOf,
    text(text: string, { x, y }: Place, look: Look = {}): void {
      style(look).text(text, x, y, { lineBreak: false, features: featuresOf(look) });
    },
    /** Text that ends at `x`. */
    textBefore(text: string, { x, y }: Place, look: Look = {}): void {
      sheet.text(text, { x: x - widthOf(text, look), y }, look);
    },
    /** A number that ends at `x`, in smaller figures if it is wider than `width`. */
    numberBefore(text: string, { x, y, width }: Place & { width: number }, look: Look = {}): void {
      const figures = { size: TEXT_SIZE, ...look, figures: true };
      const size = figures.size * Math.min(1, width / widthOf(text, figures));
      sheet.textBefore(text, { x, y: y + (figures.size - size) * ASCENT }, { ...figures, size });
    },
    rule(y: number, color: string = COLORS.rule, thickness = 0.6): void {
      doc.moveTo(PAGE.left, y).lineTo(PAGE.right, y).lineWidth(thickness).strokeColor(color).stroke();
    },
    newPage(): void {
      doc.addPage();
      writeAtOnce(doc.page.content as unknown as Content);
      pages += 1;
      doc.rect(0, 0, PAGE.width, 5).fill(COLORS.accent);
      drawFooter();
      sheet.y = PAGE.top;
    },
    /** Starts a new page unless `height` fits on this one. Returns whether it did. */
    makeRoom(height: number): boolean {
      if (sheet.y + height <= PAGE.bottom) return false;
      sheet.newPage();
      return true;
    },
    /** Shortens text to a width. */
    fit(text: string, width: number, look: Look = {}): string {
      if (widthOf(text, look) <= width) return text;
      const characters = [...text];
      let [fits, fails] = [0, characters.length];
      while (fails - fits > 1) {
        const middle = (fits + fails) >> 1;
        if (widthOf(characters.slice(0, middle).join('') + ELLIPSIS, look) <= width) fits = middle;
        else fails = middle;
      }
      return characters.slice(0, fits).join('').trimEnd() + ELLIPSIS;
    },
    /** Breaks text into lines, between words where it can. */
    wrap(text: string, width: number, look: Look = {}): string[] {
      if (widthOf(text, look) <= width) return [text];
      const lines: string[] = [];
      let line = '';
      for (const word of text.match(/[^\s/_-]+[\s/_-]?|[\s/_-]/g) ?? []) {
        for (const part of widthOf(word, look) <= width ? [word] : word) {
          if (line !== '' && widthOf((line + part).trimEnd(), look) > width) {
            lines.push(line.trimEnd());
            line = '';
          }
          line += part;
        }
      }
      return [...lines, line.trimEnd()];
    },
    /** Ends the document. The rest of its bytes can then be read. */
    end(): void {
      style({ size: FOOTER_SIZE, color: COLORS.soft });
      const font = (doc as unknown as Internals)._font;
      const [glyphs] = font.encode(`of ${pages}`, FEATURES.text);
      Object.assign(total.data, { Resources: { Font: { [font.id]: font.ref() } } });
      total.end(`${rgbOf(COLORS.soft)} rg BT /${font.id} ${FOOTER_SIZE} Tf <${glyphs.join('')}> Tj ET`);
      doc.end();
    },
  };

  function drawFooter(): void {
    const look = { size: FOOTER_SIZE, color: COLORS.soft };
    const page = `Page ${pages} `;
    const x = PAGE.left + widthOf(page, look);
    sheet.rule(FOOTER_Y - 10);
    sheet.text(page, { x: PAGE.left, y: FOOTER_Y }, look);
    sheet.textBefore(sheet.fit(footer, FOOTER_WIDTH, look), { x: PAGE.right, y: FOOTER_Y }, look);
    doc.page.xobjects.Total = total;
    const baseline = PAGE.height - FOOTER_Y - FOOTER_SIZE * ASCENT;
    doc.save().addContent(`1 0 0 -1 0 ${PAGE.height} cm 1 0 0 1 ${x} ${baseline} cm /Total Do`).restore();
  }
  return sheet;
}

/**
 * Replaces the layout of a font: character by character, each looked up once. The layout of pdfkit takes milliseconds per entry, and keeps
 * every word that it has seen. Letters that join or combine are not shaped.
 */
function layOutByCharacter(font: Font): void {
  type Placed = { glyph: Glyph; position: Position };
  const known = { text: new Map<string, Placed>(), figures: new Map<string, Placed>() };
  const place = (character: string, look: 'text' | 'figures'): Placed => {
    const glyph = font.font.layout(character, FEATURES[look]).glyphs[0]!;
    const advanceWidth = glyph.advanceWidth * font.scale;
    const placed = { glyph, position: { xAdvance: advanceWidth, yAdvance: 0, xOffset: 0, yOffset: 0, advanceWidth } };
    known[look].set(character, placed);
    return placed;
  };
  font.layout = (text, features = FEATURES.text) => {
    const look = features === FEATURES.figures ? 'figures' : 'text';
    const run: Run = { glyphs: [], positions: [], advanceWidth: 0 };
    for (const character of text) {
      const { glyph, position } = known[look].get(character) ?? place(character, look);
      run.glyphs.push(glyph);
      run.positions.push(position);
      run.advanceWidth += position.advanceWidth;
    }
    return run;
  };
}

/** Writes the content of a page when it is complete. pdfkit makes a buffer of each operator, which fills the memory. */
function writeAtOnce(content: Content): void {
  const { write, end } = content;
  let text = '';
  content.write = (operators) => {
    text += `${operators}\n`;
  };
  content.end = () => {
    write.call(content, text.slice(0, -1));
    end.call(content);
    // The list of pages keeps the content.
    text = '';
  };
}

function featuresOf({ figures }: Look): PDFKit.Mixins.OpenTypeFeatures[] {
  return figures ? FEATURES.figures : FEATURES.text;
}

function readFont(file: string): Buffer {
  const font = fonts.get(file) ?? readFileSync(fileURLToPath(import.meta.resolve(`@expo-google-fonts/inter/${file}`)));
  fonts.set(file, font);
  return font;
}

function rgbOf(color: string): string {
  return [1, 3, 5].map((at) => (Number.parseInt(color.slice(at, at + 2), 16) / 255).toFixed(3)).join(' ');
}
