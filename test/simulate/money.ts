// Simulated operations on money: deposits, withdrawals, labels, ledger entries, reallocations, and concurrent reallocations.
import assert from 'node:assert/strict';
import { reallocation } from '../support/data.ts';
import type { Body } from '../support/http.ts';
import { allocate } from './allocations.ts';
import {
  type Account,
  addAvailable,
  amountOf,
  balanceOf,
  type Customer,
  enter,
  FORBIDDEN,
  heldOf,
  insufficient,
  LABEL_GONE,
  type Label,
  live,
  NOT_VERIFIED,
  owedOf,
  spendable,
  takenIn,
} from './model.ts';
import { repay } from './returns.ts';
import { someCurrency, someTexts } from './texts.ts';
import type { World } from './world.ts';

const MOST = { deposit: 100_000, move: 20_000 };
const ALL_SHARE = 0.15;
const WOULD_BE_NEGATIVE = { status: 400, code: 'ValidationError', message: 'Amount can not cause label balance to be negative.' };

export async function deposit(world: World, account: Account, customer: Customer): Promise<void> {
  const currency = someCurrency(world);
  const amount = world.random.int(1, MOST.deposit);
  const available = customer.available.get(currency);
  const mayOpen = customer.status === 'verified' || customer.statusBefore === 'verified';
  const texts = someTexts(world);
  const refused = available === undefined && !mayOpen ? NOT_VERIFIED : takenIn(customer.deposits, texts);
  const body = { amount: amountOf(amount, currency), ...texts };
  const url = await world.create(account, `${customer.url}/deposits`, body, refused);
  if (available === undefined && mayOpen) customer.available.set(currency, 0);
  if (refused) return;
  addAvailable(customer, currency, amount);
  account.events.push({ topic: 'customer_deposit_created', resource: url });
  const stored = await world.get(account, url);
  assert.deepEqual([stored.amount, stored.returned], [body.amount, amountOf(0, currency)]);
  const left = repay(account, customer, stored, amount);
  const allocated = allocate(account, customer, stored, { whole: amount, left });
  customer.deposits.push({ url, amount, currency, from: undefined, allocated, returned: 0, ...texts });
}

/** From the available balance or a label: an amount, or everything that is available there. */
export async function withdraw(world: World, account: Account, customer: Customer): Promise<void> {
  const { random } = world;
  const from = customer.labels.length > 0 && random.chance(0.5) ? random.pick(customer.labels) : undefined;
  const currency = from?.currency ?? someCurrency(world);
  const source = from ?? currency;
  const most = spendable(customer, source);
  const wanted = random.chance(ALL_SHARE) ? undefined : random.int(1, Math.max(10, Math.round(most * 1.1)));
  const amount = wanted ?? most;
  const texts = someTexts(world);
  const refused =
    !customer.available.has(currency) && customer.status === 'verified'
      ? insufficient(customer, currency)
      : customer.available.has(currency) && from?.removed
        ? LABEL_GONE
        : customer.status !== 'verified'
          ? NOT_VERIFIED
          : amount === 0 || amount > most
            ? insufficient(customer, source)
            : takenIn(customer.withdrawals, texts);
  const value = wanted === undefined ? { value: 'all', currency } : amountOf(amount, currency);
  const body = { amount: value, ...(from && { _links: { from: { href: from.url } } }), ...texts };
  const url = await world.create(account, `${customer.url}/withdrawals`, body, refused);
  if (refused) return;
  if (from) enter(from, -amount, undefined);
  else customer.available.set(currency, most + heldOf(customer, currency) - amount);
  customer.withdrawals.push({ url, amount, currency, from, allocated: [], returned: 0, ...texts });
  account.events.push({ topic: 'customer_withdrawal_created', resource: url });
  assert.deepEqual((await world.get(account, url)).amount, amountOf(amount, currency));
}

