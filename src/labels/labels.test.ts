// Tests of labels over HTTP: creation, representation, links, lists, removal, access, events.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { assertRefused, type Body, HAL, idOf } from '../../test/support/http.ts';
import { startService } from '../../test/support/service.ts';

const NOT_VERIFIED = { status: 403, code: 'InvalidResourceState', message: 'Customer must be verified.' };
const FORBIDDEN = { status: 403, code: 'Forbidden', message: 'The supplied credentials are not authorized for this resource.' };
const MAY_NOT_CREATE = { status: 403, code: 'Forbidden', message: 'Not authorized to create customer label' };
const NO_LABEL = { status: 404, code: 'NotFound', message: 'The requested resource was not found.' };
const NOT_EMPTY = { status: 403, code: 'InvalidResourceState', message: 'Amount must be zero to remove label.' };

const usd = (value: unknown) => ({ amount: { value, currency: 'USD' } });
const link = (href: string, type: string) => ({ href, type: HAL, 'resource-type': type });

async function withCustomer(t: TestContext, available = '1000.00') {
  const service = await startService(t);
  const customer = await service.newCustomer({ available });
  const create = (body: unknown, options: { token?: string; of?: string; key?: string } = {}) =>
    service.call('POST', `${options.of ?? customer}/labels`, { body, ...options });
  const get = async (url: string): Promise<Body> => {
    const answer = await service.call('GET', url);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  /** The available and labelled amounts by currency. */
  const balances = async (of = customer) =>
    (await get(`${of}/balance`)).balances.map(({ available, labelled, currency }: Body) => [
      currency,
      available.value,
      labelled.value,
    ]);
  const topics = async (url: string) => {
    const rows = await service.sql<{ topic: string }>`select topic from event where resource_id = ${idOf(url)} order by id`;
    return rows.map((row) => row.topic);
  };
  return { ...service, customer, create, get, balances, topics };
}

test('takes the amount of a new label from the available balance', async (t) => {
  const { create, get, customer, balances, sql } = await withCustomer(t);
  const made = await create({ ...usd('250.5'), name: 'Taxes' });
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
    from event where topic like 'customer_label%'
      and customer_id = ${idOf(customer)} order by topic`;
  assert.deepEqual(events, [
    { topic: 'customer_label_created', label: true, entry: false, customer: true },
    { topic: 'customer_label_ledger_entry_created', label: false, entry: true, customer: true },
  ]);
});

test('a label of zero has no entries, an optional name, and can be removed', async (t) => {
  const { create, get, balances, topics } = await withCustomer(t);
  for (const value of ['0', '0.00', '000.0']) {
    const url = (await create(usd(value))).headers.location!;
    const label = await get(url);
    assert.deepEqual(label.amount, { value: '0.00', currency: 'USD' });
    assert.deepEqual(Object.keys(label).sort(), ['_links', 'amount', 'created', 'id']);
    assert.deepEqual(label._links.remove, link(url, 'label'));
    assert.equal((await get(`${url}/ledger-entries`)).total, 0);
    assert.deepEqual(await topics(url), ['customer_label_created']);
  }
  assert.deepEqual(await balances(), [['USD', '1000.00', '0.00']]);
});

test('takes all that is available and refuses a cent more', async (t) => {
  const { create, balances, snapshot, newCustomer } = await withCustomer(t);
  const before = await snapshot();
  const refused = { status: 400, code: 'ValidationError', fault: 'InsufficientFunds', path: '/amount/value' };
  const message = (held: string) => ({ ...refused, message: `Insufficient funds: ${held} available.` });
  assertRefused(await create(usd('1000.01')), message('1000.00 USD'));
  assertRefused(await create({ amount: { value: '1', currency: 'EUR' } }), message('0.00 EUR'));
  assertRefused(await create({ amount: { value: '1', currency: 'JPY' } }), message('0 JPY'));
  assert.deepEqual(await snapshot(), before, 'a refusal creates no label');
  assert.equal((await create(usd('1000.00'))).status, 201);
  assertRefused(await create(usd('0.01')), message('0.00 USD'));
  assert.deepEqual(await balances(), [['USD', '0.00', '1000.00']]);
  const other = await newCustomer();
  assertRefused(await create(usd('0.01'), { of: other }), message('0.00 USD'));
});

test('concurrent creations take no more than is available', async (t) => {
  const { create, balances } = await withCustomer(t, '10.00');
  const answers = await Promise.all(Array.from({ length: 15 }, () => create(usd('2.00'))));
  assert.equal(answers.filter((answer) => answer.status === 201).length, 5);
  for (const answer of answers.filter((answer) => answer.status !== 201)) {
    assertRefused(answer, { status: 400, code: 'ValidationError', fault: 'InsufficientFunds' });
  }
  assert.deepEqual(await balances(), [['USD', '0.00', '10.00']]);
});

test('a label keeps its currency', async (t) => {
  const { call, create, get, customer, balances } = await withCustomer(t);
  await call('POST', `${customer}/deposits`, { body: { amount: { value: '7', currency: 'JPY' } } });
  const yen = (await create({ amount: { value: '5', currency: 'JPY' } })).headers.location!;
  assert.deepEqual((await get(yen)).amount, { value: '5', currency: 'JPY' });
  // An empty label may have a currency in which the customer has no money.
  const dinars = (await create({ amount: { value: '0', currency: 'BHD' } })).headers.location!;
  assert.deepEqual((await get(dinars)).amount, { value: '0.000', currency: 'BHD' });
  const other = await call('POST', `${yen}/ledger-entries`, { body: usd('1.00') });
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

test('validates the creation form', async (t) => {
  const { create, get, snapshot } = await withCustomer(t);
  const before = await snapshot();
  for (const body of [
    {},
    { amount: {} },
    { amount: { value: '1' } },
    { amount: { currency: 'USD' } },
    usd(1),
    usd(null),
    usd(['1']),
  ]) {
    assertRefused(await create(body), { status: 400, code: 'BadRequest' });
  }
  for (const name of [null, 7, true, {}, ['a']])
    assertRefused(await create({ ...usd('0'), name }), { status: 400, code: 'BadRequest' });
  const names: [name: string, fault: string, message: string][] = [
    ['', 'Required', 'Name must not be empty.'],
    ['x'.repeat(101), 'Invalid', 'Name must have at most 100 characters.'],
    ['a\nb', 'InvalidFormat', 'Name has an invalid format.'],
    ['a\u007f', 'InvalidFormat', 'Name has an invalid format.'],
  ];
  for (const [name, fault, message] of names) {
    const answer = await create({ ...usd('0'), name });
    assertRefused(answer, { status: 400, code: 'ValidationError', fault, path: '/name', message });
  }
  for (const value of ['-1', '+1', '-0', '1e2', '1.005', '1.', '.5', '', ' 1', '１']) {
    assertRefused(await create(usd(value)), {
      status: 400,
      code: 'ValidationError',
      fault: 'InvalidFormat',
      path: '/amount/value',
    });
  }
  assertRefused(await create(usd('9'.repeat(17))), {
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
    const made = await create({ ...usd('0'), name });
    assert.equal((await get(made.headers.location!)).name, name);
  }
  assert.equal((await create({ ...usd('0'), name: 'x' })).status, 201, 'names need not be unique');
});

test('checks scope, account and existence of the customer on creation', async (t) => {
  const { call, create, client, customer, newClient, nowhere, snapshot } = await withCustomer(t);
  const stranger = (await newClient()).token;
  const reader = (await newClient(['read', 'funds', 'review'], client.account_id)).token;
  const writer = (await newClient(['write'], client.account_id)).token;
  const before = await snapshot();
  assertRefused(await create(usd('1.00'), { token: reader }), MAY_NOT_CREATE);
  assertRefused(await create(usd('1.00'), { token: stranger }), MAY_NOT_CREATE);
  const missing = { status: 404, code: 'NotFound', message: 'Customer not found' };
  assertRefused(await create(usd('1.00'), { of: nowhere('customer') }), missing);
  assertRefused(await create(usd('1.00'), { of: '/customers/7' }), missing);
  assertRefused(await create(usd('-1'), { token: stranger }), MAY_NOT_CREATE);
  assert.deepEqual(await snapshot(), before);
  assert.equal((await create(usd('1.00'), { token: writer })).status, 201);

  assertRefused(await call('GET', `${customer}/labels`, { token: stranger }), FORBIDDEN);
  assertRefused(await call('GET', `${customer}/labels`, { token: writer }), FORBIDDEN);
  assertRefused(await call('GET', `${nowhere('customer')}/labels`), missing);
});

test('only a verified customer can have labels', async (t) => {
  const { call, create, get, newCustomer, snapshot } = await withCustomer(t);
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
    assertRefused(await create(usd('0'), { of: whose }), NOT_VERIFIED);
    assertRefused(await create(usd('1.00'), { of: whose }), NOT_VERIFIED);
    assert.deepEqual((await get(`${whose}/labels`))._embedded.labels, []);
  }
  assert.deepEqual(await snapshot(), before);
  await call('POST', suspended, { body: { status: 'reactivated' } });
  assert.equal((await create(usd('5.00'), { of: suspended })).status, 201);
});

test('shows a link only while its action succeeds', async (t) => {
  const { call, create, get, customer } = await withCustomer(t);
  const url = (await create(usd('0'))).headers.location!;
  const legal = async () =>
    Object.keys((await get(url))._links)
      .filter((name) => name === 'update' || name === 'remove')
      .sort();
  const entry = (value: string) => call('POST', `${url}/ledger-entries`, { body: usd(value) });
  assert.deepEqual(await legal(), ['remove', 'update']);
  await entry('1.00');
  assert.deepEqual(await legal(), ['update']);
  await call('POST', customer, { body: { status: 'suspended' } });
  assert.deepEqual(await legal(), []);
  assertRefused(await entry('-1.00'), NOT_VERIFIED);
  await call('POST', customer, { body: { status: 'reactivated' } });
  assert.deepEqual(await legal(), ['update']);
  await entry('-1.00');
  await call('POST', customer, { body: { status: 'deactivated' } });
  assert.deepEqual(await legal(), ['remove']);
  // A deactivated customer can remove an empty label, as the link says.
  assert.equal((await call('DELETE', url)).status, 200);
});

test('a label: access, missing labels, accounts that are not labels', async (t) => {
  const { call, create, customer, client, newClient, nowhere, sql, url } = await withCustomer(t);
  const label = (await create(usd('0'))).headers.location!;
  const stranger = (await newClient()).token;
  const writer = (await newClient(['write'], client.account_id)).token;
  const reader = (await newClient(['read'], client.account_id)).token;
  for (const token of [stranger, writer]) assertRefused(await call('GET', label, { token }), FORBIDDEN);
  for (const token of [stranger, reader]) assertRefused(await call('DELETE', label, { token }), FORBIDDEN);
  const own = await sql<{ id: string }>`select id from ledger_account where kind <> 'label' and customer_id = ${idOf(customer)}`;
  assert.equal(own.length, 2);
  for (const none of [nowhere('label'), `${url}/labels/${idOf(customer)}`, ...own.map(({ id }) => `${url}/labels/${id}`)]) {
    assertRefused(await call('GET', none), NO_LABEL);
    assertRefused(await call('DELETE', none), NO_LABEL);
  }
  assert.equal((await call('GET', label, { token: reader })).status, 200);
});

test('removes a label at zero only; afterwards it is not found, and its entries stay', async (t) => {
  const { call, create, get, customer, snapshot, topics } = await withCustomer(t);
  const url = (await create({ ...usd('10.00'), name: 'Trip' })).headers.location!;
  const entries = `${url}/ledger-entries`;
  const full = await snapshot();
  assertRefused(await call('DELETE', url), NOT_EMPTY);
  assert.deepEqual(await snapshot(), full);
  await call('POST', entries, { body: usd('-10.00') });

  const before = await get(url);
  const history = await get(entries);
  const gone = await call('DELETE', url);
  const { update, remove, ...lasting } = before._links;
  assert.ok(update && remove);
  assert.deepEqual([gone.status, gone.body], [200, { ...before, _links: lasting }]);
  assert.deepEqual(await topics(url), ['customer_label_created', 'customer_label_removed']);

  const after = await snapshot();
  assertRefused(await call('GET', url), NO_LABEL);
  assertRefused(await call('DELETE', url), NO_LABEL);
  assertRefused(await call('POST', entries, { body: usd('1.00') }), {
    status: 404,
    code: 'NotFound',
    message: 'Label not found',
  });
  assert.deepEqual(await snapshot(), after);
  assert.deepEqual((await get(`${customer}/labels`))._embedded.labels, []);
  assert.deepEqual(await get(entries), history);
  assert.equal(history.total, 2);
  for (const entry of history._embedded['ledger-entries']) {
    assert.deepEqual(await get(entry._links.self.href), entry);
    assert.equal(entry._links.label.href, url);
  }
});

test('of a removal and a concurrent entry, one succeeds', async (t) => {
  const { call, create, get, balances } = await withCustomer(t, '20.00');
  const urls = await Promise.all(Array.from({ length: 10 }, async () => (await create(usd('0'))).headers.location!));
  const pairs = await Promise.all(
    urls.map((url) => Promise.all([call('DELETE', url), call('POST', `${url}/ledger-entries`, { body: usd('1.00') })])),
  );
  let filled = 0;
  for (const [index, [removal, entry]] of pairs.entries()) {
    if (entry.status === 201) {
      assertRefused(removal, NOT_EMPTY);
      assert.equal((await get(urls[index]!)).amount.value, '1.00');
      filled++;
    } else {
      assertRefused(entry, { status: 404, code: 'NotFound', message: 'Label not found' });
      assert.equal(removal.status, 200);
    }
  }
  assert.deepEqual(await balances(), [['USD', `${20 - filled}.00`, `${filled}.00`]]);
});

test('concurrent removals of a label remove it once', async (t) => {
  const { call, create, topics, service } = await withCustomer(t);
  const url = (await create(usd('0'))).headers.location!;
  // All removals have read the label before the first changes it.
  const removals = await service.database.transaction(async (tx) => {
    await tx`select 1 from ledger_account where id = ${idOf(url)} for update`;
    const removals = Array.from({ length: 4 }, () => call('DELETE', url));
    const isWaiting = () => service.database.sql`
      select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    while ((await isWaiting()).length < removals.length) await new Promise((resume) => setTimeout(resume, 10));
    return removals;
  });
  const answers = await Promise.all(removals);
  assert.equal(answers.filter((answer) => answer.status === 200).length, 1);
  for (const answer of answers.filter((answer) => answer.status !== 200)) assertRefused(answer, NO_LABEL);
  assert.deepEqual(await topics(url), ['customer_label_created', 'customer_label_removed']);
});

