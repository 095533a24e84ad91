// Reads a PDF with the engine of Chrome: the text of an area, the boxes of characters, and pixels.
import { PDFiumLibrary, type PDFiumPage } from '@hyzyla/pdfium';

/** In points, from the top left corner of the page. */
export type Box = { left: number; top: number; right: number; bottom: number };
export type Character = Box & { text: string };
/** `ink`: the darkness of the pixels of an area, row by row. */
export type PdfPage = {
  width: number;
  height: number;
  text: string;
  characters: Character[];
  textIn(box: Box): string;
  ink(box: Box): { width: number; height: number; darkness: number[] };
};

/** Functions of `fpdf_text.h` that the types of the package leave out. Pointers are numbers. */
type Functions = Record<`_FPDF${string}`, (...values: number[]) => number> & {
  wasmExports: { malloc(bytes: number): number; free(at: number): void };
  HEAPU8: Uint8Array;
};

/** Pixels for a point. */
const SCALE = 4;
const library = PDFiumLibrary.init();

export async function readPdf(bytes: Uint8Array): Promise<PdfPage[]> {
  // Rendering closes a page.
  const [read, rendered] = [await (await library).loadDocument(bytes), await (await library).loadDocument(bytes)];
  const pages: PdfPage[] = [];
  for (const page of read.pages()) pages.push(await readPage(page, rendered.getPage(page.number)));
  return pages;
}

async function readPage(page: PDFiumPage, rendered: PDFiumPage): Promise<PdfPage> {
  const { module: pdfium, pageIdx } = page as unknown as { module: Functions; pageIdx: number };
  const { originalWidth: width, originalHeight: height } = page.getOriginalSize();
  const texts = pdfium._FPDFText_LoadPage!(pageIdx);
  const { data, width: pixels } = await rendered.render({ scale: SCALE, render: 'bitmap', colorSpace: 'Gray' });
  return {
    ...{ width, height, text: page.getText(), characters: charactersOf(pdfium, { texts, height }) },
    textIn({ left, top, right, bottom }) {
      const buffer = pdfium.wasmExports.malloc(8192);
      const count = pdfium._FPDFText_GetBoundedText!(texts, left, height - top, right, height - bottom, buffer, 4095);
      const text = new TextDecoder('utf-16le').decode(pdfium.HEAPU8.slice(buffer, buffer + 2 * count));
      pdfium.wasmExports.free(buffer);
      return text.replaceAll('\0', '');
    },
    ink(box) {
      const [left, right] = [Math.floor(box.left * SCALE), Math.ceil(box.right * SCALE)];
      const [top, bottom] = [Math.floor(box.top * SCALE), Math.ceil(box.bottom * SCALE)];
      const darkness: number[] = [];
      for (let y = top; y < bottom; y++) for (let x = left; x < right; x++) darkness.push(255 - (data[y * pixels + x] ?? 255));
      return { width: right - left, height: bottom - top, darkness };
    },
  };
}

function charactersOf(pdfium: Functions, { texts, height }: { texts: number; height: number }): Character[] {
  const box = pdfium.wasmExports.malloc(4 * 8);
  const characters: Character[] = [];
  for (let index = 0; index < pdfium._FPDFText_CountChars!(texts); index++) {
    if (pdfium._FPDFText_IsGenerated!(texts, index) === 1) continue;
    pdfium._FPDFText_GetCharBox!(texts, index, box, box + 8, box + 16, box + 24);
    const [left, right, bottom, top] = new Float64Array(pdfium.HEAPU8.slice(box, box + 32).buffer);
    const text = String.fromCodePoint(pdfium._FPDFText_GetUnicode!(texts, index));
    characters.push({ text, left: left!, right: right!, top: height - top!, bottom: height - bottom! });
  }
  pdfium.wasmExports.free(box);
  return characters;
}
