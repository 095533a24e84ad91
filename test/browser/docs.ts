// The reference at /docs in a real browser, as somebody uses it who tries the service: `npm run test:browser`.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Browser, chromium, type Page } from 'playwright-core';
import { readCredentials } from '../../src/sandbox/credentials.ts';
import { type Ending, startService } from '../harness.ts';

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];
const WINDOW = { width: 1280, height: 900 };
/** Room for a request and its answer. */
const TALL_WINDOW = { width: 1100, height: 1500 };
const WAIT_MS = 60_000;

/** Starts the browser of this machine, without any network but loopback. */
async function openBrowser(t: Ending): Promise<Browser> {
  const executablePath = process.env.CHROME_PATH ?? PLACES.find((place) => existsSync(place));
  assert.ok(
    executablePath,
    'There is no Chromium or Chrome here. Install one (apt-get install chromium), or name it in CHROME_PATH.',
  );
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE localhost , EXCLUDE 127.0.0.1'],
  });
  t.after(() => browser.close());
  return browser;
}

/** A page that keeps what it asked for elsewhere, and what its policy or its scripts complained about. */
async function openPage(t: Ending, url: string): Promise<{ page: Page; strange: string[] }> {
  const page = await (await openBrowser(t)).newPage({ viewport: WINDOW });
  page.setDefaultTimeout(WAIT_MS);
  const strange: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith('data:')) strange.push(request.url());
  });
  page.on('console', (message) => {
    if (message.type() === 'error') strange.push(message.text());
  });
  page.on('pageerror', (error) => strange.push(error.message));
  await page.goto(`${url}/docs`);
  return { page, strange };
}

/** Saves a picture where SCREENSHOTS names a folder. */
async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`) });
}

test('a reallocation is tried in the reference of a sandbox', async (t) => {
  const { url, dataDir } = await startService(t);
  const { client_id, client_secret, labels } = readCredentials(join(dataDir, 'sandbox.json'))!;
  const { page, strange } = await openPage(t, url);

  const operation = page.locator('#operations-label_reallocations-createLabelReallocation');
  const group = page.locator('#operations-tag-label_reallocations');
  await page.locator('input.operation-filter-input').fill('label realloc');
  // The others are filtered away.
  await page.locator('.opblock-tag').nth(1).waitFor({ state: 'detached' });
  await picture(page, 'found');

  await page.locator('button.authorize').first().click();
  const dialog = page.locator('.auth-container', { hasText: 'clientCredentials' });
  assert.equal(await dialog.locator('input#client_id_clientCredentials').inputValue(), client_id, 'the client_id is filled in');
  assert.equal(await dialog.locator('input#client_secret_clientCredentials').inputValue(), '', 'the secret is not');
  await dialog.locator('input#client_secret_clientCredentials').fill(client_secret);
  const [issued] = await Promise.all([
    page.waitForResponse((response) => response.url() === `${url}/token`),
    dialog.locator('button.authorize').click(),
  ]);
  assert.equal(issued.status(), 200);
  await dialog.getByText('Logout').waitFor();
  await picture(page, 'authorized');
  await page.locator('.modal-ux button.close-modal').click();

  if ((await operation.count()) === 0) await group.click();
  await operation.locator('.opblock-summary').click();
  const body = operation.locator('textarea.body-param__text');
  await body.waitFor();
  assert.ok((await body.inputValue()).includes(labels[0]), "the example is the sandbox's own");
  const [made] = await Promise.all([
    page.waitForResponse((response) => response.url() === `${url}/label-reallocations`),
    operation.locator('button.execute').click(),
  ]);
  assert.equal(made.status(), 201);
  const shown = operation.locator('.live-responses-table .response-col_status').last();
  await shown.getByText('201').waitFor();
  await page.setViewportSize(TALL_WINDOW);
  await operation.evaluate((element) => element.scrollIntoView());
  await picture(page, 'tried');
  assert.match(await operation.locator('.live-responses-table').innerText(), /location: \S+\/label-reallocations\/[0-9a-f-]{36}/);
  assert.deepEqual(strange, [], 'nothing from elsewhere, and nothing that the policy forbids');
});

test('in production the reference is there, and knows nothing of a sandbox', async (t) => {
  const { url } = await startService(t, { env: { MODE: 'production' } });
  const { page, strange } = await openPage(t, url);
  await page.locator('.opblock-tag').first().waitFor();
  await page.locator('button.authorize').first().click();
  assert.equal(await page.locator('input#client_id_clientCredentials').inputValue(), '');
  assert.doesNotMatch(await page.locator('body').innerText(), /sandbox\.json/);
  assert.deepEqual(strange, []);
});
