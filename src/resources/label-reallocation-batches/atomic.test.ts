// Tests of atomic batches: order, all or none, the refusals of the whole, and repetitions.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openBatches } from '../../../test/support/batches.ts';
import { assertRefused, type Body, faultsOf, idOf } from '../../../test/support/http.ts';
import { startService } from '../../../test/support/service.ts';

const MOST = 1000;

// Shared by all tests of the file; each has its own account.
const shared = await startService({ after });

test('each item sees the ones before, and all moves the rest', async () => {
  const { call, topics, from, to, third, item, send, amountOf } = await openBatches(shared);
  const made = await send('atomic', [
    item(from, to, '60.00', { reference: 'rent', externalId: 'first', metadata: { n: '1' } }),
    item(to, third, '55.00'),
    item(from, third, 'all'),
    item(third, from, '0.01'),
  ]);
  assert.equal(made.status, 201, made.text);
  const { body } = made;
  assert.deepEqual([body.mode, body.total, body.succeeded, body.refused], ['atomic', 4, 4, 0]);
  assert.deepEqual([await amountOf(from), await amountOf(to), await amountOf(third)], ['0.01', '5.00', '94.99']);
  const urls = body._embedded.results.map((result: Body) => result._links['label-reallocation'].href);
  const [first, , all] = await Promise.all(urls.map(async (url: string) => (await call('GET', url)).body));
  assert.deepEqual(
    [first.amount.value, first.reference, first.externalId, first.metadata],
    ['60.00', 'rent', 'first', { n: '1' }],
  );
  assert.equal(all.amount.value, '40.00');
  for (const url of urls) assert.deepEqual(await topics(url), ['customer_label_reallocation_created']);
  assert.equal(made.headers.location, body._links.self.href);
  assert.deepEqual((await call('GET', made.headers.location!)).body, body);
});

test('names every refused item, and writes nothing', async () => {
  const { from, to, third, item, send, snapshot } = await openBatches(shared);
  assert.equal((await send('atomic', [item(from, to, '1.00', { externalId: 'taken' })])).status, 201);
  const before = await snapshot();
  const refused = await send('atomic', [
    item(from, to, '50.00'),
    item(from, to, '99.00'),
    item(from, third, '40.00'),
    item(from, third, '40.00'),
    item(third, third, '0'),
    item(third, from, '1.001', { reference: 'a\nb', metadata: { 'a b': '' } }),
    item(to, third, '1.00', { externalId: 'taken' }),
    item(to, from, '1.00', { externalId: 'new' }),
    item(to, from, '1.00', { externalId: 'new' }),
    { ...item(to, from, '1.00'), amount: { value: 'all', currency: 'EUR' } },
  ]);
  assertRefused(refused, { status: 400, code: 'ValidationError', path: '/items/1/amount/value', fault: 'InsufficientFunds' });
  assert.equal(refused.body.message, 'Insufficient funds: 49.00 USD available.');
  assert.deepEqual(faultsOf(refused), [
    'Duplicate /items/6/externalId',
    'Duplicate /items/8/externalId',
    'InsufficientFunds /items/1/amount/value',
    'InsufficientFunds /items/3/amount/value',
    'Invalid /items/4/_links/to/href',
    'Invalid /items/4/amount/value',
    'Invalid /items/9/amount/currency',
    'InvalidFormat /items/5/amount/value',
    'InvalidFormat /items/5/metadata/a b',
    'InvalidFormat /items/5/reference',
  ]);
  assert.deepEqual(await snapshot(), before);
});

test('names the first 50 faults', async () => {
  const { call, from, to, item, send } = await openBatches(shared);
  const refused = await send(
    'atomic',
    Array.from({ length: 51 }, () => item(from, to, '0')),
  );
  assert.deepEqual(new Set(faultsOf(refused)), new Set(Array.from({ length: 50 }, (_, n) => `Invalid /items/${n}/amount/value`)));
  const { paths } = (await call('GET', '/openapi.json')).body;
  assert.match(paths['/label-reallocation-batches'].post.description, /the first 50 faults are named/);
});

