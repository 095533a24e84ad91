// Tests of creating label reallocations: amounts, the order of refusals, references and events.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { allEvents } from '../../../test/support/events.ts';
import { assertRefused, idOf } from '../../../test/support/http.ts';
import { openMoves } from '../../../test/support/label-reallocations.ts';
import { openAccount, startService } from '../../../test/support/service.ts';

// Shared by all tests of the file; each has its own account.
const shared = await startService({ after });

test('amounts: accepts every spelling of the same amount', async () => {
  const { move, call, from } = await openMoves(shared);
  for (const value of ['10', '10.0', '10.00', '010', '00010.5']) assert.equal((await move(value)).status, 201, value);
  assert.equal((await call('GET', from)).body.amount.value, '49.50');
});

test('amounts: refuses invalid amounts with their pointer, and writes nothing', async () => {
  const { move, snapshot } = await openMoves(shared);
  const before = await snapshot();
  const format = { status: 400, code: 'ValidationError', fault: 'InvalidFormat', path: '/amount/value' };
  for (const value of [
    '-1',
    '+1',
    '1e2',
    '1.005',
    '1.',
    '.5',
    '',
    ' 1',
    '1 ',
    '1,000',
    '1_000',
    '0x10',
    '１０',
    '٣',
    'NaN',
    'Infinity',
    '1.0.0',
    '--1',
    `${'1'.repeat(60)}`,
  ]) {
    assertRefused(await move(value), format);
  }
  for (const value of ['0', '0.00', '000']) {
    assertRefused(await move(value), { ...format, fault: 'Invalid', message: 'Amount must be greater than zero.' });
  }
  for (const value of ['1234567890123456789', '99999999999999999', '9'.repeat(30)]) {
    assertRefused(await move(value), { ...format, fault: 'Invalid', message: 'Amount has more than 18 digits.' });
  }
  assertRefused(await move('9999999999999999.99'), { ...format, fault: 'InsufficientFunds' });
  for (const value of [1, 1.5, null, true, ['1'], { value: '1' }])
    assertRefused(await move(value), { status: 400, code: 'BadRequest' });
  for (const currency of ['usd', 'US', '', 'XXX', 'XAU', 'DOLLAR', '840', 'EUR', ' USD']) {
    assertRefused(await move('1.00', currency), {
      status: 400,
      code: 'ValidationError',
      fault: 'Invalid',
      path: '/amount/currency',
    });
  }
  assert.deepEqual(await snapshot(), before);
});

test('amounts: supports currencies with zero and with three decimals', async () => {
  const { call, newCustomer, newLabel, reallocation } = await openAccount(shared);
  for (const [currency, available, tooFine, shown] of [
    ['JPY', '500', '1.0', '120'],
    ['BHD', '500.000', '1.0005', '120.000'],
  ] as const) {
    const customer = await newCustomer({ available, currency });
    const [from, to] = [await newLabel(customer, '200', { currency }), await newLabel(customer, '0', { currency })];
    const wanted = { status: 400, code: 'ValidationError', fault: 'InvalidFormat', path: '/amount/value' };
    assertRefused(await call('POST', '/label-reallocations', { body: reallocation(from, to, tooFine, currency) }), wanted);
    assert.equal((await call('POST', '/label-reallocations', { body: reallocation(from, to, '120', currency) })).status, 201);
    assert.deepEqual((await call('GET', to)).body.amount, { value: shown, currency });
  }
});

test('amounts: refuses labels of two currencies, in both directions', async () => {
  const { call, customer, from, newLabel, reallocation, snapshot } = await openMoves(shared);
  const euros = await newLabel(customer, '0', { currency: 'EUR' });
  const before = await snapshot();
  for (const [one, other] of [
    [from, euros],
    [euros, from],
  ] as const) {
    for (const currency of ['USD', 'EUR']) {
      const answer = await call('POST', '/label-reallocations', { body: reallocation(one, other, '1.00', currency) });
      assertRefused(answer, { status: 400, code: 'ValidationError', fault: 'Invalid', path: '/amount/currency' });
    }
  }
  assert.deepEqual(await snapshot(), before);
});

test('checks refusals in the documented order', async () => {
  const { call, client, newClient, newCustomer, newLabel, nowhere, reallocation, from, to } = await openMoves(shared);
  const reader = await newClient(['read'], client.account_id);
  const send = (body: unknown, token?: string) => call('POST', '/label-reallocations', { body, ...(token && { token }) });
  const stranger = await newClient();
  const theirs = await newLabel(await newCustomer({ token: stranger.token }), '0', { token: stranger.token });

  // syntax before scope
  assertRefused(await send({ ...reallocation(from, to, '1.00'), amount: undefined }, reader.token), {
    status: 400,
    code: 'BadRequest',
  });
  // scope before existence
  assertRefused(await send(reallocation(nowhere('label'), to, '1.00'), reader.token), { status: 403, code: 'Forbidden' });
  // existence before access, for both labels, also in different buckets
  assertRefused(await send(reallocation(theirs, nowhere('label'), '1.00')), { status: 404, code: 'NotFound' });
  assertRefused(await send(reallocation(nowhere('label'), theirs, '1.00')), { status: 404, code: 'NotFound' });
  // access before values
  assertRefused(await send(reallocation(from, theirs, 'x')), {
    status: 403,
    code: 'Forbidden',
    message: 'Not authorized to create label reallocation',
  });
  assertRefused(await send(reallocation(theirs, theirs, '-1')), { status: 403, code: 'Forbidden' });
  // existence before values
  assertRefused(await send(reallocation(nowhere('label'), nowhere('label'), 'x')), {
    status: 404,
    code: 'NotFound',
    message: 'Label not found',
  });
});

