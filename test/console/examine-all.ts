// Examines pages of the console as an administrator sees them.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Browser } from 'playwright-core';
import type { TestService } from '../support/service.ts';
import { examine } from './examine.ts';
import { enter, openWindow } from './stage.ts';

/** `screensOf`: the path of each page, by the name of its pictures; `person`: the id of the administrator. */
export async function examineAll(
  t: TestContext,
  { browser, stage }: { browser: Browser; stage: TestService },
  screensOf: (person: string) => Record<string, string>,
): Promise<void> {
  const { page, problems } = await openWindow(t, browser);
  const { id } = await enter(stage, page, 'admin');
  for (const [name, path] of Object.entries(screensOf(id))) {
    await page.goto(stage.url + path);
    // The page of operations loads again while the ledger check runs.
    await page.locator('[data-reload]').waitFor({ state: 'detached' });
    await examine(page, name);
  }
  assert.deepEqual(problems, []);
}
