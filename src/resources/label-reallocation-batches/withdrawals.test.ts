// Tests of withdrawals in batches: their order after the reallocations, all or none, results, refusals, scopes and repetitions.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openBatches } from '../../../test/support/batches.ts';
import { usd } from '../../../test/support/data.ts';
import { assertPlainRefusal, assertRefused, type Body, faultsOf } from '../../../test/support/http.ts';
import { startService } from '../../../test/support/service.ts';
import { assertSoundLedger } from '../../../test/support/sound-ledger.ts';

// Shared by all tests of the file; each has its own account.
const shared = await startService({ after });

async function openPayouts() {
  const batches = await openBatches(shared);
  const out = (from: string, value: string, members: object = {}) => ({
    _links: { from: { href: from } },
    amount: usd(value),
    ...members,
  });
  const send = (mode: string, lists: object, options: { key?: string; token?: string } = {}) =>
    batches.call('POST', '/label-reallocation-batches', { body: { mode, ...lists }, ...options });
  const verified = () => assertSoundLedger(batches.service.database);
  return { ...batches, out, send, verified };
}

/** The code and pointer of each refused withdrawal, and `made` for the others. */
const outcomes = (body: Body) =>
  body._embedded.withdrawals.map(({ code, path }: Body) => (code === undefined ? 'made' : `${code} ${path}`));

test('withdrawals follow the reallocations of their batch, each as one transfer from its label out', async () => {
  const { call, customer, topics, from, to, item, out, send, amountOf, verified } = await openPayouts();
  const made = await send('atomic', {
    items: [item(from, to, '60.00')],
    withdrawals: [out(to, '45.00', { reference: 'salary', externalId: 'ada', metadata: { n: '1' } }), out(to, 'all')],
  });
  assert.equal(made.status, 201, made.text);
  const { total, succeeded, refused, _embedded } = made.body;
  assert.deepEqual([total, succeeded, refused, _embedded.results.length], [3, 3, 0, 1]);
  assert.deepEqual([await amountOf(from), await amountOf(to)], ['40.00', '0.00']);
  const urls: string[] = _embedded.withdrawals.map(({ _links }: Body) => _links.withdrawal.href);
  const [ada, rest] = await Promise.all(urls.map(async (url) => (await call('GET', url)).body));
  assert.deepEqual(
    [ada._links.from.href, ada.amount, ada.reference, ada.externalId, ada.metadata, rest.amount],
    [to, usd('45.00'), 'salary', 'ada', { n: '1' }, usd('15.00')],
  );
  for (const url of urls) assert.deepEqual(await topics(url), ['customer_withdrawal_created']);
  assert.deepEqual((await call('GET', made.headers.location!)).body, made.body);
  assert.equal((await call('GET', `${customer}/withdrawals`)).body.total, 2);
  await verified();
});

test('an atomic batch with a refused withdrawal writes nothing, and names every refused one', async () => {
  const { customer, from, to, item, out, send, snapshot, newLabel, verified } = await openPayouts();
  assert.equal((await send('atomic', { withdrawals: [out(from, '1.00', { externalId: 'taken' })] })).status, 201);
  // Its customer has never had money in this currency. The first withdrawal opens the accounts of it.
  const yen = {
    _links: { from: { href: await newLabel(customer, '0', { currency: 'JPY' }) } },
    amount: { value: '1', currency: 'JPY' },
  };
  assert.equal((await send('independent', { withdrawals: [yen] })).body.refused, 1);
  const before = await snapshot();
  const refused = await send('atomic', {
    items: [item(from, to, '50.00')],
    withdrawals: [
      out(from, '60.00'),
      out(to, '50.00'),
      out(to, 'all'),
      out(from, '1.001', { reference: 'a\nb' }),
      out(from, '1.00', { externalId: 'taken' }),
      { _links: { from: { href: from } }, amount: { value: 'all', currency: 'EUR' } },
      yen,
    ],
  });
  assertRefused(refused, {
    status: 400,
    code: 'ValidationError',
    path: '/withdrawals/0/amount/value',
    fault: 'InsufficientFunds',
  });
  assert.deepEqual(faultsOf(refused), [
    'Duplicate /withdrawals/4/externalId',
    'InsufficientFunds /withdrawals/0/amount/value',
    'InsufficientFunds /withdrawals/2/amount/value',
    'InsufficientFunds /withdrawals/6/amount/value',
    'Invalid /withdrawals/5/amount/currency',
    'InvalidFormat /withdrawals/3/amount/value',
    'InvalidFormat /withdrawals/3/reference',
  ]);
  assert.deepEqual(await snapshot(), before);
  await verified();
});

