// Examines a page of the console: accessible, without overflow, and with a picture to look at.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { ROOT } from '../support/paths.ts';

const WIDTHS = [375, 768, 1440];
const THEMES = ['light', 'dark'] as const;
const HEIGHT = 900;
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** The folder of the pictures. */
export const FOLDER = process.env.SCREENSHOTS ?? join(ROOT, 'console-pictures');
mkdirSync(FOLDER, { recursive: true });

/** Checks a page at each width and in each theme, and saves a picture of each. */
export async function examine(page: Page, name: string): Promise<void> {
  for (const colorScheme of THEMES) {
    await page.emulateMedia({ colorScheme });
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: HEIGHT });
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      await page.screenshot({ path: join(FOLDER, `${name}-${colorScheme}-${width}.png`), fullPage: true });
      assert.equal(overflow, 0, `${name} is wider than ${width} pixels`);
      if (width === 768) continue;
      assert.deepEqual(await violationsOn(page), [], `${name}, ${colorScheme}, ${width}`);
    }
  }
}

/** The findings of axe-core, each with the first element. */
async function violationsOn(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const run = `axe.run(document, { runOnly: ${JSON.stringify(TAGS)} })`;
  const { violations } = (await page.evaluate(run)) as axe.AxeResults;
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`);
}
