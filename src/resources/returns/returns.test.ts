// Tests of returns: where the money comes from and goes to, limits, links, idempotency, access and refusals.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { usd } from '../../../test/support/data.ts';
import { assertRefused, type Body, idOf, link } from '../../../test/support/http.ts';
import { openReturns } from '../../../test/support/returns.ts';
import { startService } from '../../../test/support/service.ts';

const INVALID = { status: 400, code: 'ValidationError' };
const AT_VALUE = { status: 400, code: 'ValidationError', path: '/amount/value' };
const RETURNED = { status: 403, code: 'InvalidResourceState', message: 'The whole amount is returned already.' };
const CALLERS = 100;

// Shared by all tests of the file; each has its own account.
const shared = await startService({ after });

test('a return takes a deposit back from the available balance, and links both ways', async () => {
  const { deposit, giveBack, get, balances, topics, customer, verified } = await openReturns(shared);
  const made = await deposit('100');
  const url = made._links.self.href;
  assert.deepEqual([made.returned, made._links.return], [usd('0.00'), link(`${url}/returns`, 'return')]);
  const texts = { reference: 'chargeback', correlationId: 'c-1', externalId: 'bank-1', metadata: { file: '7' } };
  const answer = await giveBack(made, { amount: usd('40'), reason: 'R01 insufficient funds', ...texts });
  assert.deepEqual([answer.status, answer.text], [201, '']);
  const back = answer.headers.location!;
  const { created, ...shown } = await get(back);
  assert.deepEqual(shown, {
    _links: { self: link(back, 'return'), customer: link(customer, 'customer'), deposit: link(url, 'deposit') },
    id: idOf(back),
    amount: usd('40.00'),
    reason: 'R01 insufficient funds',
    ...texts,
  });
  assert.ok(created);
  assert.deepEqual(await balances(), ['60.00', '0.00', '0.00']);
  const after = await get(url);
  assert.deepEqual([after.amount, after.returned], [usd('100.00'), usd('40.00')]);
  const list = await get(after._links.returns.href);
  assert.deepEqual([list.total, list._embedded.returns], [1, [await get(back)]]);
  assert.deepEqual(await topics(back), ['customer_deposit_returned']);
  await verified();
});

test('without an amount, and with all, a return takes what is not returned yet', async () => {
  const { deposit, giveBack, returned, get, balances } = await openReturns(shared);
  for (const amount of [undefined, usd('all')]) {
    const made = await deposit('100');
    await returned(made, { amount: usd('30') });
    assert.deepEqual((await returned(made, { amount })).amount, usd('70.00'));
    assert.deepEqual(await balances(), ['0.00', '0.00', '0.00']);
    const after = await get(made._links.self.href);
    assert.deepEqual([after.returned, after._links.return], [usd('100.00'), undefined], 'nothing is left to return');
    assertRefused(await giveBack(made), RETURNED);
  }
});

test('a return takes from available, then from the labels that the allocations filled, the last step first', async () => {
  const { divide, deposit, returned, balances, get, topics, spend, taxes, rent, verified } = await openReturns(shared);
  await divide();
  const made = await deposit('100');
  assert.deepEqual(await balances(), ['50.00', '30.00', '20.00']);
  const first = await returned(made, { amount: usd('45') });
  assert.equal(first._embedded, undefined, 'what is available is enough');
  assert.deepEqual(await balances(), ['5.00', '30.00', '20.00']);
  await spend('1');
  const second = await returned(made, { amount: usd('34') });
  assert.deepEqual(await balances(), ['0.00', '20.00', '0.00']);
  const { recoveries } = second._embedded;
  assert.deepEqual(
    recoveries.map((one: Body) => [one._links.label.href, one.amount.value]),
    [
      [rent, '20.00'],
      [taxes, '10.00'],
    ],
  );
  const entry = await get(recoveries[0]._links['ledger-entry'].href);
  assert.deepEqual(
    [entry.amount, entry.balance, entry._links.return, entry._links.label.href],
    [usd('-20.00'), usd('0.00'), second._links.self, rent],
  );
  assert.deepEqual(await topics(recoveries[0]._links['ledger-entry'].href), ['customer_label_ledger_entry_created']);
  await verified();
});

