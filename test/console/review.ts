// The review in a real browser: two reviewers at once, four eyes, and each state with a picture to look at.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, type TestContext, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openBrowser } from '../browser/open.ts';
import { idOf } from '../support/http.ts';
import { passportSpecimen } from '../support/specimen-pictures.ts';
import { openUploads } from '../support/uploads.ts';
import { waitUntil } from '../support/wait.ts';
import { decideByKeyboard, startReview } from './decide.ts';
import { examine, FOLDER } from './examine.ts';
import { enter, openWindow } from './stage.ts';

const DOCUMENTS = 10;
const PDF = Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n');

let browser: Browser;
let service: Awaited<ReturnType<typeof openUploads>>;
before(async (t) => {
  browser = await openBrowser(t as TestContext);
  service = await openUploads(t as TestContext);
});

async function newDocument(on = service, seed?: number): Promise<string> {
  if (seed === undefined) return on.submitted(await on.newOwner());
  const { picture, person } = await passportSpecimen(seed);
  const { dateOfBirth } = person;
  return on.submitted(await on.newOwner({ lastName: person.lastName, dateOfBirth }), { file: picture });
}

test('two reviewers at once never see the same document, and decide on all', async (t) => {
  const documents = new Set<string>();
  for (let count = 0; count < DOCUMENTS; count++) documents.add(idOf(await newDocument()));
  const windows = [await openWindow(t, browser), await openWindow(t, browser)];
  for (const { page } of windows) await enter(service, page, 'reviewer');
  assert.notEqual(await startReview(windows[0]!.page, service.url), await startReview(windows[1]!.page, service.url));
  await Promise.all(windows.map(({ page }) => decideByKeyboard(page)));
  const rows = await service.sql<{ count: number }>`
    select count(*)::int from document_review where document_id = any(${[...documents]}) and decision <> 'undecided' group by document_id`;
  assert.deepEqual(
    rows.map(({ count }) => count),
    Array(documents.size).fill(1),
  );
});

test('the picture can be enlarged, turned and sharpened in contrast, and hidden values appear in place', async (t) => {
  const document = await newDocument(service, 5);
  const { page, problems } = await openWindow(t, browser);
  await enter(service, page, 'reviewer');
  await page.goto(`${service.url}/console/review/${idOf(document)}`);
  const width = async () => (await page.locator('.viewer-page').boundingBox())!.width;
  const plain = await width();
  await page.keyboard.press('z');
  assert.ok((await width()) > plain * 1.9);
  await page.getByRole('button', { name: 'Rotate' }).click();
  assert.equal(await page.evaluate(`getComputedStyle(document.querySelector('.viewer img')).rotate`), '90deg');
  await page.getByRole('button', { name: 'Contrast' }).click();
  await page.screenshot({ path: join(FOLDER, 'review-zoomed-light-1440.png') });
  await page.keyboard.press('r');
  await page.getByText('Choose at least one reason to reject.').waitFor();
  await page.keyboard.press('2');
  await page.keyboard.press('a');
  await page.getByText('Remove them to accept the document.').waitFor();
  await page.getByRole('button', { name: 'Show hidden values' }).click();
  await page.getByRole('button', { name: 'Show hidden values' }).waitFor({ state: 'detached' });
  assert.ok(
    await page
      .getByLabel(/Image blurry|recogn|unsupported/i)
      .first()
      .isVisible(),
  );
  assert.equal(await page.locator('[name=reason]:checked').count(), 1, 'the form keeps what was chosen');
  await page.keyboard.press('r');
  await page.waitForURL(/\?last=|review$/);
  assert.deepEqual(problems, []);
});