test('refuses the whole for its shape, scope, unknown and foreign labels, and a second customer', async () => {
  const { call, customer, from, to, third, item, send, nowhere, newClient, client, newCustomer, newLabel, snapshot } =
    await openBatches(shared);
  const reader = (await newClient(['read'], client.account_id)).token;
  const stranger = await newClient();
  const theirs = await newLabel(await newCustomer({ token: stranger.token }), '0', { token: stranger.token });
  const second = await newLabel(await newCustomer(), '0');
  const removed = await newLabel(customer, '0');
  assert.equal((await call('DELETE', removed)).status, 200);
  const good = item(from, to, '1.00');
  const before = await snapshot();
  const bad = { status: 400, code: 'BadRequest' };
  for (const mode of ['atomic', 'independent']) {
    for (const items of [
      [good, { ...good, amount: undefined }],
      [{ ...good, reference: 1 }],
      [{ ...good, metadata: { a: 1 } }],
      [item(from, 'https://example.com/labels/1', '1.00')],
    ])
      assertRefused(await send(mode, items), bad);
    assertRefused(await send(mode, [{ ...good, _links: {} }], { token: reader }), bad);
    assertRefused(await send(mode, []), { status: 400, code: 'ValidationError', path: '/items' });
    const many = Array.from({ length: MOST + 1 }, () => good);
    assertRefused(await send(mode, many), { status: 400, code: 'ValidationError', path: '/items' });
    assertRefused(await send(mode, [good], { token: reader }), { status: 403, code: 'Forbidden' });
  }
  assertRefused(await send('other', [good]), { status: 400, code: 'ValidationError', path: '/mode' });
  const huge = { mode: 'atomic', items: [good], padding: 'x'.repeat(1024 * 1024) };
  assertRefused(await call('POST', '/label-reallocation-batches', { body: huge }), { status: 413, code: 'RequestTooLarge' });
  for (const missing of [nowhere('label'), removed])
    assertRefused(await send('atomic', [good, item(theirs, missing, 'x')]), {
      status: 404,
      code: 'NotFound',
      message: 'Label not found',
    });
  assertRefused(await send('atomic', [good, item(theirs, second, 'x')]), {
    status: 403,
    code: 'Forbidden',
    message: 'Not authorized to create label reallocation',
  });
  const customers = await send('atomic', [good, item(second, to, '1.00'), item(from, third, '0')]);
  assertRefused(customers, { status: 400, code: 'ValidationError', fault: 'Invalid', path: '/items/1/_links/from/href' });
  assert.deepEqual(faultsOf(customers), ['Invalid /items/1/_links/from/href', 'Invalid /items/2/amount/value']);
  assert.deepEqual(await snapshot(), before);
});

test('writes nothing when the thousandth item fails, and all thousand when none does', async () => {
  const { sql, customer, from, to, item, send, snapshot, amountOf } = await openBatches(shared);
  const items = Array.from({ length: MOST - 1 }, (_, n) => (n % 2 === 0 ? item(from, to, '100.00') : item(to, from, 'all')));
  const before = await snapshot();
  const refused = await send('atomic', [...items, item(from, to, '1.00')]);
  assertRefused(refused, { status: 400, code: 'ValidationError', path: `/items/${MOST - 1}/amount/value` });
  assert.deepEqual(await snapshot(), before);
  const made = await send('atomic', [...items, item(to, from, '100.00')]);
  assert.deepEqual([made.status, made.body.succeeded, await amountOf(from)], [201, MOST, '100.00']);
  const [stored] = await sql`
    select count(*) as transfers, count(distinct created) as times, count(distinct xmin::text) as transactions
    from transfer where customer_id = ${idOf(customer)} and kind = 'reallocation'`;
  assert.deepEqual(stored, { transfers: BigInt(MOST), times: 1n, transactions: 1n });
});

test('a repeated key gives the first answer with its body, and another body is a conflict', async () => {
  const { from, to, item, send, snapshot } = await openBatches(shared);
  const items = [item(from, to, '2.00'), item(from, to, '3.00')];
  const first = await send('atomic', items, { key: 'a' });
  assert.equal(first.status, 201);
  const before = await snapshot();
  const again = await send('atomic', items, { key: 'a' });
  assert.deepEqual([again.status, again.body, again.headers['idempotent-replayed']], [201, first.body, 'true']);
  assert.equal(again.headers.location, first.headers.location);
  const other = await send('atomic', items.slice(1), { key: 'a' });
  assertRefused(other, { status: 409, code: 'Conflict' });
  assert.equal(other.body._links.about.href, first.headers.location);
  assert.deepEqual(await snapshot(), before);
});

test('a refused batch leaves its key free', async () => {
  const { sql, from, to, item, send } = await openBatches(shared);
  const keys = () => sql`select key from idempotency_key`;
  const before = await keys();
  for (const amount of ['101.00', '102.00'])
    assertRefused(await send('atomic', [item(from, to, amount)], { key: 'c' }), {
      status: 400,
      code: 'ValidationError',
      fault: 'InsufficientFunds',
    });
  assert.deepEqual(await keys(), before);
  assert.equal((await send('atomic', [item(from, to, '1.00')], { key: 'c' })).status, 201);
});

test('a repetition finds the items of an attempt that crashed before it stored the batch', async () => {
  const { sql, from, to, item, send, amountOf } = await openBatches(shared);
  const items = [item(from, to, '2.00'), item(from, to, 'all')];
  const first = await send('atomic', items, { key: 'b' });
  await sql`delete from label_reallocation_batch where id = ${idOf(first.headers.location!)}`;
  await sql`update idempotency_key set status = null where resource_id = ${idOf(first.headers.location!)}`;
  assertRefused(await send('atomic', [item(from, to, '1.00'), ...items], { key: 'b' }), { status: 409, code: 'Conflict' });
  const again = await send('atomic', items, { key: 'b' });
  assert.equal(again.status, 201, again.text);
  assert.equal(again.headers.location, first.headers.location);
  assert.deepEqual(again.body._embedded, first.body._embedded);
  assert.equal(await amountOf(to), '100.00');
});
