// Tests of creating ledger entries: signed amounts, limits, references and repetitions.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { amountOf } from '../../../test/support/data.ts';
import { allEvents } from '../../../test/support/events.ts';
import { assertRefused, idOf } from '../../../test/support/http.ts';
import { entriesOf, NO_LABEL, openLabel } from '../../../test/support/ledger-entries.ts';
import { startService } from '../../../test/support/service.ts';

const AT_VALUE = { status: 400, code: 'ValidationError', path: '/amount/value' };
const NEGATIVE = { ...AT_VALUE, fault: 'Invalid', message: 'Amount can not cause label balance to be negative.' };

// Shared by all tests of the file; each has its own account.
const shared = await startService({ after });

test('takes a positive amount from the available balance and gives a negative one back', async () => {
  const { add, get, label, customer } = await openLabel(shared, '100.00');
  const said: [value: string, shown: string, balance: string][] = [
    ['5', '5.00', '105.00'],
    ['+5', '5.00', '110.00'],
    ['-5', '-5.00', '105.00'],
    ['+0.01', '0.01', '105.01'],
    ['-0.5', '-0.50', '104.51'],
    ['-0005.00', '-5.00', '99.51'],
    ['-99.51', '-99.51', '0.00'],
    ['+1000.00', '1000.00', '1000.00'],
  ];
  for (const [value, shown, balance] of said) {
    const made = await add(value);
    assert.deepEqual([made.status, made.text, made.headers['content-type']], [201, '', undefined], value);
    const entry = await get(made.headers.location!);
    assert.deepEqual([entry.amount.value, entry.balance.value], [shown, balance]);
    assert.equal((await get(label)).amount.value, balance);
    const [held] = (await get(`${customer}/balance`)).balances;
    assert.deepEqual([held.labelled.value, held.total.value], [balance, '1000.00']);
  }
});

test('validates amounts', async () => {
  const { add, snapshot } = await openLabel(shared, '100.00');
  const before = await snapshot();
  for (const value of ['0', '+0', '-0', '0.00', '-0.00']) {
    assertRefused(await add(value), { ...AT_VALUE, fault: 'Invalid', message: 'Amount must not be zero.' });
  }
  for (const value of [
    '',
    '+',
    '-',
    '--5',
    '+-5',
    '5-',
    '- 5',
    ' 5',
    '5 ',
    '1e2',
    '1.',
    '.5',
    '-.5',
    '1.005',
    '-1.005',
    '−5',
    '５',
    '1,000',
  ]) {
    assertRefused(await add(value), { ...AT_VALUE, fault: 'InvalidFormat' });
  }
  for (const value of ['99999999999999999', '-99999999999999999', `+${'9'.repeat(30)}`]) {
    assertRefused(await add(value), { ...AT_VALUE, fault: 'Invalid', message: 'Amount has more than 18 digits.' });
  }
  for (const value of [5, -5, null, true, ['5'], {}]) assertRefused(await add(value), { status: 400, code: 'BadRequest' });
  for (const body of [{ amount: undefined }, { amount: '5' }, { amount: { value: '5' } }]) {
    assertRefused(await add('5', body), { status: 400, code: 'BadRequest' });
  }
  assert.deepEqual(await snapshot(), before);
});

test('refuses to make the label or the available balance negative', async () => {
  const { add, get, label, snapshot } = await openLabel(shared, '100.00');
  const before = await snapshot();
  assertRefused(await add('-100.01'), NEGATIVE);
  assertRefused(await add('-9999999999999999.99'), NEGATIVE);
  const short = { ...AT_VALUE, fault: 'InsufficientFunds', message: 'Insufficient funds: 900.00 USD available.' };
  assertRefused(await add('900.01'), short);
  assertRefused(await add('+9999999999999999.99'), short);
  assert.deepEqual(await snapshot(), before);
  await add('-100.00');
  assertRefused(await add('-0.01'), NEGATIVE);
  assert.equal((await get(label)).amount.value, '0.00');
});

test('concurrent entries stop at zero, in both directions', async () => {
  const { add, get, label } = await openLabel(shared, '5.00');
  const takings = await Promise.all(Array.from({ length: 12 }, () => add('-1.00')));
  assert.equal(takings.filter((answer) => answer.status === 201).length, 5);
  for (const answer of takings.filter((answer) => answer.status !== 201)) assertRefused(answer, NEGATIVE);
  const page = await get(`${label}/ledger-entries`);
  assert.deepEqual(
    entriesOf(page).map((entry) => [entry.sequence, entry.balance.value]),
    [6, 5, 4, 3, 2, 1].map((sequence) => [sequence, `${6 - sequence}.00`]),
  );
});

