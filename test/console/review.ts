// The review in a real browser: two reviewers at once, four eyes, and each state with a picture to look at.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, type TestContext, test } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { REASONS } from '../../src/resources/documents/reason.ts';
import { openBrowser } from '../browser/open.ts';
import { idOf } from '../support/http.ts';
import { newLink } from '../support/operators.ts';
import { ROOT } from '../support/paths.ts';
import { passportSpecimen } from '../support/specimen-pictures.ts';
import { openUploads } from '../support/uploads.ts';
import { waitUntil } from '../support/wait.ts';
import { decideByKeyboard, startReview } from './decide.ts';
import { BROKEN, examine, FOLDER } from './examine.ts';
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
  await page.getByRole('button', { name: 'Turn' }).click();
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

const SIZES = [
  { width: 1440, height: 900 },
  { width: 1280, height: 720 },
  { width: 768, height: 1024 },
  { width: 375, height: 667 },
];

/** Whether a person sees an element without scrolling: it is in the window, and nothing is in front of it. */
async function isSeen(page: Page, locator: Locator): Promise<boolean> {
  const box = await locator.boundingBox();
  const { width, height } = page.viewportSize()!;
  if (!box || box.x < 0 || box.y < 0 || box.x + box.width > width || box.y + box.height > height) return false;
  const centre = [box.x + box.width / 2, box.y + box.height / 2];
  return locator.evaluate((element, [x, y]) => element.contains(document.elementFromPoint(x!, y!)), centre);
}

/** A reason that is chosen: in the bar of a small window, ticked above it in a large one. */
function chosen(page: Page): Locator {
  return page.locator(page.viewportSize()!.width >= 1280 ? '.reasons .choice:has(:checked)' : '.review-bar li:visible');
}

/** The buttons are seen at the top, in the middle and at the end of the page. */
async function assertButtonsSeen(page: Page, about: string): Promise<void> {
  for (const share of [1, 0.5, 0]) {
    await page.evaluate((share) => scrollTo(0, share * document.documentElement.scrollHeight), share);
    for (const name of [/^Accept/, /^Reject/])
      assert.ok(await isSeen(page, page.getByRole('button', { name })), `${about}: ${name} at ${share} of the page`);
  }
}

test('the wheel enlarges the picture at the pointer, a drag moves it, and ? lists the keys', async (t) => {
  const document = await newDocument(service, 11);
  const { page, problems } = await openWindow(t, browser);
  await enter(service, page, 'reviewer');
  await page.goto(`${service.url}/console/review/${idOf(document)}`, { waitUntil: 'networkidle' });
  const frame = (await page.locator('.viewer-box').boundingBox())!;
  const scrolled = () => page.locator('.viewer-box').evaluate(({ scrollLeft, scrollTop }) => [scrollLeft, scrollTop]);
  await page.mouse.move(frame.x + 10, frame.y + 10);
  await page.mouse.wheel(0, -900);
  const [left, top] = (await scrolled()) as [number, number];
  assert.ok(left < 60 && top < 60, 'what is at the pointer stays there');
  await page.mouse.move(frame.x + 200, frame.y + 200);
  await page.mouse.down();
  await page.mouse.move(frame.x + 120, frame.y + 140);
  await page.mouse.up();
  const [x, y] = (await scrolled()) as [number, number];
  assert.ok(x > left + 60 && y > top + 40, `${left} ${top} → ${x} ${y}`);
  await page.keyboard.press('?');
  const list = page.getByRole('dialog', { name: 'Keys' });
  assert.ok(await list.getByText('take the last decision back').isVisible());
  await page.keyboard.press('Escape');
  await page.keyboard.press('n');
  await page.keyboard.type('ar');
  await page.keyboard.press('Escape');
  assert.equal(await page.getByLabel('Note for colleagues').inputValue(), 'ar', 'keys of a note decide nothing');
  assert.deepEqual(problems, []);
});

test('at each size the buttons, the chosen reasons and what is wrong are in the window', async (t) => {
  const document = await newDocument(service, 9);
  const { page, problems } = await openWindow(t, browser);
  await enter(service, page, 'reviewer');
  for (const size of SIZES) {
    const about = `${size.width} × ${size.height}`;
    await page.setViewportSize(size);
    await page.goto(`${service.url}/console/review/${idOf(document)}`, { waitUntil: 'networkidle' });
    await assertButtonsSeen(page, about);
    await page.keyboard.press('r');
    assert.ok(await isSeen(page, page.getByText('Choose at least one reason to reject.')), `${about}: the error`);
    for (const key of ['5', '3']) await page.keyboard.press(key);
    for (const reason of ['Scan DOB does not match DOB on account', 'Image blurry, too dark, or obscured by glare'])
      assert.ok(await isSeen(page, chosen(page).getByText(reason)), `${about}: ${reason}`);
    assert.equal(await chosen(page).count(), 2);
    if (size.width >= 1280)
      assert.ok(await page.evaluate('document.documentElement.scrollHeight <= innerHeight'), `${about} scrolls`);
    assert.equal(await page.evaluate('scrollY'), 0, 'no key has scrolled the page');
    await assertButtonsSeen(page, `${about} with reasons`);
    await page.screenshot({ path: join(FOLDER, `review-bar-${size.width}.png`) });
  }
  assert.deepEqual(problems, []);
});

