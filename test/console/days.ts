// A day of each person in the console, without a terminal: a reviewer, somebody in finance, an operator. Keys, clicks and seconds are
// counted, and each has a limit of keys and clicks.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, type TestContext, test } from 'node:test';
import { unzipSync } from 'fflate';
import type { Browser } from 'playwright-core';
import { listAudit } from '../../src/ledger/audit/audit.ts';
import { openBrowser } from '../browser/open.ts';
import { idOf } from '../support/http.ts';
import { startService } from '../support/service.ts';
import { openUploads } from '../support/uploads.ts';
import { waitUntil } from '../support/wait.ts';
import { startDelivery, startReceiver } from '../support/webhooks.ts';
import { startReview } from './decide.ts';
import { examine } from './examine.ts';
import { type Hand, openHand } from './hand.ts';
import { enter, openWindow } from './stage.ts';

const TWENTY = 20;
const MONTH_SECONDS = 31 * 24 * 3600;
const NOWHERE = 'http://127.0.0.1:9/hook';

let browser: Browser;
before(async (t) => {
  browser = await openBrowser(t as TestContext);
});

function report(t: TestContext, day: string, hand: Hand, most: { keys: number; clicks: number }): void {
  const { keys, clicks, seconds } = hand.done();
  t.diagnostic(`${day}: ${keys} keys, ${clicks} clicks, ${seconds.toFixed(1)} s of the machine`);
  assert.ok(keys <= most.keys && clicks <= most.clicks, `${day}: ${keys} keys and ${clicks} clicks`);
}

test('a reviewer decides on twenty documents, takes one decision back, and sees why another person disagreed', async (t) => {
  const service = await openUploads(t, { env: { REVIEW_UNDO_SECONDS: '10' } });
  for (let count = 0; count < TWENTY; count++) await service.submitted(await service.newOwner());
  const { page, problems } = await openWindow(t, browser, { viewport: { width: 1280, height: 720 } });
  await enter(service, page, 'reviewer');
  await startReview(page, service.url);
  const hand = openHand(page);
  for (let count = 0; count < TWENTY; count++) {
    if (count === 7) {
      const before = page.url();
      await hand.pressTo('u');
      await page.getByText('You have taken the decision back').waitFor();
      assert.notEqual(page.url(), before);
      await hand.pressTo('a');
    }
    if (count % 4 === 3) await hand.press('3');
    await hand.pressTo(count % 4 === 3 ? 'r' : 'a');
  }
  await page.getByText('Nothing waits for a decision').waitFor();
  report(t, 'reviewer, 20 documents and one decision taken back', hand, { keys: 28, clicks: 0 });
  await waitUntil('all decisions are applied', async () => {
    const [row] = await service.sql<{ count: number }>`select count(*)::int from document where decided is not null`;
    return row!.count === TWENTY;
  });
  const taken = await service.sql`select 1 from audit_entry where action = 'take_back_review'`;
  assert.equal(taken.length, 1);

  const double = await openUploads(t, { env: { REVIEW_FOUR_EYES: 'true' } });
  const document = `/console/review/${idOf(await double.submitted(await double.newOwner()))}`;
  const [first, second] = [await openWindow(t, browser), await openWindow(t, browser)];
  for (const { page } of [first, second]) await enter(double, page, 'reviewer');
  await first.page.goto(double.url + document);
  await openHand(first.page).pressTo('a');
  await second.page.goto(double.url + document);
  await second.page.locator('[name=note]').fill('The photograph is glued on.');
  await second.page.locator('body').click({ position: { x: 2, y: 2 } });
  await second.page.keyboard.press('1');
  await openHand(second.page).pressTo('r');
  await first.page.goto(double.url + document);
  await first.page.getByText('disagreed with you').waitFor();
  await first.page.getByText('The photograph is glued on.').first().waitFor();
  assert.deepEqual([problems, first.problems, second.problems], [[], [], []]);
});

/** Two customers, with a payment that a client knows as `order-4711`, and the file of the bank of this month. */
async function openBooks(t: TestContext) {
  const service = await startService(t);
  const { create, newCustomer, newLabel } = service;
  const usd = (value: string) => ({ value, currency: 'USD' });
  const customer = await newCustomer({ form: { externalId: 'KD-1', businessName: 'Northwind Bakery' } });
  await newCustomer({ form: { businessName: 'Harbour Trading' } });
  await create(`${customer}/deposits`, { amount: usd('100.00'), reference: 'invoice 1', externalId: 'order-4711' });
  await newLabel(customer, '30.00');
  await create(`${customer}/withdrawals`, { amount: usd('40.00'), reference: 'payout 77' });
  const day = new Date().toISOString().slice(0, 10);
  const lines = [
    ['100.00', 'invoice 1', '100.00'],
    ['-40.00', 'transfer 4711', '60.00'],
    ['25.00', 'from a new payer', '85.00'],
    ['-2.50', 'fee of the bank', '82.50'],
  ];
  const file = ['date,amount,reference,balance', ...lines.map((line) => [day, ...line].join(','))].join('\n');
  const passed = await service.call('POST', '/sandbox/clock', { body: { advanceSeconds: MONTH_SECONDS } });
  assert.equal(passed.status, 200);
  return { ...service, customer, day, file };
}