test('refuses another currency, and one in which the customer has no money', async () => {
  const { call, customer, label, newLabel, snapshot } = await openLabel(shared, '100.00');
  const yen = await newLabel(customer, '0', { currency: 'JPY' });
  const send = (url: string, value: string, currency: string) =>
    call('POST', `${url}/ledger-entries`, { body: { amount: { value, currency } } });
  const before = await snapshot();
  const other = { status: 400, code: 'ValidationError', fault: 'Invalid', path: '/amount/currency' };
  for (const currency of ['EUR', 'JPY']) {
    assertRefused(await send(label, '1', currency), { ...other, message: 'Currency must be that of the label.' });
  }
  for (const currency of ['usd', '', 'XXX']) {
    assertRefused(await send(label, '1', currency), { ...other, message: 'Currency is not a known ISO 4217 code.' });
  }
  assertRefused(await send(yen, '1.0', 'JPY'), { ...AT_VALUE, fault: 'InvalidFormat' });
  assertRefused(await send(yen, '1', 'JPY'), {
    ...AT_VALUE,
    fault: 'InsufficientFunds',
    message: 'Insufficient funds: 0 JPY available.',
  });
  assertRefused(await send(yen, '-1', 'JPY'), NEGATIVE);
  assert.deepEqual(await snapshot(), before);
});

test('stores and validates a reference', async () => {
  const { add, get, snapshot, sql, label, customer } = await openLabel(shared, '100.00');
  for (const reference of ['x', 'x'.repeat(255), 'März „Steuer“ 💶', "'; drop table transfer; --"]) {
    const made = await add('1.00', { reference });
    assert.equal((await get(made.headers.location!)).reference, reference);
    assert.equal(entriesOf(await get(`${label}/ledger-entries`))[0].reference, reference);
  }
  const before = await snapshot();
  for (const [reference, fault] of [
    ['', 'Required'],
    ['x'.repeat(256), 'Invalid'],
    ['a\tb', 'InvalidFormat'],
  ] as const) {
    assertRefused(await add('1.00', { reference }), { status: 400, code: 'ValidationError', fault, path: '/reference' });
  }
  for (const reference of [null, 7, ['a']]) assertRefused(await add('1.00', { reference }), { status: 400, code: 'BadRequest' });
  assert.deepEqual(await snapshot(), before);
  const events = await sql`select topic from ${await allEvents(sql)} where topic = 'customer_label_ledger_entry_created'
    and customer_id = ${idOf(customer)}`;
  assert.equal(events.length, 5, 'one event for the first amount, and one for each entry');
});

test('a customer that is not verified cannot move money, and can read everything', async () => {
  const { add, call, get, label, customer, newLabel, snapshot } = await openLabel(shared, '100.00');
  // In a currency that the customer never had money in.
  const yen = await newLabel(customer, '0', { currency: 'JPY' });
  const wanted = { status: 403, code: 'InvalidResourceState', message: 'Customer must be verified.' };
  for (const status of ['suspended', 'deactivated']) {
    await call('POST', customer, { body: { status } });
    const before = await snapshot();
    for (const value of ['1.00', '-1.00', '9999.00', '-9999.00']) assertRefused(await add(value), wanted);
    for (const value of ['1', '-1']) {
      const body = { amount: { value, currency: 'JPY' } };
      assertRefused(await call('POST', `${yen}/ledger-entries`, { body }), wanted);
    }
    assert.deepEqual(await snapshot(), before);
    assert.equal((await get(`${label}/ledger-entries`)).total, 1);
  }
  await call('POST', customer, { body: { status: 'reactivated' } });
  assert.equal((await add('-1.00')).status, 201);
});

test('replays the first answer, also after the label is removed or the customer suspended', async () => {
  const { call, label, customer, nowhere, get } = await openLabel(shared, '10.00');
  const empty = (key: string, value = '-10.00', of = label) =>
    call('POST', `${of}/ledger-entries`, { body: amountOf(value), key });
  const first = await empty('k');
  await call('POST', customer, { body: { status: 'suspended' } });
  const frozen = await empty('k');
  await call('POST', customer, { body: { status: 'reactivated' } });
  assert.equal((await call('DELETE', label)).status, 200);
  for (const again of [frozen, await empty('k')]) {
    assert.deepEqual(
      [again.status, again.headers.location, again.headers['idempotent-replayed']],
      [201, first.headers.location, 'true'],
    );
  }
  assertRefused(await empty('k', '-9.00'), { status: 409, code: 'Conflict' });
  assertRefused(await empty('other'), NO_LABEL);
  assertRefused(await empty('k', '-10.00', nowhere('label')), NO_LABEL);
  assert.equal((await get(`${label}/ledger-entries`)).total, 2);
});
