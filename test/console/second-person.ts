// Changes that wait for a second person, in a real browser: asked by one, approved by another, and collected once.
import assert from 'node:assert/strict';
import { before, type TestContext, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openBrowser } from '../browser/open.ts';
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