test('finance finds a payment by its external id, a balance of a past day, closes a month with three exceptions and saves it', async (t) => {
  const service = await openBooks(t);
  const { page, problems } = await openWindow(t, browser, { viewport: { width: 1280, height: 720 } });
  const person = await enter(service, page, 'finance');
  const hand = openHand(page);
  await hand.go(page.getByRole('link', { name: 'Money', exact: true }));
  await hand.type(page.getByRole('searchbox').or(page.locator('[name=search]')).first(), 'order-4711');
  await hand.pressTo('Enter');
  await hand.go(page.locator('main table a[href*="/transfers/"]').first());
  await page.getByText('order-4711').first().waitFor();

  await hand.go(page.getByRole('link', { name: 'Northwind Bakery' }));
  await hand.go(page.locator('main a[href*="/money/accounts/"]').first());
  await page.locator('[name=until]').fill(service.day);
  await hand.pressTo('Enter').catch(() => {});
  await hand.go(page.getByRole('button', { name: 'Filter' }));
  await page.getByText('Balance as of').waitFor();
  assert.match(await page.locator('.ledger-head .value').innerText(), /30\.00/);

  await hand.go(page.getByRole('link', { name: 'Month close' }));
  await examine(page, 'close-none');
  await page.locator('#month').fill(service.day.slice(0, 7));
  await page.locator('#file').setInputFiles({ name: 'bank.csv', mimeType: 'text/csv', buffer: Buffer.from(service.file) });
  await hand.click(page.locator('summary', { hasText: 'A CSV file' }));
  await hand.type(page.locator('#map'), 'date=date;amount=amount;reference=reference;balance=balance');
  await hand.type(page.locator('#currency'), 'USD');
  await hand.go(page.getByRole('button', { name: 'Compare with the ledger' }));
  await examine(page, 'close-open');
  const why = page.getByLabel(/^Why −2\.50/);
  await hand.type(why, 'Fee of the bank');
  await hand.type(page.getByLabel(/^Customer of \+25\.00/), 'KD-1');
  await hand.go(page.getByRole('button', { name: 'Record the deposit' }));
  await hand.go(page.getByRole('button', { name: 'Link' }));
  assert.equal(await why.inputValue(), 'Fee of the bank', 'what was typed before the others were sent is kept');
  await why.focus();
  await hand.pressTo('Enter');
  await page.getByText('Nothing is open').waitFor();
  await examine(page, 'close-settled');
  await hand.go(page.getByRole('button', { name: 'Close the month' }));
  await examine(page, 'close-closed');
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    hand.click(page.getByRole('link', { name: /^PDF statements/ })),
  ]);
  const statements = unzipSync(new Uint8Array(readFileSync(await saved.path())));
  assert.equal(Object.keys(statements).length, 2);
  for (const bytes of Object.values(statements)) assert.equal(Buffer.from(bytes.slice(0, 5)).toString(), '%PDF-');
  report(t, 'finance', hand, { keys: 120, clicks: 16 });
  const [entry] = await listAudit(service.sql, { operatorId: person.id, action: 'close_month' }, 1);
  assert.deepEqual(entry!.detail.totals, ['USD bank 82.50, ledger 60.00']);
  assert.deepEqual(problems, []);
});

test('an operator finds a failing subscription, corrects it, pings, sends again, rotates keys, and says who saw a passport', async (t) => {
  const service = await openUploads(t, { env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
  await service.create('/webhook-subscriptions', { url: NOWHERE, secret: 'a secret of the test' });
  const owner = await service.newOwner({ lastName: 'Fennel' });
  const document = idOf(await service.submitted(owner));
  const reviewer = await openWindow(t, browser);
  const seen = await enter(service, reviewer.page, 'reviewer');
  await reviewer.page.goto(`${service.url}/console/review/${document}`, { waitUntil: 'networkidle' });
  const worker = await startDelivery(service);
  t.after(worker.stop);
  const { url, received } = await startReceiver(t);
  await waitUntil('a delivery failed', async () => (await service.sql`select 1 from webhook_attempt`).length > 0);
  const { page, problems } = await openWindow(t, browser, { viewport: { width: 1280, height: 720 } });
  await enter(service, page, 'operator', 'admin');
  const hand = openHand(page);
  await hand.go(page.getByRole('link', { name: 'Webhooks' }));
  await page
    .getByText(/^failing/)
    .first()
    .waitFor();
  await hand.go(page.getByRole('link', { name: NOWHERE }));
  await hand.go(page.getByRole('link', { name: 'Change' }));
  await hand.type(page.getByLabel('URL'), url);
  await hand.pressTo('Enter');
  await hand.go(page.getByRole('button', { name: 'Send a ping' }));
  await page.getByText('delivered', { exact: true }).waitFor();
  await hand.go(page.getByRole('link', { name: 'Subscription' }));
  await hand.go(page.getByRole('button', { name: 'Send again' }));
  await waitUntil('the events are sent again', () => received.some(({ text }) => text.includes('customer_created')));

  await hand.go(page.getByRole('link', { name: 'Operations' }));
  await hand.go(page.getByRole('link', { name: 'All keys' }));
  await hand.go(page.getByRole('link', { name: 'New key…' }).first());
  await hand.go(page.getByRole('button', { name: 'Make a new signing key' }));
  await page.getByText('signs next').waitFor();

  await hand.go(page.getByRole('link', { name: /^Review/ }));
  await page.goto(`${service.url}/console/review/${document}`);
  await hand.go(page.getByRole('link', { name: 'Who looked at this document' }));
  await page.getByRole('cell', { name: seen.name }).first().waitFor();
  await examine(page, 'audit-log-document');
  report(t, 'operator', hand, { keys: 60, clicks: 14 });
  assert.deepEqual(problems, []);
});
