// Tests of reversals: amounts, links, refusals, and many callers at once.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertRefused, type Body, link } from '../../../test/support/http.ts';
import { openMoves } from '../../../test/support/label-reallocations.ts';
import { startService } from '../../../test/support/service.ts';

const CALLERS = 100;

// Shared by all tests of the file; each has its own account.
const shared = await startService({ after });

const usd = (value: string) => ({ value, currency: 'USD' });
const TOO_MUCH = { status: 400, code: 'ValidationError', fault: 'Invalid', path: '/amount/value' };
const REVERSED = { status: 403, code: 'InvalidResourceState' };

/** A reallocation of 10.00, and a function that reverses a part of it, or what is left. */
async function openReversals() {
  const account = await openMoves(shared);
  const made = (await account.move('10.00')).headers.location!;
  const reverse = (value?: string, options: object = {}) =>
    account.call('POST', `${made}/reversals`, { ...(value !== undefined && { body: { amount: usd(value) } }), ...options });
  return { ...account, made, reverse };
}

test('reverses in parts, and without a body what is left', async () => {
  const { call, made, reverse, from, to } = await openReversals();
  const original = (await call('GET', made)).body;
  assert.deepEqual(original.reversed, usd('0.00'));
  assert.deepEqual(original._links.reverse, link(`${made}/reversals`, 'label-reallocation'));
  const part = await call('POST', `${made}/reversals`, { body: { amount: usd('4'), reference: 'half' } });
  assert.equal(part.status, 201, part.text);
  const { body } = await call('GET', part.headers.location!);
  assert.deepEqual(
    [body.amount, body.reference, body._links.from.href, body._links.to.href, body._links.reverses.href],
    [usd('4.00'), 'half', to, from, made],
  );
  assert.equal('reversed' in body || 'reverse' in body._links || 'reversals' in body._links, false);
  assert.deepEqual((await call('GET', made)).body.reversed, usd('4.00'));
  assertRefused(await reverse('6.01'), { ...TOO_MUCH, message: 'Amount exceeds the unreversed remainder of 6.00 USD.' });
  const rest = await reverse();
  assert.deepEqual((await call('GET', rest.headers.location!)).body.amount, usd('6.00'));
  const after = (await call('GET', made)).body;
  assert.deepEqual([after.reversed, 'reverse' in after._links], [usd('10.00'), false]);
  assert.deepEqual((await call('GET', from)).body.amount, usd('100.00'));
  const list = (await call('GET', after._links.reversals.href)).body;
  assert.deepEqual(
    [list.total, list._embedded['label-reallocations'].map((one: Body) => one._links.self.href)],
    [2, [rest.headers.location, part.headers.location]],
  );
  assert.equal((await call('GET', `${made}/reversals?limit=1&offset=1`)).body._embedded['label-reallocations'].length, 1);
});

test('refuses what cannot be reversed, and writes nothing', async () => {
  const { call, customer, reverse, to, nowhere, newClient, client, newLabel, move, snapshot } = await openReversals();
  const reader = (await newClient(['read'], client.account_id)).token;
  const stranger = (await newClient()).token;
  const other = (await move('3.00')).headers.location!;
  const whole = (await reverse()).headers.location!;
  const before = await snapshot();
  assertRefused(await reverse(), { ...REVERSED, message: 'Label reallocation is reversed already, or is a reversal.' });
  assertRefused(await reverse('1.00'), REVERSED);
  assertRefused(await call('POST', `${whole}/reversals`), REVERSED);
  assertRefused(await call('POST', `${nowhere('label-reallocation')}/reversals`), { status: 404, code: 'NotFound' });
  for (const token of [reader, stranger])
    assertRefused(await call('POST', `${other}/reversals`, { token }), { status: 403, code: 'Forbidden' });
  const send = (body: unknown) => call('POST', `${other}/reversals`, { body });
  assertRefused(await send({ amount: usd('0') }), TOO_MUCH);
  assertRefused(await send({ amount: usd('all') }), { ...TOO_MUCH, fault: 'InvalidFormat' });
  assertRefused(await send({ amount: { value: '1', currency: 'EUR' } }), { ...TOO_MUCH, path: '/amount/currency' });
  assertRefused(await send({ amount: '1' }), { status: 400, code: 'BadRequest' });
  assertRefused(await send({ reference: 'a\nb' }), { status: 400, code: 'ValidationError', path: '/reference' });
  assert.deepEqual(await snapshot(), before);
  // The money has moved on.
  const third = await newLabel(customer, '0');
  await call('POST', '/label-reallocations', { body: { _links: { from: { href: to }, to: { href: third } }, amount: usd('3') } });
  const short = { status: 400, code: 'ValidationError', fault: 'InsufficientFunds', path: '/amount/value' };
  assertRefused(await call('POST', `${other}/reversals`), short);
  assert.equal((await call('DELETE', to)).status, 200);
  assertRefused(await call('POST', `${other}/reversals`), { status: 404, code: 'NotFound', message: 'Label not found' });
});

