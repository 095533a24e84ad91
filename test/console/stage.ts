// A service with data, and pages of a real browser for people with roles.
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { createApplication } from '../../src/resources/oauth/application.ts';
import { changeTerms } from '../../src/resources/oauth/application-key.ts';
import { createOperator } from '../../src/resources/operators/operator.ts';
import type { Role } from '../../src/resources/operators/role.ts';
import { idOf } from '../support/http.ts';
import { newLink } from '../support/operators.ts';
import { startService, type TestService } from '../support/service.ts';
import { newSigner, signed } from '../support/signed-requests.ts';
import type { TestScope } from '../support/test-scope.ts';
import { waitUntil } from '../support/wait.ts';
import { startDelivery } from '../support/webhooks.ts';

/** Text that would run a script if it became markup. */
export const PAYLOAD = `"><script>window.stolen=1</script><img src=x onerror="window.stolen=1">'{{7*7}}`;
/** Names and an address as long as they may be, with words that do not divide. */
const LONG = {
  firstName: 'Wolfeschlegelsteinhausenbergerdorff',
  lastName: 'von und zu Featherstonehaugh-Cholmondeley',
  businessName: 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft mbH',
  email: `${'accounts.payable.'.repeat(3)}department@subsidiary-of-the-company.example`,
};
const FIRST_NAMES = ['Ada', 'Robin', 'Noor', 'Sam', 'Ines', 'Kim', 'Toni', 'Lou'];
const LAST_NAMES = ['Marsh', 'Finch', 'Berg', 'Costa', 'Stone', 'Vale', 'Reed', 'Lark'];
const WAIT_MS = 120_000;
const HERE = /^(https?:\/\/(localhost|127\.0\.0\.1)(:|\/)|data:|blob:|about:)/;

/** The people who have signed in so far. */
let people = 0;

export type Stage = Awaited<ReturnType<typeof openStage>>;

/** Starts a service with customers, money and activity, some of it under hostile names. */
export async function openStage(t: TestScope, env: Record<string, string> = {}) {
  const service = await startService(t, { env: { SANDBOX_REVIEW_DELAY_MS: '86400000', WEBHOOK_ALLOW_PRIVATE: 'true', ...env } });
  const { create, newCustomer, newLabel, reallocation } = service;
  const full = await newCustomer({
    available: '125000.00',
    form: { businessName: 'Northwind Bakery', firstName: 'Jane', email: 'jane@example.com' },
  });
  const named = (name: string, value: string) => create(`${full}/labels`, { name, amount: { value, currency: 'USD' } });
  const labels = [await named('Payroll', '40000.00'), await named('Sales tax', '25000.50'), await newLabel(full, '1200.00')];
  const deposit = await create(`${full}/deposits`, { amount: { value: '9800.00', currency: 'EUR' } });
  await create(`${full}/withdrawals`, { amount: { value: '9000.00', currency: 'EUR' } });
  for (let count = 0; count < 12; count++)
    await create('/label-reallocations', reallocation(labels[count % 2]!, labels[2]!, '12.50'));
  const hostile = await newCustomer({
    available: '1.00',
    form: { firstName: PAYLOAD.slice(0, 50), businessName: PAYLOAD.slice(0, 60) },
  });
  for (let count = 0; count < 30; count++)
    await newCustomer({ form: { businessName: `Harbour Trading ${count + 1}`, email: `office${count + 1}@example.com` } });
  await newCustomer({ available: '98765432109.87', form: LONG });
  await create('/webhook-subscriptions', {
    url: `https://example.com/${'receivers/of/payments/'.repeat(8)}`,
    secret: 'a secret of the test',
  });
  const subscription = await create('/webhook-subscriptions', { url: 'http://127.0.0.1:9/hook', secret: 'a secret of the test' });
  const moved = await create('/label-reallocations', { ...reallocation(labels[0]!, labels[2]!, '7.25'), reference: PAYLOAD });
  for (let count = 0; count < 3; count++)
    await create('/sandbox/faults', { operation: 'createLabel', status: 503, times: count + 1 });
  const planned = await planMoney(service, full, labels);
  const signedTransfer = await makeSigned(service, labels);
  const bare = await newCustomer();
  const worker = await startDelivery(service);
  const delivery = await waitUntil('a delivery was attempted', async () => {
    const [attempt] = await service.sql<{ webhookId: string }>`select webhook_id from webhook_attempt limit 1`;
    return attempt?.webhookId;
  });
  await worker.stop();
  return {
    ...service,
    full,
    hostile,
    labels,
    bare,
    ...planned,
    deposit: idOf(deposit),
    subscription: idOf(subscription),
    transfer: idOf(moved),
    signedTransfer,
    delivery,
  };
}

