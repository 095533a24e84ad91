// Tests of holds: what they keep from being spent, captures, releases, expiry, access and refusals.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertFindsDamage } from '../../../test/support/damage.ts';
import { reallocation, usd } from '../../../test/support/data.ts';
import { openHolds } from '../../../test/support/holds.ts';
import { assertPlainRefusal, assertRefused, idOf, link } from '../../../test/support/http.ts';
import { startService } from '../../../test/support/service.ts';
import { assertSoundLedger } from '../../../test/support/sound-ledger.ts';
import { waitUntil } from '../../../test/support/wait.ts';

const BAD = { status: 400, code: 'ValidationError' };
const DAY_SECONDS = 24 * 3600;

// Shared by all tests of the file; each has its own account.
const shared = await startService({ after });

test('a hold of a label keeps money without moving it, and only the rest can be spent', async () => {
  const { newHold, get, call, amounts, balance, label, other, customer, verified, topics } = await openHolds(shared);
  const url = await newHold('60', { reference: 'order 1', metadata: { cart: '9' }, externalId: 'order-1' });
  const { created, expires, ...shown } = await get(url);
  assert.equal(Date.parse(expires) - Date.parse(created), 7 * DAY_SECONDS * 1000, 'seven days by default');
  assert.deepEqual(shown, {
    _links: {
      self: link(url, 'hold'),
      customer: link(customer, 'customer'),
      from: link(label, 'label'),
      capture: link(`${url}/captures`, 'hold'),
      release: link(`${url}/releases`, 'hold'),
    },
    id: idOf(url),
    status: 'pending',
    amount: usd('60.00'),
    captured: usd('0.00'),
    remaining: usd('60.00'),
    reference: 'order 1',
    externalId: 'order-1',
    metadata: { cart: '9' },
  });
  assert.deepEqual(await amounts(), ['100.00', '60.00', '40.00']);
  assert.deepEqual(await balance(), ['200.00', '100.00', undefined, '100.00']);
  assert.equal((await get(`${label}/ledger-entries`)).total, 1, 'a hold is no entry');
  assert.deepEqual(await topics(url), ['customer_hold_created']);

  const said = { ...BAD, fault: 'InsufficientFunds', path: '/amount/value' };
  const message = 'Insufficient funds: 40.00 USD available, 60.00 USD held.';
  for (const refused of [
    await call('POST', '/label-reallocations', { body: reallocation(label, other, '40.01') }),
    await call('POST', `${label}/ledger-entries`, { body: { amount: usd('-40.01') } }),
    await call('POST', `${customer}/withdrawals`, { body: { _links: { from: { href: label } }, amount: usd('40.01') } }),
    await call('POST', `${customer}/holds`, { body: { _links: { from: { href: label } }, amount: usd('40.01') } }),
  ]) {
    assertRefused(refused, said);
    assert.equal(refused.body._embedded.errors[0].message, message);
  }
  const all = await call('POST', '/label-reallocations', { body: reallocation(label, other, 'all') });
  assert.deepEqual((await get(all.headers.location!)).amount, usd('40.00'), 'all is what is available');
  assert.deepEqual(await amounts(), ['60.00', '60.00', '0.00']);
  await verified();
});

test('a hold without a label keeps money of the available balance', async () => {
  const { newHoldOfAvailable, call, balance, customer, label, get } = await openHolds(shared);
  const url = await newHoldOfAvailable('70');
  assert.equal((await get(url))._links.from, undefined);
  assert.deepEqual(await balance(), ['200.00', '30.00', '70.00', '100.00']);
  const past = await get(`${customer}/balance?at=${new Date().toISOString()}`);
  assert.deepEqual([past.balances[0].available, past.balances[0].held], [usd('100.00'), undefined], 'the past has no holds');
  for (const [path, body] of [
    [`${customer}/withdrawals`, { amount: usd('30.01') }],
    [`${customer}/labels`, { amount: usd('30.01') }],
    [`${label}/ledger-entries`, { amount: usd('30.01') }],
    [`${customer}/holds`, { amount: usd('30.01') }],
  ] as const)
    assertRefused(await call('POST', path, { body }), { ...BAD, fault: 'InsufficientFunds' });
});

