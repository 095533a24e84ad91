// Simulated holds: creation, captures to labels and out, releases, and their list.
import assert from 'node:assert/strict';
import { assertRefused, type Body } from '../support/http.ts';
import {
  type Account,
  amountOf,
  type Customer,
  enter,
  type Hold,
  insufficient,
  LABEL_GONE,
  type Label,
  NOT_VERIFIED,
  spendable,
} from './model.ts';
import { someCurrency } from './texts.ts';
import type { World } from './world.ts';

const MINUTE_MS = 60_000;
/** Beyond the moments that are avoided (clock.ts). */
const LIFE_MINUTES = { least: 5, most: 60 };
const DEFAULT_LIFE_MS = 7 * 24 * 60 * MINUTE_MS;
const STATUSES = ['pending', 'captured', 'released', 'expired'] as const;
const NOT_PENDING = { status: 403, code: 'InvalidResourceState', message: 'The hold is captured, released or expired.' };
const OTHER_CURRENCY = { status: 400, code: 'ValidationError', fault: 'Invalid', path: '/amount/currency' };

const isPending = ({ status }: Hold) => status === 'pending';
const restOf = ({ amount, captured }: Hold) => amount - captured;

export async function createHold(world: World, account: Account, customer: Customer): Promise<void> {
  const { random } = world;
  const label = customer.labels.length > 0 && random.chance(0.7) ? random.pick(customer.labels) : undefined;
  const currency = label?.currency ?? someCurrency(world);
  const source = label ?? currency;
  const most = spendable(customer, source);
  const amount = random.int(1, Math.max(10, Math.round(most * random.pick([0.2, 0.5, 1.1]))));
  const now = Date.now() + account.aheadMs;
  const life = random.chance(0.8) ? random.int(LIFE_MINUTES.least, LIFE_MINUTES.most) * MINUTE_MS : undefined;
  const refused = label?.removed
    ? LABEL_GONE
    : customer.status !== 'verified'
      ? NOT_VERIFIED
      : amount > most
        ? insufficient(customer, source)
        : undefined;
  const body = {
    amount: amountOf(amount, currency),
    ...(label && { _links: { from: { href: label.url } } }),
    ...(life !== undefined && { expires: new Date(now + life).toISOString() }),
  };
  const url = await world.create(account, `${customer.url}/holds`, body, refused);
  if (refused) return;
  const expires = now + (life ?? DEFAULT_LIFE_MS);
  customer.holds.push({ url, label, currency, amount, captured: 0, status: 'pending', expires });
  account.events.push({ topic: 'customer_hold_created', resource: url });
  assertHold(await world.get(account, url), customer.holds.at(-1)!);
}

/** Captures a part of a hold or all, to a label or out, and sometimes releases the rest. */
export async function captureHold(world: World, account: Account, customer: Customer): Promise<void> {
  const { random } = world;
  const hold = someHold(world, customer);
  const { label, currency } = hold;
  const to = customer.labels.length > 0 && random.chance(0.6) ? random.pick(customer.labels) : undefined;
  const rest = isPending(hold) ? restOf(hold) : 0;
  const part = random.chance(0.3) ? undefined : random.int(1, Math.max(1, Math.round(rest * 1.1)));
  const amount = part ?? rest;
  const final = random.chance(0.2);
  const reference = `move-${customer.moves.length}`;
  const value = part === undefined ? { value: 'all', currency } : amountOf(part, currency);
  const body = {
    ...(part !== undefined || random.chance(0.5) ? { amount: value } : {}),
    ...(to && { _links: { to: { href: to.url } } }),
    ...(final && { final }),
    reference,
  };
  const refused = refusalOfCapture(customer, hold, { to, amount });
  const url = await world.create(account, `${hold.url}/captures`, body, refused);
  if (refused) return;
  assert.equal(url, hold.url);
  hold.captured += amount;
  if (final || restOf(hold) === 0) hold.status = 'captured';
  if (label) enter(label, -amount, reference);
  else customer.available.set(currency, customer.available.get(currency)! - amount);
  if (to) enter(to, amount, reference);
  const shown = await world.get(account, hold.url);
  assertHold(shown, hold);
  const made = shown._embedded.captures.at(-1);
  assert.deepEqual(made.amount, amountOf(amount, currency));
  recordCapture(account, customer, { url: made._links.transfer.href, from: label, to, amount, currency, reference });
  account.events.push({ topic: 'customer_hold_captured', resource: hold.url });
}

