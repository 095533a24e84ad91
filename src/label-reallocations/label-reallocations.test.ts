// Tests of label reallocations over HTTP: each refusal, amounts, lists, access.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { assertRefused, type Body } from '../../test/support/http.ts';
import { startService } from '../../test/support/service.ts';

async function withLabels(t: TestContext) {
  const service = await startService(t);
  const customer = await service.newCustomer({ available: '1000.00' });
  const [from, to] = [await service.newLabel(customer, '100.00'), await service.newLabel(customer)];
  const move = (value: unknown, currency?: unknown) =>
    service.call('POST', '/label-reallocations', { body: service.reallocation(from, to, value, currency) });
  return { ...service, customer, from, to, move };
}

test('amounts: accepts every spelling of the same amount', async (t) => {
  const { move, call, from } = await withLabels(t);
  for (const value of ['10', '10.0', '10.00', '010', '00010.5']) assert.equal((await move(value)).status, 201, value);
  assert.equal((await call('GET', from)).body.amount.value, '49.50');
});

test('amounts: refuses invalid amounts with their pointer, and writes nothing', async (t) => {
  const { move, snapshot } = await withLabels(t);
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

test('amounts: supports currencies with zero and with three decimals', async (t) => {
  const { call, newCustomer, newLabel, reallocation } = await startService(t);
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

test('amounts: refuses labels of two currencies, in both directions', async (t) => {
  const { call, customer, from, newLabel, reallocation, snapshot } = await withLabels(t);
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

test('checks refusals in the documented order', async (t) => {
  const { call, client, newClient, newCustomer, newLabel, nowhere, reallocation, from, to } = await withLabels(t);
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

test('values: refuses the same label twice and labels of two customers', async (t) => {
  const { call, newCustomer, newLabel, reallocation, from, snapshot } = await withLabels(t);
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

test('values: distinguishes two customers in the same bucket', async (t) => {
  const { call, sql, newCustomer, newLabel, reallocation, from } = await withLabels(t);
  const theirs = await newLabel(await newCustomer());
  // The same id with the bucket of the first label, as of a customer that was assigned the same bucket.
  const moved = theirs.slice(0, -21) + from.slice(-21, -18) + theirs.slice(-18);
  const bucket = Number.parseInt(from.slice(-21, -18), 16);
  await sql`update ledger_account set bucket = ${bucket}, id = ${moved.split('/').at(-1)} where id = ${theirs.split('/').at(-1)}`;
  const answer = await call('POST', '/label-reallocations', { body: reallocation(from, moved, '1.00') });
  assertRefused(answer, {
    status: 400,
    code: 'ValidationError',
    fault: 'Invalid',
    path: '/_links/to/href',
    message: 'Labels must belong to the same customer.',
  });
});

test('answers 404 for a removed label and for an account that is not a label', async (t) => {
  const { call, sql, from, to, move, reallocation } = await withLabels(t);
  assert.equal((await call('DELETE', to)).status, 200);
  assertRefused(await move('1.00'), { status: 404, code: 'NotFound', message: 'Label not found' });
  const [own] = await sql<{ id: string }>`select id from ledger_account where kind = 'available' and balance > 0`;
  const available = from.replace(/[^/]+$/, own!.id);
  assertRefused(await call('POST', '/label-reallocations', { body: reallocation(available, from, '1.00') }), {
    status: 404,
    code: 'NotFound',
  });
});

test('stores a reference on the reallocation and on both entries', async (t) => {
  const { call, from, to, reallocation, customer } = await withLabels(t);
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

test('the representation: links, access, missing reallocations, ETag', async (t) => {
  const { call, client, newClient, move, from, to, customer, nowhere, url } = await withLabels(t);
  const made = (await move('1.00')).headers.location!;
  const { body, headers } = await call('GET', made);
  const link = (href: string, type: string) => ({ href, type: 'application/vnd.earmark.v1.hal+json', 'resource-type': type });
  assert.deepEqual(body._links.self, link(made, 'label-reallocation'));
  assert.deepEqual(
    [body._links.from, body._links.to, body._links.customer],
    [link(from, 'label'), link(to, 'label'), link(customer, 'customer')],
  );
  assert.match(body.created, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.equal('reference' in body, false);
  assert.equal((await call('GET', made, { headers: { 'if-none-match': headers.etag! } })).status, 304);
  assert.equal((await call('GET', made, { headers: { 'if-none-match': '"other"' } })).status, 200);

  assertRefused(await call('GET', made, { token: (await newClient()).token }), { status: 403, code: 'Forbidden' });
  assertRefused(await call('GET', made, { token: (await newClient(['write'], client.account_id)).token }), {
    status: 403,
    code: 'Forbidden',
  });
  assertRefused(await call('GET', nowhere('label-reallocation')), { status: 404, code: 'NotFound' });
  // The id of an entry, the id of a deposit and an invalid id are not reallocations.
  assertRefused(await call('GET', `${url}/label-reallocations/${body._links['from-ledger-entry'].href.split('/').at(-1)}`), {
    status: 404,
    code: 'NotFound',
  });
  assertRefused(await call('GET', `${url}/label-reallocations/1`), { status: 404, code: 'NotFound' });
});

test('lists the reallocations of a customer newest first, paged by offset and by id', async (t) => {
  const { call, move, customer, newCustomer, newClient, nowhere } = await withLabels(t);
  const made: string[] = [];
  for (let n = 0; n < 7; n++) made.unshift((await move('1.00')).headers.location!);
  const list = (query: string) => call('GET', `${customer}/label-reallocations${query}`);
  const hrefs = (body: { _embedded: Record<string, { _links: { self: { href: string } } }[]> }) =>
    body._embedded['label-reallocations']!.map((one) => one._links.self.href);

  const all = (await list('')).body;
  assert.deepEqual([all.total, hrefs(all), all._links.next, all._links.prev], [7, made, undefined, undefined]);
  const seen: string[] = [];
  let pages = 0;
  for (let path: string | undefined = `${customer}/label-reallocations?limit=3`; path; pages++) {
    const { body } = await call('GET', path);
    seen.push(...hrefs(body));
    assert.equal(body.total, 7);
    path = body._links.next?.href;
  }
  assert.deepEqual([seen, pages], [made, 3]);
  // An offset beside `after` is ignored.
  const after = made[2]!.split('/').at(-1);
  const behind = (await list(`?after=${after}&offset=2`)).body;
  assert.deepEqual(hrefs(behind), made.slice(3));
  assert.deepEqual(hrefs((await call('GET', behind._links.self.href)).body), made.slice(3));
  const second = (await list('?limit=3&offset=3')).body;
  assert.deepEqual(hrefs(second), made.slice(3, 6));
  assert.deepEqual(hrefs((await call('GET', second._links.prev.href)).body), made.slice(0, 3));
  assert.deepEqual(hrefs((await call('GET', second._links.last.href)).body), made.slice(6));

  for (const query of ['?limit=0', '?limit=201', '?limit=x', '?limit=1.5', '?offset=-1', '?limit=1&limit=2', '?after=7']) {
    assertRefused(await list(query), { status: 400, code: 'ValidationError', path: `/query/${query.slice(1).split('=', 1)}` });
  }
  assert.deepEqual((await call('GET', `${await newCustomer()}/label-reallocations`)).body._embedded, {
    'label-reallocations': [],
  });
  assertRefused(await call('GET', `${nowhere('customer')}/label-reallocations`), {
    status: 404,
    code: 'NotFound',
    message: 'Customer not found',
  });
  assertRefused(await call('GET', `${customer}/label-reallocations`, { token: (await newClient()).token }), {
    status: 403,
    code: 'Forbidden',
  });
});

test('filters the list by reference and by correlation id', async (t) => {
  const { call, customer, from, to, reallocation } = await withLabels(t);
  const make = async (members: object) =>
    (await call('POST', '/label-reallocations', { body: { ...reallocation(from, to, '1.00'), ...members } })).headers.location!;
  const both = await make({ reference: 'rent', correlationId: 'order 7' });
  const correlated = await make({ correlationId: 'order 7' });
  const referenced = await make({ reference: 'rent' });
  assert.equal((await call('GET', correlated)).body.correlationId, 'order 7');
  const path = `${customer}/label-reallocations`;
  for (const [query, expected] of [
    ['?correlationId=order+7', [correlated, both]],
    ['?reference=rent', [referenced, both]],
    ['?reference=rent&correlationId=order+7', [both]],
    ['?correlationId=order', []],
  ] as const) {
    const { body } = await call('GET', `${path}${query}`);
    const hrefs = body._embedded['label-reallocations'].map((one: Body) => one._links.self.href);
    assert.deepEqual([hrefs, body.total], [expected, expected.length], query);
  }
  const first = await call('GET', `${path}?correlationId=order+7&limit=1`);
  const second = await call('GET', first.body._links.next.href);
  assert.equal(second.body._embedded['label-reallocations'][0]._links.self.href, both);
  assertRefused(await call('POST', '/label-reallocations', { body: { ...reallocation(from, to, '1.00'), correlationId: '' } }), {
    status: 400,
    code: 'ValidationError',
    path: '/correlationId',
  });
});

test('writes one event with a reallocation', async (t) => {
  const { move, sql, client } = await withLabels(t);
  const made = (await move('1.00')).headers.location!;
  const events = await sql`select account_id, topic from event where resource_id = ${made.split('/').at(-1)}`;
  assert.deepEqual(events, [{ accountId: client.account_id, topic: 'customer_label_reallocation_created' }]);
});
