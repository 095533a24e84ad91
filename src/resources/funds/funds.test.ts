// Tests of deposits and withdrawals over HTTP: permissions, amounts and limits, balances, events.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { allEvents } from '../../../test/support/events.ts';
import { assertRefused, type Body, idOf, link, type Options } from '../../../test/support/http.ts';
import { openAccount, startService } from '../../../test/support/service.ts';

const FORBIDDEN = { status: 403, code: 'Forbidden', message: 'The supplied credentials are not authorized for this resource.' };
const NOT_VERIFIED = { status: 403, code: 'InvalidResourceState', message: 'Customer must be verified.' };
const NOT_FOUND = { status: 404, code: 'NotFound', message: 'The requested resource was not found.' };
const NO_CUSTOMER = { status: 404, code: 'NotFound', message: 'Customer not found' };
const AT_VALUE = { status: 400, code: 'ValidationError', path: '/amount/value' };
// The largest amount of a currency with two decimals: 18 digits.
const MOST = '9999999999999999.99';

// Shared by all tests of the file; each has its own account.
const shared = await startService({ after });

async function openCustomer() {
  const service = await openAccount(shared);
  const customer = await service.newCustomer();
  const record =
    (place: string) =>
    (value: unknown, currency: unknown = 'USD', options: Options & { of?: string } = {}) =>
      service.call('POST', `${options.of ?? customer}/${place}`, { body: { amount: { value, currency } }, ...options });
  /** `[currency, total, available, labelled]` of each currency. */
  const balances = async (of = customer) => {
    const { body } = await service.call('GET', `${of}/balance`);
    return body.balances.map((one: Body) => [one.currency, one.total.value, one.available.value, one.labelled.value]);
  };
  return { ...service, customer, balances, deposit: record('deposits'), withdraw: record('withdrawals') };
}

