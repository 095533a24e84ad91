// Simulated allocation rules: changes of a customer's rules, and what they make of its deposits.
import assert from 'node:assert/strict';
import type { Body } from '../support/http.ts';
import {
  type Account,
  addAvailable,
  amountOf,
  balanceOf,
  CURRENCIES,
  type Currency,
  type Customer,
  enter,
  type Label,
  owedOf,
  type Rule,
  type RuleStep,
} from './model.ts';
import type { World } from './world.ts';

const STEPS_MAX = 3;
const SHARES = [1, 333, 1250, 2500, 3333];
const PART_MOST = 30_000;

type Moved = { label: Label; amount: number };

/** Creates the rule of a currency, or replaces or deletes it. */
export async function setRule(world: World, account: Account, customer: Customer): Promise<void> {
  const { random } = world;
  const { currency } = random.pick(customer.labels.filter(({ removed }) => !removed));
  const rule = customer.rules.get(currency);
  if (rule && random.chance(0.3)) {
    const { answer, retried } = await world.ask(account, 'DELETE', rule.url);
    // A DELETE has no key: repeated after it was cut off, it is refused.
    assert.equal(answer.status, retried && answer.status === 403 ? 403 : 200, answer.text);
    customer.rules.delete(currency);
    return;
  }
  const labels = customer.labels.filter((label) => label.currency === currency && !label.removed);
  const steps = Array.from({ length: random.int(1, STEPS_MAX) }, () => someStep(world, labels));
  const body = { name: 'Rule', steps: steps.map((step) => formOf(step, currency)) };
  const url = rule?.url ?? (await world.create(account, `${customer.url}/allocation-rules`, body));
  if (rule) {
    const { answer } = await world.ask(account, 'POST', url, { body });
    assert.deepEqual([answer.status, answer.body.steps.length], [200, steps.length], answer.text);
  }
  customer.rules.set(currency, { url, steps });
}

export async function previewDeposit(world: World, account: Account, customer: Customer): Promise<void> {
  const currency = world.random.pick(Object.keys(CURRENCIES)) as Currency;
  const amount = world.random.int(1, PART_MOST);
  const body = { amount: amountOf(amount, currency) };
  const { answer } = await world.ask(account, 'POST', `${customer.url}/allocation-rules/preview`, { body });
  const payable = amount - Math.min(amount, owedOf(customer, currency));
  const moved = partsOf(customer, customer.rules.get(currency), amount, payable);
  const left = moved.reduce((rest, part) => rest - part.amount, payable);
  const steps = moved.map((part) => ({ href: part.label.url, amount: amountOf(part.amount, currency) }));
  const found = answer.body.steps.map(({ _links, amount }: Body) => ({ href: _links.label.href, amount }));
  const repaid = payable < amount ? amountOf(amount - payable, currency) : undefined;
  assert.deepEqual([found, answer.body.available, answer.body.repaid], [steps, amountOf(left, currency), repaid], answer.text);
}

/** Divides what a deposit has left in the model, compares it with the stored one, and returns the labels that it filled. */
export function allocate(
  account: Account,
  customer: Customer,
  deposit: Body,
  { whole, left }: { whole: number; left: number },
): Label[] {
  const { currency } = deposit.amount;
  const rule = customer.status === 'verified' ? customer.rules.get(currency) : undefined;
  const moved = partsOf(customer, rule, whole, left);
  const found = deposit._embedded?.allocations.map(({ _links, amount }: Body) => [_links.label.href, amount]);
  assert.deepEqual(found, rule && moved.map((part) => [part.label.url, amountOf(part.amount, currency)]));
  assert.equal(deposit._links['allocation-rule']?.href, rule?.url);
  for (const [index, part] of moved.entries()) {
    const url = deposit._embedded.allocations[index]._links['ledger-entry'].href;
    enter(part.label, part.amount, undefined, url);
    addAvailable(customer, currency, -part.amount);
    account.events.push({ topic: 'customer_label_ledger_entry_created', resource: url });
  }
  return moved.map(({ label }) => label);
}

/** What the steps of a rule move to labels: shares of the whole, at most what is left of it. */
function partsOf({ status }: Customer, rule: Rule | undefined, whole: number, rest: number): Moved[] {
  const moved: Moved[] = [];
  let left = rest;
  for (const { label, hundredths, amount = 0, until = Number.POSITIVE_INFINITY } of status === 'verified'
    ? (rule?.steps ?? [])
    : []) {
    const before = moved.filter((one) => one.label === label).reduce((sum, one) => sum + one.amount, balanceOf(label));
    const part = Math.min(hundredths === undefined ? amount : halfEven(whole * hundredths), left, until - before);
    if (label.removed || part <= 0) continue;
    moved.push({ label, amount: part });
    left -= part;
  }
  return moved;
}

/** Divides by 10,000 and rounds half even. */
function halfEven(product: number): number {
  const [down, rest] = [Math.floor(product / 10_000), product % 10_000];
  if (rest === 5_000) return down + (down % 2);
  return rest > 5_000 ? down + 1 : down;
}

function someStep({ random }: World, labels: Label[]): RuleStep {
  const label = random.pick(labels);
  const share = random.chance(0.6) ? { hundredths: random.pick(SHARES) } : { amount: random.int(1, PART_MOST) };
  return { label, ...share, ...(random.chance(0.4) && { until: balanceOf(label) + random.int(1, PART_MOST) }) };
}

function formOf({ label, hundredths, amount, until }: RuleStep, currency: string) {
  return {
    label: { href: label.url },
    ...(hundredths !== undefined && { percent: (hundredths / 100).toFixed(2) }),
    ...(amount !== undefined && { amount: amountOf(amount, currency) }),
    ...(until !== undefined && { until: amountOf(until, currency) }),
  };
}