test('lists the labels of a customer newest first, in pages, without removed ones', async (t) => {
  const { call, create, customer, newCustomer, get } = await withCustomer(t);
  await create(usd('0'), { of: await newCustomer() });
  const made: string[] = [];
  for (let n = 0; n < 8; n++) made.unshift((await create({ ...usd('1.00'), name: `n${n}` })).headers.location!);
  const [removed] = made.splice(2, 1);
  await call('POST', `${removed}/ledger-entries`, { body: usd('-1.00') });
  assert.equal((await call('DELETE', removed!)).status, 200);

  const list = (query: string) => get(`${customer}/labels${query}`);
  const hrefs = (body: Body): string[] => body._embedded.labels.map((label: Body) => label._links.self.href);
  const all = await list('');
  assert.deepEqual([all.total, hrefs(all)], [7, made]);
  assert.deepEqual(Object.keys(all._links).sort(), ['first', 'last', 'self']);
  assert.deepEqual(all._embedded.labels[0], await get(made[0]!));
  assert.deepEqual(all._links.self, link(`${customer}/labels?limit=25`, 'label'));

  const pages: string[][] = [];
  for (let path: string | undefined = `${customer}/labels?limit=3`; path; ) {
    const page: Body = await get(path);
    assert.equal(page.total, 7);
    pages.push(hrefs(page));
    path = page._links.next?.href;
  }
  assert.deepEqual(pages, [made.slice(0, 3), made.slice(3, 6), made.slice(6)]);
  const last = await get((await list('?limit=3'))._links.last.href);
  assert.deepEqual([hrefs(last), last._links.next], [made.slice(6), undefined]);
  assert.deepEqual(hrefs(await get(last._links.prev.href)), made.slice(3, 6));
  assert.deepEqual(hrefs(await get(last._links.first.href)), made.slice(0, 3));
  const exact = await list('?limit=7');
  assert.deepEqual([hrefs(exact), exact._links.next], [made, undefined]);
  const past = await list('?offset=100');
  assert.deepEqual([past.total, hrefs(past), past._links.next], [7, [], undefined]);

  for (const query of [
    '?limit=0',
    '?limit=201',
    '?limit=x',
    '?limit=',
    '?limit=1.5',
    '?offset=-1',
    '?offset=1e3x',
    '?offset=99999999999999999999',
  ]) {
    assertRefused(await call('GET', `${customer}/labels${query}`), {
      status: 400,
      code: 'ValidationError',
      path: query.includes('limit') ? '/query/limit' : '/query/offset',
    });
  }
});
