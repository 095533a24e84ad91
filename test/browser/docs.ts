// The HTML pages of the service in a real browser: `npm run test:browser`.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, type TestContext, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { readCredentials } from '../../src/sandbox/credentials.ts';
import { startService } from '../support/service.ts';
import type { TestScope } from '../support/test-scope.ts';
import { openBrowser, REBOUND } from './open.ts';

const WINDOW = { width: 1280, height: 900 };
/** Time for a request and its response. */
const TALL_WINDOW = { width: 1100, height: 1500 };
const SIZES = [375, 1440];
const SCHEMES = ['light', 'dark'] as const;
const WAIT_MS = 60_000;
const KEPT = 'earmark.token';

let browser: Browser;
before(async (t) => {
  browser = await openBrowser(t as TestContext);
});

/** A page that records its requests to other hosts, policy violations and script errors. */
async function openPage(t: TestScope, url: string): Promise<{ page: Page; problems: string[] }> {
  const context = await browser.newContext({ viewport: WINDOW });
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

const operation = (page: Page, id: string) => page.locator(`.opblock[id$="-${id}"]`);
const search = (page: Page, phrase: string) => page.locator('#search').fill(phrase);

/** The names of the visible operations. */
const shown = (page: Page) => page.locator('.opblock-summary-operation-id:visible').allInnerTexts();

/** Executes an operation with its default parameters; returns the status of the response. */
async function execute(page: Page, id: string, url: string): Promise<number> {
  if ((await operation(page, id).locator('button.execute').count()) === 0)
    await operation(page, id).locator('.opblock-summary').click();
  const [answer] = await Promise.all([
    page.waitForResponse((response) => response.url() === url),
    operation(page, id).locator('button.execute').click(),
  ]);
  return answer.status();
}

test('one click in a sandbox is enough to try a reallocation, also after a reload', async (t) => {
  const { url, dataDir } = await startService(t);
  const { labels } = readCredentials(join(dataDir, 'sandbox.json'))!;
  const { page, problems } = await openPage(t, `${url}/docs`);
  await search(page, 'label realloc');
  await picture(page, 'found');
  await page.locator('#authorize').click();
  await page.locator('#token', { hasText: 'Authorized' }).waitFor();
  assert.equal(await page.locator('dialog[open]').count(), 0, 'nothing to fill in');
  await picture(page, 'authorized');

  await operation(page, 'createLabelReallocation').locator('.opblock-summary').click();
  const body = operation(page, 'createLabelReallocation').locator('textarea.body-param__text');
  await body.waitFor();
  assert.ok((await body.inputValue()).includes(labels[0]), "the example is the sandbox's own");
  assert.equal(await execute(page, 'createLabelReallocation', `${url}/label-reallocations`), 201);
  const answers = operation(page, 'createLabelReallocation').locator('.live-responses-table');
  await answers.locator('.response-col_status').last().getByText('201').waitFor();
  await page.setViewportSize(TALL_WINDOW);
  await operation(page, 'createLabelReallocation').evaluate((element) => element.scrollIntoView());
  await picture(page, 'tried');
  assert.match(await answers.innerText(), /location: \S+\/label-reallocations\/[0-9a-f-]{36}/);

  await page.reload();
  await page.locator('#token', { hasText: 'Authorized' }).waitFor();
  assert.equal(await execute(page, 'getRoot', `${url}/`), 200, 'the tab keeps the token');
  await page.locator('#authorize', { hasText: 'Forget token' }).click();
  assert.equal(await page.evaluate((name) => sessionStorage.getItem(name), KEPT), null);
  assert.deepEqual(problems, [], 'no requests to other hosts, and no policy violations');
  assert.equal(await execute(page, 'getRoot', `${url}/`), 401, 'a forgotten token is not sent');
});

test('replaces an expired sandbox token, and does not share it with other tabs', async (t) => {
  const { url } = await startService(t);
  const { page } = await openPage(t, `${url}/docs`);
  await page.locator('#authorize').click();
  await page.locator('#token', { hasText: 'Authorized' }).waitFor();
  const kept = () => page.evaluate((name) => JSON.parse(sessionStorage.getItem(name) ?? 'null'), KEPT);
  const first = await kept();
  await page.evaluate(([name, text]) => sessionStorage.setItem(name!, text!), [KEPT, JSON.stringify({ ...first, endsMs: 0 })]);
  await page.reload();
  assert.equal(await execute(page, 'getRoot', `${url}/`), 200);
  assert.notEqual((await kept()).text, first.text);
  await page.evaluate(
    ([name, text]) => sessionStorage.setItem(name!, text!),
    [KEPT, JSON.stringify({ ...first, text: 'other' })],
  );
  await page.reload();
  assert.deepEqual([await execute(page, 'getRoot', `${url}/`), await execute(page, 'getRoot', `${url}/`)], [401, 200]);
  const other = await page.context().newPage();
  await other.goto(`${url}/docs`);
  await other.locator('.opblock').first().waitFor();
  assert.equal(await other.locator('#token').innerText(), '');
});

test('a name that an attacker resolves to this machine gets a form for credentials instead of a token', async (t) => {
  const { url, port, dataDir } = await startService(t);
  const { client_id, client_secret } = readCredentials(join(dataDir, 'sandbox.json'))!;
  const { page } = await openPage(t, `http://${REBOUND}:${port}/docs`);
  const [refused] = await Promise.all([page.waitForResponse(/\/docs\/token$/), page.locator('#authorize').click()]);
  assert.equal(refused.status(), 403);
  await page.locator('dialog[open] #refusal', { hasText: 'sandbox.json' }).waitFor();
  assert.equal(await page.locator('[name=client_id]').inputValue(), client_id);
  await page.locator('[name=client_secret]').fill(client_secret);
  await page.locator('dialog button', { hasText: 'Get a token' }).click();
  await page.locator('#token', { hasText: 'Authorized until' }).waitFor();
  assert.equal(await execute(page, 'getRoot', `${url.replace('localhost', REBOUND)}/`), 200);
});

test('the form in production takes credentials, reports wrong ones, and stores no secret', async (t) => {
  const { url, client } = await startService(t, { env: { MODE: 'production' } });
  const { page, problems } = await openPage(t, `${url}/docs`);
  await page.locator('.opblock').first().waitFor();
  assert.doesNotMatch(await page.content(), /sandbox\b.json|This is a sandbox/);
  await page.locator('#authorize').click();
  assert.equal(await page.locator('[name=client_id]').inputValue(), '');
  await page.locator('[name=client_id]').fill(client.client_id);
  await page.locator('[name=client_secret]').fill('wrong');
  await page.keyboard.press('Enter');
  await page.locator('#refusal', { hasText: 'Client authentication failed.' }).waitFor();
  assert.deepEqual(
    problems.splice(0).filter((line) => !line.includes('401')),
    [],
  );
  await page.locator('[name=client_secret]').fill(client.client_secret);
  await page.keyboard.press('Enter');
  await page.locator('#token', { hasText: 'Authorized until' }).waitFor();
  assert.equal(await page.locator('dialog[open]').count(), 0);
  const storage = await page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]));
  assert.ok(storage.includes('eyJ') && !storage.includes(client.client_secret));
  assert.ok(!(await page.content()).includes(client.client_secret));
  assert.equal(await execute(page, 'getRoot', `${url}/`), 200);
  assert.deepEqual(problems, []);
});

