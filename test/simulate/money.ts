// Simulated operations on money: deposits, withdrawals, labels, ledger entries, reallocations, and concurrent reallocations.
import assert from 'node:assert/strict';
import { reallocation } from '../support/data.ts';
import { assertRefused, type Body } from '../support/http.ts';
import { allocate } from './allocations.ts';
import {
  type Account,
  amountOf,
  balanceOf,
  CURRENCIES,
  type Currency,
  type Customer,
  enter,
  FORBIDDEN,
  insufficient,
  type Label,
  MISSING,
  NOT_VERIFIED,
} from './model.ts';
import type { World } from './world.ts';

const MOST = { deposit: 100_000, move: 20_000 };
const WOULD_BE_NEGATIVE = { status: 400, code: 'ValidationError', message: 'Amount can not cause label balance to be negative.' };

export const live = ({ labels }: Customer) => labels.filter((label) => !label.removed);

const someCurrency = ({ random }: World) => (random.chance(0.7) ? 'USD' : random.pick(Object.keys(CURRENCIES))) as Currency;

export async function deposit(world: World, account: Account, customer: Customer): Promise<void> {
  const currency = someCurrency(world);
  const amount = world.random.int(1, MOST.deposit);
  const available = customer.available.get(currency);
  const mayOpen = customer.status === 'verified' || customer.statusBefore === 'verified';
  const refused = available === undefined && !mayOpen ? NOT_VERIFIED : undefined;
  const body = { amount: amountOf(amount, currency) };
  const url = await world.create(account, `${customer.url}/deposits`, body, refused);
  if (refused) return;
  customer.available.set(currency, (available ?? 0) + amount);
  account.events.push({ topic: 'customer_deposit_created', resource: url });
  const stored = await world.get(account, url);
  assert.deepEqual(stored.amount, body.amount);
  allocate(account, customer, stored, amount);
}

export async function withdraw(world: World, account: Account, customer: Customer): Promise<void> {
  const currency = someCurrency(world);
  const available = customer.available.get(currency);
  const amount = world.random.int(1, Math.max(10, Math.round((available ?? 0) * 1.1)));
  const body = { amount: amountOf(amount, currency) };
  const refused =
    customer.status !== 'verified'
      ? NOT_VERIFIED
      : amount > (available ?? 0)
        ? insufficient(available ?? 0, currency)
        : undefined;
  const url = await world.create(account, `${customer.url}/withdrawals`, body, refused);
  if (refused) return;
  customer.available.set(currency, available! - amount);
  account.events.push({ topic: 'customer_withdrawal_created', resource: url });
}

export async function readBalance(world: World, account: Account, customer: Customer): Promise<void> {
  const { balances } = await world.get(account, `${customer.url}/balance`);
  const labels = Map.groupBy(customer.labels, ({ currency }) => currency);
  const currencies = [...new Set([...customer.available.keys(), ...labels.keys()])].sort();
  const wanted = currencies.map((currency) => {
    const labelled = (labels.get(currency) ?? []).reduce((sum, label) => sum + balanceOf(label), 0);
    const available = customer.available.get(currency) ?? 0;
    return {
      currency,
      total: amountOf(available + labelled, currency),
      available: amountOf(available, currency),
      labelled: amountOf(labelled, currency),
    };
  });
  assert.deepEqual(balances, wanted);
}

export async function createLabel(world: World, account: Account, customer: Customer): Promise<void> {
  const currency = someCurrency(world);
  const available = customer.available.get(currency);
  const amount = world.random.chance(0.3) ? 0 : world.random.int(1, Math.max(10, Math.round((available ?? 0) * 0.6)));
  const name = world.random.pick([undefined, 'Tax', 'Rent']);
  const refused =
    customer.status !== 'verified'
      ? NOT_VERIFIED
      : amount > (available ?? 0)
        ? insufficient(available ?? 0, currency)
        : undefined;
  const body = { amount: amountOf(amount, currency), ...(name && { name }) };
  const url = await world.create(account, `${customer.url}/labels`, body, refused);
  if (refused) return;
  const label: Label = { url, name, currency, removed: false, entries: [] };
  customer.labels.push(label);
  account.events.push({ topic: 'customer_label_created', resource: url });
  if (amount === 0) return;
  enter(label, amount, undefined);
  customer.available.set(currency, available! - amount);
  account.events.push({ topic: 'customer_label_ledger_entry_created', resource: undefined });
}

export async function removeLabel(world: World, account: Account, label: Label): Promise<void> {
  const { answer, retried } = await world.ask(account, 'DELETE', label.url);
  if (balanceOf(label) !== 0) {
    assertRefused(answer, { status: 403, code: 'InvalidResourceState', message: 'Amount must be zero to remove label.' });
    return;
  }
  // A DELETE has no key: repeated after it was cut off, it answers 404.
  if (retried && answer.status === 404) assertRefused(answer, MISSING);
  else assert.deepEqual([answer.status, answer.body.amount], [200, amountOf(0, label.currency)], answer.text);
  label.removed = true;
  account.events.push({ topic: 'customer_label_removed', resource: label.url });
  assertRefused((await world.ask(account, 'GET', label.url)).answer, MISSING);
}

export async function listLabels(world: World, account: Account, customer: Customer): Promise<void> {
  const [limit, offset] = [world.random.int(1, 6), world.random.int(0, 4)];
  const body = await world.get(account, `${customer.url}/labels?limit=${limit}&offset=${offset}`);
  const wanted = live(customer).reverse();
  assert.equal(body.total, wanted.length);
  const found = body._embedded.labels.map((one: Body) => [one._links.self.href, one.amount, one.name, 'remove' in one._links]);
  assert.deepEqual(
    found,
    wanted
      .slice(offset, offset + limit)
      .map((label) => [label.url, amountOf(balanceOf(label), label.currency), label.name, balanceOf(label) === 0]),
  );
}

