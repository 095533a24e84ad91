// Tests of reading label reallocations: representation, access, lists and filters.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertRefused, type Body, link } from '../../../test/support/http.ts';
import { openMoves } from '../../../test/support/label-reallocations.ts';
import { startService } from '../../../test/support/service.ts';

// Shared by all tests of the file; each has its own account.
const shared = await startService({ after });

test('the representation: links, access, missing reallocations, ETag', async () => {
  const { call, client, newClient, move, from, to, customer, nowhere, url } = await openMoves(shared);
  const made = (await move('1.00')).headers.location!;
  const { body, headers } = await call('GET', made);
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

test('lists the reallocations of a customer newest first, paged by offset and by id', async () => {
  const { call, move, customer, newCustomer, newClient, nowhere } = await openMoves(shared);
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

test('filters the list by reference and by correlation id', async () => {
  const { call, customer, from, to, reallocation } = await openMoves(shared);
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
