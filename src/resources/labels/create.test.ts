// Tests of creating labels: amounts, currencies, forms and refusals.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { amountOf } from '../../../test/support/data.ts';
import { allEvents } from '../../../test/support/events.ts';
import { assertRefused, idOf, link } from '../../../test/support/http.ts';
import { FORBIDDEN, NOT_VERIFIED, openCustomer } from '../../../test/support/labels.ts';
import { startService } from '../../../test/support/service.ts';

const MAY_NOT_CREATE = { status: 403, code: 'Forbidden', message: 'Not authorized to create customer label' };

// Shared by all tests of the file; each has its own account.
const shared = await startService({ after });

test('takes the amount of a new label from the available balance', async () => {
  const { create, get, customer, balances, sql } = await openCustomer(shared);
  const made = await create({ ...amountOf('250.5'), name: 'Taxes' });
  assert.deepEqual([made.status, made.text, made.headers['content-type']], [201, '', undefined]);
  const { created, ...label } = await get(made.headers.location!);
  const self = link(made.headers.location!, 'label');
  const entries = link(`${self.href}/ledger-entries`, 'ledger-entry');
  assert.deepEqual(label, {
    _links: { self, 'ledger-entries': entries, customer: link(customer, 'customer'), update: entries },
    id: idOf(self.href),
    amount: { value: '250.50', currency: 'USD' },
    name: 'Taxes',
  });
  assert.match(created, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.ok(Math.abs(Date.parse(created) - Date.now()) < 60_000);
  assert.deepEqual(await balances(), [['USD', '749.50', '250.50']]);
  // The first entry links to its origin.
  const { total, _embedded } = await get(entries.href);
  const [entry] = _embedded['ledger-entries'];
  assert.deepEqual([total, entry.amount.value, entry.balance.value, entry.sequence], [1, '250.50', '250.50', 1]);
  const events = await sql`
    select topic, resource_id = ${idOf(self.href)} as label, resource_id = ${entry.id} as entry, customer_id = ${idOf(customer)} as customer
    from ${await allEvents(sql)} where topic like 'customer_label%'
      and customer_id = ${idOf(customer)} order by topic`;
  assert.deepEqual(events, [
    { topic: 'customer_label_created', label: true, entry: false, customer: true },
    { topic: 'customer_label_ledger_entry_created', label: false, entry: true, customer: true },
  ]);
});

test('a label of zero has no entries, an optional name, and can be removed', async () => {
  const { create, get, balances, topics } = await openCustomer(shared);
  for (const value of ['0', '0.00', '000.0']) {
    const url = (await create(amountOf(value))).headers.location!;
    const label = await get(url);
    assert.deepEqual(label.amount, { value: '0.00', currency: 'USD' });
    assert.deepEqual(Object.keys(label).sort(), ['_links', 'amount', 'created', 'id']);
    assert.deepEqual(label._links.remove, link(url, 'label'));
    assert.equal((await get(`${url}/ledger-entries`)).total, 0);
    assert.deepEqual(await topics(url), ['customer_label_created']);
  }
  assert.deepEqual(await balances(), [['USD', '1000.00', '0.00']]);
});

test('takes all that is available and refuses a cent more', async () => {
  const { create, balances, snapshot, newCustomer } = await openCustomer(shared);
  const before = await snapshot();
  const refused = { status: 400, code: 'ValidationError', fault: 'InsufficientFunds', path: '/amount/value' };
  const message = (held: string) => ({ ...refused, message: `Insufficient funds: ${held} available.` });
  assertRefused(await create(amountOf('1000.01')), message('1000.00 USD'));
  assertRefused(await create({ amount: { value: '1', currency: 'EUR' } }), message('0.00 EUR'));
  assertRefused(await create({ amount: { value: '1', currency: 'JPY' } }), message('0 JPY'));
  assert.deepEqual(await snapshot(), before, 'a refusal creates no label');
  assert.equal((await create(amountOf('1000.00'))).status, 201);
  assertRefused(await create(amountOf('0.01')), message('0.00 USD'));
  assert.deepEqual(await balances(), [['USD', '0.00', '1000.00']]);
  const other = await newCustomer();
  assertRefused(await create(amountOf('0.01'), { of: other }), message('0.00 USD'));
});

test('concurrent creations take no more than is available', async () => {
  const { create, balances } = await openCustomer(shared, '10.00');
  const answers = await Promise.all(Array.from({ length: 15 }, () => create(amountOf('2.00'))));
  assert.equal(answers.filter((answer) => answer.status === 201).length, 5);
  for (const answer of answers.filter((answer) => answer.status !== 201)) {
    assertRefused(answer, { status: 400, code: 'ValidationError', fault: 'InsufficientFunds' });
  }
  assert.deepEqual(await balances(), [['USD', '0.00', '10.00']]);
});

test('a label keeps its currency', async () => {
  const { call, create, get, customer, balances } = await openCustomer(shared);
  await call('POST', `${customer}/deposits`, { body: { amount: { value: '7', currency: 'JPY' } } });
  const yen = (await create({ amount: { value: '5', currency: 'JPY' } })).headers.location!;
  assert.deepEqual((await get(yen)).amount, { value: '5', currency: 'JPY' });
  // An empty label may have a currency in which the customer has no money.
  const dinars = (await create({ amount: { value: '0', currency: 'BHD' } })).headers.location!;
  assert.deepEqual((await get(dinars)).amount, { value: '0.000', currency: 'BHD' });
  const other = await call('POST', `${yen}/ledger-entries`, { body: amountOf('1.00') });
  assertRefused(other, {
    status: 400,
    code: 'ValidationError',
    fault: 'Invalid',
    path: '/amount/currency',
    message: 'Currency must be that of the label.',
  });
  assert.deepEqual((await balances()).slice(-2), [
    ['JPY', '2', '5'],
    ['USD', '1000.00', '0.00'],
  ]);
});

test('validates the creation form', async () => {
  const { create, get, snapshot } = await openCustomer(shared);
  const before = await snapshot();
  for (const body of [
    {},
    { amount: {} },
    { amount: { value: '1' } },
    { amount: { currency: 'USD' } },
    amountOf(1),
    amountOf(null),
    amountOf(['1']),
  ]) {
    assertRefused(await create(body), { status: 400, code: 'BadRequest' });
  }
  for (const name of [null, 7, true, {}, ['a']])
    assertRefused(await create({ ...amountOf('0'), name }), { status: 400, code: 'BadRequest' });
  const names: [name: string, fault: string, message: string][] = [
    ['', 'Required', 'Name must not be empty.'],
    ['x'.repeat(101), 'Invalid', 'Name must have at most 100 characters.'],
    ['a\nb', 'InvalidFormat', 'Name has an invalid format.'],
    ['a\u007f', 'InvalidFormat', 'Name has an invalid format.'],
  ];
  for (const [name, fault, message] of names) {
    const answer = await create({ ...amountOf('0'), name });
    assertRefused(answer, { status: 400, code: 'ValidationError', fault, path: '/name', message });
  }
  for (const value of ['-1', '+1', '-0', '1e2', '1.005', '1.', '.5', '', ' 1', '１']) {
    assertRefused(await create(amountOf(value)), {
      status: 400,
      code: 'ValidationError',
      fault: 'InvalidFormat',
      path: '/amount/value',
    });
  }
  assertRefused(await create(amountOf('9'.repeat(17))), {
    status: 400,
    code: 'ValidationError',
    fault: 'Invalid',
    path: '/amount/value',
  });
  for (const currency of ['usd', '', 'XAU', 'EURO']) {
    const answer = await create({ amount: { value: '0', currency } });
    assertRefused(answer, { status: 400, code: 'ValidationError', fault: 'Invalid', path: '/amount/currency' });
  }
  assert.deepEqual(await snapshot(), before);
  for (const name of ['x', 'x'.repeat(100), '𝒳'.repeat(100), 'Rücklage „2026“ 💶', "'; drop table label; --", '<b>', '  ']) {
    const made = await create({ ...amountOf('0'), name });
    assert.equal((await get(made.headers.location!)).name, name);
  }
  assert.equal((await create({ ...amountOf('0'), name: 'x' })).status, 201, 'names need not be unique');
});

test('checks scope, account and existence of the customer on creation', async () => {
  const { call, create, client, customer, newClient, nowhere, snapshot } = await openCustomer(shared);
  const stranger = (await newClient()).token;
  const reader = (await newClient(['read', 'funds', 'review'], client.account_id)).token;
  const writer = (await newClient(['write'], client.account_id)).token;
  const before = await snapshot();
  assertRefused(await create(amountOf('1.00'), { token: reader }), MAY_NOT_CREATE);
  assertRefused(await create(amountOf('1.00'), { token: stranger }), MAY_NOT_CREATE);
  const missing = { status: 404, code: 'NotFound', message: 'Customer not found' };
  assertRefused(await create(amountOf('1.00'), { of: nowhere('customer') }), missing);
  assertRefused(await create(amountOf('1.00'), { of: '/customers/7' }), missing);
  assertRefused(await create(amountOf('-1'), { token: stranger }), MAY_NOT_CREATE);
  assert.deepEqual(await snapshot(), before);
  assert.equal((await create(amountOf('1.00'), { token: writer })).status, 201);

  assertRefused(await call('GET', `${customer}/labels`, { token: stranger }), FORBIDDEN);
  assertRefused(await call('GET', `${customer}/labels`, { token: writer }), FORBIDDEN);
  assertRefused(await call('GET', `${nowhere('customer')}/labels`), missing);
});

test('only a verified customer can have labels', async () => {
  const { call, create, get, newCustomer, snapshot } = await openCustomer(shared);
  const suspended = await newCustomer({ available: '5.00' });
  const deactivated = await newCustomer({ available: '5.00' });
  await call('POST', suspended, { body: { status: 'suspended' } });
  await call('POST', deactivated, { body: { status: 'deactivated' } });
  const never = await Promise.all(
    [{ type: 'unverified' }, ...['document', 'retry', 'suspended'].map((businessName) => ({ businessName }))].map((form) =>
      newCustomer({ form }),
    ),
  );
  const before = await snapshot();
  for (const whose of [suspended, deactivated, ...never]) {
    assertRefused(await create(amountOf('0'), { of: whose }), NOT_VERIFIED);
    assertRefused(await create(amountOf('1.00'), { of: whose }), NOT_VERIFIED);
    assert.deepEqual((await get(`${whose}/labels`))._embedded.labels, []);
  }
  assert.deepEqual(await snapshot(), before);
  await call('POST', suspended, { body: { status: 'reactivated' } });
  assert.equal((await create(amountOf('5.00'), { of: suspended })).status, 201);
});
