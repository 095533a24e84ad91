// Writes the pictures of the console and the documentation that README.md shows, to docs/pictures.
import assert from 'node:assert/strict';
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { before, type TestContext, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';
import { makeSpecimen } from '../../packages/document-reader/specimens/specimens.ts';
import { openBrowser } from '../browser/open.ts';
import { idOf } from '../support/http.ts';
import { ROOT } from '../support/paths.ts';
import { openRandom } from '../support/random.ts';
import { startService } from '../support/service.ts';
import { openUploads } from '../support/uploads.ts';
import { waitUntil } from '../support/wait.ts';
import { startDelivery, startReceiver } from '../support/webhooks.ts';
import { enter, openWindow } from './stage.ts';

const FOLDER = join(ROOT, 'docs/pictures');
const WINDOW = { width: 1280, height: 800 };
const QUALITY = 85;
const BYTES_MAX = 150_000;
/** Of a passport that is valid today. */
const SEED = 3;
const MOVES = [
  { reference: 'Payroll November', value: '12480.00' },
  { reference: 'VAT third quarter', value: '3120.55' },
  { reference: 'Rent', value: '1850.00' },
  { reference: 'Insurance', value: '412.20' },
];

let browser: Browser;
before(async (t) => {
  browser = await openBrowser(t as TestContext);
  mkdirSync(FOLDER, { recursive: true });
});

async function save(page: Page, name: string): Promise<void> {
  const file = join(FOLDER, `${name}.webp`);
  await sharp(await page.screenshot())
    .webp({ quality: QUALITY })
    .toFile(file);
  assert.ok(statSync(file).size < BYTES_MAX, `${name} has ${statSync(file).size} bytes`);
}

test('a document that was read, beside the person on record', async (t) => {
  const service = await openUploads(t, { env: { SANDBOX_REVIEW_DELAY_MS: '0', AUTO_DECIDE: 'none' } });
  const today = new Date().toISOString().slice(0, 10);
  const { picture, holder } = await makeSpecimen(openRandom(SEED), { kind: 'td3', tier: 'A', today });
  const owner = await service.newOwner({ lastName: holder.surname, dateOfBirth: holder.dateOfBirth });
  const document = await service.submitted(owner, { file: picture });
  await waitUntil('the document is read', async () => (await service.sql`select 1 from document_reading`).length > 0);
  await service.sql`update beneficial_owner set first_name = ${holder.givenNames}`;
  for (let count = 0; count < 4; count++) await service.submitted(await service.newOwner());
  const { page } = await openWindow(t, browser, { viewport: WINDOW });
  await enter(service, page, 'reviewer');
  await page.goto(`${service.url}/console/review/${idOf(document)}`);
  await page.waitForLoadState('networkidle');
  await save(page, 'review');
});

test('a transfer with both entries and its webhook, in the dark', async (t) => {
  const service = await startService(t, { env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
  const { url } = await startReceiver(t);
  await service.create('/webhook-subscriptions', { url, secret: 'a secret of the picture' });
  const customer = await service.newCustomer({ available: '250000.00', form: { businessName: 'Northwind Bakery' } });
  const labels = [];
  for (const name of ['Operating', 'Payroll', 'Taxes', 'Reserves'])
    labels.push(await service.create(`${customer}/labels`, { name, amount: { value: '50000.00', currency: 'USD' } }));
  const moved: string[] = [];
  for (const [index, { reference, value }] of MOVES.entries()) {
    const body = { ...service.reallocation(labels[0]!, labels[(index % 3) + 1]!, value), reference };
    moved.push(await service.create('/label-reallocations', body, { key: `november-${index}` }));
  }
  const worker = await startDelivery(service);
  await waitUntil('the webhooks are delivered', async () => {
    const [row] = await service.sql<{ count: number }>`select count(*)::int from webhook_attempt where delivered`;
    return row!.count > 4 + MOVES.length;
  });
  await worker.stop();
  const { page } = await openWindow(t, browser, { viewport: WINDOW, colorScheme: 'dark' });
  await enter(service, page, 'finance');
  await page.goto(`${service.url}/console/money/transfers/${idOf(moved[0]!)}`);
  await save(page, 'money');
});

test('an operation of the documentation', async (t) => {
  const service = await startService(t);
  const { page } = await openWindow(t, browser, { viewport: WINDOW });
  await page.goto(`${service.url}/docs/reference/createLabelReallocation`, { waitUntil: 'networkidle' });
  await save(page, 'docs');
});
