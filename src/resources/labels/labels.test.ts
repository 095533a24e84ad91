// Tests of labels that exist: links, access, removal and lists.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { amountOf } from '../../../test/support/data.ts';
import { assertRefused, type Body, idOf, link } from '../../../test/support/http.ts';
import { FORBIDDEN, NOT_VERIFIED, openCustomer } from '../../../test/support/labels.ts';
import { untilWaiting } from '../../../test/support/locks.ts';
import { startService } from '../../../test/support/service.ts';
import { bucketOf } from '../../core/ids.ts';

const NO_LABEL = { status: 404, code: 'NotFound', message: 'The requested resource was not found.' };
const NOT_EMPTY = { status: 403, code: 'InvalidResourceState', message: 'Amount must be zero to remove label.' };

// Shared by all tests of the file; each has its own account.
const shared = await startService({ after });

test('shows a link only while its action succeeds', async () => {
  const { call, create, get, customer } = await openCustomer(shared);
  const url = (await create(amountOf('0'))).headers.location!;
  const legal = async () =>
    Object.keys((await get(url))._links)
      .filter((name) => name === 'update' || name === 'remove')
      .sort();
  const entry = (value: string) => call('POST', `${url}/ledger-entries`, { body: amountOf(value) });
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

test('a label: access, missing labels, accounts that are not labels', async () => {
  const { call, create, customer, client, newClient, nowhere, sql, url } = await openCustomer(shared);
  const label = (await create(amountOf('0'))).headers.location!;
  const stranger = (await newClient()).token;
  const writer = (await newClient(['write'], client.account_id)).token;
  const reader = (await newClient(['read'], client.account_id)).token;
  for (const token of [stranger, writer]) assertRefused(await call('GET', label, { token }), FORBIDDEN);
  for (const token of [stranger, reader]) assertRefused(await call('DELETE', label, { token }), FORBIDDEN);
  const own = await sql<{ id: string }>`select id from ledger_account where kind <> 'label' and customer_id = ${idOf(customer)}`;
  assert.equal(own.length, 3);
  for (const none of [nowhere('label'), `${url}/labels/${idOf(customer)}`, ...own.map(({ id }) => `${url}/labels/${id}`)]) {
    assertRefused(await call('GET', none), NO_LABEL);
    assertRefused(await call('DELETE', none), NO_LABEL);
  }
  assert.equal((await call('GET', label, { token: reader })).status, 200);
});

test('removes a label at zero only; afterwards it is not found, and its entries stay', async () => {
  const { call, create, get, customer, snapshot, topics } = await openCustomer(shared);
  const url = (await create({ ...amountOf('10.00'), name: 'Trip' })).headers.location!;
  const entries = `${url}/ledger-entries`;
  const full = await snapshot();
  assertRefused(await call('DELETE', url), NOT_EMPTY);
  assert.deepEqual(await snapshot(), full);
  await call('POST', entries, { body: amountOf('-10.00') });

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
  assertRefused(await call('POST', entries, { body: amountOf('1.00') }), {
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

test('of a removal and a concurrent entry, one succeeds', async () => {
  const { call, create, get, balances } = await openCustomer(shared, '20.00');
  const urls = await Promise.all(Array.from({ length: 10 }, async () => (await create(amountOf('0'))).headers.location!));
  const pairs = await Promise.all(
    urls.map((url) => Promise.all([call('DELETE', url), call('POST', `${url}/ledger-entries`, { body: amountOf('1.00') })])),
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

test('concurrent removals of a label remove it once', async () => {
  const { call, create, topics, service } = await openCustomer(shared);
  const url = (await create(amountOf('0'))).headers.location!;
  // All removals have read the label before the first changes it.
  const removals = await service.database.transaction(async (tx) => {
    await tx`select 1 from ledger_account where bucket = ${bucketOf(idOf(url))} and id = ${idOf(url)} for update`;
    const removals = Array.from({ length: 4 }, () => call('DELETE', url));
    await untilWaiting(service.database.sql, removals.length);
    return removals;
  });
  const answers = await Promise.all(removals);
  assert.equal(answers.filter((answer) => answer.status === 200).length, 1);
  for (const answer of answers.filter((answer) => answer.status !== 200)) assertRefused(answer, NO_LABEL);
  assert.deepEqual(await topics(url), ['customer_label_created', 'customer_label_removed']);
});

test('lists the labels of a customer newest first, in pages, without removed ones', async () => {
  const { call, create, customer, newCustomer, get } = await openCustomer(shared);
  await create(amountOf('0'), { of: await newCustomer() });
  const made: string[] = [];
  for (let n = 0; n < 8; n++) made.unshift((await create({ ...amountOf('1.00'), name: `n${n}` })).headers.location!);
  const [removed] = made.splice(2, 1);
  await call('POST', `${removed}/ledger-entries`, { body: amountOf('-1.00') });
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
