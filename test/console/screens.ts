// Every screen of what runs, of people and before the sign-in, in windows of five sizes and both themes: accessible, without overflow,
// and with a picture to look at.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, type TestContext, test } from 'node:test';
import { exportJWK } from 'jose';
import type { Browser } from 'playwright-core';
import { openBrowser } from '../browser/open.ts';
import { newKey } from '../support/client-keys.ts';
import { startService } from '../support/service.ts';
import { examine, FOLDER } from './examine.ts';
import { examineAll } from './examine-all.ts';
import { enter, openStage, openWindow, type Stage } from './stage.ts';

const HEIGHT = 900;

let browser: Browser;
let stage: Stage;
before(async (t) => {
  browser = await openBrowser(t as TestContext);
  stage = await openStage(t as TestContext);
});

test('each screen of what runs, and of people', async (t) => {
  const customer = new URL(stage.full).pathname;
  await examineAll(t, { browser, stage }, (id) => ({
    webhooks: '/console/webhooks',
    subscription: `/console/webhooks/${stage.subscription}`,
    'subscription-none': `/console/webhooks/${stage.subscription}?status=delivered`,
    'subscription-pause': `/console/webhooks/${stage.subscription}/pause`,
    'subscription-new': '/console/webhooks/new',
    'subscription-edit': `/console/webhooks/${stage.subscription}/edit`,
    'subscription-new-secret': `/console/webhooks/${stage.subscription}/new-secret`,
    'subscription-remove': `/console/webhooks/${stage.subscription}/remove`,
    'subscription-secret-gone': `/console/webhooks/${stage.subscription}/secret`,
    delivery: `/console/webhooks/deliveries/${stage.delivery}`,
    applications: '/console/applications',
    'application-new': '/console/applications/new',
    application: `/console/applications/${stage.client.client_id}`,
    'application-scopes': `/console/applications/${stage.client.client_id}/scopes`,
    'application-scopes-ask': `/console/applications/${stage.client.client_id}/scopes?asked=yes&scope=read`,
    'application-disable': `/console/applications/${stage.client.client_id}/disable`,
    'application-new-secret': `/console/applications/${stage.client.client_id}/new-secret?overlap=0`,
    'application-secret-gone': `/console/applications/${stage.client.client_id}/secret`,
    sandbox: '/console/sandbox',
    design: '/console/design',
    operations: '/console/operations',
    keys: '/console/operations/keys',
    'keys-counted': '/console/operations/keys?count=yes',
    'keys-signing': '/console/operations/keys/signing',
    people: '/console/people',
    'people-new': '/console/people/new',
    person: `/console/people/${id}`,
    'person-disable': `/console/people/${id}/disable`,
    'person-new-link': `/console/people/${id}/new-link`,
    'person-remove-passkeys': `/console/people/${id}/remove-passkeys`,
    policies: '/console/policies',
    policy: `/console/policies/${stage.client.account_id}`,
    find: '/console/find?q=Harbour',
    'find-none': '/console/find?q=nothing+has+this',
    'review-none': '/console/review',
    'decided-none': '/console/review/decided',
    'audit-log': '/console/audit-log',
    'audit-log-none': '/console/audit-log?action=run_job',
    'audit-log-wrong': '/console/audit-log?from=2026-13-45',
    'audit-log-about': `/console/audit-log?about=${customer.split('/').at(-1)}`,
    account: '/console/account',
    'not-found': '/console/nothing',
  }));
});

test('a secret and a link are shown once, with a button that copies them; a refused form keeps what was entered', async (t) => {
  const { page, context, problems } = await openWindow(t, browser);
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: stage.url });
  const { id } = await enter(stage, page, 'admin');
  await page.goto(`${stage.url}/console/applications/new`);
  await page.getByLabel('Name', { exact: true }).fill('Payroll');
  await page.getByLabel(/^read/).uncheck();
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByText('Choose at least one scope.').waitFor();
  await examine(page, 'application-refused');
  await page.getByLabel(/^write/).check();
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByText('Copy the secret now.').waitFor();
  await page.getByRole('button', { name: 'Copy Client secret' }).click();
  await page.getByText('Copied').waitFor();
  const secret = await page.locator('code').last().innerText();
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), secret);
  await examine(page, 'application-secret');
  await page.reload();
  await page.getByText('It was shown once').waitFor();
  assert.equal((await stage.sql`select 1 from application where name = 'Payroll'`).length, 1, 'loading again creates none');
  await page.goto(`${stage.url}/console/people/${id}`);
  await page.getByRole('link', { name: 'Make a new sign-in link…' }).click();
  await page.getByText('Whoever opens the link is').waitFor();
  await page.getByRole('button', { name: 'Make a sign-in link' }).click();
  await page.getByRole('button', { name: 'Copy Sign-in link' }).click();
  await page.getByText('Copied').waitFor();
  await examine(page, 'person-link');
  assert.deepEqual(problems, []);
});

test('each form of how an application authenticates', async (t) => {
  await examineAll(t, { browser, stage }, () => ({
    'application-add-key': `/console/applications/${stage.client.client_id}/keys/add`,
    'application-address': `/console/applications/${stage.client.client_id}/keys/address`,
    'application-trust': `/console/applications/${stage.client.client_id}/keys/trust`,
    'application-binding': `/console/applications/${stage.client.client_id}/binding`,
    'application-bind': `/console/applications/${stage.client.client_id}/binding?require=dpop`,
  }));
});

