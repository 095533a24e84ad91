// Tests of customers over HTTP: validation, statuses, links, access, lists, changes, balances and sealed data.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Answer, assertRefused, type Body, idOf } from '../../test/support/http.ts';
import { startService } from '../../test/support/service.ts';
import { isOfAge } from '../forms/check.ts';
import { changeCustomer } from './change.ts';

type Fields = Record<string, unknown>;
type Fault = [what: string, change: Fields, path: string, code: string, message: string];

const YEAR = new Date().getUTCFullYear();
const CHILD = `${YEAR - 10}-06-15`;
const ANCIENT = `${YEAR - 130}-06-15`;

const person = { firstName: 'Ada', lastName: 'Example', email: 'ada@example.com' };
const address = { address1: '1 Main Street', city: 'Springfield', state: 'IL', postalCode: '62701' };
const business = { businessName: 'Example Works', businessClassification: 'retail' };
const personal: Fields = { type: 'personal', ...person, ...address, dateOfBirth: '1980-01-02', ssn: '987-65-4321' };
const soleProprietor: Fields = { ...personal, ...business, type: 'business', businessType: 'soleProprietorship' };
const controller: Fields = {
  firstName: 'Con',
  lastName: 'Troller',
  title: 'CEO',
  dateOfBirth: '1970-03-04',
  ssn: '876543210',
  address: { address1: '2 Main Street', city: 'Springfield', stateProvinceRegion: 'IL', country: 'US' },
};
const corporation: Fields = {
  type: 'business',
  ...person,
  ...address,
  ...business,
  businessType: 'corporation',
  ein: '12-3456789',
  controller,
};
const unverified: Fields = { type: 'unverified', ...person };

/** The changes that leave a member out: JSON omits undefined. */
const without = (...names: string[]): Fields => Object.fromEntries(names.map((name) => [name, undefined]));
const faultsOf = (answer: Answer): string[] =>
  answer.body._embedded.errors.map((fault: Body) => `${fault.code} ${fault.path}`).sort();

