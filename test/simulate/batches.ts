// Simulated reversals and batches of reallocations.
import assert from 'node:assert/strict';
import { reallocation } from '../support/data.ts';
import { assertRefused, type Body } from '../support/http.ts';
import {
  type Account,
  amountOf,
  type Customer,
  enter,
  insufficient,
  LABEL_GONE,
  type Label,
  NOT_VERIFIED,
  spendable,
} from './model.ts';
import type { World } from './world.ts';

/** A reallocation, or without `to` a withdrawal. */
type Item = { from: Label; to: Label | undefined; amount: number | 'all'; reference: string; path: string };
type Fault = { code: string; path: string };
/** What becomes of an item: the amount that it moves, or its refusal. */
type Decision = number | Fault;

const ITEMS_MOST = 6;
const REVERSED = {
  status: 403,
  code: 'InvalidResourceState',
  message: 'Label reallocation is reversed already, or is a reversal.',
};

/** Reverses a part of a reallocation, or what is left. */
export async function reverse(world: World, account: Account, customer: Customer): Promise<void> {
  const original = world.random.pick(customer.moves);
  const { from, to, currency, reversed } = original;
  const rest = original.amount - (reversed ?? original.amount);
  const part = world.random.chance(0.5) ? undefined : world.random.int(1, Math.max(1, Math.round(rest * 1.1)));
  const mode = world.random.chance(0.3) ? ('available' as const) : undefined;
  const wanted = part ?? rest;
  const amount = mode === 'available' && wanted <= rest ? Math.min(wanted, spendable(customer, to)) : wanted;
  const reference = `move-${customer.moves.length}`;
  const refused =
    from.removed || to.removed
      ? LABEL_GONE
      : rest === 0
        ? REVERSED
        : customer.status !== 'verified'
          ? NOT_VERIFIED
          : amount > rest
            ? { status: 400, code: 'ValidationError', fault: 'Invalid', path: '/amount/value' }
            : amount === 0 || amount > spendable(customer, to)
              ? insufficient(customer, to)
              : undefined;
  const body = { reference, mode, ...(part !== undefined && { amount: amountOf(part, currency) }) };
  const url = await world.create(account, `${original.url}/reversals`, body, refused);
  if (refused) return;
  const made = { from: to, to: from, amount, reference, path: '' };
  record(account, customer, made, { url, amount, reversed: undefined });
  assert.deepEqual((await world.get(account, url)).amount, amountOf(amount, currency));
  original.reversed = reversed! + amount;
  const { reversed: answered, _links } = await world.get(account, original.url);
  assert.deepEqual(answered, amountOf(original.reversed, currency));
  assert.equal('reverse' in _links, original.reversed < original.amount);
}

/** A batch of the customer's reallocations and withdrawals, each mostly valid. */
export async function moveInBatch(world: World, account: Account, customer: Customer): Promise<void> {
  const { random } = world;
  const mode = random.pick(['atomic', 'independent']);
  const lists = random.pick([['items'], ['items', 'withdrawals'], ['withdrawals']]);
  const items = lists.includes('items') ? drawItems(world, customer, 'items') : [];
  const withdrawals = lists.includes('withdrawals') ? drawItems(world, customer, 'withdrawals') : [];
  const all = [...items, ...withdrawals].map((item, n) => ({ ...item, reference: `move-${customer.moves.length + n}` }));
  const decisions = decide(customer, all);
  const forms = all.map(formOf);
  const body = {
    mode,
    ...(items.length > 0 && { items: forms.slice(0, items.length) }),
    ...(withdrawals.length > 0 && { withdrawals: forms.slice(items.length) }),
  };
  const { answer } = await world.ask(account, 'POST', '/label-reallocation-batches', { body });
  // A withdrawal opens the accounts of its currency.
  for (const { from } of withdrawals) if (!customer.available.has(from.currency)) customer.available.set(from.currency, 0);
  const faults = decisions.filter((decision) => typeof decision !== 'number');
  if (mode === 'atomic' && faults.length > 0) {
    if (faults.some(({ code }) => code === 'NotFound')) return assertRefused(answer, LABEL_GONE);
    const found = answer.body._embedded.errors.map(({ code, path }: Body) => ({ code, path }));
    return assert.deepEqual([answer.status, found], [400, faults]);
  }
  assert.equal(answer.status, 201, answer.text);
  const { _embedded } = await world.get(account, answer.headers.location!);
  const results: Body[] = [..._embedded.results, ...(_embedded.withdrawals ?? [])];
  assert.equal(results.length, all.length);
  for (const [index, decision] of decisions.entries()) {
    const { code, path, _links } = results[index]!;
    if (typeof decision !== 'number') assert.deepEqual({ code, path }, decision);
    else {
      const { href } = _links['label-reallocation'] ?? _links.withdrawal;
      record(account, customer, all[index]!, { url: href, amount: decision, reversed: 0 });
    }
  }
}

function drawItems({ random }: World, customer: Customer, list: 'items' | 'withdrawals'): Omit<Item, 'reference'>[] {
  return Array.from({ length: random.int(1, ITEMS_MOST) }, (_, n) => {
    const from = random.pick(customer.labels);
    const to = list === 'items' ? random.pick(customer.labels.filter((label) => label !== from)) : undefined;
    const most = Math.max(10, Math.round(spendable(customer, from) * (to ? 0.6 : 0.4)));
    return { from, to, amount: random.chance(0.2) ? 'all' : random.int(1, most), path: `/${list}/${n}` };
  });
}

function formOf({ from, to, amount, reference }: Item) {
  const { currency } = from;
  const value = amount === 'all' ? amount : amountOf(amount, currency).value;
  const body = to
    ? reallocation(from.url, to.url, value, currency)
    : { _links: { from: { href: from.url } }, amount: { value, currency } };
  return { ...body, reference };
}

/** Each item sees those before it that are not refused. */
function decide(customer: Customer, items: Item[]): Decision[] {
  const left = new Map(customer.labels.map((label) => [label, spendable(customer, label)]));
  return items.map(({ from, to, amount, path }) => {
    const at = (code: string, pointer: string) => ({ code, path: `${path}${pointer}` });
    const most = left.get(from)!;
    const moved = amount === 'all' ? most : amount;
    if (from.removed || to?.removed) return at('NotFound', '/_links');
    if (customer.status !== 'verified') return at('NotAllowed', '/_links/from/href');
    if (to && from.currency !== to.currency) return at('Invalid', '/amount/currency');
    if (moved === 0 || moved > most) return at('InsufficientFunds', '/amount/value');
    left.set(from, most - moved);
    if (to) left.set(to, left.get(to)! + moved);
    return moved;
  });
}

function record(
  account: Account,
  customer: Customer,
  { from, to, reference }: Item,
  { url, amount, reversed }: { url: string; amount: number; reversed: number | undefined },
): void {
  const { currency } = from;
  enter(from, -amount, reference);
  if (to) {
    enter(to, amount, reference);
    customer.moves.push({ url, from, to, amount, currency, reference, reversed });
  } else customer.withdrawals.push({ url, from, amount, currency, allocated: [], returned: 0, reference });
  account.events.push({ topic: `customer_${to ? 'label_reallocation' : 'withdrawal'}_created`, resource: url });
}
