// Changes that wait for a second person, in a real browser: asked by one, approved by another, and collected once.
import assert from 'node:assert/strict';
import { before, type TestContext, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openBrowser } from '../browser/open.ts';
import { idOf } from '../support/http.ts';
import { startService, type TestService } from '../support/service.ts';
import { examine } from './examine.ts';
import { enter, openWindow } from './stage.ts';

let browser: Browser;
let service: TestService;
before(async (t) => {
  browser = await openBrowser(t as TestContext);
  service = await startService(t as TestContext, { env: { FOUR_EYES: 'true' } });
});

test('an application that moves money is asked for, approved by another person, and its secret shown to the first one', async (t) => {
  const [one, other] = [await openWindow(t, browser), await openWindow(t, browser)];
  const { name } = await enter(service, one.page, 'operator', 'finance');
  await enter(service, other.page, 'admin');
  await one.page.goto(`${service.url}/console/applications/new`);
  await examine(one.page, 'application-new-operator');
  assert.ok(await one.page.getByLabel(/^review/).isDisabled());
  await one.page.getByLabel('Name', { exact: true }).fill('Payouts to suppliers');
  await one.page.getByLabel(/^funds/).check();
  await one.page.getByRole('button', { name: 'Create' }).click();
  await one.page.getByText('Nothing has changed yet.').waitFor();
  await examine(one.page, 'change-own');
  await other.page.goto(`${service.url}/console/people`);
  await examine(other.page, 'people-waiting');
  await other.page.getByRole('link', { name: 'Create the application Payouts to suppliers' }).click();
  await other.page.getByText(`Approve only what ${name} has told you about.`).waitFor();
  await examine(other.page, 'change-to-approve');
  await other.page.getByRole('button', { name: 'Approve' }).click();
  await other.page.getByText('The change is approved.').waitFor();
  await examine(other.page, 'change-approved');
  await one.page.goto(`${service.url}/console/applications`);
  await examine(one.page, 'applications-waiting');
  await one.page.getByRole('link', { name: 'Create the application Payouts to suppliers' }).click();
  await examine(one.page, 'change-to-collect');
  await one.page.getByRole('button', { name: 'Make the change and show the secret' }).click();
  await one.page.getByText('Copy the secret now.').waitFor();
  await one.page.reload();
  await one.page.getByText('It was shown once').waitFor();
  assert.deepEqual([one.problems, other.problems], [[], []]);
});

test('a new reviewer waits without JavaScript too, and who was added by the one who asks cannot approve', async (t) => {
  const [one, other, added] = [
    await openWindow(t, browser, { javaScriptEnabled: false }),
    await openWindow(t, browser),
    await openWindow(t, browser),
  ];
  const { id } = await enter(service, one.page, 'admin');
  await enter(service, other.page, 'admin');
  const puppet = await enter(service, added.page, 'admin');
  await service.sql`insert into operator_sponsor (operator_id, sponsor_id, since) values (${puppet.id}, ${id}, now())`;
  await one.page.goto(`${service.url}/console/people/new`);
  await one.page.getByLabel('Name', { exact: true }).fill('Grace Hopper');
  await one.page.getByLabel(/^reviewer/).check();
  await one.page.getByRole('button', { name: 'Add' }).click();
  await one.page.getByText('Nothing has changed yet.').waitFor();
  const [address] = one.page.url().split('?');
  await added.page.goto(address!);
  await added.page.getByText('count as one person').waitFor();
  await examine(added.page, 'change-not-yours');
  assert.equal(await added.page.getByRole('button', { name: 'Approve' }).count(), 0);
  await other.page.goto(address!);
  await other.page.getByRole('button', { name: 'Approve' }).click();
  await other.page.goto(`${service.url}/console/people`);
  await other.page.getByRole('link', { name: 'Grace Hopper' }).waitFor();
  await one.page.goto(`${service.url}/console/people/${puppet.id}`);
  await one.page.getByRole('link', { name: 'Make a new sign-in link…' }).click();
  await one.page.getByRole('button', { name: 'Make a sign-in link' }).click();
  await one.page.getByText('Make a sign-in link for').first().waitFor();
  await one.page.getByRole('button', { name: 'Withdraw' }).click();
  await one.page.getByText('The change is withdrawn.').waitFor();
});

test('money above the limit of one person is confirmed by another, and a refusal of the ledger is explained', async (t) => {
  const [one, other, admin] = [await openWindow(t, browser), await openWindow(t, browser), await openWindow(t, browser)];
  await enter(service, one.page, 'finance');
  await enter(service, other.page, 'finance');
  await enter(service, admin.page, 'admin');
  const customer = await service.newCustomer({ available: '9000.00', form: { businessName: 'Northwind Bakery' } });
  await admin.page.goto(`${service.url}/console/policies/${service.client.account_id}`);
  await admin.page.getByLabel('One person moves up to').fill('1,000.00');
  await admin.page.getByRole('button', { name: 'Set the limit' }).click();
  await admin.page.getByText('The limit is in force.').waitFor();
  await examine(admin.page, 'policy-limit');
  const ask = async (amount: string) => {
    await one.page.goto(`${service.url}/console/money/move?customer=${idOf(customer)}&from=available&to=outside`);
    await one.page.getByLabel('Amount', { exact: true }).fill(amount);
    await one.page.getByLabel('Reference').fill('Payout to a supplier');
    await one.page.getByRole('button', { name: 'Continue' }).click();
    await one.page.getByText('One person moves up to 1,000.00 USD.').waitFor();
    if (amount === '5000') await examine(one.page, 'move-confirm-two');
    await one.page.getByRole('button', { name: 'Ask a second person' }).click();
    await one.page.getByText('Nothing has changed yet.').waitFor();
    return one.page.url();
  };
  const [paid, refused] = [await ask('5000'), await ask('6000')];
  await examine(one.page, 'move-own');
  await other.page.goto(`${service.url}/console/money`);
  await examine(other.page, 'money-waiting');
  await other.page.getByRole('link', { name: 'Record a withdrawal: 5000.00 USD' }).click();
  await other.page.getByText('Your approval moves the money at once.').waitFor();
  await examine(other.page, 'move-to-approve');
  await other.page.getByRole('button', { name: 'Approve' }).click();
  await other.page.getByText('The money is moved').waitFor();
  await examine(other.page, 'move-approved');
  await other.page.goto(refused);
  await other.page.getByText('There is too little now').waitFor();
  await examine(other.page, 'move-too-much');
  await other.page.getByRole('button', { name: 'Approve' }).click();
  await other.page.getByText('The ledger refused it, and nothing moved.').waitFor();
  await examine(other.page, 'move-refused-by-ledger');
  await one.page.goto(paid);
  await one.page.getByRole('link', { name: 'see the transfer' }).click();
  await one.page.getByText('Payout to a supplier').first().waitFor();
  assert.deepEqual([one.problems, other.problems, admin.problems], [[], [], []]);
});