export async function readBalance(world: World, account: Account, customer: Customer): Promise<void> {
  const { balances } = await world.get(account, `${customer.url}/balance`);
  const labels = Map.groupBy(customer.labels, ({ currency }) => currency);
  const currencies = [...new Set([...customer.available.keys(), ...labels.keys()])].sort();
  const wanted = currencies.map((currency) => {
    const labelled = (labels.get(currency) ?? []).reduce((sum, label) => sum + balanceOf(label), 0);
    const [available, held] = [customer.available.get(currency) ?? 0, heldOf(customer, currency)];
    return {
      currency,
      total: amountOf(available + labelled, currency),
      available: amountOf(available - held, currency),
      ...(held > 0 && { held: amountOf(held, currency) }),
      labelled: amountOf(labelled, currency),
      ...(owedOf(customer, currency) > 0 && { owed: amountOf(owedOf(customer, currency), currency) }),
    };
  });
  assert.deepEqual(balances, wanted);
}

/** Moves money between available and a label. */
export async function enterLedger(world: World, account: Account, customer: Customer, label: Label): Promise<void> {
  const { currency } = label;
  const adds = world.random.chance(0.5);
  const source = adds ? currency : label;
  const most = spendable(customer, source);
  const amount = world.random.int(1, Math.max(10, Math.round(most * 1.1)));
  const reference = world.random.pick([undefined, 'rent', 'tax']);
  const isShown = heldOf(customer, label) > 0 || owedOf(customer, currency) > 0;
  const tooMuch = adds || isShown ? insufficient(customer, source) : WOULD_BE_NEGATIVE;
  const refused = label.removed
    ? LABEL_GONE
    : customer.status !== 'verified'
      ? NOT_VERIFIED
      : amount > most
        ? tooMuch
        : undefined;
  const signed = adds ? amount : -amount;
  const body = { amount: amountOf(signed, currency), ...(reference && { reference }) };
  const url = await world.create(account, `${label.url}/ledger-entries`, body, refused);
  if (refused) return;
  enter(label, signed, reference, url);
  customer.available.set(currency, customer.available.get(currency)! - signed);
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
  const { random } = world;
  const [from, to] = [random.pick(customer.labels), random.pick(customer.labels)];
  const most = spendable(customer, from);
  const wanted = random.chance(ALL_SHARE) ? undefined : random.int(1, Math.max(10, Math.min(MOST.move, Math.round(most * 1.1))));
  const amount = wanted ?? most;
  const reference = `move-${customer.moves.length}`;
  const texts = someTexts(world);
  const value = wanted === undefined ? 'all' : amountOf(amount, from.currency).value;
  const body = { ...reallocation(from.url, to.url, value, from.currency), reference, ...texts };
  const refused = refusalOf(customer, from, to, amount) ?? takenIn(customer.moves, texts);
  const url = await world.create(account, '/label-reallocations', body, refused);
  if (refused) return;
  enter(from, -amount, reference);
  enter(to, amount, reference);
  customer.moves.push({ url, from, to, amount, currency: from.currency, reference, reversed: 0, ...texts });
  account.events.push({ topic: 'customer_label_reallocation_created', resource: url });
  const { _links, amount: answered } = await world.get(account, url);
  assert.deepEqual([_links.from.href, _links.to.href, answered], [from.url, to.url, amountOf(amount, from.currency)]);
}

function refusalOf(customer: Customer, from: Label, to: Label, amount: number) {
  if (from.removed || to.removed) return LABEL_GONE;
  if (from === to) return { status: 400, code: 'ValidationError', fault: 'Invalid', path: '/_links/to/href' };
  const notAllowed = { status: 400, code: 'ValidationError', fault: 'NotAllowed', path: '/_links/from/href' };
  if (customer.status !== 'verified') return notAllowed;
  if (from.currency !== to.currency) return { status: 400, code: 'ValidationError', fault: 'Invalid', path: '/amount/currency' };
  return amount === 0 || amount > spendable(customer, from) ? insufficient(customer, from) : undefined;
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
