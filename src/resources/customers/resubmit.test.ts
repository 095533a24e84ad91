// Tests of resubmission: a customer in retry is verified once more, an unverified one becomes personal or business.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { controller, corporation, type Fields, person, personal, unverified } from '../../../test/support/data.ts';
import { allEvents } from '../../../test/support/events.ts';
import { assertRefused, type Body, idOf } from '../../../test/support/http.ts';
import { startService } from '../../../test/support/service.ts';

const llc: Fields = { ...corporation, businessType: 'llc' };
const inRetry: Record<string, Fields> = {
  personal: { ...personal, firstName: 'retry' },
  business: { ...llc, businessName: 'retry' },
};
const SETTLED = {
  status: 403,
  code: 'InvalidResourceState',
  message: 'Complete customer data is accepted only while the customer is in retry or unverified.',
};

const service = await startService({ after });
const { call, sql } = service;
const change = (url: string, body: Fields, key?: string) => call('POST', url, { body, ...(key !== undefined && { key }) });
const get = async (url: string): Promise<Body> => (await call('GET', url)).body;

async function create(form: Fields): Promise<string> {
  const answer = await call('POST', '/customers', { body: form });
  assert.equal(answer.status, 201, answer.text);
  return answer.headers.location!;
}

async function topics(url: string): Promise<string[]> {
  const rows = await sql<{
    topic: string;
  }>`select topic from ${await allEvents(sql)} where customer_id = ${idOf(url)} order by id`;
  return rows.map(({ topic }) => topic);
}

async function secretsOf(url: string): Promise<unknown> {
  const [row] = await sql<{ sealed: Buffer }>`select sealed from customer where id = ${idOf(url)}`;
  return JSON.parse(service.service.sealer.open(row!.sealed, `customer:${idOf(url)}`).toString());
}

/** The status that each name leads to in the sandbox; after a second failure a document is required. */
const outcomes: [name: string, status: string, topic: string][] = [
  ['Ada', 'verified', 'customer_verified'],
  ['document', 'document', 'customer_verification_document_needed'],
  ['suspended', 'suspended', 'customer_suspended'],
  ['retry', 'document', 'customer_verification_document_needed'],
];

test('a customer in retry resubmits complete data once, and then changes only contact members', async () => {
  for (const [name, status, topic] of outcomes) {
    for (const [type, form] of [
      ['personal', { ...personal, firstName: name }],
      ['business', { ...llc, controller: { ...controller, firstName: name } }],
    ] as [string, Fields][]) {
      const url = await create(inRetry[type]!);
      const before = await get(url);
      assert.equal(before.status, 'retry');
      assert.deepEqual(before._links['retry-verification'], before._links.self);
      const answer = await change(url, form);
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual([answer.body.status, answer.body.created], [status, before.created]);
      assert.deepEqual(answer.body, await get(url));
      assert.ok(!('retry-verification' in answer.body._links));
      assert.deepEqual(await topics(url), ['customer_created', 'customer_reverification_needed', topic]);

      const again = status === 'suspended' ? { ...SETTLED, message: 'Customer is suspended or deactivated.' } : SETTLED;
      assertRefused(await change(url, form), again);
      const renamed = await change(url, { lastName: 'Other' });
      assertRefused(renamed, { status: 400, code: 'ValidationError', fault: 'ReadOnly', path: '/lastName' });
      if (status !== 'suspended') assert.equal((await change(url, { city: 'Salem' })).body.city, 'Salem');
      assert.equal((await topics(url)).filter((topic) => topic !== 'customer_updated').length, 3);
    }
  }
});

