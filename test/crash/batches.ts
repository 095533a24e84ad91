// Batches and reversals that are killed in the middle: an atomic batch is there entirely or not at all, and a repetition with the same
// key completes each exactly once.

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { reallocation } from '../support/data.ts';
import type { Body } from '../support/http.ts';
import type { Random } from '../support/random.ts';
import { assertSoundLedger } from '../support/sound-ledger.ts';
import { readStored, send, settled } from './send.ts';
import { KILLS, makeCustomers, type Target } from './target.ts';

type BatchFigures = { batches: number; whole: number; none: number; partial: number };

type Item = ReturnType<typeof reallocation> & { reference: string };

const ITEMS = 1000;
const KILL_WITHIN_MS = 400;
const REVERSALS_WITHIN_MS = 20;
const REVERSALS = 10;

/** Kills a target during an atomic and an independent batch, and during reversals, in every round. */
export async function crashBatches(target: Target, rounds: number, random: Random): Promise<BatchFigures> {
  const { url, endpoint, database } = target;
  const [one, two, three] = (await makeCustomers(url, endpoint.token)).map(({ labels }) => labels);
  const figures: BatchFigures = { batches: 0, whole: 0, none: 0, partial: 0 };
  for (let round = 1; round <= rounds; round++) {
    const itemsOf = (name: string, owners: string[][]): Item[] =>
      Array.from({ length: ITEMS }, (_, n) => {
        const [from, to] = owners[n % owners.length]!;
        return { ...reallocation(from!, to!, '0.01'), reference: `${name}-${round}-${n}` };
      });
    const atomic = itemsOf('atomic', [one!]);
    const kept = await killed(target, random, { mode: 'atomic', items: atomic }, figures);
    assert.ok(kept === 0 || kept === ITEMS, `${kept} items of an atomic batch are stored`);
    await assertCompleted(target, { mode: 'atomic', items: atomic });
    const independent = itemsOf('independent', [one!, two!]);
    const some = await killed(target, random, { mode: 'independent', items: independent }, figures);
    if (some > 0) await assertKeyTaken(target, independent, reallocation(three![0]!, three![1]!, '0.01'));
    await assertCompleted(target, { mode: 'independent', items: independent });
    await crashReversals(target, random, one!, round);
  }
  await assertSoundLedger(database);
  return figures;
}

/** Sends a batch and kills the target meanwhile; returns how many of its items are stored when the target is back. */
async function killed(target: Target, random: Random, batch: { mode: string; items: Item[] }, figures: BatchFigures) {
  const sent = send(target, '/label-reallocation-batches', keyOf(batch), batch);
  await sleep(random.int(0, KILL_WITHIN_MS));
  target.kill(random.pick(KILLS), random);
  await sent;
  await target.ready();
  const stored = await countStored(target, batch.items);
  figures.batches += 1;
  figures[stored === 0 ? 'none' : stored === ITEMS ? 'whole' : 'partial'] += 1;
  return stored;
}

async function assertCompleted(target: Target, batch: { mode: string; items: Item[] }): Promise<void> {
  const answer = await settled(target, '/label-reallocation-batches', keyOf(batch), batch);
  assert.deepEqual([answer.status, answer.body.succeeded], [201, ITEMS], answer.text.slice(0, 200));
  const urls = answer.body._embedded.results.map((result: Body) => result._links['label-reallocation'].href);
  assert.equal(new Set(urls).size, ITEMS);
  assert.equal(await countStored(target, batch.items), ITEMS, 'each item is stored once');
}

/** The key of a batch with items that are stored is not that of a request for another customer. */
async function assertKeyTaken(target: Target, items: Item[], other: object): Promise<void> {
  const body = { mode: 'independent', items: [other] };
  assert.equal((await settled(target, '/label-reallocation-batches', keyOf({ items }), body)).status, 409);
}

/** Reverses one reallocation with many keys while the target is killed: never more than its amount. */
async function crashReversals(target: Target, random: Random, [from, to]: string[], round: number): Promise<void> {
  const made = await settled(target, '/label-reallocations', `original-${round}`, reallocation(from!, to!, '1.00'));
  const path = `${new URL(made.headers.location!).pathname}/reversals`;
  const reverse = (n: number) => [path, `reversal-${round}-${n}`, { amount: { value: '0.30', currency: 'USD' } }] as const;
  const sent = Array.from({ length: REVERSALS }, (_, n) => send(target, ...reverse(n)));
  await sleep(random.int(0, REVERSALS_WITHIN_MS));
  target.kill(random.pick(KILLS), random);
  await Promise.all(sent);
  await target.ready();
  const answers = await Promise.all(Array.from({ length: REVERSALS }, (_, n) => settled(target, ...reverse(n))));
  assert.equal(answers.filter(({ status }) => status === 201).length, 3, 'three reversals of 0.30 fit into 1.00');
}

async function countStored({ database: { sql } }: Target, items: Item[]): Promise<number> {
  const references = items.map(({ reference }) => reference);
  const [row] = await readStored(
    () => sql<{ count: bigint }>`select count(*) from transfer where reference = any(${references})`,
  );
  return Number(row!.count);
}

function keyOf({ items }: { items: Item[] }): string {
  return items[0]!.reference;
}
