// Tests of what customers owe: how it is recorded, shown and paid, and refusals that say it.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { reallocation, usd } from '../../../test/support/data.ts';
import { assertRefused, type Body, idOf, link } from '../../../test/support/http.ts';
import { openReturns } from '../../../test/support/returns.ts';
import { startService } from '../../../test/support/service.ts';
import { settleEvents } from '../../ledger/feed/feed.ts';

// Shared by all tests of the file; each has its own account.
const shared = await startService({ after });

/** A customer who spent 80.00 of a deposit of 100.00, and owes them because it was returned. */
async function openDebt() {
  const account = await openReturns(shared);
  const made = await account.deposit('100');
  await account.spend('80');
  const back = await account.returned(made, { shortfall: 'owe' });
  return { ...account, made, back };
}

test('a shortfall is refused by default, and owed if the request says so', async () => {
  const { deposit, spend, giveBack, returned, balances, owed, get, topics, customer, verified } = await openReturns(shared);
  const made = await deposit('100');
  await spend('80');
  for (const shortfall of [undefined, 'refuse'])
    assertRefused(await giveBack(made, { shortfall }), {
      ...{ status: 400, code: 'ValidationError', fault: 'InsufficientFunds', path: '/amount/value' },
      message: 'Insufficient funds: 20.00 USD available.',
    });
  assert.deepEqual([await balances(), await owed()], [['20.00', '0.00', '0.00'], undefined]);
  const back = await returned(made, { shortfall: 'owe' });
  assert.deepEqual([back.amount, back.owed], [usd('100.00'), usd('80.00')]);
  assert.deepEqual([await balances(), await owed()], [['0.00', '0.00', '0.00'], '80.00']);
  const debt = await get(back._links['owed-entry'].href);
  const { self } = debt._links;
  assert.deepEqual(
    [debt._links, debt.kind, debt.amount],
    [{ self, customer: link(customer, 'customer'), return: back._links.self }, 'debt', usd('80.00')],
  );
  assert.deepEqual(await topics(self.href), ['customer_owed_entry_created']);
  assert.deepEqual((await get((await get(`${customer}/balance`))._links['owed-entries'].href))._embedded['owed-entries'], [debt]);
  await verified();
});

test('the next deposits pay what is owed first, before any allocation rule, each with its own entry and event', async () => {
  const { divide, deposit, balances, owed, get, topics, customer, verified } = await openDebt();
  await divide();
  const first = await deposit('60');
  assert.deepEqual([first.repaid, first._embedded.allocations], [usd('60.00'), []]);
  assert.deepEqual([await balances(), await owed()], [['0.00', '0.00', '0.00'], '20.00']);
  const second = await deposit('100');
  assert.deepEqual(second.repaid, usd('20.00'));
  assert.deepEqual(
    second._embedded.allocations.map((one: Body) => one.amount.value),
    ['30.00', '20.00'],
    'shares of the whole deposit, of what is left',
  );
  assert.deepEqual([await balances(), await owed()], [['30.00', '30.00', '20.00'], undefined]);
  const paid = await get(second._links['owed-entry'].href);
  assert.deepEqual([paid.kind, paid.amount, paid._links.deposit], ['repayment', usd('20.00'), second._links.self]);
  assert.deepEqual(await topics(paid._links.self.href), ['customer_owed_entry_created']);
  const entries: Body[] = (await get(`${customer}/owed-entries`))._embedded['owed-entries'];
  assert.deepEqual(
    entries.map(({ kind, amount }) => [kind, amount.value]),
    [
      ['repayment', '20.00'],
      ['repayment', '60.00'],
      ['debt', '80.00'],
    ],
  );
  const third = await deposit('10');
  assert.deepEqual([third.repaid, third._links['owed-entry']], [undefined, undefined], 'nothing is owed any more');
  await verified();
});

test('events of a deposit come in this order: the deposit, the repayment, the allocations', async () => {
  const { divide, deposit, sql, customer } = await openDebt();
  await divide();
  await deposit('100');
  await settleEvents(sql);
  const rows = await sql<{ topic: string }>`
    select t.topic from event e join event_topic t on t.account_id = e.account_id and t.number = e.topic
    where e.customer_id = ${idOf(customer)} order by e.position desc limit 3`;
  assert.deepEqual(rows.map(({ topic }) => topic).toReversed(), [
    'customer_deposit_created',
    'customer_owed_entry_created',
    'customer_label_ledger_entry_created',
  ]);
});

