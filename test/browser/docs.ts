// The documentation and the front page in a real browser: `npm run long -- browser`. SCREENSHOTS names a folder for pictures of each page.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { readCredentials } from '../../src/apps/sandbox/credentials.ts';
import { startService } from '../support/service.ts';
import type { TestScope } from '../support/test-scope.ts';
import { openBrowser, REBOUND } from './open.ts';

const WINDOW = { width: 1280, height: 900 };
const SIZES = [375, 768, 1280, 1440, 1920];
const SCHEMES = ['light', 'dark'] as const;
const WAIT_MS = 60_000;
const KEPT = 'earmark.sandbox';
const AXE = readFileSync(new URL('axe.min.js', import.meta.resolve('axe-core')), 'utf8');
const PAGES = [
  '/',
  '/docs',
  '/docs/guides/retries',
  '/docs/operations/sizing',
  '/docs/operations/people',
  '/docs/reference',
  '/docs/reference/createLabelReallocation',
  '/docs/reference/createCustomer',
  '/docs/webhooks',
  '/docs/refusals',
  '/docs/search?q=retry',
  '/docs/search?q=zebra',
];

const shared = await startService({ after });

let browser: Browser;
before(async (t) => {
  browser = await openBrowser(t as TestContext);
});

/** A page that records its requests to other hosts, policy violations and script errors. */
async function openPage(
  t: TestScope,
  url: string,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; problems: string[] }> {
  const context = await browser.newContext({ viewport: WINDOW, ...options });
  t.after(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT_MS);
  const problems: string[] = [];
  const { origin } = new URL(url);
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) problems.push(request.url());
  });
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  await page.goto(url);
  return { page, problems };
}

/** Saves a screenshot where SCREENSHOTS names a folder. */
async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`) });
}

const tried = (page: Page) => page.locator('#try');
const result = (page: Page) => page.locator('#try .result');

/** Opens the form of an operation and waits until it has the ids of the sandbox. */
async function openForm(page: Page): Promise<void> {
  await tried(page).locator('summary').click();
  await page.locator('#try .session', { hasText: 'this sandbox' }).waitFor();
}

/** Sends the form and returns what it shows. */
async function send(page: Page): Promise<string> {
  await result(page).evaluate((element) => element.replaceChildren());
  await tried(page).locator('button[type=submit]').click();
  await result(page).locator('code').waitFor();
  return result(page).innerText();
}

test('Try it moves money between the labels of the sandbox without anything to paste', async (t) => {
  const { url, dataDir } = shared;
  const { client_secret, labels } = readCredentials(join(dataDir, 'sandbox.json'))!;
  const { page, problems } = await openPage(t, `${url}/docs/reference/createLabelReallocation`);
  await openForm(page);
  const body = await page.locator('#try textarea').inputValue();
  assert.ok(body.includes(labels[0]) && body.includes(labels[1]), body);
  assert.ok((await page.locator('.samples').innerText()).includes(labels[0]), 'the samples have its ids too');
  const created = await send(page);
  assert.match(created, /^201 Created\nLocation: \S+\/label-reallocations\/[0-9a-f-]{36}$/);
  await picture(page, 'tried');

  await page.goto(`${url}/docs/reference/getLabelReallocation`);
  await openForm(page);
  await page.waitForFunction('/^01a/.test(document.querySelector("#try [name=id]").value)');
  assert.equal(await page.locator('#try [name=id]').inputValue(), created.slice(-36), 'the new resource is filled in');
  assert.match(await send(page), /^200 OK.*"reference": "tax of January"/s);
  await page.goto(`${url}/docs/reference/listLedgerEntries`);
  await openForm(page);
  await page.locator('#try [name=limit]').fill('1');
  assert.match(await send(page), /"value": "-25.00"/);
  const stored = await page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]));
  assert.ok(stored.includes('eyJ') && !stored.includes(client_secret));
  assert.deepEqual(problems, [], 'no requests to other hosts, and no policy violations');
});

test('Try it uploads a file, sends no request before a removal is confirmed, and renews its token', async (t) => {
  const { url } = shared;
  const { page } = await openPage(t, `${url}/docs/reference/submitBeneficialOwnerDocument`);
  await openForm(page);
  await page.waitForFunction('!document.querySelector("#try [name=id]").value.startsWith("0198")');
  await page.locator('#try [name=file]').setInputFiles('examples/passport.png');
  assert.match(await send(page), /^201 Created|No document is needed/);

  await page.goto(`${url}/docs/reference/advanceClock`);
  await openForm(page);
  await page.locator('#try textarea').fill('{"advanceSeconds": 3600}');
  assert.match(await send(page), /^200 OK/);
  await page.goto(`${url}/docs/reference/getRoot`);
  await openForm(page);
  assert.match(await send(page), /^200 OK/, 'the token has expired and was replaced');
  const first = await page.evaluate((name) => sessionStorage.getItem(name), KEPT);
  assert.ok(first);

  await page.goto(`${url}/docs/reference/resetAccount`);
  await openForm(page);
  page.once('dialog', (dialog) => dialog.dismiss());
  await tried(page).locator('button[type=submit]').click();
  assert.equal(await result(page).innerText(), '');
});

test('a name that an attacker resolves to this machine gets no token, and a pasted one works', async (t) => {
  const { port, client } = shared;
  const { page } = await openPage(t, `http://${REBOUND}:${port}/docs/reference/getRoot`);
  const [refused] = await Promise.all([page.waitForResponse(/\/docs\/token$/), tried(page).locator('summary').click()]);
  assert.equal(refused.status(), 403);
  await page.locator('#try .given-token').waitFor();
  await page.locator('#try [name=token]').fill(client.token);
  assert.match(await send(page), /^200 OK/);
});

