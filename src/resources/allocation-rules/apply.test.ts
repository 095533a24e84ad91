// Tests of deposits under an allocation rule: rounding, limits, skipped steps, links, events, replays, concurrency and previews.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { movedBy, openRules, step } from '../../../test/support/allocation-rules.ts';
import { usd } from '../../../test/support/data.ts';
import { allEvents } from '../../../test/support/events.ts';
import { assertRefused, type Body, idOf, link } from '../../../test/support/http.ts';
import { startService } from '../../../test/support/service.ts';
import { assertSoundLedger } from '../../../test/support/sound-ledger.ts';
import { formatPercent, parsePercent, shareOf } from './share.ts';

// Shared by all tests of the file; each has its own account.
const shared = await startService({ after });

test('divides a deposit, with entries, links and events in order', async () => {
  const { get, newRule, deposit, balances, taxes, rent, sql, customer } = await openRules(shared);
  const rule = await newRule([step(taxes, { percent: '25' }), step(rent, { amount: usd('30') })]);
  const { _links, _embedded, id } = await deposit('100.10');
  // A quarter is 25.025: half a cent is rounded to the even cent.
  assert.deepEqual(await balances(), ['45.08', '25.02', '30.00']);
  assert.deepEqual(_links['allocation-rule'], link(rule, 'allocation-rule'));
  assert.deepEqual(movedBy({ _embedded }), [
    [taxes, '25.02'],
    [rent, '30.00'],
  ]);
  const entries = [];
  for (const allocation of _embedded.allocations) {
    const entry = await get(allocation._links['ledger-entry'].href);
    assert.deepEqual(
      [entry._links.label, entry.amount, entry._links.deposit, entry._links['allocation-rule']],
      [allocation._links.label, allocation.amount, _links.self, link(rule, 'allocation-rule')],
    );
    assert.deepEqual((await get(`${allocation._links.label.href}/ledger-entries`))._embedded['ledger-entries'], [entry]);
    entries.push(entry.id);
  }
  const events = await sql<{ topic: string; resourceId: string }>`
    select topic, resource_id from ${await allEvents(sql)}
    where customer_id = ${idOf(customer)} and topic in ('customer_deposit_created', 'customer_label_ledger_entry_created') order by id`;
  assert.deepEqual(events, [
    { topic: 'customer_deposit_created', resourceId: id },
    ...entries.map((resourceId) => ({ topic: 'customer_label_ledger_entry_created', resourceId })),
  ]);
});

test('lists of deposits show the allocations of each, as the deposit does', async () => {
  const { call, get, newRule, deposit, taxes, rent, customer } = await openRules(shared);
  const without = await deposit('10.00');
  const rule = await newRule([step(rent, { percent: '20' }), step(taxes, { amount: usd('1') })]);
  const [one, two] = [await deposit('50.00'), await deposit('70.00')];
  assert.equal((await call('DELETE', rule)).status, 200);
  const { deposits } = (await get(`${customer}/deposits`))._embedded;
  assert.deepEqual(deposits, [two, one, without]);
  assert.deepEqual(
    deposits.map((one: Body) => one._embedded && movedBy(one)),
    [
      [
        [rent, '14.00'],
        [taxes, '1.00'],
      ],
      [
        [rent, '10.00'],
        [taxes, '1.00'],
      ],
      undefined,
    ],
  );
});

test('a step takes at most what is left, and fills its label at most up to its limit', async () => {
  const { newRule, deposit, balances, taxes, rent } = await openRules(shared);
  await newRule([step(rent, { amount: usd('80'), until: usd('100') }), step(taxes, { percent: '50' })]);
  assert.deepEqual(movedBy(await deposit('90.00')), [
    [rent, '80.00'],
    [taxes, '10.00'],
  ]);
  assert.deepEqual(movedBy(await deposit('90.00')), [
    [rent, '20.00'],
    [taxes, '45.00'],
  ]);
  assert.deepEqual(movedBy(await deposit('0.01')), [], 'half a cent is zero, and writes nothing');
  assert.deepEqual(await balances(), ['25.01', '55.00', '100.00']);
});

