// The palette (Ctrl-K) in a real browser: by keyboard alone, accessible, and the page Find without a script.
import assert from 'node:assert/strict';
import { before, type TestContext, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openBrowser } from '../browser/open.ts';
import { idOf } from '../support/http.ts';
import { examine } from './examine.ts';
import { enter, openStage, openWindow, PAYLOAD, type Stage } from './stage.ts';

let browser: Browser;
let stage: Stage;
before(async (t) => {
  browser = await openBrowser(t as TestContext);
  stage = await openStage(t as TestContext);
});

test('Ctrl-K opens the palette on any page; arrows choose, Enter goes, Escape closes', async (t) => {
  const { page, problems } = await openWindow(t, browser);
  await enter(stage, page, 'admin');
  for (const path of ['/console', '/console/operations', `/console/money/transfers/${stage.transfer}`]) {
    await page.goto(stage.url + path);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').waitFor();
    await page.getByRole('option', { name: 'Overview' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('combobox').waitFor({ state: 'hidden' });
  }
  await page.keyboard.press('Meta+k');
  await page.keyboard.type('northwind', { delay: 20 });
  await page
    .getByRole('option', { name: /Northwind Bakery/ })
    .first()
    .waitFor();
  assert.equal(await page.getByRole('combobox').getAttribute('aria-activedescendant'), 'palette-0');
  await examine(page, 'palette');
  await page.keyboard.press('ArrowDown');
  assert.match(await page.locator('[aria-selected=true]').innerText(), /Ledger of Northwind Bakery/);
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await page.waitForURL(stage.full.replace(stage.url, `${stage.url}/console`));
  await page.keyboard.press('Control+k');
  await page.keyboard.type(idOf(stage.hostile));
  await page.getByRole('option', { name: /onerror|script/ }).waitFor();
  assert.equal(await page.evaluate('window.stolen'), undefined, 'text is no markup');
  await page.getByRole('combobox').fill('nothing has this name');
  await page.getByText('Nothing that you may see has this.').waitFor();
  await examine(page, 'palette-none');
  assert.deepEqual(problems, []);
});

test('the button opens the palette, and without a script leads to a page with the same results', async (t) => {
  const { page, problems } = await openWindow(t, browser);
  await enter(stage, page, 'admin');
  await page.getByRole('link', { name: /^Find/ }).click();
  await page.getByRole('combobox').waitFor();
  for (const [name, query] of Object.entries({
    find: '',
    'find-text': '?q=northwind',
    'find-hostile': `?q=${encodeURIComponent(PAYLOAD)}`,
    'find-none': '?q=nothing+has+this+name',
  })) {
    await page.goto(`${stage.url}/console/find${query}`);
    await examine(page, name);
  }
  assert.deepEqual(problems, []);
  const plain = await openWindow(t, browser, { javaScriptEnabled: false });
  await enter(stage, plain.page, 'finance');
  await plain.page.getByRole('link', { name: /^Find/ }).click();
  await plain.page.getByLabel('Id, name, reference or page').fill('northwind');
  await plain.page.getByRole('button', { name: 'Find' }).click();
  await plain.page.getByRole('link', { name: 'Northwind Bakery', exact: true }).click();
  await plain.page.getByRole('heading', { name: 'Northwind Bakery' }).waitFor();
});