/** Moves money between available and a label. */
export async function enterLedger(world: World, account: Account, customer: Customer, label: Label): Promise<void> {
  const available = customer.available.get(label.currency);
  const adds = world.random.chance(0.5);
  const most = Math.max(10, Math.round((adds ? (available ?? 0) : balanceOf(label)) * 1.1));
  const amount = world.random.int(1, most) * (adds ? 1 : -1);
  const reference = world.random.pick([undefined, 'rent', 'tax']);
  const fits = adds ? amount <= (available ?? 0) : -amount <= balanceOf(label);
  const tooMuch = adds ? insufficient(available ?? 0, label.currency) : WOULD_BE_NEGATIVE;
  const refused = label.removed
    ? { ...MISSING, message: 'Label not found' }
    : available !== undefined && customer.status !== 'verified'
      ? NOT_VERIFIED
      : fits
        ? undefined
        : tooMuch;
  const body = { amount: amountOf(amount, label.currency), ...(reference && { reference }) };
  const url = await world.create(account, `${label.url}/ledger-entries`, body, refused);
  if (refused) return;
  enter(label, amount, reference, url);
  customer.available.set(label.currency, available! - amount);
  account.events.push({ topic: 'customer_label_ledger_entry_created', resource: url });
  assertEntry(await world.get(account, url), label, label.entries.length - 1);
}

export async function listEntries(world: World, account: Account, label: Label): Promise<void> {
  const [limit, offset] = [world.random.int(1, 10), world.random.int(0, 5)];
  const body = await world.get(account, `${label.url}/ledger-entries?limit=${limit}&offset=${offset}`);
  assert.equal(body.total, label.entries.length);
  const newest = label.entries.length - 1 - offset;
  const found = body._embedded['ledger-entries'];
  assert.equal(found.length, Math.max(0, Math.min(limit, newest + 1)));
  found.forEach((entry: Body, index: number) => {
    assertEntry(entry, label, newest - index);
  });
}

export function assertEntry(found: Body, label: Label, index: number): void {
  const { amount, balance, reference, url } = label.entries[index]!;
  assert.deepEqual(
    [found.amount, found.balance, found.sequence, found.reference, found._links.label.href],
    [amountOf(amount, label.currency), amountOf(balance, label.currency), index + 1, reference, label.url],
  );
  if (url !== undefined) assert.equal(found._links.self.href, url);
}

/** A reallocation, mostly valid, else with any possible fault. */
export async function move(world: World, account: Account, customer: Customer): Promise<void> {
  const from = world.random.pick(customer.labels);
  const to = world.random.pick(customer.labels);
  const amount = world.random.int(1, Math.max(10, Math.min(MOST.move, Math.round(balanceOf(from) * 1.1))));
  const reference = `move-${customer.moves.length}`;
  const body = { ...reallocation(from.url, to.url, amountOf(amount, from.currency).value, from.currency), reference };
  const refused = refusalOf(customer, from, to, amount);
  const url = await world.create(account, '/label-reallocations', body, refused);
  if (refused) return;
  enter(from, -amount, reference);
  enter(to, amount, reference);
  customer.moves.push({ url, from, to, amount, currency: from.currency, reference, reversed: 0 });
  account.events.push({ topic: 'customer_label_reallocation_created', resource: url });
  const { _links, amount: answered } = await world.get(account, url);
  assert.deepEqual([_links.from.href, _links.to.href, answered], [from.url, to.url, amountOf(amount, from.currency)]);
}

function refusalOf(customer: Customer, from: Label, to: Label, amount: number) {
  if (from.removed || to.removed) return { ...MISSING, message: 'Label not found' };
  if (from === to) return { status: 400, code: 'ValidationError', fault: 'Invalid', path: '/_links/to/href' };
  const notAllowed = { status: 400, code: 'ValidationError', fault: 'NotAllowed', path: '/_links/from/href' };
  if (customer.status !== 'verified') return notAllowed;
  if (from.currency !== to.currency) return { status: 400, code: 'ValidationError', fault: 'Invalid', path: '/amount/currency' };
  return amount > balanceOf(from) ? insufficient(balanceOf(from), from.currency) : undefined;
}

/** Another account's labels: refused, and nothing moves. */
export async function steal(world: World, account: Account, customer: Customer): Promise<void> {
  const [from, to] = [world.random.pick(live(customer)), world.random.pick(live(customer))];
  const other = world.random.pick(world.accounts.filter((one) => one !== account));
  const body = reallocation(from.url, to.url, amountOf(1, from.currency).value, from.currency);
  await world.create(other, '/label-reallocations', body, {
    ...FORBIDDEN,
    message: 'Not authorized to create label reallocation',
  });
}

export async function listMoves(world: World, account: Account, customer: Customer): Promise<void> {
  const limit = world.random.int(1, 10);
  const body = await world.get(account, `${customer.url}/label-reallocations?limit=${limit}`);
  assert.equal(body.total, customer.moves.length);
  const found = body._embedded['label-reallocations'].map((one: Body) => [
    one._links.from.href,
    one._links.to.href,
    one.amount,
    one.reference,
  ]);
  const wanted = customer.moves
    .toReversed()
    .slice(0, limit)
    .map(({ from, to, amount, currency, reference }) => [from.url, to.url, amountOf(amount, currency), reference]);
  // Concurrent ones are listed in the order of their ids, which is not that of their commits.
  assert.deepEqual(found.length, wanted.length);
  if (customer.moves.every(({ reference }) => reference.startsWith('move-'))) assert.deepEqual(found, wanted);
}