type Captured = {
  url: string;
  from: Label | undefined;
  to: Label | undefined;
  amount: number;
  currency: string;
  reference: string;
};

/** The transfer of a capture: a reallocation, a withdrawal, or a ledger entry of a label. */
function recordCapture(account: Account, customer: Customer, { from, to, ...transfer }: Captured): void {
  const { url: resource } = transfer;
  if (from && to) customer.moves.push({ ...transfer, from, to, reversed: 0 });
  else if (!to) customer.withdrawals.push({ ...transfer, from, allocated: [], returned: 0 });
  const topic = !to ? 'withdrawal' : from ? 'label_reallocation' : 'label_ledger_entry';
  account.events.push({ topic: `customer_${topic}_created`, resource });
}

function refusalOfCapture(customer: Customer, hold: Hold, { to, amount }: { to: Label | undefined; amount: number }) {
  if (to && to === hold.label) return { status: 400, code: 'ValidationError', fault: 'Invalid', path: '/_links/to/href' };
  if (to && to.currency !== hold.currency) return OTHER_CURRENCY;
  if (!isPending(hold)) return NOT_PENDING;
  if (amount > restOf(hold)) return { status: 400, code: 'ValidationError', fault: 'Invalid', path: '/amount/value' };
  if (to?.removed) return LABEL_GONE;
  return customer.status === 'verified' ? undefined : NOT_VERIFIED;
}

/** Also while the customer is suspended. */
export async function releaseHold(world: World, account: Account, customer: Customer): Promise<void> {
  const hold = someHold(world, customer);
  const { answer } = await world.ask(account, 'POST', `${hold.url}/releases`);
  if (!isPending(hold)) return assertRefused(answer, NOT_PENDING);
  assert.equal(answer.status, 200, answer.text);
  hold.status = 'released';
  assertHold(answer.body, hold);
  account.events.push({ topic: 'customer_hold_released', resource: hold.url });
}

export async function listHolds(world: World, account: Account, customer: Customer): Promise<void> {
  const { random } = world;
  const status = random.pick([undefined, ...STATUSES]);
  const [limit, offset] = [random.int(1, 10), random.int(0, 3)];
  const query = `limit=${limit}&offset=${offset}${status ? `&status=${status}` : ''}`;
  const { total, _embedded } = await world.get(account, `${customer.url}/holds?${query}`);
  const wanted = customer.holds.filter((hold) => status === undefined || hold.status === status).toReversed();
  const page = wanted.slice(offset, offset + limit);
  assert.deepEqual([total, _embedded.holds.length], [wanted.length, page.length]);
  for (const [index, hold] of page.entries()) assertHold(_embedded.holds[index], hold);
}

/** Prefers pending holds. */
function someHold({ random }: World, { holds }: Customer): Hold {
  const pending = holds.filter(isPending);
  return random.pick(pending.length > 0 && random.chance(0.8) ? pending : holds);
}

function assertHold(found: Body, hold: Hold): void {
  const { url, label, currency, amount, captured, status } = hold;
  assert.deepEqual(
    [found._links.self.href, found._links.from?.href, found.status, found.amount, found.captured, found.remaining],
    [
      url,
      label?.url,
      status,
      amountOf(amount, currency),
      amountOf(captured, currency),
      amountOf(isPending(hold) ? restOf(hold) : 0, currency),
    ],
  );
  assert.equal('capture' in found._links, isPending(hold));
}