test('captures move held money to a label or out, several times, and link both ways', async () => {
  const { newHold, capture, get, amounts, label, other, customer, to, topics, verified, call } = await openHolds(shared);
  const url = await newHold('60', { reference: 'order 1', correlationId: 'c-1' });
  // What is left available is spent, which a capture does not need.
  await call('POST', '/label-reallocations', { body: reallocation(label, other, '40') });
  assert.equal((await capture(url, { ...to(other), amount: usd('25') })).headers.location, url);
  assert.deepEqual(await amounts(), ['35.00', '35.00', '0.00']);
  assertRefused(await capture(url, { amount: usd('35.01') }), { ...BAD, fault: 'Invalid', path: '/amount/value' });
  const prefer = await call('POST', `${url}/captures`, { headers: { prefer: 'return=representation' } });
  assert.equal(prefer.status, 201, prefer.text);
  const { _links, _embedded, status, captured, remaining, closed } = await get(url);
  assert.deepEqual(prefer.body._embedded, _embedded);
  assert.deepEqual([status, captured, remaining], ['captured', usd('60.00'), usd('0.00')]);
  assert.ok(closed);
  assert.deepEqual([_links.capture, _links.release], [undefined, undefined]);
  assert.deepEqual(
    _embedded.captures.map(({ amount }: { amount: unknown }) => amount),
    [usd('25.00'), usd('35.00')],
  );
  const [moved, withdrawn] = await Promise.all(
    _embedded.captures.map((made: { _links: { transfer: { href: string } } }) => get(made._links.transfer.href)),
  );
  assert.deepEqual([moved._links.to, moved._links.hold, moved.reference], [link(other, 'label'), link(url, 'hold'), 'order 1']);
  assert.deepEqual(
    [withdrawn._links.from, withdrawn._links.hold, withdrawn.correlationId],
    [link(label, 'label'), link(url, 'hold'), 'c-1'],
  );
  assert.match(withdrawn._links.self.href, /\/withdrawals\//);
  assert.deepEqual(await amounts(), ['0.00', undefined, undefined]);
  assert.deepEqual(await topics(url), ['customer_hold_created', 'customer_hold_captured', 'customer_hold_captured']);
  assert.deepEqual(await topics(moved._links.self.href), ['customer_label_reallocation_created']);
  assert.equal((await get(`${customer}/withdrawals`)).total, 1);
  await verified();
});

test('a capture of available money fills a label, and final releases the rest', async () => {
  const { newHoldOfAvailable, capture, get, balance, other, to, verified } = await openHolds(shared);
  const url = await newHoldOfAvailable('70');
  assert.equal((await capture(url, { ...to(other), amount: usd('20'), final: true })).status, 201);
  assert.deepEqual(await balance(), ['200.00', '80.00', undefined, '120.00']);
  const { status, captured, _embedded } = await get(url);
  assert.deepEqual([status, captured], ['captured', usd('20.00')]);
  assert.match(_embedded.captures[0]._links.transfer.href, /\/ledger-entries\//);
  assertPlainRefusal(await capture(url), 'holdNotPending');
  await verified();
});

test('a release makes the money available again, once, and keys repeat captures', async () => {
  const { newHold, release, capture, call, get, amounts, topics, verified } = await openHolds(shared);
  const url = await newHold('60');
  const first = await capture(url, { amount: usd('10') }, { key: 'ship' });
  const again = await capture(url, { amount: usd('10') }, { key: 'ship' });
  assert.deepEqual([first.status, again.status, again.headers['idempotent-replayed']], [201, 201, 'true']);
  assert.deepEqual(await amounts(), ['90.00', '50.00', '40.00']);
  const part = await call('POST', `${url}/releases`, { body: { amount: usd('10.00') } });
  assertRefused(part, { status: 400, code: 'BadRequest', fault: 'NotAllowed', path: '/amount' });
  assert.equal(part.body._embedded.errors[0].message, 'amount is not known. There are no members.');
  assertRefused(await call('POST', `${url}/releases`, { body: [] }), { status: 400, code: 'BadRequest' });
  assert.deepEqual(await amounts(), ['90.00', '50.00', '40.00']);
  const released = await call('POST', `${url}/releases`, { body: {} });
  assert.equal(released.status, 200, released.text);
  assert.deepEqual(
    [released.body.status, released.body.captured, released.body.remaining],
    ['released', usd('10.00'), usd('0.00')],
  );
  assert.deepEqual(await get(url), released.body);
  assert.deepEqual(await amounts(), ['90.00', undefined, undefined]);
  assertPlainRefusal(await release(url), 'holdNotPending');
  assert.deepEqual(await topics(url), ['customer_hold_created', 'customer_hold_captured', 'customer_hold_released']);
  await verified();
});

test('at the moment of expiry the money is available, before and after the job has run', async (t) => {
  let now = Date.now();
  const service = await startService(t, { clock: { now: () => new Date(now) }, processes: 1 });
  const { call, create, get } = service;
  const customer = await service.newCustomer({ available: '100.00' });
  const label = await service.newLabel(customer, '100.00');
  const other = await service.newLabel(customer, '0');
  const moment = now + 600_000;
  const expires = new Date(moment).toISOString();
  const body = { _links: { from: { href: label } }, amount: usd('60'), expires };
  const url = await create(`${customer}/holds`, body);
  await create(`${customer}/holds`, { ...body, amount: usd('5'), expires: new Date(now + 1_200_000).toISOString() });
  // Nothing ends the hold, as if the job did not run.
  await service.sql`alter table hold add constraint not_ended check (status <> 'expired')`;
  now = moment - 1;
  assert.deepEqual((await get(label)).held, usd('65.00'));
  const early = await call('POST', '/label-reallocations', { body: reallocation(label, other, '35.01') });
  assert.equal(early.body.message, 'Insufficient funds: 35.00 USD available, 65.00 USD held.');
  assert.equal((await get(url)).status, 'pending');
  now = moment;
  const { held, available } = await get(label);
  assert.deepEqual([held, available], [usd('5.00'), usd('95.00')]);
  const { status, remaining, closed } = await get(url);
  assert.deepEqual([status, remaining, closed], ['expired', usd('0.00'), expires]);
  assert.equal((await get(`${customer}/holds?status=expired`)).total, 1);
  assert.equal((await get(`${customer}/holds?status=pending`)).total, 1);
  const spent = await call('POST', '/label-reallocations', { body: reallocation(label, other, 'all') });
  assert.deepEqual((await get(spent.headers.location!)).amount, usd('95.00'));
  await assertSoundLedger(service.service.database);
  await service.sql`alter table hold drop constraint not_ended`;
  await waitUntil('the hold is ended', async () => (await service.topics(url)).includes('customer_hold_expired'));
  assertPlainRefusal(await call('POST', `${url}/captures`), 'holdNotPending');
  assert.deepEqual(await get(label).then(({ amount, held }) => [amount, held]), [usd('5.00'), usd('5.00')]);
  await assertSoundLedger(service.service.database);
});

test('the clock of the sandbox ends holds', async () => {
  const { newHold, advance, topics, amounts, get } = await openHolds(shared);
  const url = await newHold('60', { expires: new Date(Date.now() + 600_000).toISOString() });
  await advance(601);
  assert.deepEqual(await amounts(), ['100.00', undefined, undefined]);
  assert.equal((await get(url)).status, 'expired');
  assert.deepEqual(await topics(url), ['customer_hold_created', 'customer_hold_expired']);
});

test('a suspended customer releases holds and captures none', async () => {
  const { newHold, newHoldOfAvailable, capture, release, call, customer, hold, amounts } = await openHolds(shared);
  const url = await newHold('60');
  const available = await newHoldOfAvailable('10');
  await call('POST', customer, { body: { status: 'suspended' } });
  assertPlainRefusal(await capture(url), 'customerNotVerified');
  assertPlainRefusal(await hold({ amount: usd('1') }), 'customerNotVerified');
  assert.deepEqual(await amounts(), ['100.00', '60.00', '40.00'], 'a refused capture changes nothing');
  assert.equal((await release(url)).status, 200);
  assert.equal((await release(available)).status, 200);
});

test('a reversal takes what is available, and a label with held money is not removed', async () => {
  const { newHold, call, label, other, create } = await openHolds(shared);
  const moved = await create('/label-reallocations', reallocation(label, other, '50'));
  const body = { _links: { from: { href: other } }, amount: usd('30') };
  await create(`${(await call('GET', other)).body._links.customer.href}/holds`, body);
  const refused = await call('POST', `${moved}/reversals`);
  assertRefused(refused, { ...BAD, fault: 'InsufficientFunds' });
  assert.match(refused.body._embedded.errors[0].message, /20\.00 USD available, 30\.00 USD held/);
  assert.equal((await call('POST', `${moved}/reversals`, { body: { amount: usd('20') } })).status, 201);
  await newHold('70');
  assertPlainRefusal(await call('DELETE', label), 'labelNotEmpty');
});

test('refuses faulty holds and captures with their pointers', async () => {
  const { hold, capture, newHold, label, other, to, customer, tokenOf, newClient, client } = await openHolds(shared);
  const stranger = await openHolds(shared);
  const from = (href: string) => ({ _links: { from: { href } } });
  const days = (count: number) => new Date(Date.now() + count * DAY_SECONDS * 1000).toISOString();
  for (const [body, fault, path] of [
    [{ amount: usd('0') }, 'Invalid', '/amount/value'],
    [{ amount: usd('1.001') }, 'InvalidFormat', '/amount/value'],
    [{ amount: usd('1'), expires: days(-1) }, 'Invalid', '/expires'],
    [{ amount: usd('1'), expires: days(401) }, 'Invalid', '/expires'],
    [{ amount: { value: '1', currency: 'EUR' } }, 'InsufficientFunds', '/amount/value'],
    [{ ...from(label), amount: { value: '1', currency: 'EUR' } }, 'Invalid', '/amount/currency'],
  ] as const)
    assertRefused(await hold(body), { ...BAD, fault, path });
  const past = await hold({ amount: usd('1'), expires: days(-1) });
  assertRefused(past, { ...BAD, message: 'Expires must be in the future.' });
  assertRefused(await hold({ ...from(customer), amount: usd('1') }), { status: 400, code: 'BadRequest' });
  assertPlainRefusal(await hold({ ...from(stranger.label), amount: usd('1') }), 'forbidden');
  assertPlainRefusal(await hold({ ...from(label.replace(/.{12}$/, '0'.repeat(12))), amount: usd('1') }), 'labelNotFound');
  const url = await newHold('60', { externalId: 'once' });
  const taken = await hold({ amount: usd('1'), externalId: 'once' });
  assertRefused(taken, { status: 409, code: 'Conflict' });
  assert.equal(taken.body._links.about.href, url);
  for (const [body, fault, path] of [
    [{ amount: usd('0') }, 'Invalid', '/amount/value'],
    [{ amount: { value: '1', currency: 'EUR' } }, 'Invalid', '/amount/currency'],
    [to(label), 'Invalid', '/_links/to/href'],
  ] as const)
    assertRefused(await capture(url, body), { ...BAD, fault, path });
  assertPlainRefusal(await stranger.capture(url), 'forbidden');
  const writer = await newClient(['read', 'write'], client.account_id);
  const token = await tokenOf(writer);
  assertPlainRefusal(await capture(url, {}, { token }), 'forbidden');
  assert.equal((await capture(url, { ...to(other), amount: usd('1') }, { token })).status, 201);
});

test('concurrent holds, captures, releases and reallocations never spend held money twice', async () => {
  const { hold, capture, release, call, label, other, get, to, verified } = await openHolds(shared);
  const body = { _links: { from: { href: label } }, amount: usd('10') };
  const made = await Promise.all(Array.from({ length: 15 }, () => hold(body)));
  const holds = made.flatMap(({ status, headers }) => (status === 201 ? [headers.location!] : []));
  assert.equal(holds.length, 10, 'ten holds of 10.00 fit into 100.00');
  const answers = await Promise.all(
    holds.flatMap((url, index) => [
      index % 2 ? release(url) : capture(url, { ...to(other), amount: { value: 'all', currency: 'USD' } }),
      capture(url, to(other)),
      call('POST', '/label-reallocations', { body: reallocation(label, other, '10') }),
    ]),
  );
  assert.ok(answers.every(({ status }) => [200, 201, 400, 403].includes(status)));
  const [left, moved] = await Promise.all([get(label), get(other)]);
  assert.equal(Number(left.amount.value) + Number(moved.amount.value), 100);
  assert.equal(left.held, undefined);
  await verified();
});

test('the ledger check finds what is held without a hold, captured without a transfer, and held beyond the balance', async () => {
  const { newHold, capture, label, service, verified } = await openHolds(shared);
  const url = await newHold('60');
  await capture(url, { amount: usd('10') });
  await verified();
  const otherTime = new Date(Date.now() + DAY_SECONDS * 1000);
  await assertFindsDamage(service.database, 'holds', [
    (tx) => tx`update ledger_account set held = held - 1 where id = ${idOf(label)}`,
    (tx) => tx`update ledger_account set held_until = ${otherTime} where id = ${idOf(label)}`,
    (tx) => tx`update hold set captured = captured + 1 where id = ${idOf(url)}`,
    (tx) => tx`update transfer set hold_id = null where hold_id = ${idOf(url)}`,
    async (tx) => {
      await tx`update hold set amount = amount + 10000 where id = ${idOf(url)}`;
      await tx`update ledger_account set held = held + 10000 where id = ${idOf(label)}`;
    },
  ]);
});
