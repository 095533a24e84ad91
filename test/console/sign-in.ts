// Sign-in to the console in a real browser: by link, by passkey and with an OpenID provider; and all pages without JavaScript.
import assert from 'node:assert/strict';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { before, type TestContext, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '../browser/open.ts';
import { freePort } from '../support/free-port.ts';
import { startService, type TestService } from '../support/service.ts';
import type { TestScope } from '../support/test-scope.ts';
import { enter, openWindow, sessionOf } from './stage.ts';

const CLIENT = { id: 'earmark-console', secret: 'a client secret of the test with enough characters' };

let browser: Browser;
let service: TestService;
before(async (t) => {
  browser = await openBrowser(t as TestContext);
  service = await startService(t as TestContext);
});

test('a passkey is enrolled, signs in, and is refused once it is removed', async (t) => {
  const { page, context, problems } = await openWindow(t, browser);
  const devtools = await context.newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  const { name } = await enter(service, page, 'viewer');
  await page.goto(`${service.url}/console/account`);
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByText('The passkey is stored.').waitFor();
  const signOut = async () => {
    await page.locator('.account summary').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are signed out.').waitFor();
  };
  await signOut();
  assert.equal(await sessionOf(context), undefined);
  await page.goto(`${service.url}/console/customers?status=verified`);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.waitForURL(`${service.url}/console/customers?status=verified`);
  assert.ok(await page.getByText(name).first().isVisible());
  await page.goto(`${service.url}/console/account`);
  await page.getByRole('link', { name: 'Remove…' }).click();
  await page.getByText('It is your only passkey').waitFor();
  await page.getByRole('button', { name: 'Remove the passkey' }).click();
  await page.waitForURL(/sign-in/);
  assert.equal((await page.goto(`${service.url}/console/sign-in`))?.status(), 200, 'the session that it opened has ended');
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.getByText('The passkey was not accepted.').waitFor();
  assert.deepEqual(problems, []);
});

test('a person of the identity provider gets the roles of the claim, and loses them with it', async (t) => {
  const port = await freePort();
  const people: Record<string, { name: string; roles?: string[] }> = {
    ada: { name: 'Ada Lovelace', roles: ['finance', 'unknown'] },
    eve: { name: 'Eve', roles: ['unknown'] },
    new: { name: 'No Claim' },
  };
  const issuer = await startProvider(t, { people, redirectUri: `http://localhost:${port}/console/openid/callback` });
  const env = { PORT: String(port), OIDC_ISSUER: issuer, OIDC_CLIENT_ID: CLIENT.id, OIDC_CLIENT_SECRET: CLIENT.secret };
  const company = await startService(t, { env });
  const signIn = async (login: string) => {
    const { page } = await openWindow(t, browser);
    await page.goto(`${company.url}/console/sign-in`);
    return signInAt(page, login);
  };
  const signInAt = async (page: Page, login: string) => {
    await page.getByRole('link', { name: 'Sign in with your company account' }).click();
    await page.locator('input[name=login]').fill(login);
    await page.locator('input[name=password]').fill('any');
    await page.getByRole('button', { name: 'Sign-in' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.waitForURL(`${company.url}/console**`);
    return page;
  };
  const page = await signIn('ada');
  await page.waitForURL(`${company.url}/console`);
  await page.locator('.account summary').click();
  assert.ok(await page.locator('.account .panel').getByText('finance').isVisible());
  assert.equal(await page.getByRole('link', { name: 'People' }).count(), 0);
  people.ada!.roles = ['admin'];
  const again = await signIn('ada');
  await again.getByRole('link', { name: 'People' }).click();
  await again.getByRole('link', { name: 'Ada Lovelace' }).waitFor();
  await page.reload();
  assert.match(page.url(), /sign-in/, 'the session with the former roles has ended');
  const eve = await signIn('eve');
  await eve.getByText('You are known as Eve, but no role is assigned to you yet. The identity provider assigns roles').waitFor();
  const unknown = await signIn('new');
  await unknown.getByText('An administrator of the console can assign one to you under People.').waitFor();
  const { page: linked } = await openWindow(t, browser);
  await linked.goto(`${company.url}/console/customers?search=tea`);
  await signInAt(linked, 'ada');
  await linked.waitForURL(`${company.url}/console/customers?search=tea`);
});

test('a forged answer of the identity provider signs nobody in', async (t) => {
  const port = await freePort();
  const issuer = await startProvider(t, { people: {}, redirectUri: `http://localhost:${port}/console/openid/callback` });
  const env = { PORT: String(port), OIDC_ISSUER: issuer, OIDC_CLIENT_ID: CLIENT.id, OIDC_CLIENT_SECRET: CLIENT.secret };
  const company = await startService(t, { env });
  const { page, context } = await openWindow(t, browser);
  for (const query of ['code=x&state=y', '', 'error=access_denied']) {
    await page.goto(`${company.url}/console/openid/callback?${query}`);
    await page.getByText('This sign-in is not valid.').waitFor();
    assert.equal(await sessionOf(context), undefined, query);
  }
});

test('without JavaScript a person signs in, adds somebody, filters the log and signs out', async (t) => {
  const { page } = await openWindow(t, browser, { javaScriptEnabled: false, viewport: { width: 375, height: 800 } });
  await enter(service, page, 'admin');
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('link', { name: 'People' }).click();
  await page.getByRole('link', { name: 'Add a person' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Without Script');
  await page.getByLabel(/^viewer/).check();
  await page.getByRole('button', { name: 'Add' }).click();
  await page.getByRole('heading', { name: 'Without Script' }).waitFor();
  await page.goto(`${service.url}/console/audit-log`);
  await page.getByLabel('Action').selectOption('create_operator');
  await page.getByRole('button', { name: 'Filter' }).click();
  await page.locator('td').getByText('created a person').first().waitFor();
  assert.match(await page.locator('time').first().innerText(), /^\d+ [A-Z][a-z]+ \d{4}, \d\d:\d\d/);
  await page.locator('.account summary').click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('You are signed out.').waitFor();
});

/** Starts an OpenID provider on another site than the console, with its own pages for sign-in and consent. */
async function startProvider(
  t: TestScope,
  { people, redirectUri }: { people: Record<string, { name: string; roles?: string[] }>; redirectUri: string },
): Promise<string> {
  // The package has no types.
  const { default: Provider } = await import('oidc-provider' as string);
  const server = http.createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  t.after(async () => {
    server.closeAllConnections();
    server.close();
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [
      { client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [redirectUri], grant_types: ['authorization_code'] },
    ],
    claims: { openid: ['sub', 'roles'], profile: ['name'] },
    conformIdTokenClaims: false,
    findAccount: (_context: unknown, sub: string) => ({ accountId: sub, claims: () => ({ sub, ...people[sub] }) }),
  });
  server.on('request', provider.callback());
  return issuer;
}