test('names without spaces leave the picture and the buttons in the window', async (t) => {
  const customer = await service.newCustomer({ businessName: 'X'.repeat(100) });
  const owner = await service.newOwner({ lastName: 'W'.repeat(50) }, { customer });
  const document = await service.submitted(owner);
  const { page } = await openWindow(t, browser);
  await enter(service, page, 'reviewer');
  const overflow = () => page.evaluate('document.documentElement.scrollWidth - innerWidth');
  for (const size of SIZES) {
    await page.setViewportSize(size);
    await page.goto(`${service.url}/console/customers/owners/${idOf(owner)}`);
    assert.equal(await overflow(), 0, `owner at ${size.width}`);
    await page.goto(`${service.url}/console/review/${idOf(document)}`);
    assert.equal(await overflow(), 0, `review at ${size.width}`);
    await assertButtonsSeen(page, `${size.width}`);
    const { width, height } = (await page.locator('.viewer-box').boundingBox())!;
    assert.ok(width > 200 && height > 200, `the picture at ${size.width}: ${width} × ${height}`);
  }
});

test('what is wrong with a decision covers no reason, however many there are', async (t) => {
  const document = await service.submitted(await service.newOwner(), { documentType: 'other' });
  const { page } = await openWindow(t, browser);
  await enter(service, page, 'reviewer');
  for (const size of SIZES.filter(({ width }) => width >= 1280)) {
    await page.setViewportSize(size);
    await page.goto(`${service.url}/console/review/${idOf(document)}`, { waitUntil: 'networkidle' });
    for (const key of ['1', 'a']) await page.keyboard.press(key);
    assert.ok(await isSeen(page, page.getByText('Remove them to accept the document.')));
    for (const reason of await page.locator('.reasons .choice').all())
      assert.ok(await isSeen(page, reason), `${await reason.innerText()} at ${size.width}`);
    await assertButtonsSeen(page, `${size.width} with a message`);
    await page.screenshot({ path: join(FOLDER, `review-message-${size.width}.png`) });
  }
});

test('every reason that can be chosen is shown in the bar', async (t) => {
  const document = await newDocument();
  const { page } = await openWindow(t, browser);
  await enter(service, page, 'reviewer');
  await page.goto(`${service.url}/console/review/${idOf(document)}`);
  const boxes = await page.locator('[name=reason]').all();
  for (const [index, box] of boxes.entries()) {
    await box.check();
    assert.equal(await chosen(page).count(), index + 1);
  }
  assert.ok(boxes.length >= 8);
  // A document of a business has more of them.
  const styles = readFileSync(join(ROOT, 'assets/review.css'), 'utf8');
  for (const [index, reason] of REASONS.entries())
    assert.ok(styles.includes(`label:nth-of-type(${index + 1}) :checked`), `review.css shows ${reason}`);
});

test('a key does not decide on a document whose picture is not there yet', async (t) => {
  const document = await newDocument();
  const { page } = await openWindow(t, browser);
  await enter(service, page, 'reviewer');
  let answer = () => {};
  const held = new Promise<void>((resume) => {
    answer = resume;
  });
  await page.route('**/picture', async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(`${service.url}/console/review/${idOf(document)}`, { waitUntil: 'domcontentloaded' });
  await page.keyboard.press('a');
  await page.locator('.review-bar').getByText('Wait until the picture is there').waitFor();
  assert.equal((await service.get(document)).status, 'pending');
  answer();
  await page.waitForLoadState('load');
  await Promise.all([page.waitForURL(/\?last=/), page.keyboard.press('a')]);
});

test('no key decides on a document behind an open dialog', async (t) => {
  const document = await newDocument();
  const { page } = await openWindow(t, browser);
  await enter(service, page, 'reviewer');
  const path = `${service.url}/console/review/${idOf(document)}`;
  await page.goto(path, { waitUntil: 'networkidle' });
  await page.keyboard.press('Control+k');
  await page.getByRole('option', { name: 'Overview' }).waitFor();
  for (const key of ['Tab', '4', 'r', 'a']) await page.keyboard.press(key);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  assert.deepEqual([page.url(), await page.locator('[name=reason]:checked').count()], [path, 0]);
  assert.equal((await service.get(document)).documentVerificationStatus, 'pending');
});

test('on a small telephone nothing is wider than the window, whatever the time zone', async (t) => {
  const owner = await service.newOwner();
  await service.submitted(owner);
  const { page } = await openWindow(t, browser);
  const { id } = await enter(service, page, 'admin');
  for (const zone of ['UTC', 'America/Argentina/Buenos_Aires']) {
    await service.sql`update operator set time_zone = ${zone} where id = ${id}`;
    for (const width of [320, 360, 390, 430, 450]) {
      await page.setViewportSize({ width, height: 700 });
      for (const path of ['/console', '/console/review', `/console/customers/owners/${idOf(owner)}`]) {
        await page.goto(service.url + path);
        assert.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0, `${path} ${width} ${zone}`);
        assert.deepEqual(await page.evaluate(BROKEN), [], `${path} ${width}`);
        await page.screenshot({ path: join(FOLDER, `small-${width}-${zone === 'UTC'}-${path.split('/').length}.png`) });
      }
    }
  }
});

