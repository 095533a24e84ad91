// Sheets of a PDF: pages with a footer, text in the fonts of a statement, and rows that continue on the next page.
import PDFDocument from 'pdfkit';
import { embedFonts } from './embedding.ts';
import { EM } from './fonts.ts';
import { charactersOf, openTypesetter, wordsOf } from './typesetter.ts';

/** A4, in points. */
export const PAGE = { width: 595.28, height: 841.89, left: 48, right: 547.28, top: 64, bottom: 772 };
export const COLORS = { ink: '#16202e', soft: '#5b6675', rule: '#d5dae1', hair: '#eceff3', accent: '#0b5c63', notice: '#fdf5e2' };
/** `text`: the top of the text of a row, in the row. `line`: the distance of two lines in it. */
export const ROW = { height: 15.3, line: 9.5, text: 3.1 };
export const CAPTION = { size: 7, color: COLORS.soft };
export const SOFT = { size: 7.5, color: COLORS.soft };
const TEXT_SIZE = 8.2;
const FOOTER_Y = 796;
const FOOTER_SIZE = 7.5;
const FOOTER_WIDTH = 360;
/** The width kept for `of 12345` behind the number of a page. */
const TOTAL_WIDTH = 34;
/** The share of the size of Inter above its baseline. */
const ASCENT = 0.96875;
const ELLIPSIS = '…';

/** `figures`: the text is a number of a column. */
type Look = { size?: number; bold?: boolean; color?: string; figures?: boolean };
type Place = { x: number; y: number };
type Content = { write(operators: string): void; end(): void };

export type Sheet = Awaited<ReturnType<typeof openSheet>>;

/** `created` is the only time in the file, so that its bytes do not depend on when it is written. `footer` is on every page. */
export async function openSheet(about: { title: string; author: string; created: Date; footer: string }) {
  const { title, author, created, footer } = about;
  const doc = new PDFDocument({
    ...{ size: [PAGE.width, PAGE.height], margin: 0, autoFirstPage: false, lang: 'en', displayTitle: true, pdfVersion: '1.7' },
    info: { Title: title, Author: author, Creator: 'Earmark', Producer: 'Earmark', CreationDate: created },
  });
  const typesetter = await openTypesetter();
  await typesetter.load([footer]);
  const fonts = embedFonts(doc);
  // Drawn on every page and written last, when the number of pages is known.
  const total = doc.ref({ Type: 'XObject', Subtype: 'Form', BBox: [0, -FOOTER_SIZE, TOTAL_WIDTH, 3] });
  let pages = 0;

  const lineOf = (text: string, { bold = false, figures = false }: Look) => typesetter.setLine(text, { bold, figures });
  const widthOf = (text: string, look: Look = {}) => (lineOf(text, look).width * (look.size ?? TEXT_SIZE)) / EM;

  const sheet = {
    doc,
    /** The top of the next row. */
    y: PAGE.top,
    widthOf,
    /** Loads the fonts of text that people wrote, before it is drawn or measured. */
    load: typesetter.load,
    text(text: string, { x, y }: Place, look: Look = {}): void {
      const { size = TEXT_SIZE, color = COLORS.ink } = look;
      // The place of a text is its top, and that of glyphs their baseline.
      const shown = fonts.show(lineOf(text, look), { x, y: y + size * ASCENT, size });
      Object.assign(doc.page.fonts, shown.fonts);
      Object.assign(doc.page.xobjects, shown.marks);
      doc.addContent(`${rgbOf(color)} rg ${shown.operators}`);
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
    /** The names of columns, by the edge where they begin or end. */
    header({ left, right }: { left: Record<string, number>; right: Record<string, number> }): void {
      for (const [name, x] of Object.entries(left)) sheet.text(name, { x, y: sheet.y + 2 }, CAPTION);
      for (const [name, x] of Object.entries(right)) sheet.textBefore(name, { x, y: sheet.y + 2 }, CAPTION);
      sheet.y += 15;
      sheet.rule(sheet.y, COLORS.ink, 0.8);
    },
    endRow(height: number): void {
      sheet.y += height;
      sheet.rule(sheet.y, COLORS.hair, 0.5);
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
      const characters = charactersOf(text);
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
      for (const word of wordsOf(text)) {
        for (const part of widthOf(word, look) <= width ? [word] : charactersOf(word)) {
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
    async end(): Promise<void> {
      const shown = fonts.show(lineOf(`of ${pages}`, {}), { x: 0, y: 0, size: FOOTER_SIZE });
      Object.assign(total.data, { Resources: { Font: shown.fonts } });
      total.end(`${rgbOf(COLORS.soft)} rg ${shown.operators}`);
      await fonts.end();
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
    doc
      .save()
      .addContent(`1 0 0 1 ${x} ${FOOTER_Y + FOOTER_SIZE * ASCENT} cm /Total Do`)
      .restore();
  }
  return sheet;
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

function rgbOf(color: string): string {
  return [1, 3, 5].map((at) => (Number.parseInt(color.slice(at, at + 2), 16) / 255).toFixed(3)).join(' ');
}
