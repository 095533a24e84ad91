// Simulated operations on labels: creation, change, removal, and their list.
import assert from 'node:assert/strict';
import { assertRefused, type Body } from '../support/http.ts';
import {
  type Account,
  amountOf,
  balanceOf,
  type Customer,
  enter,
  heldOf,
  insufficient,
  type Label,
  live,
  MISSING,
  NOT_VERIFIED,
  spendable,
  TOO_MANY,
} from './model.ts';
import { someCurrency, somePairs } from './texts.ts';
import type { World } from './world.ts';

const NAMES = ['Tax', 'Rent', 'Payroll'];
/** A label has at most this many names. */
const NAMES_MAX = 100;

export async function createLabel(world: World, account: Account, customer: Customer): Promise<void> {
  const currency = someCurrency(world);
  const available = spendable(customer, currency);
  const amount = world.random.chance(0.3) ? 0 : world.random.int(1, Math.max(10, Math.round(available * 0.6)));
  const name = world.random.pick([undefined, ...NAMES]);
  const metadata = world.random.chance(0.3) ? somePairs(world.random) : undefined;
  const refused =
    customer.status !== 'verified' ? NOT_VERIFIED : amount > available ? insufficient(customer, currency) : undefined;
  const body = { amount: amountOf(amount, currency), ...(name && { name }), ...(metadata && { metadata }) };
  const url = await world.create(account, `${customer.url}/labels`, body, refused);
  if (refused) return;
  const label = {
    url,
    name,
    currency,
    metadata,
    removed: false,
    entries: [],
    renames: 0,
    monitors: [],
    crossings: customer.crossings,
  };
  customer.labels.push(label);
  account.events.push({ topic: 'customer_label_created', resource: url });
  if (amount === 0) return;
  enter(label, amount, undefined);
  customer.available.set(currency, customer.available.get(currency)! - amount);
  account.events.push({ topic: 'customer_label_ledger_entry_created', resource: undefined });
}

/** Renames a label, or replaces its metadata. */
export async function changeLabel(world: World, account: Account, label: Label): Promise<void> {
  const { random } = world;
  const name = random.chance(0.7) ? random.pick(NAMES) : undefined;
  const metadata = name === undefined || random.chance(0.3) ? somePairs(random) : undefined;
  const renames = name !== undefined && name !== label.name;
  const body = { ...(name && { name }), ...(metadata && { metadata }) };
  const { answer } = await world.ask(account, 'POST', label.url, { body });
  if (label.removed) return assertRefused(answer, MISSING);
  if (renames && label.renames + 1 >= NAMES_MAX) return assertRefused(answer, TOO_MANY);
  assert.equal(answer.status, 200, answer.text);
  Object.assign(label, body);
  if (renames) label.renames += 1;
  assert.deepEqual([answer.body.name, answer.body.metadata], [label.name, label.metadata]);
  account.events.push({ topic: 'customer_label_updated', resource: label.url });
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
  const found = body._embedded.labels.map((one: Body) => [
    one._links.self.href,
    one.amount,
    one.held,
    one.available,
    one.name,
    'remove' in one._links,
  ]);
  assert.deepEqual(
    found,
    wanted.slice(offset, offset + limit).map((label) => {
      const [balance, held] = [balanceOf(label), heldOf(customer, label)];
      const [heldAmount, available] = [held, balance - held].map((part) =>
        held > 0 ? amountOf(part, label.currency) : undefined,
      );
      return [label.url, amountOf(balance, label.currency), heldAmount, available, label.name, balance === 0];
    }),
  );
}