test('a resubmission replaces the data and seals the sensitive part', async () => {
  const url = await create({ ...inRetry.business, phone: '217-555-0100', dateOfBirth: '1980-01-02' });
  const { type, ein, ...rest } = llc;
  const secrets = { dateOfBirth: '1971-04-05', passport: { number: 'X7654321', country: 'CA' } };
  const { ssn, ...person } = controller;
  const form = { ...rest, ein: '98-7654321', email: 'new@example.com', controller: { ...person, ...secrets } };
  // The type of a customer in retry is known; unknown members and blank text are treated as on creation.
  const { body } = await change(url, { ...form, id: 'x', zodiac: 'leo', website: ' ' });
  assert.deepEqual(
    [body.email, body.businessName, body.type, body.status],
    ['new@example.com', 'Example Works', 'business', 'verified'],
  );
  for (const name of ['phone', 'website', 'zodiac', 'ein']) assert.ok(!(name in body), name);
  assert.equal(body.id, idOf(url));
  assert.deepEqual(await secretsOf(url), { ein: '98-7654321', controller: secrets });
});

test('refuses incomplete or invalid data with all faults, without using up the retry', async () => {
  const url = await create(inRetry.personal!);
  const faultsOf = async (body: Fields) => {
    const answer = await change(url, body);
    assertRefused(answer, { status: 400, code: 'ValidationError' });
    return answer.body._embedded.errors.map(({ code, path }: Body) => `${code} ${path}`).sort();
  };
  const before = await service.snapshot();
  const missing = ['address1', 'city', 'dateOfBirth', 'lastName', 'postalCode', 'ssn', 'state'];
  assert.deepEqual(await faultsOf({ firstName: 'Ada', email: 'x' }), [
    'InvalidFormat /email',
    ...missing.map((name) => `Required /${name}`),
  ]);
  assert.deepEqual(await faultsOf({ ...personal, dateOfBirth: `${new Date().getUTCFullYear() - 10}-01-01` }), [
    'Invalid /dateOfBirth',
  ]);
  assert.deepEqual(await faultsOf(llc), ['ReadOnly /type']);
  assert.deepEqual(await faultsOf({ ...personal, status: 'suspended', city: 'Salem' }), [
    'NotAllowed /status',
    ...['dateOfBirth', 'firstName', 'lastName', 'ssn', 'type'].map((name) => `ReadOnly /${name}`),
  ]);
  assert.deepEqual(await service.snapshot(), before);
  assert.equal((await change(url, { city: 'Salem' })).body.status, 'retry', 'contact members can still be changed');
  assert.equal((await change(url, personal)).body.status, 'verified');
});

test('an unverified customer becomes personal or business and can then hold money', async () => {
  for (const [name, status, topic] of outcomes.slice(0, 3).concat([['retry', 'retry', 'customer_reverification_needed']])) {
    for (const form of [
      { ...personal, firstName: name },
      { ...llc, businessName: name },
    ] as Fields[]) {
      const url = await create({ ...unverified, ipAddress: '192.0.2.1', businessName: 'Mine' });
      const { body } = await change(url, form);
      assert.deepEqual([body.type, body.status], [form.type, status]);
      assert.equal(body.businessName, form.businessName);
      assert.deepEqual(await topics(url), ['customer_created', topic]);
      const money = await call('POST', `${url}/deposits`, { body: { amount: { value: '1.00', currency: 'USD' } } });
      assert.equal(money.status, status === 'verified' ? 201 : 403, money.text);
      if (status === 'retry') assert.equal((await change(url, { ...form, firstName: 'Ada', businessName: 'Works' })).status, 200);
      else assert.equal((await change(url, form)).status, 403);
    }
  }
  const url = await create(unverified);
  const incomplete = await change(url, { type: 'personal', firstName: 'Eve' });
  assertRefused(incomplete, { status: 400, code: 'ValidationError', fault: 'Required' });
  const { type, ...untyped } = personal;
  assertRefused(await change(url, untyped), { status: 400, code: 'ValidationError', fault: 'ReadOnly' });
  assert.equal((await get(url)).firstName, 'Ada');
  await change(url, { status: 'suspended' });
  assertRefused(await change(url, personal), { status: 403, code: 'InvalidResourceState' });
  await change(url, { status: 'reactivated' });
  assert.equal((await change(url, personal)).body.status, 'verified');
});

