// The search of customers by the API and by the console: accents, letters, apostrophes, changes, short texts, and what a search reads.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openCustomers } from '../../../test/support/customers.ts';
import { corporation, unverified } from '../../../test/support/data.ts';
import { idOf } from '../../../test/support/http.ts';
import { openSession } from '../../../test/support/operators.ts';
import { startService } from '../../../test/support/service.ts';

/** In parts: a statement of requests has a limit of time. */
const OTHERS = 20_000;
const OTHERS_AT_ONCE = 2_000;

const shared = await startService({ after });

/** What people type, and the name that they look for. */
const FOUND: [typed: string, name: string][] = [
  ['Zoe', 'Zoë'],
  ['ZOË', 'Zoe'],
  ["o'reilly", 'O’Reilly'],
  ['o’reilly', "O'Reilly"],
  ['o`reil', 'OʼReilly'],
  ['strasse', 'Straße'],
  ['STRAßE', 'Strasse'],
  ['soren', 'Søren'],
  ['lukasz', 'Łukasz'],
  ['aegir', 'Ægir'],
  ['thora', 'Þóra'],
  ['istanbul', 'İstanbul'],
  ['ışık', 'Isik'],
  ['nguyen', 'Nguyễn'],
  ['jean-luc', 'Jean‑Luc'],
  ['ανδρεας', 'ΑΝΔΡΈΑΣ'],
  ['йосиф', 'ЙОСИФ'],
  ['がく', 'がくどう'],
  ['ab', 'Abe'],
  ['李', '李娜'],
  ['100% te', '100% Té'],
];

test('a customer is found without regard to accents, case and kinds of apostrophes, by the API and in the console', async () => {
  const { create, get } = await openCustomers(shared);
  const { load } = await openSession(shared, 'viewer');
  for (const [index, [typed, name]] of FOUND.entries()) {
    const url = await create({ ...corporation, firstName: 'Unnamed', lastName: 'Person', businessName: `Zq${index} ${name} Zq` });
    const search = encodeURIComponent(`zq${index} ${typed}`);
    const listed = (await get(`/customers?search=${search}`))._embedded.customers.map(({ id }: { id: string }) => id);
    assert.deepEqual(listed, [idOf(url)], `${typed} finds ${name}`);
    assert.ok(
      (await load(`/console/customers?search=${search}`)).text.includes(idOf(url)),
      `${typed} finds ${name} in the console`,
    );
    const [short] = Array.from(typed);
    assert.ok((await get(`/customers?search=${encodeURIComponent(short!)}`)).total > 0, `${short} finds ${name}`);
  }
  assert.equal(
    (await get(`/customers?search=${encodeURIComponent('がか')}`)).total,
    0,
    'in other scripts a mark makes another letter',
  );
});

test('a customer is found by its new name after a change, and not by the former one', async () => {
  const { create, change, get } = await openCustomers(shared);
  const url = await create({ ...unverified, firstName: 'Dagný', lastName: 'Former' });
  const find = async (text: string) => (await get(`/customers?search=${encodeURIComponent(text)}`)).total;
  assert.deepEqual([await find('dagny former'), await find('later')], [1, 0]);
  await change(url, { lastName: 'Låter', email: 'dagny@later.example' });
  assert.deepEqual([await find('former'), await find('dagny later'), await find('DAGNY@LATER')], [0, 1, 1]);
  await change(url, { ...corporation, firstName: 'Dagny', lastName: 'Later', businessName: 'Complété' });
  assert.deepEqual([await find('completé'), await find('dagny@later')], [1, 0]);
});

test('a person without that permission does not find a customer by its e-mail, nor by a text across name and e-mail', async () => {
  const { create } = await openCustomers(shared);
  const url = await create({ ...corporation, lastName: 'Yy', businessName: 'Qqqq', email: 'wwww@hidden.example' });
  const [viewer, finance] = [await openSession(shared, 'viewer'), await openSession(shared, 'finance')];
  for (const [search, isFound] of [
    ['wwww', false],
    ['hidden.ex', false],
    ['ww', false],
    ['qqqq', true],
  ] as const) {
    const page = `/console/customers?search=${search}`;
    assert.equal((await viewer.load(page)).text.includes(idOf(url)), isFound, search);
    assert.ok((await finance.load(page)).text.includes(idOf(url)), search);
  }
});

test('a search reads the customers that match, in a table that was never analysed', async (t) => {
  const own = await startService(t);
  const { create, get, client } = await openCustomers(own);
  const wanted = await create({ ...corporation, businessName: 'Wanted Ünique' });
  await own.sql`alter table customer set (autovacuum_enabled = false)`;
  const { load } = await openSession(own, 'viewer');
  const reads = async () => {
    await get('/customers?search=wanted%20unique');
    await load('/console/customers?search=wanted+unique');
    await own.sql`select pg_stat_force_next_flush()`;
    const [row] = await own.sql<{ fetched: bigint }>`
      select seq_tup_read + coalesce(idx_tup_fetch, 0) as fetched from pg_stat_user_tables where relname = 'customer'`;
    return Number(row!.fetched);
  };
  const cost = async () => {
    const before = await reads();
    return (await reads()) - before;
  };
  assert.equal(idOf(wanted), (await get('/customers?search=wanted%20unique'))._embedded.customers[0].id);
  // Other customers of the account and of another, with the columns that the service writes for a customer.
  for (let first = 1; first <= OTHERS; first += OTHERS_AT_ONCE) {
    await own.sql`
      insert into customer (bucket, id, account_id, type, status, first_name, last_name, email, profile, created, search_text, search_grams)
      select n % 4096, overlay(overlay(c.id::text placing lpad(to_hex(n), 8, '0') from 29) placing lpad(to_hex(n % 4096), 3, '0') from 16)::uuid,
        case when n % 2 = 0 then ${client.account_id}::uuid else ${own.client.account_id}::uuid end, 'personal', 'verified',
        'Other', 'Person', 'other@example.com', '{}', now(), 'other person', (select array_agg(i) from generate_series(n, n + 20) i)
      from generate_series(${first}::int, ${first + OTHERS_AT_ONCE - 1}::int) n, customer c where c.id = ${idOf(wanted)}`;
  }
  const most = await cost();
  assert.ok(most < 100, `${most} rows`);
});
