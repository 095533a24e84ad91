// The review by keyboard, timed: the next document is there at once, and a person who has never seen the console decides on ten.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, type TestContext, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '../browser/open.ts';
import { passportSpecimen } from '../support/specimen-pictures.ts';
import { openUploads } from '../support/uploads.ts';
import { decideByKeyboard, startReview } from './decide.ts';
import { FOLDER } from './examine.ts';
import { enter, openWindow } from './stage.ts';

const NEXT_MAX_MS = 500;
const TWENTY = 20;
/** With a photograph; the others have a small picture. */
const PHOTOGRAPHS = 4;
const DOCUMENTS = 10;
const MAX_MS = 120_000;
/** What a person needs to read a step, and to compare a picture with the record. They are added to the measured time. */
const READ_STEP_MS = 3_000;
const COMPARE_MS = 7_000;

let browser: Browser;
let service: Awaited<ReturnType<typeof openUploads>>;
before(async (t) => {
  browser = await openBrowser(t as TestContext);
  service = await openUploads(t as TestContext);
});

/** Moves the focus to a link or button with the Tab key, and presses Enter. */
async function press(page: Page, name: string): Promise<void> {
  const focused = () => page.evaluate(`document.activeElement?.textContent?.trim() ?? ''`) as Promise<string>;
  for (let count = 0; !(await focused()).startsWith(name); count++) {
    assert.ok(count < 60, `Tab does not reach ${name}`);
    await page.keyboard.press('Tab');
  }
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
}

/** What a person reads, and what their fingers do. */
const STEPS: { say: string; act(page: Page): Promise<void> }[] = [
  { say: 'Go to Sandbox.', act: (page) => press(page, 'Sandbox') },
  { say: 'Press "Add the documents": ten passports of invented people arrive.', act: (page) => press(page, 'Add the documents') },
  { say: 'Go to Review.', act: (page) => press(page, 'Review') },
  { say: 'Press Start: you see the oldest document.', act: (page) => press(page, 'Start') },
  {
    say: 'Compare the name in the picture with the one on record. Press a to accept; or press 1 to 9 for the reasons, then r to reject.',
    async act(page) {
      for (let count = 0; count < DOCUMENTS; count++) {
        const keys = count % 3 === 2 ? ['3', 'r'] : ['a'];
        for (const key of keys.slice(0, -1)) await page.keyboard.press(key);
        await Promise.all([page.waitForNavigation(), page.keyboard.press(keys.at(-1)!)]);
      }
    },
  },
];

test('ten documents by keyboard, the first time, in under two minutes', async (t) => {
  const { page, problems } = await openWindow(t, browser);
  await enter(service, page, 'reviewer');
  const start = performance.now();
  for (const { say, act } of STEPS) {
    await act(page);
    t.diagnostic(`${((performance.now() - start) / 1000).toFixed(1)} s: ${say}`);
  }
  const machineMs = performance.now() - start;
  await page.getByText('Nothing waits for a decision').waitFor();
  const totalMs = machineMs + STEPS.length * READ_STEP_MS + DOCUMENTS * COMPARE_MS;
  t.diagnostic(`${(machineMs / 1000).toFixed(1)} s of the machine, ${(totalMs / 1000).toFixed(0)} s with reading and comparing`);
  assert.ok(totalMs < MAX_MS, `${totalMs} ms`);
  const rows = await service.sql<{ status: string; count: number }>`
    select status, count(*)::int from document group by status order by status`;
  assert.deepEqual(rows, [
    { status: 'accepted', count: 7 },
    { status: 'rejected', count: 3 },
  ]);
  assert.deepEqual(problems, []);
});

test('twenty documents by keyboard; the next one is there in under half a second', async (t) => {
  const documents: string[] = [];
  for (let count = 0; count < TWENTY; count++) {
    const photograph = count < PHOTOGRAPHS ? await passportSpecimen(count + 1) : undefined;
    const owner = await service.newOwner(photograph && { ...photograph.person, firstName: 'document' });
    documents.push(await service.submitted(owner, photograph && { file: photograph.picture }));
  }
  const { page, problems } = await openWindow(t, browser);
  await enter(service, page, 'reviewer');
  await startReview(page, service.url);
  const times = await decideByKeyboard(page);
  assert.equal(times.length, TWENTY);
  const sorted = times.toSorted((one, other) => one - other);
  const median = sorted[TWENTY / 2]!;
  t.diagnostic(`next document: median ${Math.round(median)} ms, slowest ${Math.round(sorted.at(-1)!)} ms`);
  const lines = times.map((ms, index) => `${index + 1}\t${Math.round(ms)} ms\n`);
  writeFileSync(join(FOLDER, 'review-times.txt'), lines.join(''));
  assert.ok(median < NEXT_MAX_MS, `median ${median} ms`);
  const { _embedded } = await service.get(`${documents[2]}/reviews`);
  assert.deepEqual(_embedded.reviews[0].reasons, ['ScanNotReadable']);
  assert.deepEqual(problems, []);
});
