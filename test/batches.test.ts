// Batches and reversals against a model: every result, and the balances after each item, are those of numbers in memory.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openBatches } from './support/batches.ts';
import { type Body, faultsOf } from './support/http.ts';
import { anySeed, openRandom, type Random } from './support/random.ts';
import { startService } from './support/service.ts';

const BATCHES = 60;
/** Entries of a label that has money, so that the model is not followed by refusals alone. */
const MOVES_LEAST = 10;
const ITEMS_MOST = 12;

/** `value` is in cents, or everything. */
type Item = { from: number; to: number; value: number | 'all' };

const shared = await startService({ after });

test('batches give the results and balances of a simple model', async () => {
  const { call, customer, from, to, third, item, send, amountOf, newLabel } = await openBatches(shared);
  const seed = anySeed();
  const random = openRandom(seed);
  const labels = [from, to, third, await newLabel(customer, '0')];
  let balances = [10_000, 0, 0, 0];
  for (let n = 0; n < BATCHES; n++) {
    const mode = random.pick(['atomic', 'independent']);
    const drawn = Array.from({ length: random.int(1, ITEMS_MOST) }, () => draw(random, labels.length, balances));
    const { after, refused } = decide(balances, drawn);
    const answer = await send(
      mode,
      drawn.map(({ from, to, value }) => item(labels[from]!, labels[to]!, value === 'all' ? value : (value / 100).toFixed(2))),
    );
    if (mode === 'atomic' && refused.length > 0) {
      assert.deepEqual(faultsOf(answer), refused.map((index) => `InsufficientFunds /items/${index}/amount/value`).sort());
    } else {
      assert.equal(answer.status, 201, answer.text);
      const found = answer.body._embedded.results.filter(({ code }: Body) => code === 'InsufficientFunds');
      assert.deepEqual(
        found.map(({ index }: Body) => index),
        refused,
      );
      balances = after;
    }
    const seen = await Promise.all(labels.map(async (label) => Math.round(Number(await amountOf(label)) * 100)));
    assert.deepEqual(seen, balances, `after batch ${n} of seed ${seed}`);
  }
  const { total } = (await call('GET', `${from}/ledger-entries?limit=1`)).body;
  assert.ok(total > MOVES_LEAST, `${total} entries, seed ${seed}`);
});

function draw(random: Random, labels: number, balances: number[]): Item {
  const from = random.int(0, labels - 1);
  const to = (from + random.int(1, labels - 1)) % labels;
  const value = random.chance(0.25) ? 'all' : random.int(1, Math.max(50, Math.round(balances[from]! * 0.8)));
  return { from, to, value };
}

/** The balances after the items, and the indexes of those that are refused. */
function decide(before: number[], items: Item[]): { after: number[]; refused: number[] } {
  const after = [...before];
  const refused: number[] = [];
  for (const [index, { from, to, value }] of items.entries()) {
    const amount = value === 'all' ? after[from]! : value;
    if (amount === 0 || amount > after[from]!) {
      refused.push(index);
      continue;
    }
    after[from]! -= amount;
    after[to]! += amount;
  }
  return { after, refused };
}
