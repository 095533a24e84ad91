// Every screen of customers and money in windows of five sizes and both themes: accessible, without overflow, and with a picture to
// look at.
import assert from 'node:assert/strict';
import { before, type TestContext, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openBrowser } from '../browser/open.ts';
import { idOf } from '../support/http.ts';
import { startService } from '../support/service.ts';
import { storeTwoDays } from './days-before.ts';
import { examine } from './examine.ts';
import { examineAll } from './examine-all.ts';
import { enter, openStage, openWindow, type Stage } from './stage.ts';

/** More than a list of choices has. */
const MANY_LABELS = 201;

let browser: Browser;
let stage: Stage;
before(async (t) => {
  browser = await openBrowser(t as TestContext);
  stage = await openStage(t as TestContext);
});

test('each screen of customers and money', async (t) => {
  const customer = new URL(stage.full).pathname;
  await examineAll(t, { browser, stage }, () => ({
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
  await examineAll(t, { browser, stage }, () => ({
    'ledger-label': `/console/money/accounts/${account}`,
    'ledger-label-day': `/console/money/accounts/${account}?until=${day}&kind=reallocation`,
    'ledger-label-none': `/console/money/accounts/${account}?text=nothing+has+this`,
    'ledger-label-wrong': `/console/money/accounts/${account}?amount=1.234`,
    'ledger-available': `/console/money/accounts/${available!.id}`,
    'ledger-customer': `/console${customer}/ledger`,
    'customer-labels': `/console${customer}/labels`,
    'customer-labels-none': `/console${customer}/labels?search=nothing+has+this`,
    'customer-label-new': `/console${customer}/labels/new`,
    'label-rename': `/console${customer}/labels/${account}/rename`,
    'label-remove': `/console${customer}/labels/${account}/remove`,
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
  await examineAll(t, { browser, stage }, () => ({
    'hold-form': `/console${customer}/holds/new`,
    'hold-form-nothing': `/console${new URL(stage.bare).pathname}/holds/new`,
    hold: `/console${customer}/holds/${stage.hold}`,
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

test('a field suggests the labels of a customer with many, while a name is typed', async (t) => {
  const service = await startService(t);
  const customer = await service.newCustomer({ available: '75.00' });
  const path = `/console${new URL(customer).pathname}`;
  const newLabel = (name: string) => service.create(`${customer}/labels`, { name, amount: { value: '0', currency: 'USD' } });
  const oldest = idOf(await newLabel('Roof repairs'));
  for (let count = 2; count <= MANY_LABELS; count++) await newLabel(`Tenant ${count}`);
  const { page, problems } = await openWindow(t, browser);
  await enter(service, page, 'finance');
  await page.goto(`${service.url}${path}/holds/new`);
  await page.getByLabel('Of', { exact: true }).pressSequentially('roof');
  await page.waitForFunction((ending) => document.querySelector(`#of-labels option[value$="${ending}"]`), oldest.slice(-8));
  const suggested = await page.evaluate(
    (ending) => document.querySelector<HTMLOptionElement>(`#of-labels option[value$="${ending}"]`)!.value,
    oldest.slice(-8),
  );
  await page.getByLabel('Of', { exact: true }).fill(suggested);
  await page.getByLabel('Amount').fill('1.00');
  await page.getByRole('button', { name: 'Hold it' }).click();
  await page.getByText('Only 0.00 USD').or(page.getByText('nsufficient')).first().waitFor();
  assert.equal(await page.getByLabel('Of', { exact: true }).inputValue(), suggested, 'the choice is kept');
  assert.deepEqual(problems, []);
  const id = idOf(customer);
  await examineAll(t, { browser, stage: service }, () => ({
    'hold-form-many': `${path}/holds/new`,
    'schedule-form-many': `${path}/schedules/new`,
    'rule-form-many': `${path}/allocation-rules/new`,
    'move-form-many': `/console/money/move?customer=${id}`,
    'ledger-customer-many': `${path}/ledger?label=roof+repairs`,
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
