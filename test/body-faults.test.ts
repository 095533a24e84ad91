// Faults of JSON bodies: a member that is not known, missing or of the wrong type is named with its path and what to send.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openBatches } from './support/batches.ts';
import { customerForm, ownerForm } from './support/data.ts';
import { assertBadBody, assertRefused, type Body, faultsOf } from './support/http.ts';
import { startService } from './support/service.ts';

const shared = await startService({ after });

/** The URL of an example. */
const LABEL = 'http://localhost:8080/labels/01890000-0000-7000-8000-000000000000';
const usd = (value: unknown) => ({ value, currency: 'USD' });
const notAllowed = (path: string, message: string) => ({
  ...{ status: 400, code: 'ValidationError', fault: 'NotAllowed', path, message },
});

test('a misspelled or misplaced member of a body that moves money is refused, and nothing is written', async () => {
  const { call, customer, from, to, reallocation, snapshot } = await openBatches(shared);
  const before = await snapshot();
  const all = 'The known members are amount, reference, correlationId, externalId, metadata.';
  const whole = reallocation(from, to, '1.00');
  const cases: [path: string, body: object, at: string, message: string][] = [
    [
      `${customer}/deposits`,
      { amount: usd('5.00'), externalID: 'payout-1' },
      '/externalID',
      'externalID is not known; did you mean externalId?',
    ],
    [
      `${customer}/deposits`,
      { amount: usd('5.00'), effectiveDate: '2026-01-31' },
      '/effectiveDate',
      `effectiveDate is not known. ${all}`,
    ],
    [`${customer}/deposits`, { amount: usd('5.00'), _links: { to: { href: to } } }, '/_links', `_links is not known. ${all}`],
    [
      `${customer}/withdrawals`,
      { amount: usd('5.00'), _links: { from: { href: from }, form: { href: from } } },
      '/_links/form',
      'form is not known; did you mean from?',
    ],
    [
      `${customer}/withdrawals`,
      { amount: { ...usd('5.00'), precision: 0 } },
      '/amount/precision',
      'precision is not known. The known members are value, currency.',
    ],
    [
      '/label-reallocations',
      { ...whole, _links: { ...whole._links, form: { href: from } } },
      '/_links/form',
      'form is not known; did you mean from?',
    ],
    [
      '/label-reallocations',
      { ...whole, _links: { ...whole._links, to: { href: to, url: to } } },
      '/_links/to/url',
      'url is not known. The known members are href, type, resource-type.',
    ],
    [
      `${from}/ledger-entries`,
      { amount: usd('5.00'), memo: 'x' },
      '/memo',
      'memo is not known. The known members are amount, reference.',
    ],
    [from, { metadata: { a: 'b' }, nickname: 'x' }, '/nickname', 'nickname is not known. The known members are name, metadata.'],
  ];
  for (const [path, body, at, message] of cases)
    assertRefused(await call('POST', path, { body, key: 'once' }), notAllowed(at, message));
  assert.deepEqual(await snapshot(), before);
});

test('a body that is incomplete and misspelled names both', async () => {
  const { call, customer } = await openBatches(shared);
  const answer = await call('POST', `${customer}/deposits`, { body: { Amount: usd('5.00') } });
  assertBadBody(answer, '/Amount', /^Amount is not known; did you mean amount\?$/);
  assert.deepEqual(faultsOf(answer), ['NotAllowed /Amount', 'Required /amount']);
});

test('a batch names the item', async () => {
  const { send, item, from, to, call, snapshot } = await openBatches(shared);
  const good = item(from, to, '1.00');
  const before = await snapshot();
  for (const mode of ['atomic', 'independent']) {
    const misspelled = await send(mode, [good, good, good, { ...good, metaData: {} }]);
    assertRefused(misspelled, notAllowed('/items/3/metaData', 'metaData is not known; did you mean metadata?'));
    assertBadBody(
      await send(mode, [good, good, good, { ...good, amount: usd(1) }]),
      '/items/3/amount/value',
      /must be a string such as "10\.00"\.$/,
    );
    assertBadBody(
      await send(mode, [good, item(from, LABEL, '1.00')]),
      '/items/1/_links/to/href',
      /must begin with http.+\/labels\/\.$/,
    );
  }
  const body = { mode: 'atomic', items: [good], dryRun: true };
  assertRefused(await call('POST', '/label-reallocation-batches', { body }), {
    ...notAllowed('/dryRun', 'dryRun is not known. The known members are mode, items, withdrawals.'),
  });
  assert.deepEqual(await snapshot(), before);
});

