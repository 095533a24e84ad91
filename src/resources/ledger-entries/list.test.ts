// Tests of reading ledger entries: representation, paging and access.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { amountOf } from '../../../test/support/data.ts';
import { allEvents } from '../../../test/support/events.ts';
import { assertRefused, type Body, idOf, link } from '../../../test/support/http.ts';
import { entriesOf, NO_LABEL, openLabel } from '../../../test/support/ledger-entries.ts';
import { startService } from '../../../test/support/service.ts';

const FORBIDDEN = { status: 403, code: 'Forbidden', message: 'The supplied credentials are not authorized for this resource.' };
const NOT_FOUND = { status: 404, code: 'NotFound', message: 'The requested resource was not found.' };
const BAD_QUERY = { status: 400, code: 'ValidationError' };

// Shared by all tests of the file; each has its own account.
const shared = await startService({ after });

test('an entry has the documented fields and links', async () => {
  const { add, call, get, label, customer, newLabel, reallocation, sql } = await openLabel(shared, '100.00');
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
  const [event] = await sql`select topic, customer_id from ${await allEvents(sql)} where resource_id = ${idOf(url)}`;
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

const hrefs = (page: Body): string[] => entriesOf(page).map((entry) => entry._links.self.href);

/** Opens a label with entries of 1.00, and returns their URLs, newest first. */
async function openEntries(count = 10) {
  const account = await openLabel(shared);
  const made: string[] = [];
  for (let n = 0; n < count; n++) made.unshift((await account.add('1.00')).headers.location!);
  return { ...account, made, list: (query: string) => account.get(`${account.label}/ledger-entries${query}`) };
}

test('pages a list by the next link, also while entries are added', async () => {
  const { add, get, label, list, made } = await openEntries();

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
});

test('pages a list by offset and after an entry', async () => {
  const { get, list, made: now } = await openEntries(14);
  assert.deepEqual(hrefs(await list('?limit=200')), now);
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
});

test('refuses invalid pages of a list', async () => {
  const { call, get, label, made, customer, newLabel } = await openEntries();
  const other = await newLabel(customer, '1.00');
  const [theirs] = entriesOf(await get(`${other}/ledger-entries`));
  const otherLeg = idOf(made[0]!).replace(/.$/, '1');
  const none = '01890000-0000-7000-8000-000000000002';
  for (const after of [theirs.id, otherLeg, none, idOf(label), idOf(made[0]!).toUpperCase(), '7', '']) {
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

test('answers 404 for the other entries of the transfers of a label', async () => {
  const { add, call, get, label, customer, url, nowhere } = await openLabel(shared, '100.00');
  const added = (await add('1.00')).headers.location!;
  const given = (await add('-1.00')).headers.location!;
  const deposit = (await call('POST', `${customer}/deposits`, { body: amountOf('1.00') })).headers.location!;
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

test('checks access, scopes and that the label is a label', async () => {
  const { add, call, label, client, newClient, nowhere, snapshot, sql, customer, url } = await openLabel(shared, '100.00');
  const entry = (await add('1.00')).headers.location!;
  const stranger = (await newClient()).token;
  const reader = (await newClient(['read', 'funds', 'review'], client.account_id)).token;
  const writer = (await newClient(['write'], client.account_id)).token;
  const before = await snapshot();
  const post = (of: string, token: string | undefined = client.token) =>
    call('POST', `${of}/ledger-entries`, { body: amountOf('1.00'), token });
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
