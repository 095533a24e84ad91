// Every screen of the console in windows of five sizes, in both themes: accessible, without overflow, and with a picture to look at.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, type TestContext, test } from 'node:test';
import { exportJWK } from 'jose';
import type { Browser } from 'playwright-core';
import { openBrowser } from '../browser/open.ts';
import { newKey } from '../support/client-keys.ts';
import { idOf } from '../support/http.ts';
import { startService } from '../support/service.ts';
import { storeTwoDays } from './days-before.ts';
import { examine, FOLDER } from './examine.ts';
import { enter, openStage, openWindow, type Stage } from './stage.ts';

const HEIGHT = 900;

let browser: Browser;
let stage: Stage;
before(async (t) => {
  browser = await openBrowser(t as TestContext);
  stage = await openStage(t as TestContext);
});

/** Examines pages as an administrator sees them. */
async function examineAll(t: TestContext, screensOf: (person: string) => Record<string, string>): Promise<void> {
  const { page, problems } = await openWindow(t, browser);
  const { id } = await enter(stage, page, 'admin');
  for (const [name, path] of Object.entries(screensOf(id))) {
    await page.goto(stage.url + path);
    await examine(page, name);
  }
  assert.deepEqual(problems, []);
}

test('each screen of customers and money', async (t) => {
  const customer = new URL(stage.full).pathname;
  await examineAll(t, () => ({
    overview: '/console',
    customers: '/console/customers',
    'customers-none': '/console/customers?search=nobody+has+this+name',
    customer: `/console${customer}`,
    'customer-suspend': `/console${customer}/suspend`,
    money: '/console/money',
    'money-none': '/console/money?search=nothing+has+this+reference',
    'money-wrong': '/console/money?amount=1.234',
    transfer: `/console/money/transfers/${stage.transfer}`,
    'transfer-signed': `/console/money/transfers/${stage.signedTransfer}`,
    'reverse-form': `/console/money/transfers/${stage.transfer}/reverse`,
    'reverse-refused': `/console/money/transfers/${stage.transfer}/reverse?amount=99`,
    'reverse-confirm': `/console/money/transfers/${stage.transfer}/reverse?amount=7.00&reference=By+mistake`,
    'return-form': `/console/money/transfers/${stage.deposit}/return`,
    'return-refused': `/console/money/transfers/${stage.deposit}/return?amount=1%2C5&reason=R01`,
    'return-confirm': `/console/money/transfers/${stage.deposit}/return?reason=R01+insufficient+funds&externalId=bank-7`,
    close: '/console/close',
    'move-form': `/console/money/move?customer=${customer.split('/').at(-1)}`,
    'move-refused': `/console/money/move?customer=${customer.split('/').at(-1)}&from=available&to=outside&amount=99999999&currency=USD`,
    'move-confirm': `/console/money/move?customer=${customer.split('/').at(-1)}&from=outside&to=available&amount=1250.00&currency=USD&reference=Invoice+77`,
  }));
});

test('each screen of ledgers', async (t) => {
  const customer = new URL(stage.full).pathname;
  const account = idOf(stage.labels[0]!);
  const [available] = await stage.sql<{ id: string }>`
    select id from ledger_account where customer_id = ${idOf(stage.full)} and kind = 'available' and currency = 'USD'`;
  const day = new Date().toISOString().slice(0, 10);
  await examineAll(t, () => ({
    'ledger-label': `/console/money/accounts/${account}`,
    'ledger-label-day': `/console/money/accounts/${account}?until=${day}&kind=reallocation`,
    'ledger-label-none': `/console/money/accounts/${account}?text=nothing+has+this`,
    'ledger-label-wrong': `/console/money/accounts/${account}?amount=1.234`,
    'ledger-available': `/console/money/accounts/${available!.id}`,
    'ledger-customer': `/console${customer}/ledger`,
    'ledger-customer-none': `/console${new URL(stage.bare).pathname}/ledger`,
  }));
});

test('the overview of a service that has run for two days, with something unusual', async (t) => {
  const service = await startService(t);
  await service.newCustomer({ available: '125000.00' });
  await storeTwoDays(service);
  const { page, problems } = await openWindow(t, browser);
  await enter(service, page, 'admin');
  await page.getByText('Unusual in the last hour').waitFor();
  await page.getByText('Calls of Checkout', { exact: true }).waitFor();
  await examine(page, 'overview-two-days');
  assert.deepEqual(problems, []);
});

test('each screen of holds, schedules, rules and monitors', async (t) => {
  const customer = new URL(stage.full).pathname;
  await examineAll(t, () => ({
    'hold-form': `/console${customer}/holds/new`,
    'hold-form-nothing': `/console${new URL(stage.bare).pathname}/holds/new`,
    'hold-release': `/console${customer}/holds/${stage.hold}/release`,
    'hold-capture': `/console${customer}/holds/${stage.hold}/capture`,
    'hold-capture-refused': `/console${customer}/holds/${stage.hold}/capture?to=outside&amount=99999&rest=keep&reference=x`,
    'hold-capture-confirm': `/console${customer}/holds/${stage.hold}/capture?to=outside&amount=25.00&rest=keep&reference=Day+one`,
    'schedule-form': `/console${customer}/schedules/new`,
    'schedule-pause': `/console${customer}/schedules/${stage.schedule}/pause`,
    'schedule-end': `/console${customer}/schedules/${stage.schedule}/end`,
    'rule-form': `/console${customer}/allocation-rules/new`,
    'rule-delete': `/console${customer}/allocation-rules/${stage.rule}/delete`,
    'monitor-form': `/console${customer}/monitors/new`,
    'monitor-delete': `/console${customer}/monitors/${stage.monitor}/delete`,
  }));
});

test('a refused form of a rule names the step, and keeps what was typed', async (t) => {
  const { page, problems } = await openWindow(t, browser);
  await enter(stage, page, 'finance');
  await page.goto(`${stage.url}/console${new URL(stage.full).pathname}/allocation-rules/new`);
  await page.getByLabel('Name', { exact: true }).fill('Set aside');
  await page.getByLabel('To', { exact: true }).nth(0).selectOption({ index: 1 });
  await page.getByLabel('How much').nth(0).fill('125');
  await page.getByRole('button', { name: 'Create the rule' }).click();
  await page.getByText('Step 1: Percent must be above 0').waitFor();
  assert.equal(await page.getByLabel('How much').nth(0).inputValue(), '125');
  await examine(page, 'rule-refused');
  assert.deepEqual(problems, []);
});

test('each screen of what runs, and of people', async (t) => {
  const customer = new URL(stage.full).pathname;
  await examineAll(t, (id) => ({
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
  await examineAll(t, () => ({
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