test('records deposits and withdrawals, each with one event', async () => {
  const { call, customer, balances, sql, client } = await openCustomer();
  for (const [kind, value] of [
    ['deposit', '100.5'],
    ['withdrawal', '40'],
  ] as const) {
    const body = { amount: { value, currency: 'USD' }, reference: `a ${kind} „ü“` };
    const made = await call('POST', `${customer}/${kind}s`, { body });
    assert.deepEqual([made.status, made.text], [201, '']);
    const url = made.headers.location!;
    assert.match(url, new RegExp(`/${kind}s/[0-9a-f-]{36}$`));
    const { created, ...movement } = (await call('GET', url)).body;
    assert.deepEqual(movement, {
      _links: {
        self: link(url, kind),
        customer: link(customer, 'customer'),
        returns: link(`${url}/returns`, 'return'),
        return: link(`${url}/returns`, 'return'),
      },
      id: idOf(url),
      amount: { value: Number(value).toFixed(2), currency: 'USD' },
      returned: { value: '0.00', currency: 'USD' },
      reference: body.reference,
    });
    assert.match(created, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const events =
      await sql`select topic, account_id, customer_id from ${await allEvents(sql)} where resource_id = ${movement.id}`;
    assert.deepEqual(events, [{ topic: `customer_${kind}_created`, accountId: client.account_id, customerId: idOf(customer) }]);
  }
  assert.deepEqual(await balances(), [['USD', '60.50', '60.50', '0.00']]);
});

test('validates amounts and references', async () => {
  const { call, customer, deposit, withdraw, snapshot, balances } = await openCustomer();
  await deposit('100.00');
  const before = await snapshot();
  for (const record of [deposit, withdraw]) {
    for (const value of ['0', '0.00']) {
      assertRefused(await record(value), { ...AT_VALUE, fault: 'Invalid', message: 'Amount must be greater than zero.' });
    }
    for (const value of ['-1', '+1', '1.005', '1e2', '', ' 1', '1.', '１']) {
      assertRefused(await record(value), { ...AT_VALUE, fault: 'InvalidFormat' });
    }
    for (const value of ['10000000000000000.00', '9'.repeat(39)]) {
      assertRefused(await record(value), { ...AT_VALUE, fault: 'Invalid', message: 'Amount has more than 18 digits.' });
    }
    for (const value of [1, null, true, {}, ['1']]) assertRefused(await record(value), { status: 400, code: 'BadRequest' });
    for (const currency of ['usd', '', 'XTS', 'XAU']) {
      const path = '/amount/currency';
      assertRefused(await record('1', currency), { status: 400, code: 'ValidationError', fault: 'Invalid', path });
    }
    assertRefused(await record('1.5', 'JPY'), { ...AT_VALUE, fault: 'InvalidFormat' });
  }
  for (const [reference, fault] of [
    ['', 'Required'],
    ['x'.repeat(256), 'Invalid'],
    ['a\u0007', 'InvalidFormat'],
  ] as const) {
    const body = { amount: { value: '1', currency: 'USD' }, reference };
    const refused = { status: 400, code: 'ValidationError', fault, path: '/reference' };
    for (const place of ['deposits', 'withdrawals']) assertRefused(await call('POST', `${customer}/${place}`, { body }), refused);
  }
  for (const body of [{}, { amount: {} }, [], 'x']) {
    assertRefused(await call('POST', `${customer}/deposits`, { body }), { status: 400, code: 'BadRequest' });
  }
  assert.deepEqual(await snapshot(), before);
  assert.deepEqual(await balances(), [['USD', '100.00', '100.00', '0.00']]);
});

test('refuses balances beyond 18 digits or below zero', async () => {
  const { deposit, withdraw, balances, snapshot, newLabel, customer, newCustomer } = await openCustomer();
  const past = { ...AT_VALUE, fault: 'Invalid', message: 'Amount would take a balance past 18 digits.' };
  assertRefused(await withdraw('0.01'), {
    ...AT_VALUE,
    fault: 'InsufficientFunds',
    message: 'Insufficient funds: 0.00 USD available.',
  });
  assert.equal((await deposit(MOST)).status, 201);
  let before = await snapshot();
  assertRefused(await deposit('0.01'), past);
  assertRefused(await deposit(MOST), past);
  assert.deepEqual(await snapshot(), before);
  // Money on labels counts, as it belongs to the customer.
  await newLabel(customer, '5000000000000000.00');
  before = await snapshot();
  assertRefused(await deposit('0.01'), past);
  assertRefused(await withdraw('5000000000000000.00'), {
    ...AT_VALUE,
    fault: 'InsufficientFunds',
    message: 'Insufficient funds: 4999999999999999.99 USD available.',
  });
  assert.deepEqual(await snapshot(), before);
  assert.deepEqual(await balances(), [['USD', MOST, '4999999999999999.99', '5000000000000000.00']]);
  assert.equal((await withdraw('0.01')).status, 201);
  assert.equal((await deposit('0.01')).status, 201);

  const other = await newCustomer();
  assert.equal((await deposit(MOST, 'USD', { of: other })).status, 201, 'the limit applies to each customer');
  assert.equal((await deposit('9'.repeat(18), 'JPY', { of: other })).status, 201);
  assert.equal((await deposit('999999999999999.999', 'BHD', { of: other })).status, 201);
  assertRefused(await deposit('9'.repeat(19), 'JPY', { of: other }), { ...AT_VALUE, fault: 'Invalid' });
});

test('adds up each currency separately', async () => {
  const { deposit, withdraw, balances, newLabel, customer, sql } = await openCustomer();
  assert.deepEqual(await balances(), []);
  await deposit('0.10');
  await deposit('0.20');
  await deposit('1000', 'JPY');
  await deposit('1.234', 'BHD');
  await deposit('2', 'EUR');
  await withdraw('1', 'JPY');
  await withdraw('2.00', 'EUR');
  await newLabel(customer, '0.3');
  await newLabel(customer, '0.004', { currency: 'BHD' });
  await newLabel(customer, '0', { currency: 'CHF' });
  assert.deepEqual(await balances(), [
    ['BHD', '1.234', '1.230', '0.004'],
    ['CHF', '0.00', '0.00', '0.00'],
    ['EUR', '0.00', '0.00', '0.00'],
    ['JPY', '999', '999', '0'],
    ['USD', '0.30', '0.00', '0.30'],
  ]);
  assertRefused(await withdraw('0.01'), { ...AT_VALUE, fault: 'InsufficientFunds' });
  assertRefused(await withdraw('1', 'GBP'), {
    ...AT_VALUE,
    fault: 'InsufficientFunds',
    message: 'Insufficient funds: 0.00 GBP available.',
  });
  const sums = await sql`
    select currency, sum(balance)::text as sum from ledger_account where customer_id = ${idOf(customer)} group by currency`;
  for (const { currency, sum } of sums) assert.equal(sum, '0', `all accounts of ${currency} add up to zero`);
});

test('concurrent first deposits of a currency and withdrawals of the whole balance', async () => {
  const { deposit, withdraw, balances } = await openCustomer();
  const deposits = await Promise.all(Array.from({ length: 20 }, () => deposit('1.00')));
  assert.deepEqual(new Set(deposits.map((answer) => answer.status)), new Set([201]));
  assert.deepEqual(await balances(), [['USD', '20.00', '20.00', '0.00']]);
  const withdrawals = await Promise.all(Array.from({ length: 20 }, () => withdraw('3.00')));
  assert.equal(withdrawals.filter((answer) => answer.status === 201).length, 6);
  for (const refused of withdrawals.filter((answer) => answer.status !== 201)) {
    assertRefused(refused, { ...AT_VALUE, fault: 'InsufficientFunds' });
  }
  assert.deepEqual(await balances(), [['USD', '2.00', '2.00', '0.00']]);
});

test('records money for customers that were verified once, and for others never', async () => {
  const { call, deposit, withdraw, newCustomer, snapshot, balances, customer } = await openCustomer();
  await deposit('10.00');
  for (const status of ['suspended', 'deactivated']) {
    await call('POST', customer, { body: { status } });
    assert.equal((await deposit('1.00')).status, 201, `a deposit for a ${status} customer is recorded`);
    assert.equal(
      (await deposit(status === 'suspended' ? '1' : '2', 'JPY')).status,
      201,
      'the first deposit of a currency is recorded too',
    );
    const before = await snapshot();
    assertRefused(await withdraw('1.00'), NOT_VERIFIED);
    assertRefused(await withdraw('99.00'), NOT_VERIFIED);
    assertRefused(await withdraw('1', 'EUR'), NOT_VERIFIED);
    assertRefused(await withdraw('1', 'JPY'), NOT_VERIFIED);
    assert.deepEqual(await snapshot(), before);
  }
  await call('POST', customer, { body: { status: 'reactivated' } });
  assert.equal((await withdraw('12.00')).status, 201);
  assert.equal((await withdraw('3', 'JPY')).status, 201);
  assert.deepEqual(await balances(), [
    ['JPY', '0', '0', '0'],
    ['USD', '0.00', '0.00', '0.00'],
  ]);

  const forms = [{ type: 'unverified' }, ...['document', 'retry', 'suspended'].map((businessName) => ({ businessName }))];
  for (const form of forms) {
    const of = await newCustomer({ form });
    const before = await snapshot();
    assertRefused(await deposit('1.00', 'USD', { of }), NOT_VERIFIED);
    assertRefused(await withdraw('1.00', 'USD', { of }), NOT_VERIFIED);
    assert.deepEqual(await snapshot(), before);
    // A suspension does not verify a customer.
    await call('POST', of, { body: { status: 'suspended' } });
    await call('POST', of, { body: { status: 'deactivated' } });
    assertRefused(await deposit('1.00', 'USD', { of }), NOT_VERIFIED);
    assert.deepEqual(await balances(of), []);
  }
});

test('requires scopes and refuses other accounts', async () => {
  const { call, deposit, withdraw, client, customer, newClient, nowhere, snapshot, url } = await openCustomer();
  const made = [(await deposit('10.00')).headers.location!, (await withdraw('1.00')).headers.location!];
  const stranger = (await newClient()).token;
  const other = (await newClient(['read', 'write', 'review'], client.account_id)).token;
  const funds = (await newClient(['funds'], client.account_id)).token;
  const before = await snapshot();
  for (const record of [deposit, withdraw]) {
    for (const token of [stranger, other]) assertRefused(await record('1.00', 'USD', { token }), FORBIDDEN);
    for (const whose of [nowhere('customer'), '/customers/7', `/customers/${idOf(made[0]!)}`]) {
      assertRefused(await record('1.00', 'USD', { of: whose }), NO_CUSTOMER);
    }
  }
  assert.deepEqual(await snapshot(), before);
  for (const movement of made) {
    for (const token of [stranger, funds]) assertRefused(await call('GET', movement, { token }), FORBIDDEN);
    assert.equal((await call('GET', movement, { token: other })).status, 200);
  }
  const [one, two] = made.map((href) => idOf(href));
  for (const none of [
    `${url}/deposits/${two}`,
    `${url}/withdrawals/${one}`,
    `${url}/deposits/${one!.slice(0, -1)}2`,
    `${url}/deposits/${idOf(customer)}`,
    nowhere('deposit'),
    nowhere('withdrawal'),
    `${url}/deposits/1`,
  ]) {
    assertRefused(await call('GET', none), NOT_FOUND);
  }
  assert.equal((await deposit('1.00', 'USD', { token: funds })).status, 201);
});

test('replays the first answer, whatever the status of the customer is now', async () => {
  const { call, deposit, withdraw, customer, balances } = await openCustomer();
  const first = [await deposit('10.00', 'USD', { key: 'in' }), await withdraw('4.00', 'USD', { key: 'out' })];
  for (const status of ['suspended', 'deactivated', 'reactivated']) {
    await call('POST', customer, { body: { status } });
    const again = [await deposit('10.00', 'USD', { key: 'in' }), await withdraw('4.00', 'USD', { key: 'out' })];
    for (const [index, answer] of again.entries()) {
      assert.deepEqual(
        [answer.status, answer.headers.location, answer.headers['idempotent-replayed']],
        [201, first[index]!.headers.location, 'true'],
        status,
      );
    }
  }
  assert.deepEqual(await balances(), [['USD', '6.00', '6.00', '0.00']]);
});