/** The id of a reallocation that an application with a key has signed. */
async function makeSigned(service: TestService, [from, to]: string[]): Promise<string> {
  const { url, client, call, tokenOf } = service;
  const signer = newSigner('payments-2026-11');
  const made = await service.service.database.transaction(async (tx) => {
    const wanted = { accountId: client.account_id, name: 'Payments', scopes: ['read', 'write'] as const };
    const application = await createApplication(tx, service.service.sealer, { ...wanted, scopes: [...wanted.scopes] });
    await changeTerms(tx, application.client_id, { keys: [signer.jwk] });
    return application;
  });
  const token = (await tokenOf(made))!;
  const body = JSON.stringify({ ...service.reallocation(from!, to!, '31.40'), reference: 'Invoice 77' });
  const headers = await signed({ by: signer, url: `${url}/label-reallocations`, body });
  const answer = await call('POST', '/label-reallocations', { token, raw: body, headers });
  return idOf(answer.headers.location!);
}

/** A hold, a schedule, an allocation rule and a monitor of a customer. */
async function planMoney({ create }: TestService, customer: string, [from, to]: string[]) {
  const href = (label: string | undefined) => ({ href: label! });
  const made = await create(`${customer}/holds`, {
    ...{ _links: { from: href(from) }, amount: { value: '120.00', currency: 'USD' }, reference: 'Deposit of a car' },
  });
  const schedule = await create(`${customer}/schedules`, {
    ...{
      _links: { from: href(from), to: href(to) },
      amount: { value: '500.00', currency: 'USD' },
      rule: 'FREQ=MONTHLY;BYMONTHDAY=-1',
    },
    ...{ start: new Date(Date.now() + 3_600_000).toISOString().slice(0, 19), timeZone: 'UTC' },
  });
  const rule = await create(`${customer}/allocation-rules`, {
    name: 'Set aside',
    steps: [{ label: href(to), percent: '25.00' }],
  });
  const monitor = await create(`${new URL(from!).pathname}/monitors`, { below: { value: '5000.00', currency: 'USD' } });
  return { hold: idOf(made), schedule: idOf(schedule), rule: idOf(rule), monitor: idOf(monitor) };
}

/** Opens pages in a new context; records script errors, refused content and requests to other hosts. */
export async function openWindow(t: TestScope, browser: Browser, options: Parameters<Browser['newContext']>[0] = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  t.after(() => context.close());
  context.setDefaultTimeout(WAIT_MS);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) problems.push(message.text());
  });
  page.on('request', (request) => {
    if (!HERE.test(request.url())) problems.push(request.url());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  return { context, page, problems };
}

/** Signs a new person in with a link, by clicks. */
export async function enter(service: TestService, page: Page, ...roles: Role[]): Promise<{ id: string; name: string }> {
  const number = people++;
  const name = `${FIRST_NAMES[number % FIRST_NAMES.length]} ${LAST_NAMES[Math.floor(number / FIRST_NAMES.length) % LAST_NAMES.length]}`;
  const operator = (await createOperator(service.sql, { name, roles }))!;
  await page.goto(service.url + (await newLink(service, operator.id)));
  await page.getByRole('button', { name: /^Sign in as/ }).click();
  await page.waitForURL(`${service.url}/console`);
  return operator;
}

/** The session cookie of a window. */
export async function sessionOf(context: BrowserContext) {
  return (await context.cookies()).find(({ name }) => name.includes('earmark-session'));
}
