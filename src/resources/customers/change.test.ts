// Tests of changing customers: contact members, statuses, ETag and idempotency.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openCustomers } from '../../../test/support/customers.ts';
import { corporation, type Fields, personal, unverified } from '../../../test/support/data.ts';
import { assertRefused, faultsOf, idOf } from '../../../test/support/http.ts';
import { startService } from '../../../test/support/service.ts';
import { changeCustomer } from './change.ts';

// Shared by all tests of the file; each has its own account.
const shared = await startService({ after });

test('a change of a customer changes its ETag', async () => {
  const { create, call, change } = await openCustomers(shared);
  const url = await create(personal);
  const { etag } = (await call('GET', url)).headers;
  const again = () => call('GET', url, { headers: { 'if-none-match': etag! } });
  const unchanged = await again();
  assert.deepEqual([unchanged.status, unchanged.text, unchanged.headers.etag], [304, '', etag]);
  await change(url, { city: 'Shelbyville' });
  assert.equal((await again()).status, 200);
});

test('an Idempotency-Key creates one customer and changes it once', async () => {
  const { call, create, get, topics } = await openCustomers(shared);
  const post = (body: Fields) => call('POST', '/customers', { body, key: 'once' });
  assert.equal((await post({ ...personal, email: '' })).status, 400);
  const [first, ...others] = await Promise.all([post(personal), post(personal), post(personal)]);
  for (const other of [...others, await post(personal)]) {
    assert.deepEqual([other.status, other.headers.location], [201, first.headers.location]);
  }
  assert.equal((await post(personal)).headers['idempotent-replayed'], 'true');
  const conflict = await post({ ...personal, ssn: '1111' });
  assertRefused(conflict, { status: 409, code: 'Conflict' });
  assert.equal(conflict.body._links.about.href, first.headers.location);
  assert.equal((await get('/customers?email=ada@example.com')).total, 1);

  const url = await create(personal);
  const suspend = () => call('POST', url, { body: { status: 'suspended' }, key: 'suspend' });
  const done = await suspend();
  const replayed = await suspend();
  assert.deepEqual([replayed.status, replayed.body, replayed.headers['idempotent-replayed']], [200, done.body, 'true']);
  assert.deepEqual(await topics(url), ['customer_created', 'customer_verified', 'customer_suspended']);
});

test('changes only contact members', async () => {
  const { create, get, change, topics, call } = await openCustomers(shared);
  const url = await create({ ...personal, phone: '5551234567' });
  const contact = {
    email: 'new@example.com',
    address1: '3 New Street',
    address2: 'Top',
    city: 'Salem',
    state: 'OR',
    postalCode: '97301-0001',
  };
  const answer = await change(url, { ...contact, phone: ' ', doingBusinessAs: 'Ada', website: 'http://example.com', unknown: 1 });
  assert.equal(answer.status, 200, answer.text);
  const customer = await get(url);
  assert.deepEqual(answer.body, customer);
  assert.deepEqual({ ...customer, ...contact, doingBusinessAs: 'Ada', website: 'http://example.com' }, customer);
  assert.ok(!('phone' in customer), 'blank text removes a member');
  assert.deepEqual(await topics(url), ['customer_created', 'customer_verified', 'customer_updated']);

  const other = await create(unverified);
  const renamed = await change(other, { firstName: 'Neu', lastName: 'Name', businessName: 'Firm', city: 'Salem' });
  assert.deepEqual({ ...renamed.body, firstName: 'Neu', lastName: 'Name', businessName: 'Firm', city: 'Salem' }, renamed.body);
  assert.ok(!('city' in (await change(other, { city: '' })).body));

  for (const body of [{}, { unknown: 1 }, [], null]) {
    assertRefused(await call('POST', url, { body }), { status: 400, code: 'BadRequest' });
  }
});

test('refuses each violation of the change form', async () => {
  const { create, change, snapshot } = await openCustomers(shared);
  const urls: Record<string, string> = {
    personal: await create(personal),
    business: await create(corporation),
    unverified: await create(unverified),
  };
  const readOnly = [
    'id',
    'type',
    'created',
    'correlationId',
    'firstName',
    'lastName',
    'businessName',
    'dateOfBirth',
    'ssn',
    'ein',
    'controller',
  ];
  const rules: [type: string, body: Fields, faults: string[]][] = [
    ...readOnly.map((name): [string, Fields, string[]] => ['business', { [name]: 'x' }, [`ReadOnly /${name}`]]),
    ['unverified', { type: 'unverified', firstName: 'x' }, ['ReadOnly /type']],
    ['unverified', { type: 'robot', firstName: 'x' }, ['Invalid /type']],
    ['personal', { status: 'suspended', city: 'Salem' }, ['NotAllowed /status']],
    ['personal', { status: 'suspended', ssn: '1234', city: '' }, ['NotAllowed /status', 'ReadOnly /ssn', 'Required /city']],
    ['personal', { status: 'verified' }, ['Invalid /status']],
    ['personal', { email: '', postalCode: ' ' }, ['Required /email', 'Required /postalCode']],
    ['unverified', { lastName: '' }, ['Required /lastName']],
    ['personal', { email: 'x', state: 'Oregon', phone: 5 }, ['Invalid /phone', 'InvalidFormat /email', 'InvalidFormat /state']],
  ];
  const before = await snapshot();
  for (const [type, body, faults] of rules) {
    const answer = await change(urls[type]!, body);
    assertRefused(answer, { status: 400, code: 'ValidationError' });
    assert.deepEqual(faultsOf(answer), faults, answer.text);
    assert.match(answer.body.message, /^[A-Z]/, 'members are named in words');
  }
  assert.deepEqual(await snapshot(), before);
});