test('a return never takes a balance below zero, and takes nothing that is held or on other labels', async () => {
  const { divide, deposit, giveBack, balances, create, customer, taxes, rent, newLabel, balanceOf, call } =
    await openReturns(shared);
  await divide();
  const other = await newLabel(customer);
  const made = await deposit('100');
  await create(`${taxes}/ledger-entries`, { amount: usd('-25') });
  await create(`${other}/ledger-entries`, { amount: usd('60') });
  await create(`${customer}/holds`, { amount: usd('4') });
  await create(`${customer}/holds`, { _links: { from: { href: rent } }, amount: usd('7') });
  assert.deepEqual(await balances(), ['11.00', '5.00', '20.00']);
  const wanted = { amount: usd('29.01') };
  assertRefused(await giveBack(made, wanted), {
    ...AT_VALUE,
    fault: 'InsufficientFunds',
    message: 'Insufficient funds: 29.00 USD available, 11.00 USD held.',
  });
  assert.deepEqual(await balances(), ['11.00', '5.00', '20.00'], 'a refusal takes nothing');
  assert.equal((await giveBack(made, { amount: usd('29') })).status, 201);
  assert.deepEqual(await balances(), ['0.00', '0.00', '7.00'], 'what is held stays');
  assert.equal(await balanceOf(other), '60.00');
  const hold = (await call('GET', `${customer}/holds`)).body._embedded.holds[0];
  assert.equal((await call('POST', hold._links.capture.href, {})).status, 201, 'and can still be captured');
});

test('a removed label gives nothing, and a label of two steps gives once', async () => {
  const { newRule, deposit, returned, get, balanceOf, call, create, taxes, rent } = await openReturns(shared);
  const step = (label: string, percent: string) => ({ label: { href: label }, percent });
  await newRule([step(taxes, '30'), step(rent, '20'), step(taxes, '50')]);
  const made = await deposit('100');
  await create(`${rent}/ledger-entries`, { amount: usd('-20') });
  assert.equal((await call('DELETE', rent)).status, 200);
  const back = await returned(made);
  assert.deepEqual(
    back._embedded.recoveries.map((one: Body) => [one._links.label.href, one.amount.value]),
    [[taxes, '80.00']],
  );
  assert.equal(await balanceOf(taxes), '0.00');
  assert.deepEqual((await get(made._links.self.href)).returned, usd('100.00'));
});

test('all returns of a deposit never exceed it, also by a hundred callers at once', async () => {
  const { divide, deposit, giveBack, get, balances, verified } = await openReturns(shared);
  await divide();
  await deposit('1000');
  const made = await deposit('100');
  const answers = await Promise.all(
    Array.from({ length: CALLERS }, (_, index) => giveBack(made, { amount: usd(`${1 + (index % 5)}`) })),
  );
  const done = answers.filter(({ status }) => status === 201);
  for (const refused of answers.filter(({ status }) => status !== 201))
    assert.match(refused.text, /exceeds what is not returned yet|returned already/);
  const amounts = await Promise.all(done.map(async ({ headers }) => Number((await get(headers.location!)).amount.value)));
  const sum = amounts.reduce((total, amount) => total + amount, 0);
  assert.equal(sum, 100, 'and all of it was returned');
  assert.deepEqual((await get(made._links.self.href)).returned, usd('100.00'));
  const [available] = await balances();
  assert.equal(available, '450.00');
  await verified();
});