test('search matches summaries, headers, paths and names, and shows only matches', async (t) => {
  const { url } = await startService(t);
  const { page, problems } = await openPage(t, `${url}/docs`);
  await page.locator('.opblock').first().waitFor();
  const all = await shown(page);
  const found = async (phrase: string) => {
    await search(page, phrase);
    const count = Number.parseInt(await page.locator('#found').innerText(), 10) || 0;
    // Results are drawn a moment after the input.
    for (let names = await shown(page); ; names = await shown(page)) if (names.length === count) return names;
  };
  const idempotent = await found('idempot');
  assert.ok(idempotent.includes('createLabelReallocation') && idempotent.includes('createDeposit'));
  assert.ok(!idempotent.includes('getCustomer') && idempotent.length < all.length);
  assert.deepEqual(await found('Create a label realloc'), ['createLabelReallocation'], 'a summary');
  assert.ok((await found('/customers/{id}/labels')).includes('listLabels'), 'a path');
  assert.deepEqual(await found('advanceclock'), ['advanceClock'], 'an operationId');
  assert.deepEqual(await found('no such operation whatsoever'), []);
  assert.equal(await page.locator('#found').innerText(), 'No operations');
  assert.equal(await page.getByText('No operations defined').isVisible(), false);
  await search(page, '');
  await page
    .locator('.opblock')
    .nth(all.length - 1)
    .waitFor();
  assert.deepEqual(await shown(page), all);
  assert.deepEqual(problems, []);
});

test('pages follow the color scheme of the system and fit a phone', async (t) => {
  const { url } = await startService(t);
  const { page, problems } = await openPage(t, url);
  const brightness = async () => {
    const color = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    return color.match(/\d+/g)!.reduce((sum, part) => sum + Number(part), 0);
  };
  for (const path of ['/', '/docs']) {
    await page.goto(`${url}${path}`);
    if (path === '/docs') await operation(page, 'createLabelReallocation').locator('.opblock-summary').click();
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      assert.equal((await brightness()) > 382, colorScheme === 'light', `${path} ${colorScheme}`);
      if (path === '/docs') {
        assert.equal(
          await page.locator('html.dark-mode').count(),
          colorScheme === 'dark' ? 1 : 0,
          'the reference follows as well',
        );
      }
      for (const width of SIZES) {
        await page.setViewportSize({ width, height: 900 });
        await picture(page, `${path === '/' ? 'front' : 'docs'}-${colorScheme}-${width}`);
        const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
        assert.ok(overflow <= 0, `${path} is ${overflow} pixels too wide at ${width}`);
      }
    }
  }
  await page.goto(url);
  await page.getByRole('link', { name: 'API reference' }).first().click();
  await page.locator('.opblock').first().waitFor();
  assert.deepEqual(problems, []);
});