test('allows the documented status changes, and reports them as events', async () => {
  const { create, change, get, topics } = await openCustomers(shared);
  const unreachable = { status: 403, code: 'InvalidResourceState', message: 'Customer status cannot be changed this way.' };
  const steps: [to: string, status: string | undefined][] = [
    ['reactivated', undefined],
    ['suspended', 'suspended'],
    ['suspended', undefined],
    ['reactivated', 'before'],
    ['deactivated', 'deactivated'],
    ['deactivated', undefined],
    ['suspended', undefined],
    ['reactivated', 'before'],
    ['suspended', 'suspended'],
    ['deactivated', 'deactivated'],
    ['reactivated', 'before'],
  ];
  for (const form of [
    personal,
    corporation,
    { ...personal, firstName: 'retry' },
    { ...personal, firstName: 'document' },
    unverified,
  ]) {
    const url = await create(form);
    const before = (await get(url)).status;
    for (const [to, status] of steps) {
      const answer = await change(url, { status: to });
      if (status === undefined) assertRefused(answer, unreachable);
      else assert.equal(answer.body.status, status === 'before' ? before : status, answer.text);
      const closed = (await get(url)).status !== before;
      const contact = await change(url, { city: 'Salem' });
      if (closed)
        assertRefused(contact, { status: 403, code: 'InvalidResourceState', message: 'Customer is suspended or deactivated.' });
      else assert.equal(contact.status, 200);
    }
    const changes = ['suspended', 'activated', 'deactivated', 'activated', 'suspended', 'deactivated', 'activated'];
    assert.deepEqual(
      (await topics(url)).filter((topic) => topic !== 'customer_updated').slice(-changes.length),
      changes.map((topic) => `customer_${topic}`),
    );
  }
});

test('blocks money while a customer is suspended or deactivated', async () => {
  const { change, sql, newCustomer, newLabel, reallocation, call } = await openCustomers(shared);
  const url = await newCustomer({ available: '10.00' });
  const [from, to] = [await newLabel(url, '5.00'), await newLabel(url)];
  const frozen = async () => {
    const rows = await sql<{ frozen: boolean }>`select distinct frozen from ledger_account where customer_id = ${idOf(url)}`;
    return rows.map((row) => row.frozen);
  };
  const move = async () => (await call('POST', '/label-reallocations', { body: reallocation(from, to, '1.00') })).status;
  for (const [status, stopped] of [
    ['suspended', true],
    ['reactivated', false],
    ['deactivated', true],
    ['reactivated', false],
  ] as const) {
    await change(url, { status });
    assert.deepEqual(await frozen(), [stopped]);
    assert.equal(await move(), stopped ? 400 : 201);
  }
});

test('a change waits for a concurrent one and sees its result', async () => {
  const { create, change, service, client } = await openCustomers(shared);
  const url = await create(personal);
  const { sealer, config } = service;
  const late = await service.database.transaction(async (tx) => {
    const context = { mode: config.mode, sealer };
    await changeCustomer(tx, context, { accountId: client.account_id }, idOf(url), { status: 'deactivated' }, new Date());
    const waiting = change(url, { status: 'suspended' });
    assert.equal(await Promise.race([waiting, new Promise((resume) => setTimeout(resume, 100, 'waits'))]), 'waits');
    return { waiting };
  });
  assertRefused(await late.waiting, { status: 403, code: 'InvalidResourceState' });
});

test('a customer that was suspended from the start cannot be reactivated, also not after deactivation', async () => {
  const { create, change, topics } = await openCustomers(shared);
  const url = await create({ ...personal, firstName: 'suspended' });
  assertRefused(await change(url, { status: 'reactivated' }), { status: 403, code: 'InvalidResourceState' });
  assert.equal((await change(url, { status: 'deactivated' })).body.status, 'deactivated');
  assert.equal((await change(url, { status: 'reactivated' })).body.status, 'suspended');
  assertRefused(await change(url, { status: 'reactivated' }), { status: 403, code: 'InvalidResourceState' });
  assert.deepEqual(await topics(url), ['customer_created', 'customer_suspended', 'customer_deactivated', 'customer_suspended']);
});
