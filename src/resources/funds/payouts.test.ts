// Withdrawals from a label, and of everything that is available there.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { usd } from '../../../test/support/data.ts';
import { assertRefused, idOf, type Options } from '../../../test/support/http.ts';
import { openAccount, startService } from '../../../test/support/service.ts';
import { waitUntil } from '../../../test/support/wait.ts';

const AT_VALUE = { status: 400, code: 'ValidationError', path: '/amount/value' };
const AT_LABEL = { status: 400, code: 'ValidationError', fault: 'Invalid', path: '/_links/from/href' };

const shared = await startService({ after });

async function openPayouts() {
  const account = await openAccount(shared);
  const customer = await account.newCustomer();
  await account.create(`${customer}/deposits`, { amount: usd('100.00') });
  const label = await account.newLabel(customer, '60.00');
  const pay = (value: string, options: Options & { from?: string | undefined; body?: object } = {}) => {
    const { from, body, ...rest } = options;
    const links = from === undefined ? {} : { _links: { from: { href: from } } };
    return account.call('POST', `${customer}/withdrawals`, { ...rest, body: { amount: usd(value), ...links, ...body } });
  };
  const amountOf = async (url: string) => (await account.get(url)).amount.value;
  const available = async () => (await account.get(`${customer}/balance`)).balances[0].available.value;
  return { ...account, customer, label, pay, amountOf, available };
}

test('a withdrawal from a label is one transfer from the label out', async () => {
  const { customer, label, pay, get, amountOf, available, url } = await openPayouts();
  const made = await pay('25.00', { from: label, key: 'payout', body: { reference: 'rent' } });
  assert.deepEqual([made.status, made.text], [201, '']);
  const again = await pay('25.00', { from: label, key: 'payout', body: { reference: 'rent' } });
  assert.deepEqual([again.headers.location, again.headers['idempotent-replayed']], [made.headers.location, 'true']);
  const withdrawal = await get(made.headers.location!);
  assert.equal(withdrawal._links.from.href, label);
  assert.deepEqual([await amountOf(label), await available()], ['35.00', '40.00']);
  const { _embedded } = await get(`${customer}/transfers`);
  const { kind, from, to } = _embedded.transfers[0];
  assert.deepEqual({ kind, from, to }, { kind: 'withdrawal', from: idOf(label), to: undefined });
  const [entry] = (await get(`${label}/ledger-entries`))._embedded['ledger-entries'];
  assert.deepEqual([entry.amount.value, entry.balance.value, entry.reference], ['-25.00', '35.00', 'rent']);
  assert.equal((await get(entry._links.self.href)).id, entry.id);
  const balances = (await get(`${customer}/balance`)).balances[0];
  assert.deepEqual([balances.total.value, balances.labelled.value], ['75.00', '35.00']);
  await waitUntil('its event', async () => {
    const { _embedded } = await get(`${url}/events?resourceId=${withdrawal.id}`);
    return _embedded.events.length === 1 && _embedded.events[0].topic === 'customer_withdrawal_created';
  });
});

test('moves everything that is available with the value all, by withdrawals and by reallocations', async () => {
  const { customer, label, pay, newLabel, call, create, get, reallocation, amountOf, available } = await openPayouts();
  const other = await newLabel(customer);
  const moved = await create('/label-reallocations', reallocation(label, other, 'all'));
  assert.equal((await get(moved)).amount.value, '60.00');
  assert.deepEqual([await amountOf(label), await amountOf(other)], ['0.00', '60.00']);
  const refused = await call('POST', '/label-reallocations', { body: reallocation(label, other, 'all') });
  assertRefused(refused, { ...AT_VALUE, fault: 'InsufficientFunds', message: 'Insufficient funds: 0.00 USD available.' });
  assertRefused(await pay('all', { from: label }), { ...AT_VALUE, fault: 'InsufficientFunds' });
  const out = await pay('all', { from: other });
  assert.equal((await get(out.headers.location!)).amount.value, '60.00');
  const rest = await pay('all');
  assert.equal((await get(rest.headers.location!)).amount.value, '40.00');
  assert.deepEqual([await amountOf(other), await available()], ['0.00', '0.00']);
  assertRefused(await call('POST', `${customer}/deposits`, { body: { amount: usd('all') } }), {
    ...AT_VALUE,
    fault: 'InvalidFormat',
  });
});

test('refuses a label that is not of the customer, and more than it has', async () => {
  const { customer, label, pay, newCustomer, newLabel, newPlatform, call, amountOf, nowhere } = await openPayouts();
  const stranger = await (await newPlatform()).newLabels();
  assertRefused(await pay('1.00', { from: customer }), { status: 400, code: 'BadRequest' });
  assertRefused(await pay('1.00', { from: nowhere('label') }), { status: 404, code: 'NotFound', message: 'Label not found' });
  assertRefused(await pay('1.00', { from: stranger.from }), { status: 403, code: 'Forbidden' });
  assertRefused(await pay('1.00', { from: await newLabel(await newCustomer()) }), AT_LABEL);
  const euro = await newLabel(customer, '0', { currency: 'EUR' });
  assertRefused(await pay('1.00', { from: euro }), { status: 400, code: 'ValidationError', path: '/amount/currency' });
  assertRefused(await pay('60.01', { from: label }), {
    ...AT_VALUE,
    fault: 'InsufficientFunds',
    message: 'Insufficient funds: 60.00 USD available.',
  });
  const removed = await newLabel(customer);
  await call('DELETE', removed);
  assertRefused(await pay('1.00', { from: removed }), { status: 404, code: 'NotFound', message: 'Label not found' });
  await call('POST', customer, { body: { status: 'suspended' } });
  assertRefused(await pay('1.00', { from: label }), { status: 403, code: 'InvalidResourceState' });
  assert.equal(await amountOf(label), '60.00');
});
