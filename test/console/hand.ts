// The hand of a person at the console: clicks, presses keys and types, and counts it.
import type { Locator, Page } from 'playwright-core';

export type Hand = ReturnType<typeof openHand>;

export function openHand(page: Page) {
  let [keys, clicks] = [0, 0];
  const start = performance.now();
  return {
    async click(target: Locator): Promise<void> {
      clicks += 1;
      await target.click();
    },
    /** Clicks what leads to another page. */
    async go(target: Locator): Promise<void> {
      clicks += 1;
      await Promise.all([page.waitForNavigation(), target.click()]);
    },
    async press(key: string): Promise<void> {
      keys += 1;
      await page.keyboard.press(key);
    },
    /** Presses a key that leads to another page, with its pictures. */
    async pressTo(key: string): Promise<void> {
      keys += 1;
      await Promise.all([page.waitForEvent('load'), page.keyboard.press(key)]);
    },
    async type(target: Locator, text: string): Promise<void> {
      keys += text.length;
      await target.fill(text);
    },
    /** What was done since the hand was opened. */
    done: () => ({ keys, clicks, seconds: (performance.now() - start) / 1000 }),
  };
}
