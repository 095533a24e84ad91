// Attacks on the console in a real browser: forms of other sites, stolen sessions, framing, and text that is markup.
import assert from 'node:assert/strict';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { before, type TestContext, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '../browser/open.ts';
import type { TestScope } from '../support/test-scope.ts';
import { openUploads } from '../support/uploads.ts';
import { sendHostileText } from './hostile-text.ts';
import { enter, openStage, openWindow, PAYLOAD, type Stage, sessionOf } from './stage.ts';

let browser: Browser;
let stage: Stage;
before(async (t) => {
  browser = await openBrowser(t as TestContext);
  stage = await openStage(t as TestContext);
});

/** A page of another origin: the same host with another port, and another site. */
async function startForeignPage(t: TestScope, body: string): Promise<string[]> {
  const server = http.createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<!doctype html><title>Foreign</title>${body}`);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  t.after(async () => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return [`http://localhost:${port}`, `http://127.0.0.1:${port}`];
}

test('a form of another origin changes nothing, and no page of it may frame the console', async (t) => {
  const { page } = await openWindow(t, browser);
  await enter(stage, page, 'admin');
  const fields = '<input name="name" value="Mallory"><input name="role" value="admin">';
  const form = `<form id="f" method="post" action="${stage.url}/console/people">${fields}</form><iframe src="${stage.url}/console"></iframe>`;
  for (const origin of await startForeignPage(t, form)) {
    await page.goto(origin);
    const frame = page.frames().find((candidate) => candidate !== page.mainFrame());
    assert.ok(!/Overview/.test((await frame?.content().catch(() => '')) ?? ''), 'the console is not framed');
    await Promise.all([page.waitForURL(/\/console\/people/), page.evaluate('document.getElementById("f").submit()')]);
    assert.match(await page.locator('h1').innerText(), /Not allowed/);
  }
  assert.equal((await stage.sql`select 1 from operator where name = 'Mallory'`).length, 0);
});

test('a stolen cookie ends with the sign-out, and scripts cannot read it', async (t) => {
  const { page, context } = await openWindow(t, browser);
  await enter(stage, page, 'admin');
  assert.equal(await page.evaluate('document.cookie'), '');
  const stolen = (await sessionOf(context))!;
  const thief = await openWindow(t, browser);
  await thief.context.addCookies([stolen]);
  await thief.page.goto(`${stage.url}/console`);
  assert.ok(await thief.page.getByRole('heading', { name: 'Overview' }).isVisible());
  await page.locator('.account summary').click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('You are signed out.').waitFor();
  await thief.page.reload();
  assert.match(thief.page.url(), /sign-in/);
});

test('a session that an attacker planted does not survive the sign-in', async (t) => {
  const attacker = await openWindow(t, browser);
  await enter(stage, attacker.page, 'viewer');
  const planted = (await sessionOf(attacker.context))!;
  const { page, context } = await openWindow(t, browser);
  await context.addCookies([planted]);
  await enter(stage, page, 'admin');
  assert.notEqual((await sessionOf(context))!.value, planted.value);
});

test('hostile names of people and hostile addresses are text, and run nothing', async (t) => {
  const { page, problems } = await openWindow(t, browser);
  await enter(stage, page, 'admin');
  await page.goto(`${stage.url}/console/people/new`);
  await page.getByLabel('Name', { exact: true }).fill(PAYLOAD.slice(0, 100));
  await page.getByLabel(/^viewer/).check();
  await page.getByRole('button', { name: 'Add' }).click();
  await page.waitForURL(/people\/[0-9a-f-]{36}/);
  const person = new URL(page.url()).pathname;
  const query = encodeURIComponent(PAYLOAD);
  const paths = [
    ...[person, '/console/people', '/console/audit-log', `/console/customers?search=${query}`, `/console/money?search=${query}`],
    ...[`/console/sign-in?to=${query}`, `/console?done=${query}`, `/console/audit-log?action=${query}&person=${query}`],
  ];
  for (const path of paths) {
    await page.goto(stage.url + path);
    await assertHarmless(page, path);
  }
  assert.deepEqual(problems, []);
});

test('hostile text in every field of the API is text on every page', async (t) => {
  const service = await openUploads(t);
  const seeds = await sendHostileText(service);
  const { page, problems } = await openWindow(t, browser);
  await enter(service, page, 'admin');
  const paths = [...seeds, '/console'];
  const seen = new Set<string>();
  for (const path of paths) {
    await page.goto(service.url + path);
    await assertHarmless(page, path);
    const found = (await page.evaluate(
      `[...document.querySelectorAll('main a, nav.side a')].map((a) => a.pathname + a.search)`,
    )) as string[];
    for (const next of found) {
      const pattern = next.replace(/[0-9a-f-]{36}/g, ':id').split('?')[0]!;
      if (!next.startsWith('/console') || /\/(statements|picture|file)(\/|$)|\.(csv|zip)\b/.test(next) || seen.has(pattern))
        continue;
      seen.add(pattern);
      paths.push(next);
    }
  }
  for (const pattern of [
    '/console/customers/:id',
    '/console/money/transfers/:id',
    '/console/money/transfers/:id/reverse',
    '/console/review/:id',
  ])
    assert.ok(seen.has(pattern) || seeds.some((path) => path.replace(/[0-9a-f-]{36}/g, ':id') === pattern), pattern);
  assert.ok(paths.length > 20, `only ${paths.length} pages`);
  assert.deepEqual(problems, []);
});

async function assertHarmless(page: Page, path: string): Promise<void> {
  assert.equal(await page.evaluate('window.stolen'), undefined, path);
  assert.equal(await page.locator('img[src=x], main script').count(), 0, path);
}