test('a wrong type and a missing member are named, with the code and message of the specification', async () => {
  const { call, customer, from, to, reallocation, snapshot, url } = await openBatches(shared);
  const whole = reallocation(from, to, '1.00');
  const before = await snapshot();
  const labels = new RegExp(`^The URL of a label must begin with ${url}/labels/\\.$`);
  const { amount: _amount, ...withoutAmount } = whole;
  const cases: [path: string, body: unknown, at: string, message: RegExp][] = [
    [
      '/label-reallocations',
      { ...whole, amount: usd(10) },
      '/amount/value',
      /^Amount value must be a string such as "10\.00"\.$/,
    ],
    ['/label-reallocations', { ...whole, amount: { value: '1.00' } }, '/amount/currency', /^Amount currency is required\.$/],
    ['/label-reallocations', withoutAmount, '/amount', /^Amount is required\.$/],
    ['/label-reallocations', { ...whole, amount: null }, '/amount', /^Amount must be an object\.$/],
    ['/label-reallocations', null, '', /^The body must be a JSON object\.$/],
    ['/label-reallocations', { ...whole, metadata: { order: 7 } }, '/metadata/order', /^Metadata order must be a string\.$/],
    ['/label-reallocations', reallocation(LABEL, to, '1.00'), '/_links/from/href', labels],
    ['/label-reallocations', reallocation(from, `${to}0`, '1.00'), '/_links/to/href', /must end with the id of a label/],
    [`${customer}/deposits`, { amount: usd(null) }, '/amount/value', /^Amount value must be a string such as "10\.00"\.$/],
    [`${from}/ledger-entries`, { amount: usd(-1) }, '/amount/value', /^Amount value must be a string such as "-10\.00"\.$/],
    [`${customer}/labels`, [], '', /^The body must be a JSON object\.$/],
    [from, { metadata: 'a' }, '/metadata', /^Metadata must be an object\.$/],
    [
      `${customer}/allocation-rules`,
      {
        name: 'Tax',
        steps: [
          { label: { href: from }, percent: '5' },
          { label: { href: LABEL }, percent: '5' },
        ],
      },
      '/steps/1/label/href',
      labels,
    ],
    [
      `${customer}/allocation-rules`,
      { name: 'Tax', steps: [{ percent: 5 }] },
      '/steps/0/percent',
      /must be a string such as "25\.00"\.$/,
    ],
    ['/webhook-subscriptions', { url: 'https://example.com/' }, '/secret', /^Secret is required\.$/],
    [customer, {}, '', /^The body must have at least one of email, phone, /],
    ['/sandbox/clock', { advanceSeconds: '60' }, '/advanceSeconds', /^Advance seconds must be an integer\.$/],
  ];
  for (const [path, body, at, message] of cases) assertBadBody(await call('POST', path, { body }), at, message);
  const two = await call('POST', '/label-reallocations', { body: reallocation(LABEL, 'x', '1.00') });
  assert.deepEqual(faultsOf(two), ['InvalidFormat /_links/from/href', 'InvalidFormat /_links/to/href']);
  assert.deepEqual(await snapshot(), before);
});

test('a change of an allocation rule names what is missing', async () => {
  const { call, create, customer, to } = await openBatches(shared);
  const rule = await create(`${customer}/allocation-rules`, { name: 'Tax', steps: [{ label: { href: to }, percent: '5' }] });
  assertBadBody(await call('POST', rule, { body: { name: 'Taxes' } }), '/steps', /^Steps is required\.$/);
  // What was read can be sent back: its links have more members than href.
  const { name, steps } = (await call('GET', rule)).body;
  const replaced = await call('POST', rule, { body: { name, steps } });
  assert.deepEqual([replaced.status, replaced.body.steps], [200, steps], replaced.text);
});

