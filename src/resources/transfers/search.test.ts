// The search of transfers of all customers, and the balance of an account.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertRefused, idOf } from '../../../test/support/http.ts';
import { startService } from '../../../test/support/service.ts';

const shared = await startService({ after });

type Found = { _links: { next?: { href: string } }; _embedded: { transfers: { id: string; amount: { value: string } }[] } };

async function search(query: string, token = shared.token): Promise<Found> {
  const { status, body, text } = await shared.call('GET', `/transfers?${query}`, { token });
  assert.equal(status, 200, text);
  return body as Found;
}

const ids = ({ _embedded }: Found) => _embedded.transfers.map(({ id }) => id);

test('transfers of all customers are found by id, entry, reference, correlation id, amount and day', async () => {
  const made = [];
  for (const value of ['12.34', '56.78']) {
    const customer = await shared.newCustomer();
    made.push(
      await shared.create(`${customer}/deposits`, {
        amount: { value, currency: 'USD' },
        reference: 'invoice 100% paid',
        correlationId: `corr ${value}`,
      }),
    );
  }
  const [first, second] = made.map(idOf) as [string, string];
  assert.deepEqual(ids(await search(`id=${first}`)), [first]);
  assert.deepEqual(ids(await search(`id=${first.slice(0, -1)}1`)), [first], 'the id of an entry finds its transfer');
  assert.deepEqual(ids(await search('reference=invoice+100%25+paid')), [second, first], 'newest first');
  assert.deepEqual(ids(await search('correlationId=corr+12.34')), [first]);
  const day = new Date().toISOString().slice(0, 10);
  assert.deepEqual(ids(await search(`amount=56.78&currency=USD&createdFrom=${day}T00:00:00Z`)), [second]);
  assert.deepEqual(ids(await search(`amount=56.78&currency=USD&createdBefore=${day}T00:00:00Z`)), []);
  assert.deepEqual(ids(await search('reference=invoice')), [], 'texts match exactly');
});

test('pages continue by cursor, with and without a text, until each transfer was there once', async () => {
  const customer = await shared.newCustomer();
  for (let count = 0; count < 5; count++)
    await shared.create(`${customer}/deposits`, { amount: { value: '1.00', currency: 'EUR' }, reference: 'paged' });
  for (const query of ['reference=paged', 'amount=1.00&currency=EUR']) {
    const seen: string[] = [];
    for (let next: string | undefined = `limit=2&${query}`; next !== undefined; ) {
      const page = await search(next);
      seen.push(...ids(page));
      next = page._links.next?.href.split('?')[1];
    }
    assert.equal(seen.length, 5, query);
    assert.equal(new Set(seen).size, 5, query);
  }
});

test('another account finds nothing, and wrong queries are refused', async () => {
  const customer = await shared.newCustomer();
  const id = idOf(
    await shared.create(`${customer}/deposits`, { amount: { value: '3.00', currency: 'USD' }, reference: 'private' }),
  );
  const other = await shared.newClient();
  for (const query of [`id=${id}`, 'reference=private', 'amount=3.00&currency=USD', 'limit=200'])
    assert.deepEqual(ids(await search(query, other.token)), [], query);
  assertRefused(await shared.call('GET', `/transfers?after=${id}`, { token: other.token }), {
    status: 400,
    code: 'ValidationError',
  });
  for (const query of ['amount=1.00', 'amount=x&currency=USD', 'currency=USD', 'amount=1.00&currency=XXQ', 'id=1', 'name=x'])
    assertRefused(await shared.call('GET', `/transfers?${query}`), { status: 400, code: 'ValidationError' });
  for (const [query, path] of [
    ['amount=1.00&currency=ZZZ', '/query/currency'],
    ['amount=1.001&currency=USD', '/query/amount'],
    ['amount=0&currency=USD', '/query/amount'],
    ['amount=x&currency=USD', '/query/amount'],
  ])
    assertRefused(await shared.call('GET', `/transfers?${query}`), { status: 400, code: 'ValidationError', path });
});

test('a page examines a limited number of transfers and continues before the last moment that it examined', async () => {
  const customer = await shared.newCustomer();
  const oldest = idOf(await shared.create(`${customer}/deposits`, { amount: { value: '7.77', currency: 'USD' } }));
  await shared.sql`
    insert into transfer (id, customer_id, from_id, to_id, from_sequence, to_sequence, from_balance, to_balance, amount, created, bucket, currency, kind)
    select gen_random_uuid(), customer_id, from_id, to_id, n + 1000, n + 1000, 0, 0, 1, created + n * interval '1 ms', bucket, currency, kind
    from transfer, generate_series(1, 6000) n where id = ${oldest}`;
  const first = await search(`amount=7.77&currency=USD&createdBefore=2099-01-01T00:00:00Z`);
  assert.deepEqual(ids(first), []);
  const href = first._links.next!.href;
  assert.deepEqual(ids(await search(href.split('?')[1]!)), [oldest]);
  await shared.sql`update transfer set reference = 'common' where amount = 1 and customer_id = ${idOf(customer)}`;
  assertRefused(await shared.call('GET', '/transfers?reference=common'), { status: 400, code: 'ValidationError' });
});

test('the balance of an account adds up those of its customers by currency', async () => {
  const { call, client, newCustomer, newLabel, reallocation, create } = await shared.newPlatform();
  const balance = `/accounts/${client.account_id}/balance`;
  const other = await shared.newPlatform();
  assert.deepEqual((await other.get(`/accounts/${other.client.account_id}/balance`)).balances, []);
  const first = await newCustomer({ available: '10.00' });
  const second = await newCustomer({ available: '5.50' });
  await newCustomer({ available: '7', currency: 'JPY' });
  const from = await newLabel(first, '4.00');
  await newLabel(second, '0.75');
  await create('/label-reallocations', reallocation(from, await newLabel(first), '1.25'));
  await create(`${first}/withdrawals`, { amount: { value: '2.10', currency: 'USD' } });
  // USD: 10.00 + 5.50 − 2.10 in all, of which 4.00 + 0.75 on labels.
  assert.deepEqual((await call('GET', balance)).body.balances, [
    { currency: 'JPY', available: yen('7'), labelled: yen('0'), total: yen('7'), customers: 1 },
    { currency: 'USD', available: dollars('8.65'), labelled: dollars('4.75'), total: dollars('13.40'), customers: 2 },
  ]);
  assertRefused(await shared.call('GET', balance), { status: 403, code: 'Forbidden' });
});

const dollars = (value: string) => ({ value, currency: 'USD' });
const yen = (value: string) => ({ value, currency: 'JPY' });
