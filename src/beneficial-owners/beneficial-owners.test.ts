// Tests of beneficial owners over HTTP: validation, statuses, links, access, certification and sealed data.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { customerForm } from '../../test/support/data.ts';
import { type Answer, assertRefused, type Body, idOf } from '../../test/support/http.ts';
import { startService, type TestService } from '../../test/support/service.ts';
import { lockOwner, setOwnerStatus } from './beneficial-owner.ts';
import { certify } from './certification.ts';
import { removeOwner } from './change.ts';
import { createOwner } from './create.ts';
import type { OwnerForm } from './form.ts';

type Fields = Record<string, unknown>;
type Fault = [what: string, change: Fields, path: string, code: string, message?: string];

const YEAR = new Date().getUTCFullYear();
const CHILD = `${YEAR - 10}-06-15`;
const ANCIENT = `${YEAR - 130}-06-15`;

const address = { address1: '1 Main Street', city: 'Springfield', stateProvinceRegion: 'IL', country: 'US', postalCode: '62701' };
const form = {
  firstName: 'Olive',
  lastName: 'Owner',
  dateOfBirth: '1980-01-02',
  ssn: '987-65-4321',
  address,
} satisfies OwnerForm;
const incomplete = { ...form, firstName: 'incomplete' };
const passport = { number: 'X1234567', country: 'CA' };

const notFound = { status: 404, code: 'NotFound', message: 'The requested resource was not found.' };
const forbidden = {
  status: 403,
  code: 'Forbidden',
  message: 'The supplied credentials are not authorized for this resource.',
};
const notABusiness = { status: 403, code: 'InvalidResourceState', message: 'Only a business customer has beneficial owners.' };
const closed = { status: 403, code: 'InvalidResourceState', message: 'Customer is suspended or deactivated.' };
const full = { status: 400, code: 'MaxNumberOfResources', message: 'A customer has at most four beneficial owners.' };

const faultsOf = (answer: Answer): string[] =>
  answer.body._embedded.errors.map((fault: Body) => `${fault.code} ${fault.path}`).sort();
// Shared by all tests of the file; each creates its own customer.
const [sandbox, production] = await Promise.all([
  startService({ after }),
  startService({ after }, { env: { MODE: 'production' } }),
]);