test('what is owed is per currency, is in the past balance, and no part of the total', async () => {
  const { deposit, owed, get, call, customer } = await openDebt();
  const euro = await call('POST', `${customer}/deposits`, { body: { amount: { value: '50', currency: 'EUR' } } });
  assert.equal((await get(euro.headers.location!)).repaid, undefined);
  assert.deepEqual([await owed('USD'), await owed('EUR')], ['80.00', undefined]);
  const { at, balances } = await get(`${customer}/balance?at=${new Date().toISOString()}`);
  assert.ok(at);
  assert.deepEqual(balances.find((one: Body) => one.currency === 'USD').owed, usd('80.00'));
  const [dollars] = (await get(`${customer}/balance`)).balances.filter((one: Body) => one.currency === 'USD');
  assert.deepEqual([dollars.total, dollars.available], [usd('0.00'), usd('0.00')]);
  await deposit('100');
  assert.equal(await owed('USD'), undefined);
});

test('a deposit of a suspended customer pays too, and a returned withdrawal does not', async () => {
  const { deposit, owed, call, customer, returned, get } = await openDebt();
  const [withdrawal] = (await get(`${customer}/withdrawals`))._embedded.withdrawals;
  await returned(withdrawal, { amount: usd('5') });
  const available = async () => (await get(`${customer}/balance`)).balances[0].available.value;
  assert.deepEqual([await available(), await owed()], ['5.00', '80.00']);
  await call('POST', customer, { body: { status: 'suspended' } });
  await deposit('30');
  assert.deepEqual([await available(), await owed()], ['5.00', '50.00']);
});

test('a deposit that paid a debt can be returned itself', async () => {
  const { deposit, returned, owed, balances, verified } = await openDebt();
  const paid = await deposit('50');
  assert.equal(await owed(), '30.00');
  const back = await returned(paid, { shortfall: 'owe' });
  assert.deepEqual([back.owed, await owed(), await balances()], [usd('50.00'), '80.00', ['0.00', '0.00', '0.00']]);
  await verified();
});

test('every refusal says what is available, held and owed', async () => {
  const { call, create, customer, giveBack, taxes, rent } = await openDebt();
  const [withdrawal] = (await call('GET', `${customer}/withdrawals`)).body._embedded.withdrawals;
  assert.equal((await giveBack(withdrawal)).status, 201);
  await create(`${taxes}/ledger-entries`, { amount: usd('50') });
  await create(`${customer}/holds`, { amount: usd('10') });
  await create(`${customer}/holds`, { _links: { from: { href: taxes } }, amount: usd('20') });
  const from = { _links: { from: { href: taxes } } };
  const items = [reallocation(taxes, rent, '31')];
  const moved = { _links: { from: { href: rent }, to: { href: taxes } } };
  const ofLabel = 'Insufficient funds: 30.00 USD available, 20.00 USD held, 80.00 USD owed.';
  const ofAvailable = 'Insufficient funds: 20.00 USD available, 10.00 USD held, 80.00 USD owed.';
  for (const [path, body, message] of [
    ['/label-reallocations', reallocation(taxes, rent, '31'), ofLabel],
    ['/label-reallocation-batches', { mode: 'atomic', items }, ofLabel],
    [`${taxes}/ledger-entries`, { amount: usd('-31') }, ofLabel],
    [`${customer}/withdrawals`, { ...from, amount: usd('31') }, ofLabel],
    [`${customer}/holds`, { ...from, amount: usd('31') }, ofLabel],
    [`${customer}/withdrawals`, { amount: usd('21') }, ofAvailable],
    [`${customer}/holds`, { amount: usd('21') }, ofAvailable],
    [`${customer}/labels`, { amount: usd('21') }, ofAvailable],
    [`${rent}/ledger-entries`, { amount: usd('21') }, ofAvailable],
    ['/label-reallocations', { ...moved, amount: usd('1') }, 'Insufficient funds: 0.00 USD available, 80.00 USD owed.'],
  ] as const) {
    const refused = await call('POST', path, { body });
    assertRefused(refused, { status: 400, code: 'ValidationError', fault: 'InsufficientFunds' });
    assert.equal(refused.body._embedded.errors[0].message, message, path);
  }
});

test('deposits and returns at once never leave a debt beside money that could have paid it', async () => {
  const { divide, deposit, giveBack, spend, get, customer, verified } = await openReturns(shared);
  await divide();
  for (let round = 0; round < 5; round++) {
    const made = await Promise.all(Array.from({ length: 8 }, () => deposit('10')));
    await Promise.all([
      ...made.map((one) => giveBack(one, { shortfall: 'owe' })),
      ...made.map(() => spend('3').catch(() => undefined)),
      ...made.map(() => deposit('2')),
    ]);
    await verified();
    const [{ available, owed }] = (await get(`${customer}/balance`)).balances;
    assert.ok(owed === undefined || available.value === '0.00', `${owed?.value} owed beside ${available.value}`);
  }
  const { balances } = await get(`${customer}/balance`);
  const [{ available, labelled, owed }] = balances;
  const withdrawn = (await get(`${customer}/withdrawals`)).total * 3;
  const net = Number(available.value) + Number(labelled.value) - Number(owed?.value ?? 0);
  assert.equal(net, 5 * 8 * 2 - withdrawn, 'deposits of 2 less withdrawals; all others were returned');
});
