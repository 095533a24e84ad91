// Tests of listing customers, and of access to them.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openCustomers } from '../../../test/support/customers.ts';
import { corporation, type Fields, personal } from '../../../test/support/data.ts';
import { assertRefused, type Body } from '../../../test/support/http.ts';
import { startService } from '../../../test/support/service.ts';

// Shared by all tests of the file; each has its own account.
const shared = await startService({ after });

test('answers 403 for customers of another account and 404 for missing ones', async () => {
  const { create, call, newClient, nowhere } = await openCustomers(shared);
  const url = await create(personal);
  const { token } = await newClient();
  const routes: [method: string, place: string, body?: Fields][] = [
    ['GET', ''],
    ['POST', '', { phone: '5551234567' }],
    ['GET', '/balance'],
  ];
  for (const [method, place, body] of routes) {
    const options = body ? { body } : {};
    assertRefused(await call(method, `${url}${place}`, { ...options, token }), {
      status: 403,
      code: 'Forbidden',
      message: 'The supplied credentials are not authorized for this resource.',
    });
    for (const missing of [nowhere('customer'), '/customers/1']) {
      assertRefused(await call(method, `${missing}${place}`, options), {
        status: 404,
        code: 'NotFound',
        message: 'The requested resource was not found.',
      });
    }
  }
  assert.equal((await call('GET', '/customers', { token })).body.total, 0);
});

test('each operation requires its scope', async () => {
  const { create, call, client, newClient } = await openCustomers(shared);
  const url = await create(personal);
  const reader = await newClient(['read'], client.account_id);
  const writer = await newClient(['write'], client.account_id);
  for (const path of ['/customers', url, `${url}/balance`]) {
    assert.equal((await call('GET', path, { token: reader.token })).status, 200);
    assertRefused(await call('GET', path, { token: writer.token }), { status: 403, code: 'Forbidden' });
  }
  for (const [path, body] of [
    ['/customers', personal],
    [url, { phone: '5551234567' }],
  ] as const) {
    assert.ok((await call('POST', path, { token: writer.token, body })).status < 300);
    assertRefused(await call('POST', path, { token: reader.token, body }), { status: 403, code: 'Forbidden' });
  }
});

/** Opens an account with three customers, newest first; the second is suspended. */
async function openWithCustomers() {
  const account = await openCustomers(shared);
  const made: string[] = [];
  for (const [firstName, lastName, email, businessName] of [
    ['Ada', 'Lovelace', 'ada@one.example', 'Engines'],
    ['Grace', '100%_\\', 'GRACE@two.example', 'Compilers'],
    ['Edsger', 'O’Path', 'ed@three.example', 'Shortest Ways'],
  ]) {
    made.unshift(await account.create({ ...corporation, firstName, lastName, email, businessName }));
    // The ids of two customers made in the same millisecond have no defined order.
    await new Promise((resume) => setTimeout(resume, 2));
  }
  const [ed, grace, ada] = made;
  await account.change(grace!, { status: 'suspended' });
  return { ...account, made, ed, grace, ada };
}

test('lists customers newest first, filtered', async () => {
  const { get, made, ed, grace, ada } = await openWithCustomers();
  const list = async (query: string) => {
    const { _embedded, total } = await get(`/customers?${query}`);
    assert.equal(total, _embedded.customers.length);
    return _embedded.customers.map((customer: Body) => customer._links.self.href);
  };

  const filters: [query: Record<string, string>, found: (string | undefined)[]][] = [
    [{}, made],
    [{ search: '' }, made],
    [{ search: 'LOVE' }, [ada]],
    [{ search: 'ada love' }, [ada]],
    [{ search: 'two.EXAMPLE' }, [grace]],
    [{ search: 'shortest' }, [ed]],
    [{ search: '%' }, [grace]],
    [{ search: '_' }, [grace]],
    [{ search: '\\' }, [grace]],
    [{ search: "'; drop table customer; --" }, []],
    [{ email: 'grace@TWO.example' }, [grace]],
    [{ email: 'grace' }, []],
    [{ status: 'suspended' }, [grace]],
    [{ status: 'verified', search: 'a', email: 'ada@one.example' }, [ada]],
  ];
  for (const [query, found] of filters)
    assert.deepEqual(await list(String(new URLSearchParams(query))), found, JSON.stringify(query));
  assert.deepEqual(await list('status=verified&status=suspended'), made);
  assert.deepEqual(await list('status=suspended&status=retry'), [grace]);
  assert.deepEqual(await list('status=retry&status=document'), []);
});

test('pages the list of customers', async () => {
  const { get, url, ed, grace, ada } = await openWithCustomers();
  const verified = await get('/customers?status=verified&limit=1&status=retry');
  assert.equal(verified._links.self.href, `${url}/customers?status=verified&status=retry&limit=1`);
  assert.equal((await get(verified._links.next.href))._embedded.customers[0]._links.self.href, ada);

  const page = await get('/customers?limit=1&offset=1&search=example');
  assert.equal(page.total, 3);
  assert.equal(page._embedded.customers[0]._links.self.href, grace);
  assert.deepEqual(await get(page._links.self.href), page);
  assert.equal((await get(page._links.next.href))._embedded.customers[0]._links.self.href, ada);
  assert.equal((await get(page._links.prev.href))._embedded.customers[0]._links.self.href, ed);
  assert.deepEqual((await get('/customers?offset=9'))._embedded.customers, []);
  assert.equal((await get('/customers?offset=9')).total, 3);
});

test('refuses invalid filters of customers', async () => {
  const { call } = await openCustomers(shared);
  for (const query of [
    'limit=0',
    'limit=201',
    'limit=x',
    'offset=-1',
    'status=happy',
    'status=verified&status=happy',
    'search=%00',
    'email=%00',
    'search=a&search=b',
  ]) {
    assertRefused(await call('GET', `/customers?${query}`), {
      status: 400,
      code: 'ValidationError',
      path: `/query/${query.split('=', 1)}`,
    });
  }
  for (const query of ['search=%ED%A0%80', 'search=%FF', 'search=%']) {
    assertRefused(await call('GET', `/customers?${query}`), {
      status: 400,
      code: 'BadRequest',
      message: 'The request query contains bad syntax or is incomplete.',
    });
  }
});