async function open(t: TestContext, env?: Record<string, string>) {
  const service = await startService(t, env ? { env } : {});
  const create = async (form: Fields): Promise<string> => {
    const answer = await service.call('POST', '/customers', { body: form });
    assert.equal(answer.status, 201, answer.text);
    return answer.headers.location!;
  };
  const get = async (url: string): Promise<Body> => {
    const answer = await service.call('GET', url);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  const change = (url: string, body: Fields) => service.call('POST', url, { body });
  const topics = async (url: string) => {
    const rows = await service.sql<{ topic: string }>`
      select topic from event where customer_id = ${idOf(url)} and resource_id = ${idOf(url)} order by id`;
    return rows.map((row) => row.topic);
  };
  return { ...service, create, get, change, topics };
}

test('creates a customer of each type and omits sensitive data from the answer', async (t) => {
  const { create, get, url } = await open(t);
  const forms: [form: Fields, answered: Fields][] = [
    [personal, { ...person, ...address, type: 'personal', status: 'verified' }],
    [
      soleProprietor,
      { ...person, ...address, ...business, type: 'business', businessType: 'soleProprietorship', status: 'verified' },
    ],
    [unverified, { ...unverified, status: 'unverified' }],
    [
      { ...corporation, controller: { ...controller, ssn: undefined, passport: { number: 'X1234567', country: 'CA' } } },
      {
        ...corporation,
        ...without('ein'),
        status: 'verified',
        controller: { firstName: 'Con', lastName: 'Troller', title: 'CEO', address: controller.address },
      },
    ],
  ];
  for (const [form, answered] of forms) {
    const location = await create(form);
    const { _links, id, created, ...rest } = await get(location);
    assert.equal(location, `${url}/customers/${id}`);
    assert.match(created, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.equal(_links.self.href, location);
    assert.deepEqual(rest, JSON.parse(JSON.stringify(answered)));
  }
});

test('stores optional members, treats blank ones as absent, and ignores unknown ones', async (t) => {
  const { create, get } = await open(t);
  const extras = {
    address2: 'Suite 5',
    phone: '+1 (555) 123-4567',
    doingBusinessAs: 'Works',
    website: 'https://example.com/a?b',
  };
  const made = await get(await create({ ...corporation, ...extras, ipAddress: '192.0.2.1', zodiac: 'leo' }));
  assert.deepEqual({ ...made, ...extras }, made);
  assert.ok(!('zodiac' in made) && !('ipAddress' in made));
  const bare = await get(await create({ ...personal, address2: '', phone: ' ', businessName: 7, controller: 'none' }));
  for (const name of ['address2', 'phone', 'businessName', 'controller']) assert.ok(!(name in bare), name);
});

test('refuses each violation of the creation form', async (t) => {
  const { call, snapshot } = await open(t);
  const rules: [form: Fields, faults: Fault[]][] = [
    [
      personal,
      [
        ['null type', { type: null }, '/type', 'Required', 'Type is required.'],
        ['another type', { type: 'robot' }, '/type', 'Invalid', 'Type is not one of the allowed values.'],
        ['blank', { firstName: '  ' }, '/firstName', 'Required', 'First name is required.'],
        ['null', { lastName: null }, '/lastName', 'Invalid', 'Last name must be a string.'],
        ['long', { firstName: 'a'.repeat(51) }, '/firstName', 'Invalid', 'First name must have at most 50 characters.'],
        ['control', { lastName: 'a\tb' }, '/lastName', 'InvalidFormat', 'Last name has an invalid format.'],
        ['email', { email: 'ada' }, '/email', 'InvalidFormat', 'Email has an invalid format.'],
        ['email', { email: `${'a'.repeat(243)}@example.com` }, '/email', 'Invalid', 'Email must have at most 254 characters.'],
        ['no address', { address1: undefined }, '/address1', 'Required', 'Address1 is required.'],
        ['no city', { city: '' }, '/city', 'Required', 'City is required.'],
        ['state', { state: 'Illinois' }, '/state', 'InvalidFormat', 'State has an invalid format.'],
        ['postal code', { postalCode: '627' }, '/postalCode', 'InvalidFormat', 'Postal code has an invalid format.'],
        ['date', { dateOfBirth: '1980-02-30' }, '/dateOfBirth', 'InvalidFormat', 'Date of birth has an invalid format.'],
        ['young', { dateOfBirth: CHILD }, '/dateOfBirth', 'Invalid', 'Date of birth must be 18 to 125 years ago.'],
        ['old', { dateOfBirth: ANCIENT }, '/dateOfBirth', 'Invalid', 'Date of birth must be 18 to 125 years ago.'],
        ['ssn', { ssn: '98-765-4321' }, '/ssn', 'InvalidFormat', 'Ssn has an invalid format.'],
        ['number', { ssn: 1234 }, '/ssn', 'Invalid', 'Ssn must be a string.'],
        ['phone', { phone: 'call me' }, '/phone', 'InvalidFormat', 'Phone has an invalid format.'],
        ['website', { website: 'javascript:alert(1)' }, '/website', 'InvalidFormat', 'Website has an invalid format.'],
        ['ip', { ipAddress: 'home' }, '/ipAddress', 'InvalidFormat', 'Ip address has an invalid format.'],
      ],
    ],
    [
      soleProprietor,
      [
        ['no birth', { dateOfBirth: undefined }, '/dateOfBirth', 'Required', 'Date of birth is required.'],
        ['young', { dateOfBirth: CHILD }, '/dateOfBirth', 'Invalid', 'Date of birth must be 18 to 125 years ago.'],
        ['no ssn', { ssn: '' }, '/ssn', 'Required', 'Ssn is required.'],
        ['no type', { businessType: undefined }, '/businessType', 'Required', 'Business type is required.'],
        [
          'type',
          { businessType: 'club' },
          '/businessType',
          'Invalid',
          'Business type must be one of soleProprietorship, corporation, llc, partnership.',
        ],
        [
          'name',
          { businessName: 'a'.repeat(101) },
          '/businessName',
          'Invalid',
          'Business name must have at most 100 characters.',
        ],
        ['class', { businessClassification: ' ' }, '/businessClassification', 'Required', 'Business classification is required.'],
      ],
    ],
    [
      corporation,
      [
        ['no ein', { ein: undefined }, '/ein', 'Required', 'Ein is required.'],
        ['ein', { ein: '123-456789' }, '/ein', 'InvalidFormat', 'Ein has an invalid format.'],
        ['no controller', { controller: undefined }, '/controller', 'Required', 'Controller is required.'],
        ['holder young', { dateOfBirth: CHILD }, '/dateOfBirth', 'Invalid', 'Date of birth must be 18 to 125 years ago.'],
        ...controllerFaults(),
      ],
    ],
    [
      unverified,
      [
        ['no email', { email: undefined }, '/email', 'Required', 'Email is required.'],
        ['state', { state: 'il' }, '/state', 'InvalidFormat', 'State has an invalid format.'],
      ],
    ],
  ];
  const before = await snapshot();
  for (const [form, faults] of rules) {
    for (const [what, change, path, code, message] of faults) {
      await t.test(`${form.type}: ${what} ${path}`, async () => {
        const answer = await call('POST', '/customers', { body: { ...form, ...change } });
        assertRefused(answer, { status: 400, code: 'ValidationError', message, fault: code, path });
        assert.equal(answer.body._embedded.errors.length, 1, answer.text);
      });
    }
  }
  assert.deepEqual(await snapshot(), before);
});

function controllerFaults(): Fault[] {
  const home = controller.address as Fields;
  const faults: Fault[] = [
    ['no ssn', { ssn: undefined }, '/ssn', 'Required', 'Controller ssn is required.'],
    ['no title', { title: ' ' }, '/title', 'Required', 'Controller title is required.'],
    ['young', { dateOfBirth: CHILD }, '/dateOfBirth', 'Invalid', 'Controller date of birth must be 18 to 125 years ago.'],
    [
      'passport',
      { ssn: '', passport: { country: 'CA' } },
      '/passport/number',
      'Required',
      'Controller passport number is required.',
    ],
    [
      'country',
      { address: { ...home, country: 'Canada' } },
      '/address/country',
      'InvalidFormat',
      'Controller address country has an invalid format.',
    ],
    [
      'region',
      { address: { ...home, stateProvinceRegion: undefined } },
      '/address/stateProvinceRegion',
      'Required',
      'Controller address state province region is required.',
    ],
  ];
  return faults.map(([what, change, path, ...rest]) => [
    what,
    { controller: { ...controller, ...change } },
    `/controller${path}`,
    ...rest,
  ]);
}

test('accepts every valid form', async (t) => {
  const { create } = await open(t);
  const accepted: Fields[] = [
    ...['987654321', '987-65-4321', '4321'].map((ssn) => ({ ...personal, ssn })),
    ...['62701', '62701-1234'].map((postalCode) => ({ ...personal, postalCode })),
    ...['123456789', '12-3456789'].map((ein) => ({ ...corporation, ein })),
    ...['llc', 'partnership'].map((businessType) => ({ ...corporation, businessType })),
    { ...corporation, dateOfBirth: '1980-01-02', ssn: '4321' },
    { ...personal, firstName: 'é'.repeat(50), lastName: '𝒳'.repeat(50) },
    { ...unverified, ...address, businessName: 'Works', dateOfBirth: CHILD },
  ];
  for (const form of accepted) await create(form);
});

test('reports all faults together, and only those of the form of the type', async (t) => {
  const { call } = await open(t);
  const faultsFor = async (body: Fields) => faultsOf(await call('POST', '/customers', { body }));
  const young = { ...controller, dateOfBirth: CHILD, firstName: '' };
  assert.deepEqual(
    await faultsFor({ ...corporation, email: 'x', ein: '', postalCode: '1', controller: young, dateOfBirth: CHILD }),
    [
      'Invalid /controller/dateOfBirth',
      'Invalid /dateOfBirth',
      'InvalidFormat /email',
      'InvalidFormat /postalCode',
      'Required /controller/firstName',
      'Required /ein',
    ],
  );
  assert.deepEqual(await faultsFor({ type: 'unverified' }), ['Required /email', 'Required /firstName', 'Required /lastName']);
  assert.deepEqual(await faultsFor({ ...person, ...address, type: 'business' }), [
    'Required /businessClassification',
    'Required /businessName',
    'Required /businessType',
  ]);
});

test('refuses a body that is not a form as a syntax error', async (t) => {
  const { call } = await open(t);
  for (const raw of ['', '[]', '7', '{"type":', '{"type":"personal","type":"personal"}', '{"firstName":"\\ud800"}']) {
    assertRefused(await call('POST', '/customers', { raw }), {
      status: 400,
      code: 'BadRequest',
      message: 'The request body contains bad syntax or is incomplete.',
    });
  }
});

test('counts an age in whole years', () => {
  const at = new Date('2026-03-01T00:00:00Z');
  const born: [date: string, ofAge: boolean][] = [
    ['2008-03-01', true],
    ['2008-03-02', false],
    ['2008-02-29', true],
    ['1900-03-02', true],
    ['1900-03-01', false],
    ['2030-01-01', false],
    ['0000-01-01', false],
  ];
  for (const [date, ofAge] of born) assert.equal(isOfAge(date, at), ofAge, date);
  assert.equal(isOfAge('2008-02-29', new Date('2026-02-28T23:59:59Z')), false);
});

test('in the sandbox a name decides the status, and events report it', async (t) => {
  const { create, get, topics } = await open(t);
  const topicOf: Record<string, string> = {
    verified: 'customer_verified',
    retry: 'customer_reverification_needed',
    document: 'customer_verification_document_needed',
    suspended: 'customer_suspended',
  };
  const made: [form: Fields, status: string][] = [
    [personal, 'verified'],
    [soleProprietor, 'verified'],
    [corporation, 'verified'],
    [{ ...corporation, firstName: 'retry' }, 'verified'],
    ...['retry', 'document', 'suspended'].flatMap((name): [Fields, string][] => [
      [{ ...personal, firstName: name }, name],
      [{ ...soleProprietor, firstName: name }, name],
      [{ ...soleProprietor, businessName: name }, name],
      [{ ...corporation, businessName: name }, name],
      [{ ...corporation, controller: { ...controller, firstName: name } }, name],
    ]),
  ];
  for (const [form, status] of made) {
    const url = await create(form);
    assert.equal((await get(url)).status, status);
    assert.deepEqual(await topics(url), ['customer_created', topicOf[status]]);
  }
  const url = await create({ ...unverified, firstName: 'retry' });
  assert.equal((await get(url)).status, 'unverified');
  assert.deepEqual(await topics(url), ['customer_created']);
});

test('in production a new customer needs a document', async (t) => {
  const { create, get, topics } = await open(t, { MODE: 'production' });
  for (const form of [personal, soleProprietor, corporation, { ...personal, firstName: 'suspended' }]) {
    const url = await create(form);
    assert.equal((await get(url)).status, 'document');
    assert.deepEqual(await topics(url), ['customer_created', 'customer_verification_document_needed']);
  }
  assert.equal((await get(await create(unverified))).status, 'unverified');
});

test('seals sensitive data, and neither returns nor logs it', async (t) => {
  const { create, get, call, sql, logs, service } = await open(t);
  const secrets = ['1969-08-07', '765432109', '98-7651234', 'PX99887766', '1968-07-06', '654-32-1098'];
  const [holderBorn, holderSsn, ein, number, born, ssn] = secrets;
  const passport = { number, country: 'CA' };
  const form = {
    ...corporation,
    dateOfBirth: holderBorn,
    ssn: holderSsn,
    ein,
    controller: { ...controller, dateOfBirth: born, ssn, passport },
  };
  const url = await create(form);
  const outputs = [
    JSON.stringify(await get(url)),
    JSON.stringify(await get('/customers')),
    (await call('POST', '/customers', { body: { ...form, email: 'x', ssn: `${holderSsn}0` } })).text,
    (await call('POST', url, { body: { phone: '5551234567' }, key: 'k' })).text,
    ...logs,
  ].join('\n');
  const stored = await sql<{ row: string }>`
    select c::text as row from customer c union all select e::text from event e union all select k::text from idempotency_key k`;
  const [sealed] = await sql<{ sealed: Buffer }>`select sealed from customer where id = ${idOf(url)}`;
  const everything = `${outputs}\n${stored.map(({ row }) => row).join('\n')}\n${sealed!.sealed.toString('latin1')}`;
  for (const secret of secrets) assert.ok(!everything.includes(secret!), secret);

  assert.deepEqual(JSON.parse(service.sealer.open(sealed!.sealed, `customer:${idOf(url)}`).toString()), {
    dateOfBirth: holderBorn,
    ssn: holderSsn,
    ein,
    controller: { dateOfBirth: born, ssn, passport },
  });

  const nothing = await sql`select 1 from customer where id = ${idOf(await create(unverified))} and sealed is null`;
  assert.equal(nothing.length, 1, 'an unverified customer has no sensitive data');
});

test('shows a link only while its action succeeds', async (t) => {
  const { create, get, change } = await open(t);
  const linksOf = async (url: string) => Object.keys((await get(url))._links).sort();
  const always = ['balance', 'self'];
  const whileOpen = [...always, 'edit', 'suspend', 'deactivate'];
  const moving = ['labels', 'create-label', 'deposit', 'withdraw'];
  const owned = ['beneficial-owners', 'beneficial-ownership'];
  const url = await create(corporation);
  const { self, ...links } = (await get(url))._links;
  const toCertify = 'certify-beneficial-ownership';
  assert.deepEqual(await linksOf(url), [...whileOpen, ...moving, 'documents', ...owned, toCertify].sort());
  assert.deepEqual(links['create-label'], { href: `${url}/labels`, type: self.type, 'resource-type': 'label' });
  for (const action of ['edit', 'suspend', 'deactivate']) assert.deepEqual(links[action], self);

  await change(url, { status: 'suspended' });
  assert.deepEqual(await linksOf(url), [...always, 'deactivate', 'reactivate', 'deposit', 'documents', ...owned].sort());
  await change(url, { status: 'deactivated' });
  assert.deepEqual(await linksOf(url), [...always, 'reactivate', 'deposit', 'documents', ...owned].sort());

  assert.deepEqual(await linksOf(await create(personal)), [...whileOpen, ...moving, 'documents'].sort());
  assert.deepEqual(
    await linksOf(await create({ ...personal, firstName: 'document' })),
    [...whileOpen, 'documents', 'verify-with-document'].sort(),
  );
  assert.deepEqual(await linksOf(await create(unverified)), whileOpen.sort());
});

test('answers 403 for customers of another account and 404 for missing ones', async (t) => {
  const { create, call, newClient, nowhere } = await open(t);
  const url = await create(personal);
  const { token } = await newClient();
  const routes: [method: string, place: string, body?: Fields][] = [
    ['GET', ''],
    ['POST', '', { phone: '5551234567' }],
    ['GET', '/balance'],
  ];
  for (const [method, place, body] of routes) {
    const options = body ? { body } : {};
    assertRefused(await call(method, `${url}${place}`, { ...options, token }), {
      status: 403,
      code: 'Forbidden',
      message: 'The supplied credentials are not authorized for this resource.',
    });
    for (const missing of [nowhere('customer'), '/customers/1']) {
      assertRefused(await call(method, `${missing}${place}`, options), {
        status: 404,
        code: 'NotFound',
        message: 'The requested resource was not found.',
      });
    }
  }
  assert.equal((await call('GET', '/customers', { token })).body.total, 0);
});

test('each operation requires its scope', async (t) => {
  const { create, call, client, newClient } = await open(t);
  const url = await create(personal);
  const reader = await newClient(['read'], client.account_id);
  const writer = await newClient(['write'], client.account_id);
  for (const path of ['/customers', url, `${url}/balance`]) {
    assert.equal((await call('GET', path, { token: reader.token })).status, 200);
    assertRefused(await call('GET', path, { token: writer.token }), { status: 403, code: 'Forbidden' });
  }
  for (const [path, body] of [
    ['/customers', personal],
    [url, { phone: '5551234567' }],
  ] as const) {
    assert.ok((await call('POST', path, { token: writer.token, body })).status < 300);
    assertRefused(await call('POST', path, { token: reader.token, body }), { status: 403, code: 'Forbidden' });
  }
});

test('lists customers newest first, in pages and filtered', async (t) => {
  const { create, call, get, change, url } = await open(t);
  const made: string[] = [];
  for (const [firstName, lastName, email, businessName] of [
    ['Ada', 'Lovelace', 'ada@one.example', 'Engines'],
    ['Grace', '100%_\\', 'GRACE@two.example', 'Compilers'],
    ['Edsger', 'O’Path', 'ed@three.example', 'Shortest Ways'],
  ]) {
    made.unshift(await create({ ...corporation, firstName, lastName, email, businessName }));
    // The ids of two customers made in the same millisecond have no defined order.
    await new Promise((resume) => setTimeout(resume, 2));
  }
  const [ed, grace, ada] = made;
  await change(grace!, { status: 'suspended' });
  const list = async (query: string) => {
    const { _embedded, total } = await get(`/customers?${query}`);
    assert.equal(total, _embedded.customers.length);
    return _embedded.customers.map((customer: Body) => customer._links.self.href);
  };

  const filters: [query: Record<string, string>, found: (string | undefined)[]][] = [
    [{}, made],
    [{ search: '' }, made],
    [{ search: 'LOVE' }, [ada]],
    [{ search: 'ada love' }, [ada]],
    [{ search: 'two.EXAMPLE' }, [grace]],
    [{ search: 'shortest' }, [ed]],
    [{ search: '%' }, [grace]],
    [{ search: '_' }, [grace]],
    [{ search: '\\' }, [grace]],
    [{ search: "'; drop table customer; --" }, []],
    [{ email: 'grace@TWO.example' }, [grace]],
    [{ email: 'grace' }, []],
    [{ status: 'suspended' }, [grace]],
    [{ status: 'verified', search: 'a', email: 'ada@one.example' }, [ada]],
  ];
  for (const [query, found] of filters)
    assert.deepEqual(await list(String(new URLSearchParams(query))), found, JSON.stringify(query));
  assert.deepEqual(await list('status=verified&status=suspended'), made);
  assert.deepEqual(await list('status=suspended&status=retry'), [grace]);
  assert.deepEqual(await list('status=retry&status=document'), []);

  const verified = await get('/customers?status=verified&limit=1&status=retry');
  assert.equal(verified._links.self.href, `${url}/customers?status=verified&status=retry&limit=1`);
  assert.equal((await get(verified._links.next.href))._embedded.customers[0]._links.self.href, ada);

  const page = await get('/customers?limit=1&offset=1&search=example');
  assert.equal(page.total, 3);
  assert.equal(page._embedded.customers[0]._links.self.href, grace);
  assert.deepEqual(await get(page._links.self.href), page);
  assert.equal((await get(page._links.next.href))._embedded.customers[0]._links.self.href, ada);
  assert.equal((await get(page._links.prev.href))._embedded.customers[0]._links.self.href, ed);
  assert.deepEqual((await get('/customers?offset=9'))._embedded.customers, []);
  assert.equal((await get('/customers?offset=9')).total, 3);

  for (const query of [
    'limit=0',
    'limit=201',
    'limit=x',
    'offset=-1',
    'status=happy',
    'status=verified&status=happy',
    'search=%00',
    'email=%00',
    'search=a&search=b',
  ]) {
    assertRefused(await call('GET', `/customers?${query}`), {
      status: 400,
      code: 'ValidationError',
      path: `/query/${query.split('=', 1)}`,
    });
  }
  for (const query of ['search=%ED%A0%80', 'search=%FF', 'search=%']) {
    assertRefused(await call('GET', `/customers?${query}`), {
      status: 400,
      code: 'BadRequest',
      message: 'The request query contains bad syntax or is incomplete.',
    });
  }
});

test('a change of a customer changes its ETag', async (t) => {
  const { create, call, change } = await open(t);
  const url = await create(personal);
  const { etag } = (await call('GET', url)).headers;
  const again = () => call('GET', url, { headers: { 'if-none-match': etag! } });
  const unchanged = await again();
  assert.deepEqual([unchanged.status, unchanged.text, unchanged.headers.etag], [304, '', etag]);
  await change(url, { city: 'Shelbyville' });
  assert.equal((await again()).status, 200);
});

test('an Idempotency-Key creates one customer and changes it once', async (t) => {
  const { call, create, get, topics } = await open(t);
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

test('changes only contact members', async (t) => {
  const { create, get, change, topics, call } = await open(t);
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
  assert.deepEqual(await topics(url), ['customer_created', 'customer_verified']);

  const other = await create(unverified);
  const renamed = await change(other, { firstName: 'Neu', lastName: 'Name', businessName: 'Firm', city: 'Salem' });
  assert.deepEqual({ ...renamed.body, firstName: 'Neu', lastName: 'Name', businessName: 'Firm', city: 'Salem' }, renamed.body);
  assert.ok(!('city' in (await change(other, { city: '' })).body));

  for (const body of [{}, { unknown: 1 }, [], null]) {
    assertRefused(await call('POST', url, { body }), { status: 400, code: 'BadRequest' });
  }
});

test('refuses each violation of the change form', async (t) => {
  const { create, change, snapshot } = await open(t);
  const urls: Record<string, string> = {
    personal: await create(personal),
    business: await create(corporation),
    unverified: await create(unverified),
  };
  const readOnly = ['id', 'type', 'created', 'firstName', 'lastName', 'businessName', 'dateOfBirth', 'ssn', 'ein', 'controller'];
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
  }
  assert.deepEqual(await snapshot(), before);
});

test('allows the documented status changes, blocks money by status, and reports changes as events', async (t) => {
  const { create, change, get, topics, sql, newCustomer, newLabel, reallocation, call } = await open(t);
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
      (await topics(url)).slice(-changes.length),
      changes.map((topic) => `customer_${topic}`),
    );
  }

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

test('a change waits for a concurrent one and sees its result', async (t) => {
  const { create, change, service, client } = await open(t);
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

test('a customer that was suspended from the start cannot be reactivated, also not after deactivation', async (t) => {
  const { create, change, topics } = await open(t);
  const url = await create({ ...personal, firstName: 'suspended' });
  assertRefused(await change(url, { status: 'reactivated' }), { status: 403, code: 'InvalidResourceState' });
  assert.equal((await change(url, { status: 'deactivated' })).body.status, 'deactivated');
  assert.equal((await change(url, { status: 'reactivated' })).body.status, 'suspended');
  assertRefused(await change(url, { status: 'reactivated' }), { status: 403, code: 'InvalidResourceState' });
  assert.deepEqual(await topics(url), ['customer_created', 'customer_suspended', 'customer_deactivated', 'customer_suspended']);
});

test('the balance gives the available, labelled and total amounts per currency', async (t) => {
  const { newCustomer, newLabel, get, call, create } = await open(t);
  const url = await newCustomer({ available: '10.00' });
  await newLabel(url, '2.50');
  await newLabel(url, '1.25');
  await call('POST', `${url}/deposits`, { body: { amount: { value: '700', currency: 'JPY' } } });
  const amounts = (currency: string, total: string, available: string, labelled: string) => ({
    currency,
    total: { value: total, currency },
    available: { value: available, currency },
    labelled: { value: labelled, currency },
  });
  const { _links, balances } = await get(`${url}/balance`);
  assert.deepEqual(balances, [amounts('JPY', '700', '700', '0'), amounts('USD', '10.00', '6.25', '3.75')]);
  assert.deepEqual([_links.self.href, _links.customer.href], [`${url}/balance`, url]);
  assert.deepEqual((await get(`${await create(unverified)}/balance`)).balances, []);
});
