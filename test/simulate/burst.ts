// Simulated concurrent reallocations, explained by the sequences of the entries.
import assert from 'node:assert/strict';
import { reallocation } from '../support/data.ts';
import type { Answer, Body } from '../support/http.ts';
import {
  type Account,
  amountOf,
  balanceOf,
  type Customer,
  type Entry,
  heldOf,
  type Label,
  lackOf,
  live,
  minorUnitsOf,
  observe,
  owedOf,
} from './model.ts';
import { assertEntry } from './money.ts';
import { readNewest } from './notifications.ts';
import type { World } from './world.ts';

const AT_ONCE = 12;
const PAGE_MAX = 50;

type Wanted = { from: Label; to: Label; amount: number; reference: string; answer: Answer };

/**
 * Many concurrent reallocations among the labels of a customer. The sequences of the labels' entries give their order. In that
 * order every balance follows from the one before, an acknowledged reallocation is on both labels, and a refused one names a
 * balance that its label had meanwhile and that was too small. The model adopts that order.
 */
export async function moveAtOnce(world: World, account: Account, customer: Customer): Promise<void> {
  const { random } = world;
  const labels = live(customer).filter(({ currency }) => currency === 'USD');
  if (labels.length < 2 || customer.status !== 'verified') return;
  const before = new Map(labels.map((label) => [label, label.entries.length]));
  const name = `burst-${account.events.length}`;
  const wanted = await Promise.all(
    Array.from({ length: AT_ONCE }, async (_, n): Promise<Wanted> => {
      const from = random.pick(labels);
      const to = random.pick(labels.filter((label) => label !== from));
      const amount = random.int(1, Math.max(100, balanceOf(from)));
      const reference = `${name}-${n}`;
      const body = { ...reallocation(from.url, to.url, amountOf(amount, 'USD').value), reference };
      const { answer } = await world.ask(account, 'POST', '/label-reallocations', { body });
      return { from, to, amount, reference, answer };
    }),
  );
  const made = wanted.filter(({ answer }) => answer.status === 201);
  for (const label of labels) await followEntries(world, account, label, wanted);
  for (const { from, to, reference } of made) {
    for (const label of [from, to]) {
      const found = label.entries.slice(before.get(label)).filter((entry) => entry.reference === reference);
      assert.equal(found.length, 1, `${reference} is once on ${label.url}`);
    }
  }
  const entries = labels.reduce((sum, label) => sum + label.entries.length - before.get(label)!, 0);
  assert.equal(entries, 2 * made.length, 'nothing else is stored');
  for (const one of wanted) if (one.answer.status !== 201) assertExplained(customer, one, before.get(one.from)!);
  for (const { from, to, amount, reference, answer } of made) {
    customer.moves.push({ url: answer.headers.location!, from, to, amount, currency: 'USD', reference, reversed: 0 });
  }
  await followEvents(world, account, made);
}

/** Adds a label's new entries to the model. */
async function followEntries(world: World, account: Account, label: Label, wanted: Wanted[]): Promise<void> {
  const body = await world.get(account, `${label.url}/ledger-entries?limit=${PAGE_MAX}`);
  const fresh: Body[] = body._embedded['ledger-entries'].slice(0, body.total - label.entries.length).reverse();
  for (const entry of fresh) {
    const one = wanted.find(({ reference }) => reference === entry.reference)!;
    assert.ok(one && (one.from === label || one.to === label), `${entry.reference} belongs on ${label.url}`);
    const amount = one.from === label ? -one.amount : one.amount;
    // The monitors see it later, in the order of the events.
    label.entries.push({ amount, balance: balanceOf(label) + amount, reference: entry.reference, url: entry._links.self.href });
    assertEntry(entry, label, label.entries.length - 1);
    assert.ok(balanceOf(label) >= 0);
  }
}

function assertExplained(customer: Customer, { from, amount, answer }: Wanted, before: number): void {
  const held = heldOf(customer, from);
  const named = /^Insufficient funds: ([0-9.]+) USD available/.exec(answer.body.message);
  const available = minorUnitsOf({ value: named?.[1] ?? '', currency: 'USD' });
  assert.equal(answer.body.message, lackOf({ available, held, owed: owedOf(customer, 'USD') }, 'USD'));
  const balances = from.entries.slice(Math.max(0, before - 1)).map((entry: Entry) => entry.balance);
  assert.ok(available < amount, 'the amount named in the refusal is too small');
  const meanwhile = before === 0 ? [0, ...balances] : balances;
  assert.ok(meanwhile.includes(available + held), `${from.url} had ${available} available meanwhile`);
}

/** The events of concurrent operations, in the order of the feed. */
async function followEvents(world: World, account: Account, made: Wanted[]): Promise<void> {
  const found = await readNewest(world, account, made.length);
  const moves = new Map(made.map((one) => [one.answer.headers.location!, one]));
  assert.deepEqual(found.map(({ resource }) => resource).sort(), [...moves.keys()].sort());
  for (const { topic, resource } of found) {
    assert.equal(topic, 'customer_label_reallocation_created');
    const { from, to, reference } = moves.get(resource!)!;
    for (const label of [from, to]) observe(label, label.entries.findLast((entry) => entry.reference === reference)!.balance);
    account.events.push({ topic, resource });
  }
}