test('a customer who is not verified cannot reverse, and a repeated key is replayed', async () => {
  const { call, customer, made, reverse } = await openReversals();
  const first = await reverse('1.00', { key: 'one' });
  assert.equal((await call('POST', customer, { body: { status: 'suspended' } })).status, 200);
  assertRefused(await reverse('1.00'), { ...REVERSED, message: 'Customer must be verified.' });
  const again = await reverse('1.00', { key: 'one' });
  assert.deepEqual(
    [again.status, again.headers.location, again.headers['idempotent-replayed']],
    [201, first.headers.location, 'true'],
  );
  assert.deepEqual((await call('GET', made)).body.reversed, usd('1.00'));
});

test('a hundred callers at once never reverse more than the original', async () => {
  const { call, made, reverse, from } = await openReversals();
  const answers = await Promise.all(Array.from({ length: CALLERS }, (_, n) => reverse(n % 4 === 0 ? undefined : '0.30')));
  const total = (await call('GET', `${made}/reversals?limit=200`)).body;
  const cents = total._embedded['label-reallocations'].map((one: Body) => Math.round(Number(one.amount.value) * 100));
  assert.equal(
    cents.reduce((sum: number, one: number) => sum + one, 0),
    1000,
    'everything is reversed, once',
  );
  assert.equal(answers.filter(({ status }) => status === 201).length, total.total);
  for (const answer of answers)
    if (answer.status !== 201) assert.ok([400, 403].includes(answer.status), `${answer.status} ${answer.text}`);
  assert.deepEqual((await call('GET', from)).body.amount, usd('100.00'));
});

test('the mode available reverses what is still there without what is held, and says how much', async () => {
  const { call, made, customer, newLabel, to, from } = await openReversals();
  const reverseIn = (mode: string, body: object = {}, options: object = {}) =>
    call('POST', `${made}/reversals`, { body: { mode, ...body }, ...options });
  const third = await newLabel(customer, '0');
  const spend = (value: string) =>
    call('POST', '/label-reallocations', { body: { _links: { from: { href: to }, to: { href: third } }, amount: usd(value) } });
  await spend('4');
  await call('POST', `${customer}/holds`, { body: { _links: { from: { href: to } }, amount: usd('2.50') } });
  const short = { status: 400, code: 'ValidationError', fault: 'InsufficientFunds', path: '/amount/value' };
  assertRefused(await reverseIn('exact'), { ...short, message: 'Insufficient funds: 3.50 USD available, 2.50 USD held.' });
  const part = await reverseIn('available', { amount: usd('1') }, { key: 'part' });
  assert.deepEqual([part.status, part.body.amount], [201, usd('1.00')], 'at most the amount of the request');
  const rest = await reverseIn('available', { amount: usd('9') }, { key: 'rest' });
  assert.deepEqual([rest.status, rest.body.amount, rest.body._links.reverses.href], [201, usd('2.50'), made]);
  assert.equal(rest.headers.location, rest.body._links.self.href);
  const again = await reverseIn('available', { amount: usd('9') }, { key: 'rest' });
  assert.deepEqual([again.body, again.headers['idempotent-replayed']], [rest.body, 'true']);
  assertRefused(await reverseIn('available'), { ...short, message: 'Insufficient funds: 0.00 USD available, 2.50 USD held.' });
  assertRefused(await reverseIn('available', { amount: usd('6.51') }), TOO_MUCH);
  assertRefused(await reverseIn('some'), { status: 400, code: 'ValidationError', path: '/mode' });
  assert.deepEqual((await call('GET', made)).body.reversed, usd('3.50'));
  assert.deepEqual((await call('GET', from)).body.amount, usd('93.50'));
  assert.deepEqual((await call('GET', to)).body.amount, usd('2.50'));
});

test('a hundred callers in the mode available reverse together what is there, while it is spent', async () => {
  const { call, made, customer, newLabel, to, from } = await openReversals();
  const third = await newLabel(customer, '0');
  const spend = () =>
    call('POST', '/label-reallocations', { body: { _links: { from: { href: to }, to: { href: third } }, amount: usd('0.10') } });
  const answers = await Promise.all(
    Array.from({ length: CALLERS }, (_, n) =>
      n % 2 === 0 ? spend() : call('POST', `${made}/reversals`, { body: { mode: 'available', amount: usd('0.30') } }),
    ),
  );
  const cents = (amount: { value: string }) => Math.round(Number(amount.value) * 100);
  const reversed = answers.filter(({ status }, n) => status === 201 && n % 2 === 1).map(({ body }) => cents(body.amount));
  const sum = reversed.reduce((total, one) => total + one, 0);
  assert.equal(cents((await call('GET', made)).body.reversed), sum);
  const balanceOf = async (label: string) => cents((await call('GET', label)).body.amount);
  assert.equal(await balanceOf(from), 9000 + sum);
  assert.equal((await balanceOf(to)) + (await balanceOf(third)), 1000 - sum);
});