test('production has no form, and its pages have no errors', async (t) => {
  const { url } = await startService(t, { env: { MODE: 'production' } });
  const { page, problems } = await openPage(t, `${url}/docs/reference/createLabelReallocation`);
  await page.locator('.samples').waitFor();
  assert.equal(await tried(page).count(), 0);
  assert.deepEqual(problems, []);
});

test('finds while typing, by keyboard, copies code and remembers the language', async (t) => {
  const { url } = shared;
  const { page, problems } = await openPage(t, `${url}/docs`);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.keyboard.press('/');
  await page.keyboard.type('create a label realloc');
  await page.locator('#found a').first().waitFor();
  await picture(page, 'found');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(/createLabelReallocation/);
  await page.locator('label[for=sample-python]').click();
  await page.locator('.panel[data-language=python] .code').hover();
  await page.locator('.panel[data-language=python] .copy').click();
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^import json\n/);
  await page.goto(`${url}/docs/reference/getLabel`);
  assert.equal(await page.locator('.panel[data-language=python]').isVisible(), true);
  assert.deepEqual(problems, []);
});

test('without JavaScript everything but Try it works', async (t) => {
  const { url } = shared;
  const { page } = await openPage(t, `${url}/docs`, { javaScriptEnabled: false });
  await page.locator('.docs-search input').fill('idempotency');
  await page.keyboard.press('Enter');
  await page.locator('.results a', { hasText: 'Retries and idempotency' }).first().click();
  await page.locator('h1', { hasText: 'Retries and idempotency' }).waitFor();
  await page.goto(`${url}/docs/reference/createLabelReallocation`);
  assert.equal(await tried(page).isVisible(), false);
  await page.locator('label[for=sample-typescript]').click();
  assert.equal(await page.locator('.panel[data-language=typescript]').isVisible(), true);
  assert.equal(await page.locator('.panel[data-language=curl]').isVisible(), false);
  await page.locator('summary', { hasText: 'ValidationError' }).click();
  await page.locator('code', { hasText: 'InsufficientFunds' }).last().waitFor();
  await page.emulateMedia({ media: 'print' });
  for (const part of ['.bar', '.side', '.copy']) assert.equal(await page.locator(part).first().isVisible(), false, part);
  assert.equal(await page.locator('.panel:visible').count(), 3, 'all samples are printed');
});

test('pages follow the color scheme of the system, fit a phone and are accessible', async (t) => {
  const { url } = shared;
  const { page, problems } = await openPage(t, url, { bypassCSP: true });
  for (const path of PAGES) {
    await page.goto(`${url}${path}`);
    for (const colorScheme of SCHEMES) {
      // Without the transition of colors from one scheme to the other.
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      const color = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
      const brightness = color.match(/\d+/g)!.reduce((sum, part) => sum + Number(part), 0);
      assert.equal(brightness > 382, colorScheme === 'light', `${path} ${colorScheme}`);
      for (const width of SIZES) {
        await page.setViewportSize({ width, height: 900 });
        await picture(page, `${path.replace(/\W+/g, '-').replace(/^-$/, '-front').slice(1)}-${colorScheme}-${width}`);
        const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
        assert.ok(overflow <= 0, `${path} is ${overflow} pixels too wide at ${width}`);
      }
      await page.evaluate(AXE);
      const found = await page.evaluate<{ id: string; nodes: { html: string }[] }[]>(
        'axe.run().then(({ violations }) => violations)',
      );
      assert.deepEqual(
        found.map(({ id, nodes }) => `${path} ${colorScheme} ${id}: ${nodes.slice(0, 3).map(({ html }) => html)}`),
        [],
      );
    }
  }
  assert.deepEqual(problems, []);
});
