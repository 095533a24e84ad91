// Simulated reversals and batches of reallocations.
import assert from 'node:assert/strict';
import { reallocation } from '../support/data.ts';
import { assertRefused, type Body } from '../support/http.ts';
import {
  type Account,
  amountOf,
  balanceOf,
  type Customer,
  enter,
  insufficient,
  type Label,
  MISSING,
  NOT_VERIFIED,
} from './model.ts';
import type { World } from './world.ts';

type Item = { from: Label; to: Label; amount: number | 'all'; reference: string };
type Fault = { code: string; path: string };
/** What becomes of an item: the amount that it moves, or its refusal. */
type Decision = number | Fault;

const ITEMS_MOST = 6;
const LABEL_GONE = { ...MISSING, message: 'Label not found' };
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
  const amount = part ?? rest;
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
            : amount > balanceOf(to)
              ? insufficient(balanceOf(to), currency)
              : undefined;
  const body = { reference, ...(part !== undefined && { amount: amountOf(part, currency) }) };
  const url = await world.create(account, `${original.url}/reversals`, body, refused);
  if (refused) return;
  record(account, customer, { from: to, to: from, amount: 'all', reference }, { url, amount, reversed: undefined });
  original.reversed = reversed! + amount;
  const { reversed: answered, _links } = await world.get(account, original.url);
  assert.deepEqual(answered, amountOf(original.reversed, currency));
  assert.equal('reverse' in _links, original.reversed < original.amount);
}

/** A batch of the customer's reallocations, each mostly valid. */
export async function moveInBatch(world: World, account: Account, customer: Customer): Promise<void> {
  const mode = world.random.pick(['atomic', 'independent']);
  const items = Array.from({ length: world.random.int(1, ITEMS_MOST) }, (_, n) => drawItem(world, customer, n));
  const decisions = decide(customer, items);
  const body = {
    mode,
    items: items.map(({ from, to, amount, reference }) => ({
      ...reallocation(from.url, to.url, amount === 'all' ? amount : amountOf(amount, from.currency).value, from.currency),
      reference,
    })),
  };
  const { answer } = await world.ask(account, 'POST', '/label-reallocation-batches', { body });
  const faults = decisions.filter((decision) => typeof decision !== 'number');
  if (mode === 'atomic' && faults.length > 0) {
    if (faults.some(({ code }) => code === 'NotFound')) return assertRefused(answer, LABEL_GONE);
    const found = answer.body._embedded.errors.map(({ code, path }: Body) => ({ code, path }));
    return assert.deepEqual([answer.status, found], [400, faults]);
  }
  assert.equal(answer.status, 201, answer.text);
  const results: Body[] = (await world.get(account, answer.headers.location!))._embedded.results;
  for (const [index, decision] of decisions.entries()) {
    const { code, path, _links } = results[index]!;
    if (typeof decision !== 'number') assert.deepEqual({ code, path }, decision);
    else {
      const url = _links['label-reallocation'].href;
      record(account, customer, items[index]!, { url, amount: decision, reversed: 0 });
    }
  }
}

function drawItem({ random }: World, customer: Customer, n: number): Item {
  const from = random.pick(customer.labels);
  const to = random.pick(customer.labels.filter((label) => label !== from));
  const amount = random.chance(0.2) ? 'all' : random.int(1, Math.max(10, Math.round(balanceOf(from) * 0.6)));
  return { from, to, amount, reference: `move-${customer.moves.length + n}` };
}

/** Each item sees those before it that are not refused. */
function decide(customer: Customer, items: Item[]): Decision[] {
  const balances = new Map(customer.labels.map((label) => [label, balanceOf(label)]));
  return items.map(({ from, to, amount }, index) => {
    const at = (code: string, path: string) => ({ code, path: `/items/${index}${path}` });
    const held = balances.get(from)!;
    const moved = amount === 'all' ? held : amount;
    if (from.removed || to.removed) return at('NotFound', '/_links');
    if (customer.status !== 'verified') return at('NotAllowed', '/_links/from/href');
    if (from.currency !== to.currency) return at('Invalid', '/amount/currency');
    if (moved === 0 || moved > held) return at('InsufficientFunds', '/amount/value');
    balances.set(from, held - moved);
    balances.set(to, balances.get(to)! + moved);
    return moved;
  });
}

function record(
  account: Account,
  customer: Customer,
  { from, to, reference }: Item,
  { url, amount, reversed }: { url: string; amount: number; reversed: number | undefined },
): void {
  enter(from, -amount, reference);
  enter(to, amount, reference);
  customer.moves.push({ url, from, to, amount, currency: from.currency, reference, reversed });
  account.events.push({ topic: 'customer_label_reallocation_created', resource: url });
}