test('a link that was read is accepted, and one to another kind of resource is refused', async () => {
  const { call, from, to, reallocation } = await openBatches(shared);
  const [{ self }, { self: target }] = await Promise.all([from, to].map(async (label) => (await call('GET', label)).body._links));
  const body = { ...reallocation(from, to, '1.00'), _links: { from: self, to: target } };
  assert.equal((await call('POST', '/label-reallocations', { body })).status, 201);
  const other = { ...body, _links: { from: self, to: { ...target, 'resource-type': 'customer' } } };
  assertRefused(await call('POST', '/label-reallocations', { body: other }), {
    ...{
      status: 400,
      code: 'ValidationError',
      path: '/_links/to/resource-type',
      message: 'To resource-type must be one of label.',
    },
  });
});

test('bodies of customers, owners and subscriptions accept strange members, and refuse near misses', async () => {
  const { call, create, snapshot } = await openBatches(shared);
  const form = { ...customerForm(), address3: 'Floor 3', taxId: '1', preferences: { newsletter: true }, _links: {} };
  const customer = await create('/customers', form);
  const owner = { ...ownerForm, address: { ...ownerForm.address, address4: 'x', geo: [1, 2] }, share: 30 };
  await create(`${customer}/beneficial-owners`, owner);
  const hook = { url: 'https://example.com/hook', secret: 'a secret', description: 'orders' };
  await create('/webhook-subscriptions', hook);
  assert.equal((await call('POST', customer, { body: { phone: '217-555-0100', country: 'US' } })).status, 200);

  const before = await snapshot();
  const cases: [path: string, body: Body, at: string, near: string][] = [
    ['/customers', { ...form, externalID: 'shop-1' }, '/externalID', 'externalId'],
    ['/customers', { ...form, date_of_birth: '1980-01-02' }, '/date_of_birth', 'dateOfBirth'],
    ['/customers', { ...form, adress2: 'Suite 5' }, '/adress2', 'address2'],
    ['/customers', { ...form, controller: { Passport: {} } }, '/controller/Passport', 'passport'],
    [customer, { Phone: '' }, '/Phone', 'phone'],
    [customer, { Status: 'suspended' }, '/Status', 'status'],
    [customer, { email: 'new@example.com', correlationID: 'x' }, '/correlationID', 'correlationId'],
    [
      `${customer}/beneficial-owners`,
      { ...owner, address: { ...owner.address, 'postal-code': '1' } },
      '/address/postal-code',
      'postalCode',
    ],
    [`${customer}/beneficial-ownership`, { status: 'certified', Status: 'certified' }, '/Status', 'status'],
    ['/webhook-subscriptions', { ...hook, topic: ['customer_created'] }, '/topic', 'topics'],
  ];
  for (const [path, body, at, near] of cases)
    assertRefused(
      await call('POST', path, { body }),
      notAllowed(at, `${at.split('/').at(-1)} is not known; did you mean ${near}?`),
    );
  assert.deepEqual(await snapshot(), before);
});

test('names of any length and spelling are refused in linear time, and cut in the message', async () => {
  const { call, customer } = await openBatches(shared);
  const long = 'x'.repeat(60_000);
  const answer = await call('POST', `${customer}/deposits`, { body: { amount: usd('1.00'), [long]: 1 } });
  assertRefused(answer, { status: 400, code: 'ValidationError', fault: 'NotAllowed', path: `/${long}` });
  assert.ok(answer.body.message.length < 300, `${answer.body.message.length}`);
  for (const name of ['constructor', 'toString', 'hasOwnProperty', 'a/b~c'])
    assertRefused(await call('POST', `${customer}/deposits`, { body: { amount: usd('1.00'), [name]: 1 } }), {
      ...{ status: 400, code: 'ValidationError', fault: 'NotAllowed', path: `/${name.replace('~', '~0').replace('/', '~1')}` },
    });
  const many = Object.fromEntries(Array.from({ length: 4000 }, (_, n) => [`adress${n}`, 1]));
  const tolerated = await call('POST', '/customers', { body: { ...customerForm(), ...many } });
  assert.equal(tolerated.status, 400);
  assert.ok(
    tolerated.body._embedded.errors.every(({ path }: Body) => /^\/adress[12]$/.test(path)),
    tolerated.text,
  );
});
