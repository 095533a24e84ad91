// Roles and first pages in a real browser: what each role may open, without JavaScript, and what the first pages weigh.
import assert from 'node:assert/strict';
import { before, type TestContext, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { ROLES, type Role } from '../../src/resources/operators/role.ts';
import { openBrowser } from '../browser/open.ts';
import { enter, openStage, openWindow, type Stage } from './stage.ts';

const KB = 1000;
const SCREENS: Record<string, readonly Role[]> = {
  '/console': ROLES,
  '/console/review': ['reviewer', 'admin'],
  '/console/customers': ROLES,
  '/console/money': ['viewer', 'finance', 'admin'],
  '/console/close': ['finance', 'admin'],
  '/console/webhooks': ['operator', 'admin'],
  '/console/applications': ['operator', 'admin'],
  '/console/operations': ['viewer', 'operator', 'admin'],
  '/console/sandbox': ['reviewer', 'finance', 'operator', 'admin'],
  '/console/people': ['admin'],
  '/console/policies': ['admin'],
  '/console/audit-log': ['admin'],
};
/** Pages that a person may open first. */
const FIRST_PAGES = ['/console/sign-in', '/console', '/console/review', '/console/customers', '/console/money', '/docs', '/'];
/** The most that a first visit may load, with style, type, icons and scripts. */
const FIRST_VISIT_MAX = 120 * KB;

let browser: Browser;
let stage: Stage;
before(async (t) => {
  browser = await openBrowser(t as TestContext);
  stage = await openStage(t as TestContext);
});

test('each role opens its screens, without JavaScript, and no others', async (t) => {
  for (const role of ROLES) {
    const { page } = await openWindow(t, browser, { javaScriptEnabled: false });
    await enter(stage, page, role);
    const links = await page.locator('nav.side a').evaluateAll((all) => all.map((a) => a.getAttribute('href')));
    assert.deepEqual(
      links,
      Object.keys(SCREENS).filter((href) => SCREENS[href]!.includes(role)),
      role,
    );
    for (const href of Object.keys(SCREENS)) {
      await page.goto(stage.url + href);
      const title = await page.locator('h1').innerText();
      assert.equal(/Not allowed/.test(title), !links.includes(href), `${role} ${href}: ${title}`);
    }
  }
});

test('first pages are light, and load nothing from another host', async (t) => {
  for (const path of FIRST_PAGES) {
    const { page, problems } = await openWindow(t, browser);
    if (path.startsWith('/console') && path !== '/console/sign-in') {
      const { page: other, context } = await openWindow(t, browser);
      await enter(stage, other, 'admin');
      await page.context().addCookies(await context.cookies());
    }
    const loaded: Promise<{ url: string; bytes: number }>[] = [];
    page.on('requestfinished', (request) => {
      const bytes = request.sizes().then((sizes) => sizes.responseBodySize + sizes.responseHeadersSize);
      loaded.push(bytes.then((bytes) => ({ url: request.url(), bytes })));
    });
    await page.goto(stage.url + path, { waitUntil: 'networkidle' });
    const all = await Promise.all(loaded);
    assert.deepEqual([all.filter(({ url }) => !url.startsWith(stage.url)), problems], [[], []], path);
    const total = all.reduce((sum, { bytes }) => sum + bytes, 0);
    t.diagnostic(`${path}: ${Math.round(total / KB)} kB in ${all.length} requests`);
    assert.ok(all.length > 3 && total < FIRST_VISIT_MAX, `${path}: ${JSON.stringify(all)}`);
  }
});
