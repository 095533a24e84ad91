// Simulated returns of deposits and withdrawals, and what customers owe.
import assert from 'node:assert/strict';
import type { Body } from '../support/http.ts';
import {
  type Account,
  addAvailable,
  amountOf,
  type Customer,
  enter,
  heldOf,
  type Label,
  lackOf,
  type Movement,
  owedOf,
  spendable,
  takenIn,
} from './model.ts';
import { someTexts } from './texts.ts';
import type { World } from './world.ts';

/** What a return takes from a label. */
type Recovery = { label: Label; amount: number };

const FULLY_RETURNED = { status: 403, code: 'InvalidResourceState' };
const EXCEEDS = { status: 400, code: 'ValidationError', fault: 'Invalid', path: '/amount/value' };

/** The part of a deposit that pays what the customer owes, compared with the stored deposit. Returns what is left of it. */
export function repay(account: Account, customer: Customer, deposit: Body, amount: number): number {
  const { currency } = deposit.amount;
  const repaid = Math.min(amount, owedOf(customer, currency));
  assert.deepEqual(deposit.repaid, repaid > 0 ? amountOf(repaid, currency) : undefined);
  if (repaid === 0) return amount;
  addAvailable(customer, currency, -repaid);
  customer.owed.set(currency, owedOf(customer, currency) - repaid);
  account.events.push({ topic: 'customer_owed_entry_created', resource: deposit._links['owed-entry'].href });
  return amount - repaid;
}

/** The bank takes back a deposit, or a part of it. */
export async function returnDeposit(world: World, account: Account, customer: Customer): Promise<void> {
  const deposit = world.random.pick(customer.deposits);
  const { url, currency } = deposit;
  const { amount, form } = drawReturn(world, deposit);
  const texts = someTexts(world);
  const shortfall = world.random.pick([undefined, 'refuse', 'owe', 'owe'] as const);
  const taken = takeFrom(customer, deposit, amount);
  const earlier = customer.returns.filter((one) => one.of === 'deposit');
  const refused =
    refusalOf(deposit, amount) ??
    (taken.missing > 0 && shortfall !== 'owe'
      ? { status: 400, code: 'ValidationError', fault: 'InsufficientFunds', message: lackOf(taken.funds, currency) }
      : takenIn(earlier, texts));
  const made = await world.create(account, `${url}/returns`, { ...form, ...texts, shortfall }, refused);
  if (refused) return;
  const stored = await world.get(account, made);
  const recoveries: Body[] = stored._embedded?.recoveries ?? [];
  assert.deepEqual(
    [stored.amount, stored.owed, recoveries.map(({ _links, amount }) => [_links.label.href, amount])],
    [
      amountOf(amount, currency),
      taken.missing > 0 ? amountOf(taken.missing, currency) : undefined,
      taken.recoveries.map(({ label, amount }) => [label.url, amountOf(amount, currency)]),
    ],
  );
  for (const [index, recovery] of taken.recoveries.entries()) {
    const entry = recoveries[index]!._links['ledger-entry'].href;
    enter(recovery.label, -recovery.amount, undefined, entry);
    account.events.push({ topic: 'customer_label_ledger_entry_created', resource: entry });
  }
  if (taken.missing > 0) {
    customer.owed.set(currency, owedOf(customer, currency) + taken.missing);
    account.events.push({ topic: 'customer_owed_entry_created', resource: stored._links['owed-entry'].href });
  }
  addAvailable(customer, currency, -taken.ofAvailable);
  deposit.returned += amount;
  customer.returns.push({ url: made, of: 'deposit', amount, currency, ...texts });
  account.events.push({ topic: 'customer_deposit_returned', resource: made });
  await assertReturned(world, account, deposit);
}

/** A withdrawal, or a part of it, comes back: to the label that it left, while that exists. */
export async function returnWithdrawal(world: World, account: Account, customer: Customer): Promise<void> {
  const withdrawal = world.random.pick(customer.withdrawals);
  const { url, currency, from } = withdrawal;
  const { amount, form } = drawReturn(world, withdrawal);
  const texts = someTexts(world);
  const earlier = customer.returns.filter((one) => one.of === 'withdrawal');
  const refused = refusalOf(withdrawal, amount) ?? takenIn(earlier, texts);
  const made = await world.create(account, `${url}/returns`, { ...form, ...texts }, refused);
  if (refused) return;
  const to = from?.removed ? undefined : from;
  const { amount: shown, _links } = await world.get(account, made);
  assert.deepEqual([shown, _links.to?.href], [amountOf(amount, currency), to?.url]);
  if (to) enter(to, amount, undefined);
  else addAvailable(customer, currency, amount);
  withdrawal.returned += amount;
  customer.returns.push({ url: made, of: 'withdrawal', amount, currency, ...texts });
  account.events.push({ topic: 'customer_withdrawal_returned', resource: made });
  await assertReturned(world, account, withdrawal);
}

/** A part, or what is not returned yet. */
function drawReturn({ random }: World, { amount, returned, currency }: Movement) {
  const rest = amount - returned;
  const part = random.chance(0.6) ? undefined : random.int(1, Math.max(1, Math.round(rest * 1.1)));
  const value = part === undefined ? { value: 'all', currency } : amountOf(part, currency);
  const form = { reason: 'R01', ...((part !== undefined || random.chance(0.5)) && { amount: value }) };
  return { amount: part ?? rest, form };
}

function refusalOf({ amount, returned }: Movement, wanted: number) {
  if (returned === amount) return FULLY_RETURNED;
  return wanted > amount - returned ? EXCEEDS : undefined;
}

/** First what is available, then the labels that the deposit filled, the last step first; the rest is missing. */
function takeFrom(customer: Customer, { currency, allocated }: Movement, amount: number) {
  const labels = [...new Set(allocated.toReversed())];
  const sources = [currency, ...labels];
  const sum = (part: (source: Label | string) => number) => sources.reduce((total, source) => total + part(source), 0);
  const funds = {
    available: sum((source) => spendable(customer, source)),
    held: sum((source) => heldOf(customer, source)),
    owed: owedOf(customer, currency),
  };
  const ofAvailable = Math.min(amount, spendable(customer, currency));
  let missing = amount - ofAvailable;
  const recoveries: Recovery[] = [];
  for (const label of labels) {
    const part = Math.min(missing, spendable(customer, label));
    if (part > 0) recoveries.push({ label, amount: part });
    missing -= part;
  }
  return { funds, ofAvailable, recoveries, missing };
}

async function assertReturned(world: World, account: Account, { url, amount, returned, currency }: Movement): Promise<void> {
  const { returned: shown, _links } = await world.get(account, url);
  assert.deepEqual([shown, 'return' in _links], [amountOf(returned, currency), returned < amount]);
}