test('an independent batch makes what can be made, of several customers, and reports the rest', async () => {
  const { from, to, item, out, send, amountOf, nowhere, newClient, newCustomer, newLabel, newLabels, verified } =
    await openPayouts();
  const stranger = await newClient();
  const theirs = await newLabel(await newCustomer({ token: stranger.token }), '0', { token: stranger.token });
  const second = await newLabels();
  const made = await send('independent', {
    items: [item(from, to, '60.00'), item(from, to, '60.00')],
    withdrawals: [
      out(from, '40.01'),
      out(from, '40.00'),
      out(second.from, 'all'),
      out(nowhere('label'), '1.00'),
      out(theirs, '1.00'),
    ],
  });
  assert.equal(made.status, 201, made.text);
  assert.deepEqual(outcomes(made.body), [
    'InsufficientFunds /withdrawals/0/amount/value',
    'made',
    'made',
    'NotFound /withdrawals/3/_links',
    'Forbidden /withdrawals/4/_links',
  ]);
  const { total, succeeded, refused, _embedded } = made.body;
  assert.deepEqual([total, succeeded, refused], [7, 3, 4]);
  assert.deepEqual(
    _embedded.withdrawals.map(({ index }: Body) => index),
    [0, 1, 2, 3, 4],
  );
  assert.equal(_embedded.withdrawals[4].message, 'The supplied credentials are not authorized for this resource.');
  assert.deepEqual([await amountOf(from), await amountOf(to), await amountOf(second.from)], ['0.00', '60.00', '0.00']);
  await verified();
});

test('refuses the whole for its shape, its scopes, unknown and foreign labels, and a second customer', async () => {
  const { call, from, to, item, out, send, nowhere, newClient, client, newLabel, newLabels, newCustomer, snapshot } =
    await openPayouts();
  const [missing, other] = [nowhere('label'), (await newLabels()).from];
  const stranger = await newClient();
  const theirs = await newLabel(await newCustomer({ token: stranger.token }), '0', { token: stranger.token });
  const before = await snapshot();
  const bad = { status: 400, code: 'BadRequest' };
  for (const mode of ['atomic', 'independent']) {
    for (const lists of [
      {},
      { withdrawals: [{ amount: usd('1.00') }] },
      { withdrawals: [out('https://example.com/labels/1', '1.00')] },
      { items: Array(600).fill(item(from, to, '0.01')), withdrawals: Array(600).fill(out(from, '0.01')) },
    ])
      assertRefused(await send(mode, lists), bad);
    assertRefused(await send(mode, { withdrawals: [] }), { status: 400, code: 'ValidationError', path: '/withdrawals' });
    const misspelled = await send(mode, {
      withdrawals: [out(from, '1.00', { _links: { from: { href: from }, to: { href: to } } })],
    });
    assertRefused(misspelled, { status: 400, code: 'ValidationError', fault: 'NotAllowed', path: '/withdrawals/0/_links/to' });
    const { token } = await newClient(['read', 'write'], client.account_id);
    assertPlainRefusal(await send(mode, { withdrawals: [out(from, '1.00')] }, { token }), 'forbidden');
  }
  assertPlainRefusal(await send('atomic', { withdrawals: [out(from, '1.00'), out(missing, '1.00')] }), 'labelNotFound');
  assertRefused(await send('atomic', { withdrawals: [out(from, '1.00'), out(theirs, '1.00')] }), {
    status: 403,
    code: 'Forbidden',
  });
  assertRefused(await send('atomic', { items: [item(from, to, '1.00')], withdrawals: [out(other, '1.00')] }), {
    status: 400,
    code: 'ValidationError',
    fault: 'Invalid',
    path: '/withdrawals/0/_links/from/href',
  });
  assert.deepEqual(await snapshot(), before);
  assert.equal((await call('GET', from)).body.amount.value, '100.00');
});

test('a suspended customer withdraws nothing, held money stays, and a repeated key withdraws once', async () => {
  const { call, customer, from, out, send, amountOf, create, verified } = await openPayouts();
  await create(`${customer}/holds`, { _links: { from: { href: from } }, amount: usd('70.00') });
  const refused = await send('independent', { withdrawals: [out(from, '30.01')] });
  assert.equal(refused.body._embedded.withdrawals[0].message, 'Insufficient funds: 30.00 USD available, 70.00 USD held.');
  const lists = { withdrawals: [out(from, '10.00'), out(from, 'all')] };
  const made = await send('atomic', lists, { key: 'payroll' });
  const again = await send('atomic', lists, { key: 'payroll' });
  assert.deepEqual([again.status, again.headers['idempotent-replayed'], again.body], [201, 'true', made.body]);
  assert.equal(await amountOf(from), '70.00');
  await call('POST', customer, { body: { status: 'suspended' } });
  assert.deepEqual(outcomes((await send('independent', { withdrawals: [out(from, '1.00')] })).body), [
    'NotAllowed /withdrawals/0/_links/from/href',
  ]);
  await verified();
});
