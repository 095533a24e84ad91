// A list announces new rows in a real browser, without moving what somebody reads; a page that nobody sees asks nothing.
import assert from 'node:assert/strict';
import { before, type TestContext, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openBrowser } from '../browser/open.ts';
import { examine } from './examine.ts';
import { enter, openStage, openWindow, type Stage } from './stage.ts';

const BEFORE_FIRST_MS = 16_000;

let browser: Browser;
let stage: Stage;
before(async (t) => {
  browser = await openBrowser(t as TestContext);
  stage = await openStage(t as TestContext);
});

test('new transfers are announced above the list, which does not move, and shown by the link', async (t) => {
  const { page, problems } = await openWindow(t, browser);
  await enter(stage, page, 'finance');
  const asked: string[] = [];
  page.on('request', (request) => request.url().includes('/live?') && asked.push(request.url()));
  await page.clock.install();
  await page.goto(`${stage.url}/console/money`);
  const row = page.locator('tbody tr').nth(5);
  await page.mouse.wheel(0, 200);
  await page.waitForFunction('scrollY > 100');
  const place = await row.boundingBox();
  const [from, to] = stage.labels as [string, string];
  for (let count = 0; count < 3; count++) await stage.create('/label-reallocations', stage.reallocation(from, to, '0.05'));
  assert.deepEqual(asked, [], 'a page that has just been loaded asks nothing');
  await page.clock.fastForward(BEFORE_FIRST_MS);
  const link = page.getByRole('status').getByRole('link', { name: '3 new: show' });
  await link.waitFor();
  assert.deepEqual(await row.boundingBox(), place, 'nothing has moved');
  assert.match(await page.title(), /^\(3\) Money/);
  assert.equal(asked.length, 1);
  await examine(page, 'money-new');
  await link.click();
  await page.waitForURL(`${stage.url}/console/money`);
  assert.equal(await page.locator('tbody tr').filter({ hasText: '0.05' }).count(), 3);
  assert.equal(await page.getByRole('link', { name: '3 new: show' }).count(), 0);
  assert.deepEqual(problems, []);
});

test('without JavaScript the list is as it was, and a hidden page asks nothing', async (t) => {
  const plain = await openWindow(t, browser, { javaScriptEnabled: false });
  await enter(stage, plain.page, 'finance');
  await plain.page.goto(`${stage.url}/console/money`);
  assert.ok((await plain.page.locator('tbody tr').count()) > 10);
  const { page } = await openWindow(t, browser);
  await enter(stage, page, 'finance');
  await page.clock.install();
  await page.goto(`${stage.url}/console/money`);
  const asked: string[] = [];
  page.on('request', (request) => request.url().includes('/live?') && asked.push(request.url()));
  await page.evaluate(`Object.defineProperty(document, 'hidden', { value: true, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'))`);
  await page.clock.fastForward(BEFORE_FIRST_MS);
  await page.evaluate('fetch(location.href).then((answer) => answer.text())');
  assert.deepEqual(asked, []);
});