/** A document that was read automatically, of a person with another name. */
async function examineReading(t: TestContext): Promise<void> {
  const read = await openUploads(t, { env: { SANDBOX_REVIEW_DELAY_MS: '0', AUTO_DECIDE: 'none' } });
  const document = await newDocument(read, 8);
  await waitUntil('the document is read', async () => (await read.sql`select 1 from document_reading`).length > 0);
  const { page } = await openWindow(t, browser);
  await enter(read, page, 'reviewer');
  await page.goto(`${read.url}/console/review/${idOf(document)}`);
  await page.getByRole('button', { name: 'Show hidden values' }).click();
  await page.getByRole('button', { name: 'Show hidden values' }).waitFor({ state: 'detached' });
  await examine(page, 'review-read');
}

test('each state of the review, at three widths in both themes', async (t) => {
  const { page, problems } = await openWindow(t, browser);
  const { name } = await enter(service, page, 'reviewer');
  const open = async (path: string, picture: string) => {
    await page.goto(`${service.url}/console/review${path}`);
    await page.waitForLoadState('networkidle');
    await examine(page, picture);
  };
  await open('', 'review-empty');
  const [full, taken, decided, erased, lost] = [
    await newDocument(service, 6),
    await newDocument(),
    await newDocument(service, 7),
    await newDocument(),
    await newDocument(),
  ];
  const business = await service
    .submitted(await service.newCustomer({ lastName: 'document' }), { documentType: 'other', file: PDF })
    .catch(() => undefined);
  const colleague = await openWindow(t, browser);
  await enter(service, colleague.page, 'reviewer');
  await colleague.page.goto(`${service.url}/console/review/${idOf(taken)}`);
  await service.judge(decided, 'rejected', ['ScanNameMismatch', 'ScanIdExpired'], { note: 'The passport of a cousin.' });
  await service.judge(erased, 'accepted');
  await service.sql`
    update document set original_key = null, copy_key = null, content_mac = null, erased = now() where id = ${idOf(erased)}`;
  await service.sql`delete from document_content where document_id = ${idOf(lost)}`;
  await open('', 'review-queue');
  await examineReading(t);
  await open(`/${idOf(full)}`, 'review-document');
  await open(`/${idOf(taken)}`, 'review-taken');
  await open(`/${idOf(decided)}?last=${idOf(decided)}`, 'review-decided');
  await open(`/${idOf(erased)}`, 'review-erased');
  if (business) await open(`/${idOf(business)}`, 'review-pdf');
  assert.deepEqual(problems, []);
  await open(`/${idOf(lost)}`, 'review-failed');
  assert.ok(await page.getByText('The picture could not be loaded').isVisible(), name);
});

test('without JavaScript a document is rejected, and the decision taken back', async (t) => {
  const document = await newDocument();
  const { page } = await openWindow(t, browser, { javaScriptEnabled: false });
  await enter(service, page, 'reviewer');
  const path = `${service.url}/console/review/${idOf(document)}`;
  await page.goto(path);
  await page.getByRole('button', { name: 'Show hidden values' }).click();
  await page.getByLabel('Image blurry, too dark, or obscured by glare').check();
  await page.getByRole('button', { name: 'Reject' }).click();
  await page.getByRole('link', { name: 'Review it again' }).click();
  await page.getByLabel('Note for colleagues').fill('Sharp enough.');
  await page.getByRole('button', { name: 'Accept' }).click();
  await page.getByText('The passport is accepted.').waitFor();
  assert.equal((await service.get(document)).documentVerificationStatus, 'accepted');
});

test('four eyes: two people agree, the second without seeing the first decision', async (t) => {
  const double = await openUploads(t, { env: { REVIEW_FOUR_EYES: 'true' } });
  const document = await newDocument(double);
  for (const expected of ['pending', 'accepted']) {
    const { page } = await openWindow(t, browser);
    await enter(double, page, 'reviewer');
    await page.goto(`${double.url}/console/review/${idOf(document)}`);
    if (expected === 'accepted') await examine(page, 'review-second');
    await page.keyboard.press('a');
    await page.waitForURL(/\?last=/);
    assert.equal((await double.get(document)).documentVerificationStatus, expected);
  }
});