test('a business can have owners and documents after it becomes one', async () => {
  const url = await create(unverified);
  assertRefused(await call('GET', `${url}/beneficial-owners`), { status: 403, code: 'InvalidResourceState' });
  const { _links } = (await change(url, llc)).body;
  for (const name of ['beneficial-owners', 'certify-beneficial-ownership', 'documents', 'labels']) {
    assert.equal((await call('GET', _links[name].href)).status, 200, name);
  }
});

test('one of several concurrent resubmissions succeeds', async () => {
  for (const [made, form] of [
    [inRetry.personal!, personal],
    [inRetry.business!, { ...llc, controller: { ...controller, firstName: 'document' } }],
    [unverified, personal],
    [unverified, llc],
  ] as [Fields, Fields][]) {
    const url = await create(made);
    const before = (await topics(url)).length;
    const answers = await Promise.all([1, 2, 3, 4].map((n) => change(url, { ...form, lastName: `Example ${'I'.repeat(n)}` })));
    const won = answers.filter(({ status }) => status === 200);
    assert.equal(won.length, 1);
    for (const answer of answers.filter(({ status }) => status !== 200)) assertRefused(answer, SETTLED);
    assert.equal((await get(url)).lastName, won[0]!.body.lastName);
    assert.equal((await topics(url)).length, before + 1);
  }
});

test('repeated requests with one Idempotency-Key resubmit a customer once', async () => {
  const url = await create(inRetry.personal!);
  assert.equal((await change(url, { ...personal, ssn: '1' }, 'retry')).status, 400, 'a refused request does not use up the key');
  const [first, ...others] = await Promise.all([1, 2, 3].map(() => change(url, personal, 'retry')));
  for (const other of [...others, await change(url, personal, 'retry')]) {
    assert.deepEqual([other.status, other.body], [200, first!.body]);
  }
  assert.equal((await change(url, personal, 'retry')).headers['idempotent-replayed'], 'true');
  assertRefused(await change(url, { ...personal, ssn: '1111' }, 'retry'), { status: 409, code: 'Conflict' });
  assertRefused(await change(url, personal, 'another'), SETTLED);
  assert.equal((await topics(url)).length, 3);
});

test('a retry survives a suspension, and is forbidden to other accounts', async () => {
  const url = await create(inRetry.personal!);
  await change(url, { status: 'suspended' });
  assertRefused(await change(url, personal), {
    status: 403,
    message: 'Customer is suspended or deactivated.',
    code: 'InvalidResourceState',
  });
  await change(url, { status: 'deactivated' });
  assertRefused(await change(url, personal), { status: 403, code: 'InvalidResourceState' });
  assert.equal((await change(url, { status: 'reactivated' })).body.status, 'retry');
  const { token } = await service.newClient();
  assertRefused(await call('POST', url, { body: personal, token }), { status: 403, code: 'Forbidden' });
  assert.equal((await change(url, personal)).body.status, 'verified');
});

test('ownership stays certified when a business resubmits', async () => {
  const url = await create(inRetry.business!);
  await call('POST', `${url}/beneficial-ownership`, { body: { status: 'certified' } });
  const { _links } = (await change(url, llc)).body;
  assert.ok(!('certify-beneficial-ownership' in _links));
});

test('in production an unverified customer that changes type needs a document', async (t) => {
  const production = await startService(t, { env: { MODE: 'production' } });
  const made = await production.call('POST', '/customers', { body: person });
  const { body } = await production.call('POST', made.headers.location!, { body: personal });
  assert.deepEqual([body.type, body.status], ['personal', 'document']);
  assert.ok('verify-with-document' in body._links);
});

test('a customer without a type is unverified', async () => {
  const url = await create(person);
  const { type, status, firstName } = await get(url);
  assert.deepEqual([type, status, firstName], ['unverified', 'unverified', 'Ada']);
  assert.equal((await get(await create({ ...person, type: ' ' }))).type, 'unverified');
  assert.deepEqual(await topics(url), ['customer_created']);
  const answer = await call('POST', '/customers', { body: { firstName: 'Ada' } });
  assertRefused(answer, { status: 400, code: 'ValidationError', fault: 'Required' });
});