test('a deposit is never refused because of a rule', async () => {
  const { call, newRule, deposit, balances, taxes, rent, customer, get } = await openRules(shared);
  const rule = await newRule([step(taxes, { percent: '50' }), step(rent, { percent: '50' })]);
  assert.equal((await call('DELETE', taxes)).status, 200);
  const skipping = await deposit('10.00');
  assert.deepEqual(movedBy(skipping), [[rent, '5.00']]);
  await call('POST', customer, { body: { status: 'suspended' } });
  const suspended = await deposit('10.00');
  assert.deepEqual([suspended._links['allocation-rule'], suspended._embedded], [undefined, undefined]);
  await call('POST', customer, { body: { status: 'reactivated' } });
  const inYen = await call('POST', `${customer}/deposits`, { body: { amount: { value: '10', currency: 'JPY' } } });
  assert.equal((await get(inYen.headers.location!))._embedded, undefined, 'the rule is for dollars');
  await call('POST', rule, { body: { paused: true } });
  assert.equal((await deposit('10.00'))._embedded, undefined);
  await call('DELETE', rule);
  assert.equal((await deposit('10.00'))._embedded, undefined);
  assert.deepEqual((await get(skipping._links.self.href))._links['allocation-rule'].href, rule);
  assert.equal((await get(rule)).deleted !== undefined, true);
  assert.deepEqual((await get(rent)).amount, usd('5.00'));
  await assert.rejects(balances(), 'the label is removed');
});

test('a repeated deposit is divided once', async () => {
  const { call, newRule, deposit, balances, taxes } = await openRules(shared);
  const rule = await newRule([step(taxes, { percent: '10' })]);
  const first = await deposit('100.00', { key: 'payout' });
  const concurrent = await Promise.all([1, 2, 3].map(() => deposit('100.00', { key: 'payout' })));
  await call('POST', rule, { body: { name: 'All', steps: [step(taxes, { percent: '100' })] } });
  for (const again of [...concurrent, await deposit('100.00', { key: 'payout' })]) assert.deepEqual(again, first);
  assert.deepEqual(await balances(), ['90.00', '10.00', '0.00']);
});

test('fifty deposits at once never fill a label beyond its limit', async () => {
  const { newRule, deposit, balances, taxes, rent, service } = await openRules(shared);
  await newRule([step(rent, { percent: '70', until: usd('100.00') }), step(taxes, { percent: '30', until: usd('33.33') })]);
  const deposits = await Promise.all(Array.from({ length: 50 }, () => deposit('10.00')));
  assert.deepEqual(await balances(), ['366.67', '33.33', '100.00']);
  const moved = deposits.flatMap(movedBy).reduce((sum, [, amount]) => sum + Number(amount.replace('.', '')), 0);
  assert.equal(moved, 133_33, 'the allocations of all deposits explain the balances');
  await assertSoundLedger(service.database);
});

test('a preview shows what a deposit moves', async () => {
  const { call, newRule, preview, deposit, taxes, rent, customer, snapshot, rules, newClient } = await openRules(shared);
  assert.deepEqual((await preview('10.00')).body, { steps: [], available: usd('10.00') });
  await newRule([
    step(rent, { amount: usd('50'), until: usd('60') }),
    step(taxes, { percent: '33.33' }),
    step(rent, { percent: '50', until: usd('70') }),
  ]);
  for (const value of ['100.00', '12.34', '99.99', '0.01']) {
    const before = await snapshot();
    const shown = await preview(value);
    assert.deepEqual(await snapshot(), before);
    assert.deepEqual(movedBy(shown.body), movedBy(await deposit(value)), value);
  }
  assert.deepEqual((await preview('7', 'JPY')).body, { steps: [], available: { value: '7', currency: 'JPY' } });
  assertRefused(await preview('0'), { status: 400, code: 'ValidationError', fault: 'Invalid', path: '/amount/value' });
  const stranger = { token: (await newClient()).token, body: { amount: usd('1') } };
  assertRefused(await call('POST', `${rules}/preview`, stranger), { status: 403, code: 'Forbidden' });
  await call('POST', customer, { body: { status: 'suspended' } });
  assert.deepEqual((await preview('10.00')).body.steps, []);
});

test('shares are rounded half even, and percentages keep their value', () => {
  assert.deepEqual(
    [10n, 30n, 50n, 70n, 11n, 29n].map((amount) => shareOf(amount, 500n)),
    [0n, 2n, 2n, 4n, 1n, 1n],
  );
  const amount = fc.bigInt({ min: 0n, max: 10n ** 18n - 1n });
  const hundredths = fc.bigInt({ min: 1n, max: 10_000n });
  fc.assert(
    fc.property(amount, hundredths, (whole, part) => {
      const share = shareOf(whole, part);
      const twiceTheError = 2n * (share * 10_000n - whole * part);
      assert.ok(twiceTheError <= 10_000n && twiceTheError >= -10_000n);
      if (twiceTheError === 10_000n || twiceTheError === -10_000n) assert.equal(share % 2n, 0n);
      assert.equal(parsePercent(formatPercent(part)), part);
    }),
  );
});
