// The keys of lists in a real browser: j, k and Enter go through rows, ? lists the keys, and fields take the letters.
import assert from 'node:assert/strict';
import { before, type TestContext, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openBrowser } from '../browser/open.ts';
import { examine } from './examine.ts';
import { enter, openStage, openWindow, type Stage } from './stage.ts';

let browser: Browser;
let stage: Stage;
before(async (t) => {
  browser = await openBrowser(t as TestContext);
  stage = await openStage(t as TestContext);
});

test('j and k go through the rows of a list, Enter opens one, and ? lists the keys', async (t) => {
  const { page, problems } = await openWindow(t, browser);
  await enter(stage, page, 'admin');
  for (const path of ['/console/customers', '/console/money', '/console/webhooks', '/console/find?q=northwind']) {
    await page.goto(stage.url + path);
    const links = await page
      .locator('main tbody tr, main .hits li')
      .filter({ has: page.locator('a') })
      .locator('a')
      .evaluateAll((all) => all.map((one) => one.getAttribute('href')));
    const focused = () => page.evaluate('document.activeElement.getAttribute("href")');
    await page.keyboard.press('j');
    assert.equal(await focused(), links[0], path);
    await page.keyboard.press('j');
    const second = await focused();
    assert.ok(second !== links[0] && links.includes(second as string), path);
    await page.keyboard.press('k');
    assert.equal(await focused(), links[0], path);
    await page.keyboard.press('k');
    assert.equal(await focused(), links[0], 'there is no row before the first');
  }
  await page.goto(`${stage.url}/console/customers`);
  await page.getByLabel('Name, e-mail or id').pressSequentially('jk?');
  assert.equal(await page.getByLabel('Name, e-mail or id').inputValue(), 'jk?');
  await page.goto(`${stage.url}/console/customers`);
  await page.keyboard.press('?');
  await page.getByRole('heading', { name: 'Keys' }).waitFor();
  await page.keyboard.press('j');
  await examine(page, 'list-keys');
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  const href = await page.evaluate('document.activeElement.getAttribute("href")');
  await examine(page, 'list-row');
  await page.keyboard.press('Enter');
  await page.waitForURL(stage.url + href);
  assert.deepEqual(problems, []);
});