test('a repeated Idempotency-Key returns once', async () => {
  const { deposit, giveBack, balances, call } = await openReturns(shared);
  const made = await deposit('100');
  const options = { key: 'back' };
  const answers = await Promise.all(Array.from({ length: 10 }, () => giveBack(made, { amount: usd('10') }, options)));
  assert.equal(new Set(answers.map(({ headers }) => headers.location)).size, 1);
  assert.equal(answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true').length, 9);
  assert.deepEqual(await balances(), ['90.00', '0.00', '0.00']);
  assertRefused(await giveBack(made, { amount: usd('11') }, options), { status: 409, code: 'Conflict' });
  const shown = await call('POST', `${made._links.self.href}/returns`, {
    body: { reason: 'R02' },
    headers: { prefer: 'return=representation' },
  });
  assert.deepEqual([shown.status, shown.body.amount, shown.body.reason], [201, usd('90.00'), 'R02']);
});

test('a returned withdrawal comes back to the available balance, or to the label that it left', async () => {
  const { deposit, returned, spend, get, balances, create, customer, taxes, topics, verified } = await openReturns(shared);
  await deposit('100');
  const withdrawal = await spend('30');
  const back = await returned(withdrawal, { amount: usd('10') });
  assert.deepEqual(
    [back._links.withdrawal, back._links.deposit, back._links.to],
    [link(withdrawal, 'withdrawal'), undefined, undefined],
  );
  assert.deepEqual(await balances(), ['80.00', '0.00', '0.00']);
  assert.deepEqual((await get(withdrawal)).returned, usd('10.00'));
  assert.deepEqual(await topics(back._links.self.href), ['customer_withdrawal_returned']);

  await create(`${taxes}/ledger-entries`, { amount: usd('50') });
  const payout = await create(`${customer}/withdrawals`, { _links: { from: { href: taxes } }, amount: usd('50') });
  const rejected = await returned(payout);
  assert.deepEqual(rejected._links.to, link(taxes, 'label'));
  assert.deepEqual(await balances(), ['30.00', '50.00', '0.00']);
  const entries = (await get(`${taxes}/ledger-entries`))._embedded['ledger-entries'];
  assert.deepEqual([entries[0].amount.value, entries[0].balance.value], ['50.00', '50.00']);
  await verified();
});

test('a withdrawal comes back to the available balance if its label is removed, also of a suspended customer', async () => {
  const { deposit, returned, giveBack, create, customer, taxes, call } = await openReturns(shared);
  const received = await deposit('100');
  await create(`${taxes}/ledger-entries`, { amount: usd('50') });
  const payout = await create(`${customer}/withdrawals`, { _links: { from: { href: taxes } }, amount: usd('50') });
  assert.equal((await call('DELETE', taxes)).status, 200);
  await call('POST', customer, { body: { status: 'suspended' } });
  await returned(payout, { amount: usd('20') });
  const available = async () => (await call('GET', `${customer}/balance`)).body.balances[0].available.value;
  assert.equal(await available(), '70.00');
  await returned(received, { amount: usd('65') });
  assert.equal(await available(), '5.00');
  assertRefused(await giveBack(payout, { amount: usd('30.01') }), {
    ...AT_VALUE,
    fault: 'Invalid',
    message: 'Amount exceeds what is not returned yet, 30.00 USD.',
  });
});

test('refuses what cannot be returned, and writes nothing', async () => {
  const { deposit, giveBack, call, newClient, client, nowhere, spend, snapshot } = await openReturns(shared);
  const made = await deposit('100');
  const withdrawal = await spend('10');
  assert.equal((await giveBack(made, { amount: usd('1'), externalId: 'one' })).status, 201);
  const before = await snapshot();
  assertRefused(await giveBack(made, { amount: usd('99.01') }), { ...AT_VALUE, fault: 'Invalid' });
  assertRefused(await giveBack(made, { amount: usd('0') }), { ...AT_VALUE, fault: 'Invalid' });
  assertRefused(await giveBack(made, { amount: { value: '1', currency: 'EUR' } }), {
    status: 400,
    code: 'ValidationError',
    path: '/amount/currency',
  });
  assertRefused(await giveBack(made, { reason: undefined }), { ...INVALID, code: 'BadRequest', path: '/reason' });
  assertRefused(await giveBack(made, { reason: '' }), { ...INVALID, path: '/reason' });
  assertRefused(await giveBack(made, { shortfall: 'forgive' }), { ...INVALID, path: '/shortfall' });
  assertRefused(await giveBack(withdrawal, { shortfall: 'owe' }), { ...INVALID, path: '/shortfall' });
  assertRefused(await giveBack(made, { amount: usd('1'), externalId: 'one' }), { status: 409, code: 'Conflict' });
  assertRefused(await giveBack(nowhere('deposit')), { status: 404, code: 'NotFound' });
  const asWithdrawal = made._links.self.href.replace('deposits', 'withdrawals');
  assertRefused(await giveBack(asWithdrawal), { status: 404, code: 'NotFound' });
  const stranger = (await newClient()).token;
  assertRefused(await giveBack(made, {}, { token: stranger }), { status: 403, code: 'Forbidden' });
  const writer = (await newClient(['read', 'write'], client.account_id)).token;
  assertRefused(await giveBack(made, {}, { token: writer }), { status: 403, code: 'Forbidden' });
  assert.deepEqual(await snapshot(), before);
  const [back] = (await call('GET', `${made._links.self.href}/returns`)).body._embedded.returns;
  assertRefused(await call('GET', back._links.self.href, { token: stranger }), { status: 403, code: 'Forbidden' });
});

test('lists of transfers name returns and what they took', async () => {
  const { divide, deposit, returned, get, customer, rent } = await openReturns(shared);
  await divide();
  const made = await deposit('100');
  const back = await returned(made, { amount: usd('60') });
  const shown: Body[] = (await get(`${customer}/transfers`))._embedded.transfers;
  assert.deepEqual(shown.map(({ kind, amount, from, to, reason }) => [kind, amount.value, from, to, reason]).slice(0, 2), [
    ['deposit-return', '60.00', undefined, undefined, 'R01'],
    ['recovery', '10.00', idOf(rent), undefined, undefined],
  ]);
  assert.deepEqual(shown[0]!._links.self, back._links.self);
  assert.deepEqual(shown[1]!._links.self, back._embedded.recoveries[0]._links['ledger-entry']);
  assert.equal((await get(`${customer}/transfers`)).total, shown.length);
});
