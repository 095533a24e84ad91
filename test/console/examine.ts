// Examines a page of the console: accessible, without overflow, and with a picture to look at.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { ROOT } from '../support/paths.ts';

const [NARROW, WIDE] = [375, 1440];
const WINDOWS = [
  { width: NARROW, height: 900 },
  { width: 768, height: 900 },
  { width: 1280, height: 720 },
  { width: WIDE, height: 900 },
  { width: 1920, height: 1080 },
];
const THEMES = ['light', 'dark'] as const;
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * What has no room, as the browser lays it out: a box that scrolls sideways or hides text, and a time or badge of several lines. Code, the
 * enlarged picture and fields may scroll; a name in the bar ends with an ellipsis.
 */
export const BROKEN = `[...document.querySelectorAll('body *')].flatMap((element) => {
  const { overflowX, textOverflow, lineHeight } = getComputedStyle(element);
  const named = element.tagName.toLowerCase() + '.' + element.className + ': ' + element.textContent.trim().slice(0, 80);
  const mayScroll = element.closest('pre, textarea, input, .visually-hidden, .viewer, [hidden]') || textOverflow === 'ellipsis';
  const scrolls = overflowX !== 'visible' && element.clientWidth > 1 && element.scrollWidth > element.clientWidth + 1;
  const isShort = element.matches('time, .badge, .button');
  const isTall = isShort && element.getBoundingClientRect().height > 2.6 * parseFloat(lineHeight);
  return (scrolls && !mayScroll) || (isShort && element.getClientRects().length > 1) || isTall ? [named] : [];
})`;

/** The folder of the pictures. */
export const FOLDER = process.env.SCREENSHOTS ?? join(ROOT, 'console-pictures');
mkdirSync(FOLDER, { recursive: true });

/** The pages that are examined so far. */
let count = 0;

/**
 * Checks a page in windows of five sizes and in each theme, and saves a picture of each. axe-core examines both themes, one of them narrow and one
 * wide: alternately, so that what all pages share is examined in all four.
 */
export async function examine(page: Page, name: string): Promise<void> {
  count += 1;
  for (const colorScheme of THEMES) {
    // Without transitions, which a picture would show half-way.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const widthOfAxe = (colorScheme === 'light') === (count % 2 === 0) ? NARROW : WIDE;
    for (const window of WINDOWS) {
      const { width } = window;
      await page.setViewportSize(window);
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      await page.screenshot({ path: join(FOLDER, `${name}-${colorScheme}-${width}.png`), fullPage: true });
      assert.equal(overflow, 0, `${name} is wider than ${width} pixels`);
      assert.deepEqual(await page.evaluate(BROKEN), [], `${name} at ${width} pixels`);
      if (width === widthOfAxe) assert.deepEqual(await violationsOn(page), [], `${name}, ${colorScheme}, ${width}`);
    }
  }
}

/** The findings of axe-core, each with the first element. */
async function violationsOn(page: Page): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  const run = `axe.run(document, { runOnly: ${JSON.stringify(TAGS)}, resultTypes: ['violations'] })`;
  const { violations } = (await page.evaluate(run)) as axe.AxeResults;
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`);
}
