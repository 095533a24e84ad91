// Calls every operation of the service at least once and records requests and answers.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { readCredentials } from '../../src/apps/sandbox/credentials.ts';
import type { Scope } from '../../src/resources/oauth/scope.ts';
import { makeChip } from './chip.ts';
import { type Document, openContract } from './contract.ts';
import { customerForm, ownerForm, reallocation, usd } from './data.ts';
import { type Answer, idOf, type Options } from './http.ts';
import { contentType, filePart, multipart, typePart } from './multipart.ts';
import { picture } from './pictures.ts';
import { startService, type TestService } from './service.ts';
import type { TestScope } from './test-scope.ts';
import { waitUntil } from './wait.ts';
import { startReceiver } from './webhooks.ts';

export type RecordedCall = { operation: string; method: string; path: string; options: Options; answer: Answer };
export type Scenario = Awaited<ReturnType<typeof openScenario>>;

type Receiving = Parameters<typeof startReceiver>[0];

/** Until the occurrence to which the clock of a scenario is advanced. */
const SOON_SECONDS = 600;
const NOWHERE = '01890000-0000-7000-8000-000000000000';
const HOUR_SECONDS = 3600;

type Wanted = {
  /** Each POST has an Idempotency-Key. */
  withKeys?: boolean;
  /** Replaces how requests are sent. */
  sendBy?: (service: TestService, token: string) => Promise<TestService['send']>;
};

/** Starts a service and calls it as the application of its sandbox account. */
export async function openScenario(t: TestScope, { withKeys = false, sendBy }: Wanted = {}) {
  const env = { SANDBOX_REVIEW_DELAY_MS: '86400000', WEBHOOK_ALLOW_PRIVATE: 'true' };
  const service = await startService(t, { env });
  const sandbox = readCredentials(join(service.dataDir, 'sandbox.json'))!;
  const document = (await service.send('GET', '/openapi.json')).body as Document;
  const contract = openContract(document);
  const token = await service.tokenOf(sandbox);
  const send = sendBy ? await sendBy(service, token) : service.send;
  const calls: RecordedCall[] = [];

  /** Calls with the sandbox's token, unless another is given, and records the call. */
  async function record(method: string, path: string, options: Options = {}): Promise<Answer> {
    const sent = { token, ...(withKeys && method === 'POST' && { key: randomUUID() }), ...options };
    const answer = await send(method, path, sent);
    const local = path.replace(service.url, '');
    const operation = contract(method, local, answer);
    if (operation !== undefined) calls.push({ operation, method, path: local, options: sent, answer });
    return answer;
  }
  /** Creates a resource and returns its URL. */
  async function make(path: string, body?: unknown, options: Options = {}): Promise<string> {
    const answer = await record('POST', path, { ...(body !== undefined && { body }), ...options });
    assert.equal(answer.status, 201, answer.text);
    return answer.headers.location!;
  }
  async function get(path: string): Promise<Answer> {
    const answer = await record('GET', path);
    assert.equal(answer.status, 200, answer.text);
    return answer;
  }
  async function change(path: string, body: unknown): Promise<Answer> {
    const answer = await record('POST', path, { body });
    assert.equal(answer.status, 200, answer.text);
    return answer;
  }
  /** A token of a new application, of the sandbox account or of another. */
  const tokenWith = async (scopes: readonly Scope[], accountId?: string) => (await service.newClient(scopes, accountId)).token;

  return { ...service, sandbox, document, calls, token, record, make, get, change, tokenWith };
}

/** Calls every operation but removals, and returns the created resources. */
export async function runScenario(t: Receiving, scenario: Scenario) {
  await recordAccess(scenario);
  const { customer, labels } = scenario.sandbox;
  const subscription = await subscribe(t, scenario);
  const money = await recordMoney(scenario, customer, labels);
  const people = await recordPeople(scenario);
  await recordEvents(scenario, subscription);
  const fault = await recordRehearsal(scenario);
  await recordRefusals(scenario, money);
  return { customer, subscription, fault, ...money, ...people };
}

