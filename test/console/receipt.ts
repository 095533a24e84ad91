// The receipt of a transfer in a real browser: verified, not yet covered, forged, and other than the page shows.
import assert from 'node:assert/strict';
import { before, type TestContext, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openBrowser } from '../browser/open.ts';
import { idOf } from '../support/http.ts';
import { coveredLog } from '../support/logs.ts';
import { examine } from './examine.ts';
import { enter, openStage, openWindow, type Stage } from './stage.ts';

let browser: Browser;
let stage: Stage;
before(async (t) => {
  browser = await openBrowser(t as TestContext);
  stage = await openStage(t as TestContext);
});

test('the page of a transfer verifies its receipt, and says when the log has something else', async (t) => {
  const { page, problems } = await openWindow(t, browser);
  await enter(stage, page, 'finance');
  await coveredLog(stage);
  for (const id of [stage.transfer, stage.deposit]) {
    await page.goto(`${stage.url}/console/money/transfers/${id}`);
    await page.getByText(/^\s*verified/).waitFor();
    assert.match(
      await page.locator('[data-receipt] [role=status]').innerText(),
      /Entry \d+ of the log, covered by the checkpoint of \d+ entries/,
    );
  }
  await examine(page, 'transfer-verified');
  await page.route('**/receipt', async (route) => {
    const answer = await (await route.fetch()).json();
    answer.receipt.entry = answer.receipt.entry.replace('9800.00', '9900.00');
    await route.fulfill({ json: answer });
  });
  await page.reload();
  await page.getByText(/does not lead from the entry to the checkpoint/).waitFor();
  await examine(page, 'transfer-forged');
  await page.unroute('**/receipt');
  await stage.sql`update transfer set amount = amount + 100 where id = ${stage.transfer}`;
  await page.goto(`${stage.url}/console/money/transfers/${stage.transfer}`);
  await page.getByText('The log has another amount than this page shows.').waitFor();
  assert.deepEqual(problems, []);
});

test('a transfer that no checkpoint covers says so, and is verified once one does', async (t) => {
  const { page, problems } = await openWindow(t, browser);
  await enter(stage, page, 'viewer');
  const href = `**/receipt`;
  await page.route(href, (route) => route.fulfill({ json: { missing: 'No signed checkpoint covers the transfer yet.' } }), {
    times: 1,
  });
  await page.goto(`${stage.url}/console/money/transfers/${stage.deposit}`);
  await page.getByText('not yet').waitFor();
  await page.getByText(/^\s*verified/).waitFor();
  const made = idOf(await stage.create(`${stage.full}/deposits`, { amount: { value: '1.00', currency: 'USD' } }));
  await page.goto(`${stage.url}/console/money/transfers/${made}`);
  await page.getByText(/^\s*verified/).waitFor();
  assert.deepEqual(problems, []);
  const plain = await openWindow(t, browser, { javaScriptEnabled: false });
  await enter(stage, plain.page, 'viewer');
  await plain.page.goto(`${stage.url}/console/money/transfers/${made}`);
  await plain.page.getByRole('link', { name: 'Receipt of the transparency log' }).click();
  assert.match(await plain.page.locator('body').innerText(), /"receipt":\{"entry":/);
});