test('an application gets keys by clicks, and each state of them is shown', async (t) => {
  const { page, problems } = await openWindow(t, browser);
  await enter(stage, page, 'admin');
  const { client_id } = await stage.newClient();
  const [one, two] = [await newKey('ES256'), await newKey('PS256')];
  one.jwk.kid = 'backend-2026-with-a-name-that-nobody-would-write-but-a-machine-might';
  await page.goto(`${stage.url}/console/applications/${client_id}`);
  await examine(page, 'application-without-keys');
  const add = async (text: string) => {
    await page.getByLabel('Public key').fill(text);
    await page.getByRole('button', { name: 'Add the key' }).click();
  };
  await page.getByRole('link', { name: 'Add a key…' }).click();
  await add(JSON.stringify(await exportJWK(one.privateKey)));
  await page.getByText('Nothing of it was stored').waitFor();
  assert.equal(await page.getByLabel('Public key').inputValue(), '', 'a private key is not shown again');
  await examine(page, 'application-private-key');
  await add(JSON.stringify({ ...one.jwk, crv: 'P-384' }));
  await page.getByText('must be EC with P-256').waitFor();
  await examine(page, 'application-wrong-key');
  await add(JSON.stringify(one.jwk, null, 2));
  await page.getByText('The keys are changed').waitFor();
  await page.getByRole('link', { name: 'Add a key…' }).click();
  await add(JSON.stringify(two.jwk));
  await page.getByText('It has two, as many as it can').waitFor();
  await page.getByRole('link', { name: 'Refuse its secret…' }).click();
  await examine(page, 'application-refuse-secret');
  await page.getByRole('button', { name: 'Refuse the secret' }).click();
  await page.getByRole('link', { name: 'Bind its tokens…' }).click();
  await page.getByLabel('Each of its tokens must be bound to').selectOption('dpop');
  await page.getByRole('button', { name: 'Continue…' }).click();
  await page.getByRole('button', { name: 'Require DPoP' }).click();
  await page.getByText('must be bound to a key').waitFor();
  await examine(page, 'application-keys');
  await page.getByRole('link', { name: `Remove… ${one.jwk.kid}` }).click();
  await examine(page, 'application-remove-key');
  await page.getByRole('button', { name: 'Remove the key' }).click();
  await page.getByRole('link', { name: 'Trust an issuer…' }).click();
  await examine(page, 'application-replace-keys');
  await page.getByLabel('Issuer', { exact: true }).fill('https://token.actions.githubusercontent.com');
  await page.getByLabel('Subject').fill('repo:example/backend:ref:refs/heads/main');
  await page.getByRole('button', { name: 'Trust the issuer' }).click();
  await page.getByText('Trusted issuer').waitFor();
  await examine(page, 'application-trusting');
  await page.goto(`${stage.url}/console/applications/new`);
  await page.getByLabel(/^A public key/).check();
  await examine(page, 'application-new-key');
  assert.deepEqual(problems, []);
});

test('the pages before the sign-in, and those of a person without permission', async (t) => {
  const { page, problems } = await openWindow(t, browser);
  for (const [name, path] of Object.entries({ 'sign-in': '/console/sign-in', 'link-used': '/console/link/used', front: '/' })) {
    await page.goto(stage.url + path);
    await examine(page, name);
  }
  await enter(stage, page, 'viewer');
  await page.goto(`${stage.url}/console/people`);
  await examine(page, 'not-allowed');
  assert.deepEqual(problems, []);
});

test('a service without data', async (t) => {
  const empty = await startService(t, { env: { MODE: 'production' } });
  const { page, problems } = await openWindow(t, browser);
  await enter(empty, page, 'admin');
  for (const [name, path] of Object.entries({
    overview: '/console',
    customers: '/console/customers',
    money: '/console/money',
    webhooks: '/console/webhooks',
    applications: '/console/applications',
  })) {
    await page.goto(empty.url + path);
    await examine(page, `${name}-empty`);
  }
  assert.deepEqual(problems, []);
});

test('the menu of a narrow window, and everything by keyboard', async (t) => {
  const { page } = await openWindow(t, browser, { viewport: { width: 375, height: HEIGHT } });
  await enter(stage, page, 'admin');
  await page.getByRole('button', { name: 'Menu' }).press('Enter');
  await page.screenshot({ path: join(FOLDER, 'menu-light-375.png') });
  await page.getByRole('link', { name: 'People' }).press('Enter');
  await page.waitForURL(/\/people$/);
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to the content');
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate('location.hash'), '#main');
});

test('the theme of a person stays, against that of the system', async (t) => {
  const { page } = await openWindow(t, browser, { colorScheme: 'light' });
  await enter(stage, page, 'viewer');
  await page.getByRole('button', { name: 'Theme: system' }).click();
  await page.getByRole('button', { name: 'Theme: light' }).click();
  await page.reload();
  await page.getByRole('button', { name: 'Theme: dark' }).waitFor();
  assert.equal(await page.evaluate('getComputedStyle(document.body).backgroundColor'), 'rgb(14, 19, 24)');
});