async function recordAccess({ record, get, send, token, sandbox, tokenOf }: Scenario): Promise<void> {
  const { client_id, client_secret } = sandbox;
  const form = (members: Record<string, string>) => new URLSearchParams(members).toString();
  const known = { client_id, client_secret };
  const headers = { authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}` };
  const anonymous = { token: undefined };
  await record('POST', '/token', { ...anonymous, form: form({ grant_type: 'client_credentials' }), headers });
  await record('POST', '/token', { ...anonymous, form: form({ grant_type: 'password' }), headers });
  await record('POST', '/token', {
    ...anonymous,
    form: form({ grant_type: 'client_credentials', client_id, client_secret: 'x' }),
  });
  const other = await tokenOf(sandbox);
  for (const path of ['/token/introspect', '/token/revoke']) {
    await record('POST', path, { ...anonymous, form: form({ token: other, ...known }) });
    await record('POST', path, { ...anonymous, form: form(known) });
    await record('POST', path, { ...anonymous, form: form({ token: other, client_id, client_secret: 'x' }) });
  }
  for (const path of [
    '/health/live',
    '/health/ready',
    '/metrics',
    '/.well-known/oauth-authorization-server',
    '/.well-known/jwks.json',
  ])
    await record('GET', path, anonymous);
  const root = await get('/');
  await get(root.body._links.account.href);
  await get(`${root.body._links.account.href}/balance`);
  const checkpoint = `${root.body._links.account.href}/log/checkpoint`;
  await waitUntil('the log has begun', async () => (await send('GET', checkpoint, { token })).status === 200);
  await get(checkpoint);
}

async function subscribe(t: Receiving, { make, get, change, record }: Scenario) {
  const before: number = (await get('/events?limit=1')).body.total;
  const receiver = await startReceiver(t);
  const form = { url: receiver.url, secret: 'a secret that you choose' };
  const subscription = await make('/webhook-subscriptions', form);
  await record('POST', '/webhook-subscriptions', { body: { ...form, secret: '' } });
  await get('/webhook-subscriptions');
  await get(subscription);
  await change(subscription, { paused: false });
  await change(`${subscription}/secrets`, { secret: 'another secret that you choose' });
  return { url: subscription, receiver, before };
}

async function recordMoney(scenario: Scenario, customer: string, [from, to]: [string, string]) {
  const { make, get, record, change, send, token } = scenario;
  await get('/customers?limit=1');
  await get(customer);
  await change(customer, { phone: '217-555-0100' });
  await get(`${customer}/balance`);
  await record('GET', `${customer}/balance?at=2999-01-01T00:00:00Z`);
  const amount = (value: string) => ({ amount: { value, currency: 'USD' } });
  const deposit = await make(`${customer}/deposits`, { ...amount('500.00'), reference: 'payout 2026-01' });
  await get(deposit);
  await get(`${customer}/deposits?limit=1`);
  const withdrawal = await make(`${customer}/withdrawals`, { ...amount('20.00'), metadata: { run: '2026-01' } });
  await get(withdrawal);
  await get(`${customer}/withdrawals`);
  await record('POST', `${customer}/withdrawals`, { body: amount('999999.00') });
  const empty = await make(`${customer}/labels`, amount('0'));
  await make(`${customer}/labels`, { ...amount('40.00'), name: 'Reserve' });
  await record('POST', `${customer}/labels`, { body: amount('999999.00') });
  await get(`${customer}/labels`);
  await get(from);
  await change(from, { metadata: { color: 'green' } });
  const monitor = await make(`${from}/monitors`, { below: usd('100.00'), rearm: usd('150.00') });
  await record('POST', `${from}/monitors`, { body: { above: usd('100.00'), rearm: usd('150.00') } });
  await get(`${from}/monitors`);
  await get(monitor);
  await recordHolds(scenario, customer, [from, to]);
  await recordSchedules(scenario, customer, [from, to]);
  const rule = await divide(scenario, customer, [from, to]);
  await recordReturns(scenario, customer, withdrawal);
  const entry = await make(`${from}/ledger-entries`, { ...amount('15.00'), reference: 'set aside' });
  await record('POST', `${from}/ledger-entries`, { body: amount('-999999.00') });
  const moved = await make('/label-reallocations', { ...reallocation(from, to, '25.00'), reference: 'tax of January' });
  await record('POST', '/label-reallocations', { body: reallocation(from, to, '999999.00') });
  await get(moved);
  await record('GET', `${moved}/receipt`, { headers: { accept: 'image/png' } });
  await waitUntil(
    'the log covers the reallocation',
    async () => (await send('GET', `${moved}/receipt`, { token })).status === 200,
  );
  await get(`${moved}/receipt`);
  const reversal = await make(`${moved}/reversals`, { ...amount('5.00'), reference: 'too much' });
  await record('POST', `${moved}/reversals`, { body: amount('999999.00') });
  await record('POST', `${reversal}/reversals`);
  await get(`${moved}/reversals`);
  await get(`${customer}/label-reallocations`);
  const items = [reallocation(from, to, '10.00'), reallocation(to, from, '999999.00')];
  const withdrawals = [{ _links: { from: { href: to } }, ...amount('1.00'), reference: 'payout' }];
  const batch = await make('/label-reallocation-batches', { mode: 'independent', items, withdrawals });
  await record('POST', '/label-reallocation-batches', { body: { mode: 'atomic', items } });
  await get(batch);
  await get(`${from}/ledger-entries?limit=1`);
  await get(entry);
  await get(`${from}/balance?at=${encodeURIComponent((await get(entry)).body.created)}`);
  await get(`${customer}/transfers?limit=2`);
  await get('/transfers?amount=10.00&currency=USD&limit=2');
  const month = new Date().toISOString().slice(0, 7);
  await get(`${customer}/statements/${month}?label=${to.split('/').at(-1)}`);
  await record('GET', `${customer}/statements/${month}?zone=Mars`);
  await record('DELETE', from);
  await record('DELETE', monitor);
  return { empty, from, to, rule };
}

/** Holds money, captures a part of it, and releases the rest. */
async function recordHolds({ make, get, record }: Scenario, customer: string, [from, to]: [string, string]): Promise<void> {
  const amount = (value: string) => ({ amount: { value, currency: 'USD' } });
  const holds = `${customer}/holds`;
  const hold = await make(holds, { _links: { from: { href: from } }, ...amount('30.00'), reference: 'order 4711' });
  await record('POST', holds, { body: { _links: { from: { href: from } }, ...amount('999999.00') } });
  await get(from);
  await make(`${hold}/captures`, { _links: { to: { href: to } }, ...amount('20.00') });
  await record('POST', `${hold}/captures`, { body: amount('999999.00') });
  await get(hold);
  await get(`${holds}?limit=1`);
  const released = await record('POST', `${hold}/releases`);
  assert.equal(released.status, 200, released.text);
  await record('POST', `${hold}/releases`);
  await record('POST', `${hold}/captures`);
}

/** Returns a divided deposit, which the labels help to pay, a withdrawal, and a deposit of which a part is owed and then paid. */
async function recordReturns({ make, get, record }: Scenario, customer: string, withdrawal: string): Promise<void> {
  const amount = (value: string, currency = 'USD') => ({ amount: { value, currency } });
  const payment = await make(`${customer}/deposits`, { ...amount('90.00', 'EUR'), reference: 'order 4712' });
  await make(`${customer}/withdrawals`, amount('50.00', 'EUR'));
  const form = { reason: 'R01 insufficient funds', reference: 'order 4712' };
  await record('POST', `${payment}/returns`, { body: form });
  const back = await get(await make(`${payment}/returns`, { ...form, shortfall: 'owe' }));
  await record('POST', `${payment}/returns`, { body: form });
  await get(`${payment}/returns`);
  await get(back.body._links['owed-entry'].href);
  await get(`${customer}/balance`);
  const next = await get(await make(`${customer}/deposits`, amount('60.00', 'EUR')));
  assert.equal(next.body.repaid.value, '50.00');
  await get(`${customer}/owed-entries?limit=2`);
  await get(await make(`${withdrawal}/returns`, { ...amount('5.00'), reason: 'account closed' }));
  await record('POST', `${withdrawal}/returns`, { body: { ...amount('999999.00'), reason: 'account closed' } });
  await get(`${withdrawal}/returns`);
}

/** Creates a schedule, and waits until its first occurrence has run. */
async function recordSchedules(scenario: Scenario, customer: string, [from, to]: [string, string]): Promise<void> {
  const { make, get, record, change, send, token } = scenario;
  const schedules = `${customer}/schedules`;
  const body = {
    ...{ _links: { from: { href: from }, to: { href: to } }, amount: usd('5.00'), rule: 'FREQ=WEEKLY' },
    ...{ start: new Date(Date.now() + SOON_SECONDS * 1000).toISOString().slice(0, 19), timeZone: 'UTC', reference: 'savings' },
  };
  const schedule = await make(schedules, body);
  await send('POST', '/sandbox/clock', { token, body: { advanceSeconds: SOON_SECONDS } });
  await record('POST', schedules, { body: { ...body, rule: 'FREQ=MONTHLY;BYMONTHDAY=32' } });
  await waitUntil(
    'the first occurrence has run',
    async () => (await send('GET', schedule, { token })).body.lastOccurrence !== undefined,
  );
  await get(schedule);
  await get(`${schedules}?limit=1`);
  await get(`${schedule}/occurrences?limit=2`);
  await change(schedule, { amount: { upTo: '50.00' } });
  await record('DELETE', schedule);
  await record('POST', schedule, { body: { paused: false } });
}

/** Divides a deposit by an allocation rule. */
async function divide({ make, get, record, change }: Scenario, customer: string, [from, to]: [string, string]): Promise<string> {
  const amount = (value: string) => ({ value, currency: 'USD' });
  const rules = `${customer}/allocation-rules`;
  const steps = [
    { label: { href: to }, percent: '25.00' },
    { label: { href: from }, amount: amount('50.00'), until: amount('1000.00') },
  ];
  const rule = await make(rules, { name: 'Tax first', steps });
  await record('POST', rules, { body: { name: 'Another', steps } });
  await record('POST', rules, { body: { name: 'Too much', steps: [{ label: { href: to }, percent: '120' }] } });
  await change(rule, { paused: true });
  await change(rule, { paused: false });
  await change(`${rules}/preview`, { amount: amount('400.00') });
  const deposit = await get(await make(`${customer}/deposits`, { amount: amount('400.00'), reference: 'payout 2026-02' }));
  await get(deposit.body._embedded.allocations[0]._links['ledger-entry'].href);
  await get(rules);
  await get(rule);
  return rule;
}

async function recordPeople(scenario: Scenario) {
  const { make, get, change, record, sandbox, tokenWith } = scenario;
  const business = await make('/customers', { ...customerForm(), email: 'grace@example.com', externalId: 'shop-4711' });
  await record('POST', '/customers', { body: { ...customerForm(), email: 'nobody', firstName: '' } });
  const owner = await make(`${business}/beneficial-owners`, { ...ownerForm, firstName: 'document' });
  await record('POST', `${business}/beneficial-owners`, { body: { ...ownerForm, firstName: 'Ada', ssn: '1' } });
  const incomplete = await make(`${business}/beneficial-owners`, { ...ownerForm, firstName: 'incomplete' });
  await get(`${business}/beneficial-owners`);
  await get(owner);
  await change(incomplete, { firstName: 'incomplete', ssn: '912-65-4320' });
  await get(`${business}/beneficial-ownership`);
  await change(`${business}/beneficial-ownership`, { status: 'certified' });
  const { businessName, businessType, businessClassification, ...personal } = customerForm();
  const customer = await make('/customers', { ...personal, type: 'personal', firstName: 'document', email: 'ada@example.com' });
  const retry = { ...personal, type: 'personal', email: 'ada@example.com' };
  const again = await make('/customers', { ...retry, firstName: 'retry' });
  await change(again, retry);
  await record('POST', again, { body: retry });
  await get('/customers?status=retry&status=document');
  await change(again, { phone: '217-555-0100' });
  const submit = async (whose: string) =>
    make(`${whose}/documents`, undefined, {
      raw: multipart([typePart('license'), filePart(await picture())]),
      headers: { 'content-type': contentType() },
    });
  const [decided, document, own] = [await submit(owner), await submit(owner), await submit(customer)];
  await get('/documents?status=pending&limit=2');
  await change(`${own}/claim`, undefined);
  const colleague = { token: await tokenWith(['review'], sandbox.account_id) };
  await record('POST', `${own}/claim`, colleague);
  await record('DELETE', `${own}/claim`, colleague);
  await get(`${own}/claim`);
  const review = await make(`${decided}/reviews`, { decision: 'rejected', reasons: ['ScanIdExpired', 'ScanDobMismatch'] });
  await record('POST', `${document}/reviews`, { body: { decision: 'rejected', reasons: [] } });
  await get(`${owner}/documents`);
  await get(`${customer}/documents`);
  await get(decided);
  await get(`${decided}/reviews`);
  await get(review);
  await recordChip(scenario, business);
  return { business, owner, incomplete, person: customer, document, own };
}

/** Documents of the scenario are checked in a day by its clock, but this one at once. */
async function recordChip({ make, get, send, token, sql, service }: Scenario, business: string): Promise<void> {
  const owner = await make(`${business}/beneficial-owners`, { ...ownerForm, firstName: 'document', lastName: 'EvidenceChip' });
  const parts = Object.entries(makeChip()).map(([name, value]) => ({ name, value, fileName: name }));
  const chip = await make(`${owner}/documents`, undefined, {
    raw: multipart([typePart(), ...parts]),
    headers: { 'content-type': contentType() },
  });
  await sql`update document set check_at = created where id = ${idOf(chip)}`;
  service.documents.wake();
  await waitUntil('the chip is checked', async () => (await send('GET', chip, { token })).body._embedded);
  await get(chip);
}

async function recordEvents({ get, make, record }: Scenario, subscription: Awaited<ReturnType<typeof subscribe>>): Promise<void> {
  const { url, receiver, before } = subscription;
  const { body } = await get('/events?limit=1');
  const ids = () => new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
  await waitUntil('every event is delivered', () => ids().size === body.total - before);
  await get(body._embedded.events[0]._links.self.href);
  await record('GET', '/events?limit=0');
  const webhook = await make(`${url}/pings`);
  await waitUntil('the ping is delivered', async () => (await record('GET', webhook)).body.attempts[0]?.response);
  await make(`${webhook}/retries`);
  await waitUntil('it is delivered again', async () => (await record('GET', webhook)).body.attempts[1]?.response);
  // The answer above may have been read while the outcome was written.
  await get(webhook);
  await get(`${webhook}/retries`);
  await get(`${url}/webhooks?limit=1`);
}

async function recordRehearsal({ make, get, record, change }: Scenario): Promise<string> {
  await get('/sandbox/clock');
  await change('/sandbox/clock', { advanceSeconds: 1 });
  await record('POST', '/sandbox/clock', { body: { advanceSeconds: -HOUR_SECONDS } });
  const fault = await make('/sandbox/faults', { operation: 'createWithdrawal', delayMs: 250, times: 2 });
  await record('POST', '/sandbox/faults', { body: { operation: 'getLabels', status: 503 } });
  await get('/sandbox/faults');
  await get(fault);
  return fault;
}

/** Records every kind of refusal, mostly for one operation. */
async function recordRefusals({ record, tokenWith }: Scenario, { from, to }: { from: string; to: string }): Promise<void> {
  const path = '/label-reallocations';
  const body = { ...reallocation(from, to, '25.00'), reference: 'tax of January' };
  const key = 'a-key-of-your-own';
  await record('POST', path, { body, key });
  await record('POST', path, { body: reallocation(from, to, '2.00'), key });
  await record('POST', path, { body: { ...body, amount: { value: 25, currency: 'USD' } } });
  await record('POST', path, { body, token: undefined });
  await record('POST', path, { body, token: await tokenWith(['read']) });
  await record('POST', path, { body: reallocation(from, to.replace(/[^/]+$/, NOWHERE), '1.00') });
  await record('POST', path, { body, headers: { accept: 'text/html' } });
  await record('POST', path, { body, headers: { 'content-type': 'text/plain' } });
  await record('GET', from.replace(/[^/]+$/, NOWHERE));
}

/** Removes everything that can be removed, and resets the account. */
export async function removeAll({ record }: Scenario, there: Awaited<ReturnType<typeof runScenario>>): Promise<void> {
  for (const [method, path] of removals(there)) {
    const answer = await record(method, path);
    assert.ok([200, 204].includes(answer.status), answer.text);
  }
}

/** The removing calls, in order. */
export function removals(there: Awaited<ReturnType<typeof runScenario>>): [method: string, path: string][] {
  const removable = [there.empty, there.rule, there.incomplete, there.fault, there.subscription.url, `${there.own}/claim`];
  return [...removable.map((path): [string, string] => ['DELETE', path]), ['POST', '/sandbox/reset']];
}