test('in the queue j, k and Enter go through the documents, ? lists the keys, and u takes the last decision back', async (t) => {
  const slow = await openUploads(t, { env: { REVIEW_UNDO_SECONDS: '60' } });
  const [first, second, third] = [await newDocument(slow), await newDocument(slow), await newDocument(slow)].map(idOf);
  const { page, problems } = await openWindow(t, browser);
  await enter(slow, page, 'reviewer');
  await page.goto(`${slow.url}/console/review/${first}`, { waitUntil: 'networkidle' });
  await Promise.all([page.waitForURL(/\?last=/), page.keyboard.press('a')]);
  await page.goto(`${slow.url}/console/review?last=${first}`);
  const focused = () => page.evaluate('document.activeElement.getAttribute("href")');
  for (const [key, id] of [
    ['j', second],
    ['j', third],
    ['k', second],
  ] as const) {
    await page.keyboard.press(key);
    assert.equal(await focused(), `/console/review/${id}`, key);
  }
  await page.keyboard.press('?');
  const keys = page.getByRole('dialog', { name: 'Keys' });
  assert.ok(await keys.getByText('next row of a list').isVisible());
  await page.keyboard.press('u');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${slow.url}/console/review/${second}`);
  await page.goBack();
  await page.keyboard.press('u');
  await page.waitForURL(new RegExp(`${first}\\?taken=back`));
  assert.deepEqual(problems, []);
});

test('a session that ends during a review does not lose the note, and decides nothing by itself', async (t) => {
  const document = await newDocument(service, 10);
  const { page } = await openWindow(t, browser);
  const { id } = await enter(service, page, 'reviewer');
  const path = `${service.url}/console/review/${idOf(document)}`;
  await page.goto(path);
  await page.keyboard.press('3');
  await page.getByLabel('Note for colleagues').fill('The lower half is dark.');
  await service.sql`delete from operator_session where operator_id = ${id}`;
  await page.getByRole('button', { name: /^Reject/ }).click();
  await page.getByText('the form is there again').waitFor();
  assert.ok(!page.url().includes('dark'));
  await page.goto(service.url + (await newLink(service, id)));
  await page.getByRole('button', { name: /^Sign in as/ }).click();
  await page.waitForURL(`${path}**`);
  assert.ok(await isSeen(page, page.locator('.review-bar').getByText('Your session had ended')));
  assert.equal(await page.getByLabel('Note for colleagues').inputValue(), 'The lower half is dark.');
  assert.ok(await isSeen(page, chosen(page).getByText('Image blurry')));
  assert.equal((await service.get(document)).status, 'pending');
  await page.keyboard.press('r');
  await page.waitForURL(/\?last=/);
  assert.equal((await service.get(document)).documentVerificationStatus, 'rejected');
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
  await page.setViewportSize({ width: 1280, height: 720 });
  const fields = await page.locator('.findings li:has(> .crop)').all();
  assert.ok(fields.length >= 4);
  for (const part of [...fields, page.getByText(/^evidence: /)]) assert.ok(await isSeen(page, part), await part.innerText());
  await examine(page, 'review-read');
}

test('each state of the review, at each size in both themes', async (t) => {
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
  for (const size of SIZES) {
    await page.setViewportSize(size);
    await page.goto(path);
    await assertButtonsSeen(page, `${size.width} without a script`);
  }
  await page.getByRole('button', { name: 'Show hidden values' }).click();
  assert.match(await page.locator('[data-evidence]').innerText(), /\d{4}-\d\d-\d\d/);
  await page.getByLabel('Note for colleagues').fill('Not lost.');
  await page.getByRole('button', { name: 'Reject' }).click();
  await page.locator('.review-bar').getByText('Choose at least one reason to reject.').waitFor();
  assert.equal(await page.getByLabel('Note for colleagues').inputValue(), 'Not lost.');
  await page.getByLabel('Image blurry, too dark, or obscured by glare').check();
  assert.ok(await isSeen(page, chosen(page).getByText('Image blurry')));
  await page.getByRole('button', { name: 'Reject' }).click();
  await page.getByRole('link', { name: 'Review it again' }).click();
  await page.getByLabel('Note for colleagues').fill('Sharp enough.');
  await page.getByRole('button', { name: 'Accept' }).click();
  await page.getByText(/^Passport of .* is accepted/).waitFor();
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
