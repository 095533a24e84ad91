// Opens the browser of this machine for browser tests, with loopback as its only network.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import type { TestScope } from '../support/test-scope.ts';

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];
/** Names that resolve to this machine, as an attacker's name does after a change of its DNS record. */
export const REBOUND = 'rebound.example';

export const NO_BROWSER =
  'There is no Chromium or Chrome here. Install one (apt-get install chromium), or name it in CHROME_PATH.';

/** The browser of this machine, if there is one. */
export function browserPath(): string | undefined {
  return process.env.CHROME_PATH ?? PLACES.find((place) => existsSync(place));
}

/** Starts the browser, which ends with the test. Fails with instructions where it is missing. */
export async function openBrowser(t: TestScope): Promise<Browser> {
  const executablePath = browserPath();
  assert.ok(executablePath, NO_BROWSER);
  const rules = `MAP ${REBOUND} 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1`;
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', `--host-resolver-rules=${rules}`] });
  t.after(() => browser.close());
  return browser;
}
