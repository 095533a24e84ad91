// Texts of a statement as Poppler draws them look as Chromium draws them with the same fonts, and are what Poppler reads.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import sharp from 'sharp';
import { browserPath } from '../browser/open.ts';
import { amountOf, customerForm } from '../support/data.ts';
import { readPdf } from '../support/pdf.ts';
import { SCRIPTS } from '../support/scripts.ts';
import { startService } from '../support/service.ts';

/** Of Poppler. At this resolution a point has four pixels, and the references as many as `FONT_PX`. */
const DPI = 288;
const PIXELS_PER_POINT = DPI / 72;
const FONT_PX = 7.5 * PIXELS_PER_POINT;
const COLUMN = { left: 252, right: 376 };
/** The families of the samples beside Inter. */
const FAMILIES: Partial<Record<keyof typeof SCRIPTS, string[]>> = {
  ...{ persian: ['sans-arabic'], japanese: ['sans-jp'], simplifiedChinese: ['sans-sc'], traditionalChinese: ['sans-tc'] },
  ...{ korean: ['sans-kr'], burmese: ['sans-myanmar'], hindi: ['sans-devanagari'], punjabi: ['sans-gurmukhi'] },
  ...{ odia: ['sans-oriya'], tibetan: ['serif-tibetan'], amharic: ['sans-ethiopic'], greek: [], russian: [], vietnamese: [] },
};
/** Drawn by several families, in an order that CSS cannot express. */
const MIXED: (keyof typeof SCRIPTS)[] = ['emoji', 'symbols', 'rare'];
/** Poppler does not know that these are written from right to left. The engine of Chrome does, in `src/resources/statements/pdf.test.ts`. */
const UNREAD: (keyof typeof SCRIPTS)[] = ['thaana'];
const SIZE_DIFFERENCE_MAX = 0.05;
const LIKENESS_MIN = 0.8;

const shared = await startService({ after });
const folder = mkdtempSync(join(tmpdir(), 'earmark-pages-'));
after(() => rmSync(folder, { recursive: true }));
const compared = (Object.keys(SCRIPTS) as (keyof typeof SCRIPTS)[]).filter((script) => !MIXED.includes(script));

/** The pages of a statement whose references are the samples, as a file. */
async function writeStatement(): Promise<string> {
  const { create, token } = shared;
  const customer = await create('/customers', customerForm());
  for (const script of compared) await create(`${customer}/deposits`, { ...amountOf('1.00'), reference: SCRIPTS[script] });
  const month = new Date().toISOString().slice(0, 7);
  const headers = { accept: 'application/pdf', authorization: `Bearer ${token}` };
  const answer = await fetch(`${customer}/statements/${month}`, { headers });
  const file = join(folder, 'statement.pdf');
  writeFileSync(file, Buffer.from(await answer.arrayBuffer()));
  return file;
}

/** The drawings of the samples by Poppler. */
async function drawnByPoppler(file: string): Promise<Buffer[]> {
  execFileSync('pdftoppm', ['-r', `${DPI}`, '-gray', '-png', file, join(folder, 'page')]);
  const [page] = await readPdf(readFileSync(file));
  const digits = page!.characters.filter(({ text, left, top }) => text === '1' && left > COLUMN.right && left < 460 && top > 250);
  // The amounts are where the rows are: 1.00 in each.
  const tops = digits.map(({ top }) => top).slice(0, compared.length);
  return Promise.all(
    tops.map((top) => {
      const [width, height] = [COLUMN.right - COLUMN.left, 14];
      const area = { left: COLUMN.left, top: top - 4, width, height };
      const pixels = Object.fromEntries(
        Object.entries(area).map(([name, points]) => [name, Math.round(points * PIXELS_PER_POINT)]),
      );
      return sharp(join(folder, 'page-1.png'))
        .extract(pixels as { left: number; top: number; width: number; height: number })
        .png()
        .toBuffer();
    }),
  );
}

