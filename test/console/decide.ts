// Decides on documents by keyboard.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

const DOCUMENTS_MAX = 100;

/** Starts with the oldest document, and returns its id. */
export async function startReview(page: Page, url: string): Promise<string | undefined> {
  await page.goto(`${url}/console/review`);
  await page.getByRole('link', { name: 'Start' }).press('Enter');
  await page.waitForURL(/review\/[0-9a-f-]{36}/);
  return shownOn(page);
}

/** The document that the page is about; undefined at the end of the queue. */
async function shownOn(page: Page): Promise<string | undefined> {
  const shown = page.locator('.review');
  return (await shown.count()) === 0 ? undefined : ((await shown.getAttribute('data-document')) ?? undefined);
}

/** Decides on documents by keyboard until the queue is empty, and returns the times until the next one was there, with its picture. */
export async function decideByKeyboard(page: Page): Promise<number[]> {
  const times: number[] = [];
  for (let id = await shownOn(page); id; id = await shownOn(page)) {
    const isRejected = times.length % 3 === 2;
    for (const key of isRejected ? ['z', '3'] : []) await page.keyboard.press(key);
    const start = performance.now();
    await Promise.all([page.waitForEvent('load'), page.keyboard.press(isRejected ? 'r' : 'a')]);
    times.push(performance.now() - start);
    assert.ok(times.length <= DOCUMENTS_MAX, `${id} is there again`);
  }
  return times;
}