test('values: refuses the same label twice and labels of two customers', async () => {
  const { call, newCustomer, newLabel, reallocation, from, snapshot } = await openMoves(shared);
  const other = await newLabel(await newCustomer());
  const before = await snapshot();
  const wanted = { status: 400, code: 'ValidationError', fault: 'Invalid', path: '/_links/to/href' };
  const twice = await call('POST', '/label-reallocations', { body: reallocation(from, from, '1.00') });
  assertRefused(twice, { ...wanted, message: 'Labels must be two different labels.' });
  const both = await call('POST', '/label-reallocations', { body: reallocation(from, from, '0') });
  assert.deepEqual(
    both.body._embedded.errors.map((fault: { path: string }) => fault.path),
    ['/_links/to/href', '/amount/value'],
  );
  assertRefused(await call('POST', '/label-reallocations', { body: reallocation(from, other, '1.00') }), {
    ...wanted,
    message: 'Labels must belong to the same customer.',
  });
  assert.deepEqual(await snapshot(), before);
});

test('values: distinguishes two customers in the same bucket', async () => {
  const { call, sql, newCustomer, newLabel, reallocation, from } = await openMoves(shared);
  const theirs = await newLabel(await newCustomer());
  // The same id with the bucket of the first label, as of a customer that was assigned the same bucket.
  const moved = theirs.slice(0, -21) + from.slice(-21, -18) + theirs.slice(-18);
  const bucket = Number.parseInt(from.slice(-21, -18), 16);
  const [account] = await sql<{ row: object }>`select to_jsonb(a) as row from ledger_account a where id = ${idOf(theirs)}`;
  const row = { ...account!.row, bucket, id: idOf(moved) };
  await sql`insert into ledger_account select * from jsonb_populate_record(null::ledger_account, ${row}::jsonb)`;
  const answer = await call('POST', '/label-reallocations', { body: reallocation(from, moved, '1.00') });
  assertRefused(answer, {
    status: 400,
    code: 'ValidationError',
    fault: 'Invalid',
    path: '/_links/to/href',
    message: 'Labels must belong to the same customer.',
  });
});

test('answers 404 for a removed label and for an account that is not a label', async () => {
  const { call, sql, customer, from, to, move, reallocation, newClient, newCustomer, newLabel } = await openMoves(shared);
  assert.equal((await call('DELETE', to)).status, 200);
  assertRefused(await move('1.00'), { status: 404, code: 'NotFound', message: 'Label not found' });
  // Also together with the label of another customer, or of another account.
  const stranger = await newClient();
  const others = [
    await newLabel(await newCustomer()),
    await newLabel(await newCustomer({ token: stranger.token }), '0', { token: stranger.token }),
  ];
  for (const other of others) {
    for (const body of [reallocation(to, other, '1.00'), reallocation(other, to, '1.00')]) {
      assertRefused(await call('POST', '/label-reallocations', { body }), {
        ...{ status: 404, code: 'NotFound', message: 'Label not found' },
      });
    }
  }
  const [own] = await sql<{ id: string }>`select id from ledger_account 
    where kind = 'available' and customer_id = ${idOf(customer)}`;
  const available = from.replace(/[^/]+$/, own!.id);
  assertRefused(await call('POST', '/label-reallocations', { body: reallocation(available, from, '1.00') }), {
    status: 404,
    code: 'NotFound',
  });
});

test('stores a reference on the reallocation and on both entries', async () => {
  const { call, from, to, reallocation, customer } = await openMoves(shared);
  const reference = 'März 2026 „Steuer“';
  const made = await call('POST', '/label-reallocations', { body: { ...reallocation(from, to, '1.00'), reference } });
  const { body } = await call('GET', made.headers.location!);
  assert.equal(body.reference, reference);
  for (const leg of ['from-ledger-entry', 'to-ledger-entry'])
    assert.equal((await call('GET', body._links[leg].href)).body.reference, reference);
  await call('POST', '/label-reallocations', { body: reallocation(from, to, '1.00') });
  const found = await call('GET', `${customer}/label-reallocations?reference=${encodeURIComponent(reference)}`);
  assert.equal(found.body.total, 1);
  assert.deepEqual(found.body._embedded['label-reallocations'], [body]);
  assert.equal((await call('GET', `${customer}/label-reallocations?reference=none`)).body.total, 0);
  for (const [wrong, fault] of [
    ['x'.repeat(256), 'Invalid'],
    ['', 'Required'],
    ['a\nb', 'InvalidFormat'],
  ]) {
    const answer = await call('POST', '/label-reallocations', { body: { ...reallocation(from, to, '1.00'), reference: wrong } });
    assertRefused(answer, { status: 400, code: 'ValidationError', path: '/reference', fault: fault! });
  }
  assertRefused(await call('POST', '/label-reallocations', { body: { ...reallocation(from, to, '1.00'), reference: 7 } }), {
    status: 400,
    code: 'BadRequest',
  });
});

test('writes one event with a reallocation', async () => {
  const { move, sql, client } = await openMoves(shared);
  const made = (await move('1.00')).headers.location!;
  const events = await sql`select account_id, topic from ${await allEvents(sql)} where resource_id = ${made.split('/').at(-1)}`;
  assert.deepEqual(events, [{ accountId: client.account_id, topic: 'customer_label_reallocation_created' }]);
});