/** The same by Chromium. */
async function drawnByChromium(): Promise<Buffer[]> {
  const familiesOf = (script: keyof typeof SCRIPTS) => FAMILIES[script] ?? [`sans-${script}`];
  const packages = ['inter', ...new Set(compared.flatMap(familiesOf).map((family) => `noto-${family}`))];
  const styles = packages.map((name) => pathToFileURL(fileURLToPath(import.meta.resolve(`@fontsource-variable/${name}`))).href);
  const nameOf = (family: string) => {
    const words = `noto-${family}`
      .split('-')
      .map((word) => (word.length === 2 ? word.toUpperCase() : word[0]!.toUpperCase() + word.slice(1)));
    return `'${words.join(' ')} Variable'`;
  };
  const lines = compared.map((script) => {
    const families = [...familiesOf(script).map(nameOf), "'Inter Variable'"].join(', ');
    return `<p dir="auto" style="font-family: ${families}">${SCRIPTS[script]}</p>`;
  });
  const look = `body { margin: 0 } p { font-size: ${FONT_PX}px; line-height: 120px; height: 120px; width: 496px; margin: 0; text-align: left }`;
  const html = `<meta charset="utf-8">${styles.map((href) => `<link rel="stylesheet" href="${href}">`).join('')}<style>${look}</style>${lines.join('')}`;
  writeFileSync(join(folder, 'samples.html'), html);
  const browser = await chromium.launch({ executablePath: browserPath()!, args: ['--no-sandbox', '--font-render-hinting=none'] });
  const page = await browser.newPage();
  await page.goto(pathToFileURL(join(folder, 'samples.html')).href);
  await page.evaluate('document.fonts.ready');
  const drawn: Buffer[] = [];
  for (const line of await page.locator('p').all()) drawn.push(await line.screenshot());
  await browser.close();
  return drawn;
}

/** The area with ink, its size in pixels, and its darkness as a picture of a common size. */
async function inkOf(picture: Buffer) {
  const grey = await sharp(picture).flatten({ background: '#fff' }).greyscale().normalise().png().toBuffer();
  const { data, info } = await sharp(grey).trim({ background: '#fff', threshold: 80 }).toBuffer({ resolveWithObject: true });
  const pixels = await sharp(data).resize(256, 24, { fit: 'fill' }).blur(1).removeAlpha().greyscale().raw().toBuffer();
  return { width: info.width, height: info.height, pixels: [...pixels].map((pixel) => 255 - pixel) };
}

/** The correlation of two pictures: 1 if they are alike. */
function likenessOf(a: number[], b: number[]): number {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [meanA, meanB] = [mean(a), mean(b)];
  const sum = (of: (index: number) => number) => a.reduce((total, _, index) => total + of(index), 0);
  const product = sum((index) => (a[index]! - meanA) * (b[index]! - meanB));
  return product / Math.sqrt(sum((index) => (a[index]! - meanA) ** 2) * sum((index) => (b[index]! - meanB) ** 2));
}

test('Poppler draws the samples as Chromium does', async (t) => {
  const file = await writeStatement();
  const [poppler, browser] = [await drawnByPoppler(file), await drawnByChromium()];
  const text = execFileSync('pdftotext', ['-layout', file, '-'], { encoding: 'utf8' })
    .normalize('NFC')
    .replace(/[\u202a-\u202e]/g, '');
  const unlike: string[] = [];
  for (const [index, script] of compared.entries()) {
    const [ours, theirs] = [await inkOf(poppler[index]!), await inkOf(browser[index]!)];
    const difference = Math.abs(ours.width / theirs.width - 1);
    const likeness = likenessOf(ours.pixels, theirs.pixels);
    const isRead = text.includes(SCRIPTS[script].normalize('NFC'));
    t.diagnostic(
      `${script}: width ${(100 * difference).toFixed(1)} % different, ${likeness.toFixed(2)} alike, ${isRead ? 'read' : 'not read'}`,
    );
    if (difference > SIZE_DIFFERENCE_MAX || likeness < LIKENESS_MIN || (!isRead && !UNREAD.includes(script))) unlike.push(script);
  }
  assert.deepEqual(unlike, []);
});
