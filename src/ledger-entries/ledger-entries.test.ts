// Tests of ledger entries over HTTP: signed amounts and limits, representation, paging, access.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { assertRefused, type Body, HAL, idOf } from '../../test/support/http.ts';
import { startService } from '../../test/support/service.ts';

const FORBIDDEN = { status: 403, code: 'Forbidden', message: 'The supplied credentials are not authorized for this resource.' };
const NOT_FOUND = { status: 404, code: 'NotFound', message: 'The requested resource was not found.' };
const NO_LABEL = { status: 404, code: 'NotFound', message: 'Label not found' };
const BAD_QUERY = { status: 400, code: 'ValidationError' };
const AT_VALUE = { status: 400, code: 'ValidationError', path: '/amount/value' };
const NEGATIVE = { ...AT_VALUE, fault: 'Invalid', message: 'Amount can not cause label balance to be negative.' };

const usd = (value: unknown) => ({ amount: { value, currency: 'USD' } });
const link = (href: string, type: string) => ({ href, type: HAL, 'resource-type': type });
const entriesOf = (page: Body): Body[] => page._embedded['ledger-entries'];

async function withLabel(t: TestContext, amount = '0') {
  const service = await startService(t);
  const customer = await service.newCustomer({ available: '1000.00' });
  const label = await service.newLabel(customer, amount);
  const add = (value: unknown, more: object = {}) =>
    service.call('POST', `${label}/ledger-entries`, { body: { ...usd(value), ...more } });
  const get = async (url: string): Promise<Body> => {
    const answer = await service.call('GET', url);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  return { ...service, customer, label, add, get };
}

test('takes a positive amount from the available balance and gives a negative one back', async (t) => {
  const { add, get, label, customer } = await withLabel(t, '100.00');
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

test('validates amounts', async (t) => {
  const { add, snapshot } = await withLabel(t, '100.00');
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

test('refuses to make the label or the available balance negative', async (t) => {
  const { add, get, label, snapshot } = await withLabel(t, '100.00');
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

test('concurrent entries stop at zero, in both directions', async (t) => {
  const { add, get, label } = await withLabel(t, '5.00');
  const takings = await Promise.all(Array.from({ length: 12 }, () => add('-1.00')));
  assert.equal(takings.filter((answer) => answer.status === 201).length, 5);
  for (const answer of takings.filter((answer) => answer.status !== 201)) assertRefused(answer, NEGATIVE);
  const page = await get(`${label}/ledger-entries`);
  assert.deepEqual(
    entriesOf(page).map((entry) => [entry.sequence, entry.balance.value]),
    [6, 5, 4, 3, 2, 1].map((sequence) => [sequence, `${6 - sequence}.00`]),
  );
});

test('refuses another currency, and one in which the customer has no money', async (t) => {
  const { call, customer, label, newLabel, snapshot } = await withLabel(t, '100.00');
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

test('stores and validates a reference', async (t) => {
  const { add, get, snapshot, sql, label } = await withLabel(t, '100.00');
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
  const events = await sql`select topic from event where topic = 'customer_label_ledger_entry_created'
    and customer_id = (select customer_id from ledger_account where id = ${idOf(label)})`;
  assert.equal(events.length, 5, 'one event for the first amount, and one for each entry');
});

test('an entry has the documented fields and links', async (t) => {
  const { add, call, get, label, customer, newLabel, reallocation, sql } = await withLabel(t, '100.00');
  const url = (await add('-30.00', { reference: 'back' })).headers.location!;
  const { created, ...entry } = await get(url);
  assert.deepEqual(entry, {
    _links: { self: link(url, 'ledger-entry'), label: link(label, 'label') },
    id: idOf(url),
    amount: { value: '-30.00', currency: 'USD' },
    balance: { value: '70.00', currency: 'USD' },
    sequence: 2,
    reference: 'back',
  });
  assert.match(created, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const [event] = await sql`select topic, customer_id from event where resource_id = ${idOf(url)}`;
  assert.deepEqual(event, { topic: 'customer_label_ledger_entry_created', customerId: idOf(customer) });

  const to = await newLabel(customer);
  const moved = (await call('POST', '/label-reallocations', { body: reallocation(label, to, '20.00') })).headers.location!;
  const [left] = entriesOf(await get(`${label}/ledger-entries`));
  const [arrived] = entriesOf(await get(`${to}/ledger-entries`));
  for (const [side, of, value, balance, sequence] of [
    [left, label, '-20.00', '50.00', 3],
    [arrived, to, '20.00', '20.00', 1],
  ] as const) {
    assert.deepEqual(
      [side.amount.value, side.balance.value, side.sequence, 'reference' in side],
      [value, balance, sequence, false],
    );
    assert.deepEqual(side._links, {
      self: link(side._links.self.href, 'ledger-entry'),
      label: link(of, 'label'),
      'label-reallocation': link(moved, 'label-reallocation'),
    });
    assert.deepEqual(await get(side._links.self.href), side);
  }
});

test('pages a list by offset, by the next link and after an entry', async (t) => {
  const { add, call, get, label, customer, newLabel } = await withLabel(t);
  const made: string[] = [];
  for (let n = 0; n < 10; n++) made.unshift((await add('1.00')).headers.location!);
  const list = (query: string) => get(`${label}/ledger-entries${query}`);
  const hrefs = (page: Body): string[] => entriesOf(page).map((entry) => entry._links.self.href);

  const all = await list('');
  assert.deepEqual([all.total, hrefs(all)], [10, made]);
  assert.deepEqual(Object.keys(all._links).sort(), ['first', 'last', 'self']);
  assert.deepEqual(
    entriesOf(all).map((entry) => [entry.sequence, entry.balance.value]),
    made.map((_, index) => [10 - index, `${10 - index}.00`]),
  );
  const pages: string[][] = [];
  let path: string | undefined = `${label}/ledger-entries?limit=4`;
  for (let newest = await add('1.00'); path; newest = await add('1.00')) {
    // Entries added while a client pages do not shift the pages.
    const page: Body = await get(path);
    assert.ok(page.total >= 11 && newest.status === 201);
    pages.push(hrefs(page));
    path = page._links.next?.href;
    if (path) assert.match(path, /[?&]after=/);
  }
  assert.deepEqual(pages.flat().slice(1), made);
  assert.deepEqual(
    pages.map((page) => page.length),
    [4, 4, 3],
  );
  const now = hrefs(await list('?limit=200'));
  assert.equal(now.length, 14);
  for (const [query, from, to] of [
    ['?limit=5&offset=5', 5, 10],
    ['?offset=13', 13, 14],
    ['?offset=14', 14, 14],
    ['?offset=10000', 14, 14],
    [`?after=${idOf(now[8]!)}`, 9, 14],
    [`?after=${idOf(now[8]!)}&limit=2`, 9, 11],
    [`?after=${idOf(now[8]!)}&limit=2&offset=3`, 9, 11],
    [`?after=${idOf(now[13]!)}`, 14, 14],
  ] as const) {
    const page = await list(query);
    assert.deepEqual([page.total, hrefs(page)], [14, now.slice(from, to)], query);
    assert.equal(page._links.next === undefined, to === 14, query);
    assert.deepEqual(hrefs(await get(page._links.self.href)), now.slice(from, to), `self of ${query}`);
  }
  const middle = await list('?limit=5&offset=5');
  assert.deepEqual(hrefs(await get(middle._links.prev.href)), now.slice(0, 5));
  assert.deepEqual(hrefs(await get(middle._links.last.href)), now.slice(10));
  assert.deepEqual(hrefs(await get(middle._links.first.href)), now.slice(0, 5));

  const other = await newLabel(customer, '1.00');
  const [theirs] = entriesOf(await get(`${other}/ledger-entries`));
  const otherLeg = idOf(now[0]!).replace(/.$/, '1');
  const none = '01890000-0000-7000-8000-000000000002';
  for (const after of [theirs.id, otherLeg, none, idOf(label), idOf(now[0]!).toUpperCase(), '7', '']) {
    assertRefused(await call('GET', `${label}/ledger-entries?after=${after}`), { ...BAD_QUERY, path: '/query/after' });
  }
  for (const query of [
    '?limit=0',
    '?limit=201',
    '?limit=x',
    '?offset=-1',
    '?offset=1.5',
    `?after=${theirs.id}&after=${theirs.id}`,
  ]) {
    assertRefused(await call('GET', `${label}/ledger-entries${query}`), BAD_QUERY);
  }
});

test('answers 404 for the other entries of the transfers of a label', async (t) => {
  const { add, call, get, label, customer, url, nowhere } = await withLabel(t, '100.00');
  const added = (await add('1.00')).headers.location!;
  const given = (await add('-1.00')).headers.location!;
  const deposit = (await call('POST', `${customer}/deposits`, { body: usd('1.00') })).headers.location!;
  const withDigit = (entry: string, digit: string) => `${url}/ledger-entries/${idOf(entry).slice(0, -1)}${digit}`;
  assert.deepEqual([added.at(-1), given.at(-1)], ['2', '1']);
  for (const entry of [added, given]) await get(entry);
  for (const none of [
    ...['0', '1', '3', 'f'].map((digit) => withDigit(added, digit)),
    ...['0', '2', '3', 'f'].map((digit) => withDigit(given, digit)),
    ...['0', '1', '2'].map((digit) => withDigit(deposit, digit)),
    withDigit(label, '0'),
    nowhere('ledger-entry'),
    `${url}/ledger-entries/1`,
    added.replace(/[^/]+$/, (id) => id.toUpperCase()),
  ]) {
    assertRefused(await call('GET', none), NOT_FOUND);
  }
  assertRefused(await call('GET', `${url}/label-reallocations/${idOf(withDigit(added, '0'))}`), NOT_FOUND);
});

test('checks access, scopes and that the label is a label', async (t) => {
  const { add, call, label, client, newClient, nowhere, snapshot, sql, customer, url } = await withLabel(t, '100.00');
  const entry = (await add('1.00')).headers.location!;
  const stranger = (await newClient()).token;
  const reader = (await newClient(['read', 'funds', 'review'], client.account_id)).token;
  const writer = (await newClient(['write'], client.account_id)).token;
  const before = await snapshot();
  const post = (of: string, token: string | undefined = client.token) =>
    call('POST', `${of}/ledger-entries`, { body: usd('1.00'), token });
  for (const token of [stranger, reader]) assertRefused(await post(label, token), FORBIDDEN);
  for (const token of [stranger, writer]) {
    assertRefused(await call('GET', `${label}/ledger-entries`, { token }), FORBIDDEN);
    assertRefused(await call('GET', entry, { token }), FORBIDDEN);
  }
  const [own] = await sql<{ id: string }>`
    select id from ledger_account where kind = 'available' and customer_id = ${idOf(customer)}`;
  for (const none of [nowhere('label'), `${url}/labels/1`, `${url}/labels/${own!.id}`]) {
    assertRefused(await post(none), NO_LABEL);
    assertRefused(await call('GET', `${none}/ledger-entries`), NO_LABEL);
  }
  assert.deepEqual(await snapshot(), before);
  assert.equal((await post(label, writer)).status, 201);
  assert.equal((await call('GET', entry, { token: reader })).status, 200);
});

test('a customer that is not verified cannot move money, and can read everything', async (t) => {
  const { add, call, get, label, customer, snapshot } = await withLabel(t, '100.00');
  const wanted = { status: 403, code: 'InvalidResourceState', message: 'Customer must be verified.' };
  for (const status of ['suspended', 'deactivated']) {
    await call('POST', customer, { body: { status } });
    const before = await snapshot();
    for (const value of ['1.00', '-1.00', '9999.00', '-9999.00']) assertRefused(await add(value), wanted);
    assert.deepEqual(await snapshot(), before);
    assert.equal((await get(`${label}/ledger-entries`)).total, 1);
  }
  await call('POST', customer, { body: { status: 'reactivated' } });
  assert.equal((await add('-1.00')).status, 201);
});

test('replays the first answer, also after the label is removed or the customer suspended', async (t) => {
  const { call, label, customer, nowhere, get } = await withLabel(t, '10.00');
  const empty = (key: string, value = '-10.00', of = label) => call('POST', `${of}/ledger-entries`, { body: usd(value), key });
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
