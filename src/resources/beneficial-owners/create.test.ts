// Tests of creating beneficial owners: forms, first statuses, limits and closed customers.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ANCIENT, address, CHILD, type Fields, ownerForm as form } from '../../../test/support/data.ts';
import { assertRefused, faultsOf, idOf } from '../../../test/support/http.ts';
import { incomplete, openBusiness } from '../../../test/support/owners.ts';
import { startService } from '../../../test/support/service.ts';

type Fault = [what: string, change: Fields, path: string, code: string, message?: string];

const YEAR = new Date().getUTCFullYear();
const passport = { number: 'X1234567', country: 'CA' };
const notABusiness = { status: 403, code: 'InvalidResourceState', message: 'Only a business customer has beneficial owners.' };
const full = { status: 400, code: 'MaxNumberOfResources', message: 'A customer has at most four beneficial owners.' };

// Shared by all tests of the file; each creates its own customer.
const sandbox = await startService({ after });
const production = await startService({ after }, { env: { MODE: 'production' } });

test('creates an owner and omits sensitive data from the answer', async () => {
  const { create, get, customer, url, call, sql } = await openBusiness(sandbox);
  const location = await create({ ...form, address: { ...address, address2: 'Suite 5', address3: 'Rear' }, zodiac: 'leo' });
  const { _links, id, created, ...rest } = await get(location);
  assert.equal(location, `${url}/beneficial-owners/${id}`);
  assert.equal(id.slice(15, 18), idOf(customer).slice(15, 18), "the customer's bucket");
  assert.match(created, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.deepEqual(rest, {
    firstName: 'Olive',
    lastName: 'Example',
    address: { ...address, address2: 'Suite 5', address3: 'Rear' },
    verificationStatus: 'verified',
  });
  const { type } = _links.self;
  assert.deepEqual(_links, {
    self: { href: location, type, 'resource-type': 'beneficial-owner' },
    customer: { href: customer, type, 'resource-type': 'customer' },
    documents: { href: `${location}/documents`, type, 'resource-type': 'document' },
    remove: { href: location, type, 'resource-type': 'beneficial-owner' },
  });
  const { etag } = (await call('GET', location)).headers;
  assert.equal((await call('GET', location, { headers: { 'if-none-match': etag! } })).status, 304);

  const { ssn, ...rest2 } = form;
  const foreign = await get(
    await create({ ...rest2, passport, address: { ...address, address2: ' ', country: 'CA', zodiac: 'leo' } }),
  );
  assert.deepEqual(foreign.address, { ...address, country: 'CA' }, 'blank text counts as absent, unknown members are ignored');
  const [row] = await sql<{ address: Fields }>`select address from beneficial_owner where id = ${foreign.id}`;
  assert.deepEqual(row?.address, foreign.address, 'unknown members are not stored');
});

const at = (change: Fields): Fields => ({ address: { ...address, ...change } });
const long = 'a'.repeat(101);
const creationFaults: Fault[] = [
  ['none', { firstName: undefined }, '/firstName', 'Required', 'First name is required.'],
  ['blank', { firstName: '  ' }, '/firstName', 'Required', 'First name is required.'],
  ['long', { firstName: 'a'.repeat(51) }, '/firstName', 'Invalid', 'First name must have at most 50 characters.'],
  ['null', { lastName: null }, '/lastName', 'Invalid', 'Last name must be a string.'],
  ['blank', { lastName: '' }, '/lastName', 'Required', 'Last name is required.'],
  ['control', { lastName: 'a\tb' }, '/lastName', 'InvalidFormat', 'Last name has an invalid format.'],
  ['none', { dateOfBirth: undefined }, '/dateOfBirth', 'Required', 'Date of birth is required.'],
  ['no date', { dateOfBirth: '1980-02-30' }, '/dateOfBirth', 'InvalidFormat', 'Date of birth has an invalid format.'],
  ['number', { dateOfBirth: 19800102 }, '/dateOfBirth', 'Invalid', 'Date of birth must be a string.'],
  ['young', { dateOfBirth: CHILD }, '/dateOfBirth', 'Invalid', 'Date of birth must be 18 to 125 years ago.'],
  ['old', { dateOfBirth: ANCIENT }, '/dateOfBirth', 'Invalid', 'Date of birth must be 18 to 125 years ago.'],
  ['none', { ssn: undefined }, '/ssn', 'Required', 'SSN is required.'],
  ['format', { ssn: '98-765-4321' }, '/ssn', 'InvalidFormat', 'SSN has an invalid format.'],
  ['number', { ssn: 987654321 }, '/ssn', 'Invalid', 'SSN must be a string.'],
  ['no number', { passport: { country: 'CA' } }, '/passport/number', 'Required', 'Passport number is required.'],
  [
    'format',
    { passport: { ...passport, number: 'X 1' } },
    '/passport/number',
    'InvalidFormat',
    'Passport number has an invalid format.',
  ],
  ['no country', { passport: { number: 'X1' }, ssn: '' }, '/passport/country', 'Required', 'Passport country is required.'],
  [
    'format',
    { passport: { ...passport, country: 'ca' } },
    '/passport/country',
    'InvalidFormat',
    'Passport country has an invalid format.',
  ],
  ['text', { passport: 'X1234567' }, '/passport', 'Invalid'],
  ['none', { address: undefined }, '/address', 'Required', 'Address is required.'],
  ['text', { address: 'here' }, '/address', 'Invalid'],
  ['blank', at({ address1: ' ' }), '/address/address1', 'Required', 'Address address1 is required.'],
  ['long', at({ address2: long }), '/address/address2', 'Invalid', 'Address address2 must have at most 100 characters.'],
  ['number', at({ address3: 3 }), '/address/address3', 'Invalid', 'Address address3 must be a string.'],
  ['none', at({ city: undefined }), '/address/city', 'Required', 'Address city is required.'],
  ['control', at({ city: 'a\nb' }), '/address/city', 'InvalidFormat', 'Address city has an invalid format.'],
  [
    'none',
    at({ stateProvinceRegion: '' }),
    '/address/stateProvinceRegion',
    'Required',
    'Address state province region is required.',
  ],
  ['none', at({ country: undefined }), '/address/country', 'Required', 'Address country is required.'],
  ['format', at({ country: 'USA' }), '/address/country', 'InvalidFormat', 'Address country has an invalid format.'],
  ['none', at({ postalCode: undefined }), '/address/postalCode', 'Required', 'Address postal code is required.'],
  ['long', at({ postalCode: long }), '/address/postalCode', 'Invalid', 'Address postal code must have at most 100 characters.'],
];

test('refuses each violation of the creation form', async (t) => {
  const { add, written } = await openBusiness(sandbox);
  const before = await written();
  for (const [what, change, path, code, message] of creationFaults) {
    await t.test(`${what} ${path}`, async () => {
      const answer = await add({ ...form, ...change });
      assertRefused(answer, { status: 400, code: 'ValidationError', fault: code, path, ...(message && { message }) });
      assert.equal(answer.body._embedded.errors.length, 1, answer.text);
    });
  }
  const all = await add({
    firstName: 'a'.repeat(51),
    dateOfBirth: CHILD,
    ssn: 'x',
    address: { ...address, city: '', country: 'x' },
  });
  assert.deepEqual(faultsOf(all), [
    'Invalid /dateOfBirth',
    'Invalid /firstName',
    'InvalidFormat /address/country',
    'InvalidFormat /ssn',
    'Required /address/city',
    'Required /lastName',
  ]);
  assert.deepEqual(await written(), before);
});

test('accepts every valid form', async () => {
  const { create, newCustomer } = await openBusiness(sandbox);
  const accepted: Fields[] = [
    ...['987654321', '987-65-4321', '4321'].map((ssn) => ({ ...form, ssn })),
    { ...form, passport },
    { ...form, ssn: '', passport },
    { ...form, firstName: 'é'.repeat(50), lastName: '𝒳'.repeat(50) },
    { ...form, dateOfBirth: `${YEAR - 19}-12-31` },
    { ...form, dateOfBirth: `${YEAR - 125}-12-31` },
  ];
  for (const body of accepted) await create(body, await newCustomer());
});

test('refuses a body that is not a form as a syntax error', async () => {
  const { call, customer, create } = await openBusiness(sandbox);
  const badRequest = {
    status: 400,
    code: 'BadRequest',
    message: 'The request body contains bad syntax or is incomplete.',
  };
  const owner = await create(incomplete);
  for (const path of [`${customer}/beneficial-owners`, owner, `${customer}/beneficial-ownership`]) {
    for (const raw of ['', '[]', '7', '{"firstName":', '{"firstName":"a","firstName":"a"}', '{"firstName":"\\ud800"}']) {
      assertRefused(await call('POST', path, { raw }), badRequest);
    }
  }
});

test('in the sandbox the first name decides the status, and events report it', async () => {
  const { create, get, topics } = await openBusiness(sandbox);
  const outcomes: [firstName: string, status: string, topic: string][] = [
    ['Olive', 'verified', 'verified'],
    ['document', 'document', 'verification_document_needed'],
    ['incomplete', 'incomplete', 'reverification_needed'],
    ['verified', 'verified', 'verified'],
  ];
  for (const [firstName, status, topic] of outcomes) {
    const url = await create({ ...form, firstName });
    assert.equal((await get(url)).verificationStatus, status);
    assert.deepEqual(await topics(url), ['created', topic]);
  }
});

test('in production a new owner needs a document', async () => {
  const { create, get, topics } = await openBusiness(production);
  for (const firstName of ['Olive', 'incomplete', 'verified']) {
    const url = await create({ ...form, firstName });
    assert.equal((await get(url)).verificationStatus, 'document');
    assert.deepEqual(await topics(url), ['created', 'verification_document_needed']);
  }
});

test('only a business customer can have owners', async () => {
  const { call, newCustomer, written } = await openBusiness(sandbox);
  const person = { firstName: 'Ada', lastName: 'Example', email: 'ada@example.com' };
  const customers = [
    await newCustomer({ form: { ...person, type: 'personal' } }),
    await newCustomer({ form: { ...person, type: 'unverified' } }),
  ];
  const before = await written();
  for (const url of customers) {
    assert.ok(!('beneficial-ownership' in (await call('GET', url)).body._links));
    assertRefused(await call('GET', `${url}/beneficial-owners`), notABusiness);
    assertRefused(await call('POST', `${url}/beneficial-owners`, { body: form }), notABusiness);
    assertRefused(await call('GET', `${url}/beneficial-ownership`), notABusiness);
    assertRefused(await call('POST', `${url}/beneficial-ownership`, { body: { status: 'certified' } }), notABusiness);
  }
  assert.deepEqual(await written(), before);
});

test('limits a business to four owners, also for concurrent requests', async () => {
  const { add, call, get, customer, written } = await openBusiness(sandbox);
  const answers = await Promise.all(Array.from({ length: 8 }, () => add(form)));
  const made = answers.filter((answer) => answer.status === 201);
  assert.equal(made.length, 4);
  const before = await written();
  for (const answer of [...answers.filter((answer) => answer.status !== 201), await add(form)]) assertRefused(answer, full);
  assert.deepEqual(await written(), before);
  assert.equal((await call('DELETE', made[0]!.headers.location!)).status, 200);
  assert.equal((await add(form)).status, 201);
  assert.equal((await get(`${customer}/beneficial-owners`)).total, 4);
});

test('an Idempotency-Key gives one effect', async () => {
  const { call, customer, get, topics, create } = await openBusiness(sandbox);
  const path = `${customer}/beneficial-owners`;
  const post = (body: Fields) => call('POST', path, { body, key: 'once' });
  assert.equal((await post({ ...form, ssn: 'x' })).status, 400, 'a refused request does not use up the key');
  const [first, ...others] = await Promise.all([post(form), post(form), post(form)]);
  for (const other of [...others, await post(form)]) {
    assert.deepEqual([other.status, other.headers.location], [201, first.headers.location]);
  }
  assert.equal((await post(form)).headers['idempotent-replayed'], 'true');
  const conflict = await post({ ...form, ssn: '1111' });
  assertRefused(conflict, { status: 409, code: 'Conflict' });
  assert.equal(conflict.body._links.about.href, first.headers.location);
  assert.equal((await get(path)).total, 1);

  const url = await create(incomplete);
  const change = () => call('POST', url, { body: { firstName: 'Olive' }, key: 'change' });
  const done = await change();
  const replayed = await change();
  assert.deepEqual([replayed.status, replayed.body, replayed.headers['idempotent-replayed']], [200, done.body, 'true']);
  assert.deepEqual(await topics(url), ['created', 'reverification_needed', 'verified']);

  const certify = () => call('POST', `${customer}/beneficial-ownership`, { body: { status: 'certified' }, key: 'certify' });
  const certified = await certify();
  await create(form);
  const again = await certify();
  assert.deepEqual([again.status, again.body, again.headers['idempotent-replayed']], [200, certified.body, 'true']);
  assert.equal((await get(`${customer}/beneficial-ownership`)).status, 'recertify', 'a replayed certification has no new effect');
});