async function open(service = sandbox) {
  const { call, sql } = service;
  const customer = await service.newCustomer();
  const add = (body: Fields, to = customer) => call('POST', `${to}/beneficial-owners`, { body });
  const create = async (body: Fields, to = customer): Promise<string> => {
    const answer = await add(body, to);
    assert.equal(answer.status, 201, answer.text);
    return answer.headers.location!;
  };
  const get = async (url: string): Promise<Body> => {
    const answer = await call('GET', url);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  return {
    ...service,
    customer,
    add,
    create,
    get,
    change: (url: string, body: Fields) => call('POST', url, { body }),
    certify: (to = customer) => call('POST', `${to}/beneficial-ownership`, { body: { status: 'certified' } }),
    ownership: async (of = customer): Promise<string> => (await get(`${of}/beneficial-ownership`)).status,
    topics: async (url: string) => {
      const rows = await sql<{ topic: string }>`
        select topic from event
        where resource_id = ${idOf(url)} and customer_id = ${idOf(customer)} and account_id = ${service.client.account_id}
        order by id`;
      return rows.map((row) => row.topic.replace('customer_beneficial_owner_', ''));
    },
    /** The state that a refused call must leave unchanged. */
    written: async () => [
      await service.snapshot(),
      await sql`select to_jsonb(o) as owner from beneficial_owner o order by id`,
      await sql`select to_jsonb(o) as ownership from beneficial_ownership o order by customer_id`,
    ],
  };
}

/** Waits until this many statements wait for a row lock. */
async function untilWaiting({ sql }: Pick<TestService, 'sql'>, count: number): Promise<void> {
  for (let waiting = -1; waiting !== count; ) {
    const [row] = await sql<{ waiting: number }>`
      select count(*)::int as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    waiting = row!.waiting;
  }
}

test('creates an owner and omits sensitive data from the answer', async () => {
  const { create, get, customer, url, call, sql } = await open();
  const location = await create({ ...form, address: { ...address, address2: 'Suite 5', address3: 'Rear' }, zodiac: 'leo' });
  const { _links, id, created, ...rest } = await get(location);
  assert.equal(location, `${url}/beneficial-owners/${id}`);
  assert.equal(id.slice(15, 18), idOf(customer).slice(15, 18), "the customer's bucket");
  assert.match(created, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.deepEqual(rest, {
    firstName: 'Olive',
    lastName: 'Owner',
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

test('refuses each violation of the creation form', async (t) => {
  const { add, written } = await open();
  const at = (change: Fields): Fields => ({ address: { ...address, ...change } });
  const long = 'a'.repeat(101);
  const faults: Fault[] = [
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
    ['none', { ssn: undefined }, '/ssn', 'Required', 'Ssn is required.'],
    ['format', { ssn: '98-765-4321' }, '/ssn', 'InvalidFormat', 'Ssn has an invalid format.'],
    ['number', { ssn: 987654321 }, '/ssn', 'Invalid', 'Ssn must be a string.'],
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
  const before = await written();
  for (const [what, change, path, code, message] of faults) {
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
  const { create, newCustomer } = await open();
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
  const { call, customer, create } = await open();
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
  const { create, get, topics } = await open();
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
  const { create, get, topics } = await open(production);
  for (const firstName of ['Olive', 'incomplete', 'verified']) {
    const url = await create({ ...form, firstName });
    assert.equal((await get(url)).verificationStatus, 'document');
    assert.deepEqual(await topics(url), ['created', 'verification_document_needed']);
  }
});

test('shows a link only while its action succeeds', async () => {
  const { create, get, call, change, customer } = await open();
  const owners = [await create(form), await create({ ...form, firstName: 'document' }), await create(incomplete)];
  const linksOf = async () => Promise.all(owners.map(async (url) => Object.keys((await get(url))._links)));
  const always = ['self', 'customer', 'documents'];
  const open_ = [
    [...always, 'remove'],
    [...always, 'verify-with-document', 'remove'],
    [...always, 'edit', 'retry', 'remove'],
  ];
  assert.deepEqual(await linksOf(), open_);
  const { edit, retry, self } = (await get(owners[2]!))._links;
  assert.deepEqual([edit, retry], [self, self]);
  const { documents, 'verify-with-document': verify } = (await get(owners[1]!))._links;
  assert.deepEqual(verify, documents);

  await change(customer, { status: 'suspended' });
  assert.deepEqual(await linksOf(), [always, always, always]);
  await change(customer, { status: 'reactivated' });
  assert.deepEqual(await linksOf(), open_);
  assert.deepEqual(Object.keys((await call('DELETE', owners[1]!)).body._links), always);
});

test('lists the owners of a customer, newest first', async () => {
  const { create, get, call, customer, newCustomer } = await open();
  const empty = await get(`${customer}/beneficial-owners`);
  assert.deepEqual([empty._embedded, empty.total], [{ 'beneficial-owners': [] }, 0]);
  const [first, second, third] = [await create(form), await create(incomplete), await create(form)];
  await create(form, await newCustomer());
  await call('DELETE', second);
  const list = await get(`${customer}/beneficial-owners`);
  assert.deepEqual(list, {
    _links: {
      self: { ...list._links.self, href: `${customer}/beneficial-owners`, 'resource-type': 'beneficial-owner' },
    },
    _embedded: { 'beneficial-owners': [await get(third), await get(first)] },
    total: 2,
  });
  const { 'beneficial-owners': owners, 'beneficial-ownership': ownership } = (await get(customer))._links;
  assert.deepEqual(owners, list._links.self);
  assert.equal(ownership.href, `${customer}/beneficial-ownership`);
});

test('only a business customer can have owners', async () => {
  const { call, newCustomer, written } = await open();
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

test('an unverified business can name owners; a suspended or deactivated one cannot change them', async () => {
  const { call, change, create, customer, get, certify, newCustomer, written, add } = await open();
  const waiting = await newCustomer({ form: { firstName: 'document' } });
  assert.equal((await get(await create(form, waiting))).verificationStatus, 'verified');
  assert.equal((await certify(waiting)).status, 200);

  const owner = await create(incomplete);
  for (const status of ['suspended', 'deactivated']) {
    await change(customer, { status });
    const before = await written();
    assertRefused(await add(form), closed);
    assertRefused(await change(owner, { firstName: 'Olive' }), closed);
    assertRefused(await call('DELETE', owner), closed);
    assertRefused(await certify(), closed);
    assert.deepEqual(await written(), before);
    assert.equal((await get(owner)).verificationStatus, 'incomplete');
    assert.equal((await get(`${customer}/beneficial-owners`)).total, 1);
    assert.ok(!('certify' in (await get(`${customer}/beneficial-ownership`))._links));
  }
});

test('limits a business to four owners, also for concurrent requests', async () => {
  const { add, call, get, customer, written } = await open();
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

test('changing an incomplete owner decides its status again', async () => {
  const { create, change, get, topics } = await open();
  const url = await create(incomplete);
  const still = await change(url, { lastName: 'Renamed', unknown: 1 });
  assert.equal(still.status, 200, still.text);
  assert.deepEqual([still.body.lastName, still.body.verificationStatus], ['Renamed', 'incomplete']);
  assert.deepEqual(still.body, await get(url));

  const moved = { address1: '2 New Street', city: 'Salem', stateProvinceRegion: 'OR', country: 'US', postalCode: '97301' };
  const done = await change(url, { firstName: 'Olive', address: { ...moved, address2: '' } });
  assert.deepEqual(done.body, await get(url));
  const { firstName, lastName, address: now, verificationStatus } = done.body;
  assert.deepEqual([firstName, lastName, now, verificationStatus], ['Olive', 'Renamed', moved, 'verified']);
  assert.deepEqual(await topics(url), ['created', 'reverification_needed', 'reverification_needed', 'verified']);

  const other = await create(incomplete);
  assert.equal((await change(other, { ...form, firstName: 'document' })).body.verificationStatus, 'document');
  assert.deepEqual(await topics(other), ['created', 'reverification_needed', 'verification_document_needed']);

  const refused = {
    status: 403,
    code: 'InvalidResourceState',
    message: 'Beneficial owner can be changed only while it is incomplete.',
  };
  for (const owner of [url, other]) assertRefused(await change(owner, { lastName: 'Again' }), refused);
});

test('in production a changed incomplete owner needs a document', async () => {
  const { create, change, get, topics, service } = await open(production);
  const url = await create(form);
  await service.database.transaction(async (tx) => {
    const owner = await lockOwner(tx, idOf(url));
    await setOwnerStatus(tx, owner!, 'incomplete', new Date());
  });
  assert.equal((await get(url)).verificationStatus, 'incomplete');
  assert.equal((await change(url, { lastName: 'Renamed' })).body.verificationStatus, 'document');
  assert.deepEqual(await topics(url), ['created', 'verification_document_needed', 'verification_document_needed']);
});

test('refuses each violation of the change form', async () => {
  const { create, change, written } = await open();
  const url = await create(incomplete);
  const { city, ...cityless } = address;
  const rules: [body: Fields, faults: string[]][] = [
    ...['id', 'verificationStatus', 'created'].map((name): [Fields, string[]] => [
      { [name]: 'x', firstName: 'Olive' },
      [`ReadOnly /${name}`],
    ]),
    ...['firstName', 'lastName', 'dateOfBirth', 'ssn', 'passport', 'address'].map((name): [Fields, string[]] => [
      { [name]: ' ', ...(name !== 'lastName' && { lastName: 'Fine' }) },
      [`Required /${name}`],
    ]),
    [{ address: cityless }, ['Required /address/city']],
    [{ address: { ...address, postalCode: ' ' } }, ['Required /address/postalCode']],
    [{ passport: { number: 'X1' } }, ['Required /passport/country']],
    [{ dateOfBirth: CHILD, ssn: 'x', firstName: 7 }, ['Invalid /dateOfBirth', 'Invalid /firstName', 'InvalidFormat /ssn']],
  ];
  const before = await written();
  for (const [body, faults] of rules) {
    const answer = await change(url, body);
    assertRefused(answer, { status: 400, code: 'ValidationError' });
    assert.deepEqual(faultsOf(answer), faults, answer.text);
  }
  for (const body of [{}, { unknown: 1 }]) assertRefused(await change(url, body), { status: 400, code: 'BadRequest' });
  assert.deepEqual(await written(), before);
});

test('removes an owner once; afterwards it is not found', async () => {
  const { create, call, get, change, topics, customer } = await open();
  for (const firstName of ['Olive', 'document', 'incomplete']) {
    const url = await create({ ...form, firstName });
    const { _links, ...owner } = await get(url);
    const { _links: left, ...answered } = (await call('DELETE', url)).body;
    assert.deepEqual(answered, owner);
    assert.equal(left.self.href, url);
    for (const answer of [await call('GET', url), await call('DELETE', url), await change(url, { lastName: 'Late' })]) {
      assertRefused(answer, notFound);
    }
    assert.equal((await topics(url)).at(-1), 'removed');
  }
  assert.equal((await get(`${customer}/beneficial-owners`)).total, 0);

  const url = await create(form);
  const answers = await Promise.all(Array.from({ length: 4 }, () => call('DELETE', url)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404, 404, 404]);
  assert.deepEqual(await topics(url), ['created', 'verified', 'removed']);
});

test('certifies ownership, and requires recertification after any change of owners', async () => {
  const { create, change, call, get, certify, ownership, customer } = await open();
  const place = `${customer}/beneficial-ownership`;
  const start = await get(place);
  const { type } = start._links.self;
  const self = { href: place, type, 'resource-type': 'beneficial-ownership' };
  assert.deepEqual(start, {
    _links: {
      self,
      customer: { href: customer, type, 'resource-type': 'customer' },
      'beneficial-owners': { href: `${customer}/beneficial-owners`, type, 'resource-type': 'beneficial-owner' },
      certify: self,
    },
    status: 'uncertified',
  });
  const first = await create(incomplete);
  assert.equal(await ownership(), 'uncertified', 'a change of owners leaves uncertified ownership uncertified');

  const { certify: gone, ...kept } = start._links;
  const done = await certify();
  assert.deepEqual([done.status, done.body], [200, { _links: kept, status: 'certified' }]);
  assert.deepEqual(await get(place), done.body);
  assert.equal((await certify()).status, 200, 'again');

  const changes: [what: string, act: () => Promise<unknown>][] = [
    ['create', () => create(form)],
    ['update, still incomplete', () => change(first, { lastName: 'Renamed' })],
    ['update', () => change(first, { firstName: 'Olive' })],
    ['remove', () => call('DELETE', first)],
  ];
  for (const [what, act] of changes) {
    await act();
    const asked = await get(place);
    assert.deepEqual([asked.status, asked._links.certify], ['recertify', self], what);
    await create(form).then((url) => call('DELETE', url));
    assert.equal(await ownership(), 'recertify');
    assert.equal((await certify()).body.status, 'certified');
    assert.equal(await ownership(), 'certified');
  }
});

test('ownership stays certified when no owner changes', async () => {
  const { add, create, change, call, certify, ownership, customer, newCustomer, nowhere } = await open();
  const owner = await create(form);
  await certify();
  await add({ ...form, ssn: 'x' });
  await change(owner, { lastName: 'Late' });
  await call('DELETE', nowhere('beneficial-owner'));
  await change(customer, { phone: '5551234567' });
  await create(form, await newCustomer());
  await call('GET', owner);
  assert.equal(await ownership(), 'certified');
  const none = await newCustomer();
  assert.equal((await certify(none)).body.status, 'certified', 'a business without owners can be certified');
});

test('accepts only `certified` as the ownership status', async () => {
  const { call, customer, written } = await open();
  const path = `${customer}/beneficial-ownership`;
  const before = await written();
  for (const status of ['uncertified', 'recertify', 'Certified', '', 7, null, ['certified']]) {
    assertRefused(await call('POST', path, { body: { status } }), {
      status: 400,
      code: 'ValidationError',
      message: 'Status must be one of certified.',
      fault: 'Invalid',
      path: '/status',
    });
  }
  assertRefused(await call('POST', path, { body: { state: 'certified' } }), {
    status: 400,
    code: 'ValidationError',
    message: 'Status is required.',
    fault: 'Required',
    path: '/status',
  });
  assert.deepEqual(await written(), before);
});

test('serialises certifications and changes of owners', async () => {
  const opened = await open();
  const { service, client, customer, create, add, certify: post, call, ownership, sql } = opened;
  const caller = { accountId: client.account_id };
  const { database, sealer } = service;
  const context = { mode: 'sandbox', sealer } as const;
  await post();

  // A change that waits for a certification revokes it.
  await create(form);
  const late = await database.transaction(async (tx) => {
    await certify(tx, caller, idOf(customer), new Date());
    const waiting = add(form);
    await untilWaiting(opened, 1);
    return { waiting };
  });
  assert.equal((await late.waiting).status, 201);
  assert.equal(await ownership(), 'recertify');

  // A certification that waits for a change covers the change.
  const covered = await database.transaction(async (tx) => {
    await createOwner(tx, context, caller, idOf(customer), form, new Date());
    const waiting = post();
    await untilWaiting(opened, 1);
    return { waiting };
  });
  assert.equal((await covered.waiting).status, 200);
  assert.equal(await ownership(), 'certified');

  // The second of two removals finds no owner; both also wait for the lock of the customer's row.
  const owner = await call('GET', `${customer}/beneficial-owners`).then(({ body }) => body._embedded['beneficial-owners'][0]);
  const lost = await database.transaction(async (tx) => {
    await removeOwner(tx, caller, owner.id, new Date());
    const waiting = [call('DELETE', owner._links.self.href), call('POST', customer, { body: { status: 'suspended' } })];
    await untilWaiting(opened, 2);
    return { waiting: Promise.all(waiting) };
  });
  const [removal, suspension] = await lost.waiting;
  assert.deepEqual([removal?.status, suspension?.status], [404, 200]);
  const [row] = await sql<{ left: number }>`
    select count(*)::int as left from beneficial_owner where customer_id = ${idOf(customer)} and removed is null`;
  assert.equal(row?.left, 2);
});

test('concurrent changes of every kind do not fail or deadlock', async () => {
  const { add, call, certify, customer, get, change } = await open();
  const round = async () => {
    const made = await add(incomplete);
    const url = made.headers.location;
    if (url === undefined) return [made, await certify()];
    return Promise.all([
      made,
      certify(),
      change(url, { lastName: 'New' }),
      change(customer, { city: 'Salem' }),
      call('DELETE', url),
    ]);
  };
  const answers = (await Promise.all(Array.from({ length: 12 }, round))).flat();
  for (const answer of answers) {
    assert.ok([200, 201, 404].includes(answer.status) || answer.body.code === 'MaxNumberOfResources', answer.text);
  }
  assert.equal((await get(`${customer}/beneficial-owners`)).total, 0);
});

test('answers 403 for owners of another account and 404 for missing ones', async () => {
  const { create, call, newClient, nowhere, customer, written } = await open();
  const owner = await create(incomplete);
  const { token } = await newClient();
  const before = await written();
  const routes: [method: string, url: string, kind: string, place: string, body?: Fields][] = [
    ['GET', customer, 'customer', '/beneficial-owners'],
    ['POST', customer, 'customer', '/beneficial-owners', form],
    ['GET', customer, 'customer', '/beneficial-ownership'],
    ['POST', customer, 'customer', '/beneficial-ownership', { status: 'certified' }],
    ['GET', owner, 'beneficial-owner', ''],
    ['POST', owner, 'beneficial-owner', '', { lastName: 'Theirs' }],
    ['DELETE', owner, 'beneficial-owner', ''],
  ];
  for (const [method, url, kind, place, body] of routes) {
    const options = body ? { body } : {};
    assertRefused(await call(method, `${url}${place}`, { ...options, token }), forbidden);
    for (const missing of [nowhere(kind), `/${kind}s/1`, url.replace(/.$/, url.endsWith('0') ? '8' : '0')]) {
      assertRefused(await call(method, `${missing}${place}`, options), notFound);
    }
  }
  assertRefused(await call('GET', `/beneficial-owners/${idOf(customer)}`), notFound);
  assert.deepEqual(await written(), before);
});

test('each operation requires its scope', async () => {
  const { create, call, client, newClient, customer } = await open();
  const owner = await create(incomplete);
  const reader = await newClient(['read'], client.account_id);
  const writer = await newClient(['write'], client.account_id);
  for (const path of [`${customer}/beneficial-owners`, owner, `${customer}/beneficial-ownership`]) {
    assert.equal((await call('GET', path, { token: reader.token })).status, 200);
    assertRefused(await call('GET', path, { token: writer.token }), forbidden);
  }
  const writes: [method: string, path: string, body?: Fields][] = [
    ['POST', `${customer}/beneficial-owners`, form],
    ['POST', owner, { lastName: 'New' }],
    ['POST', `${customer}/beneficial-ownership`, { status: 'certified' }],
    ['DELETE', owner],
  ];
  for (const [method, path, body] of writes) {
    const options = body ? { body } : {};
    assertRefused(await call(method, path, { ...options, token: reader.token }), forbidden);
    assert.ok((await call(method, path, { ...options, token: writer.token })).status < 300, `${method} ${path}`);
    assert.equal((await call(method, path, { ...options, token: '' })).status, 401);
  }
});

test('an Idempotency-Key gives one effect', async () => {
  const { call, customer, get, topics, create } = await open();
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

test('seals sensitive data, and neither returns nor logs it', async () => {
  const { call, create, change, get, sql, logs, service, customer } = await open();
  const secrets = ['1969-08-07', '765-43-2109', 'PX99887766', '1968-07-06', '123-98-7654', 'PY55443322'];
  const [born, ssn, number, bornToo, ssnToo, numberToo] = secrets;
  const url = await create({ ...incomplete, dateOfBirth: born, ssn, passport: { number, country: 'DE', note: 1 } });
  const sealed = async (of = url) => {
    const [row] = await sql<{ sealed: Buffer }>`select sealed from beneficial_owner where id = ${idOf(of)}`;
    return row!.sealed;
  };
  const opened = async () => JSON.parse(service.sealer.open(await sealed(), `beneficial-owner:${idOf(url)}`).toString());
  const kept = [await sealed()];
  assert.deepEqual(await opened(), { dateOfBirth: born, ssn, passport: { number, country: 'DE' } });

  const outputs: string[] = [];
  const steps: [body: Fields, left: Fields][] = [
    [{ dateOfBirth: bornToo }, { dateOfBirth: bornToo, ssn, passport: { number, country: 'DE' } }],
    [{ ssn: ssnToo }, { dateOfBirth: bornToo, ssn: ssnToo }],
    [
      { passport: { number: numberToo, country: 'DE', note: 1 } },
      { dateOfBirth: bornToo, passport: { number: numberToo, country: 'DE' } },
    ],
    [{ address }, { dateOfBirth: bornToo, passport: { number: numberToo, country: 'DE' } }],
  ];
  for (const [body, left] of steps) {
    outputs.push((await call('POST', url, { body, key: JSON.stringify(left).length.toString() + Object.keys(body) })).text);
    assert.deepEqual(await opened(), left, JSON.stringify(body));
    kept.push(await sealed());
  }
  assert.equal(new Set(kept.map((bytes) => bytes.toString('hex'))).size, kept.length, 'each value is sealed with a fresh key');

  outputs.push(JSON.stringify(await get(url)), JSON.stringify(await get(`${customer}/beneficial-owners`)));
  outputs.push(
    (await change(url, { ssn: `${ssn}0`, dateOfBirth: `${born}0`, passport: { number: `${number} `, country: 'x' } })).text,
  );
  outputs.push((await change(url, { dateOfBirth: CHILD, ssn })).text);
  outputs.push((await call('DELETE', url)).text, ...logs);
  const stored = await sql<{ row: string }>`
    select o::text as row from beneficial_owner o union all select e::text from event e union all select k::text from idempotency_key k`;
  const everything = [...outputs, ...stored.map(({ row }) => row), ...kept.map((bytes) => bytes.toString('latin1'))].join('\n');
  assert.ok(everything.includes('Springfield') && outputs.length > 10, 'there is data to search');
  for (const secret of secrets) assert.ok(!everything.includes(secret), secret);

  const other = await create(form);
  assert.throws(() => service.sealer.open(kept[0]!, `beneficial-owner:${idOf(other)}`), /belongs to another record/);
  const { ssn: holderSsn } = customerForm();
  assert.ok(!everything.includes(holderSsn));
});

test('documents can lock an owner and set its status', async () => {
  const { create, get, call, service, sql, topics, nowhere, customer } = await open();
  const url = await create({ ...form, firstName: 'document' });
  const { database } = service;
  const late = await database.transaction(async (tx) => {
    const owner = await lockOwner(tx, idOf(url));
    assert.deepEqual(
      [owner?.customerId, owner?.lastName, owner?.verificationStatus, owner?.customerStatus],
      [idOf(customer), 'Owner', 'document', 'verified'],
    );
    const waiting = call('DELETE', url);
    await untilWaiting(service.database, 1);
    const free = await sql`select 1 from beneficial_owner where id = ${idOf(url)} for update skip locked`;
    assert.equal(free.length, 0, 'the row of the owner is locked too');
    await setOwnerStatus(tx, owner!, 'verified', new Date());
    return { waiting };
  });
  assert.equal((await late.waiting).body.verificationStatus, 'verified');
  assert.deepEqual(await topics(url), ['created', 'verification_document_needed', 'removed'], 'events are written by the caller');
  for (const id of [idOf(url), idOf(nowhere('beneficial-owner'))]) {
    assert.equal(await database.transaction((tx) => lockOwner(tx, id)), undefined);
  }
  const again = await create(form);
  assert.ok('remove' in (await get(again))._links);
});
