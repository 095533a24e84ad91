// Deposits under an allocation rule that are killed in the middle: each is there with its allocations or not at all, and a repetition
// with the same key completes it once.

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { call } from '../support/http.ts';
import type { Random } from '../support/random.ts';
import { assertSoundLedger } from '../support/sound-ledger.ts';
import { readStored, send, settled } from './send.ts';
import { KILLS, makeCustomers, type Target } from './target.ts';

type DepositFigures = { deposits: number; stored: number };

type Stored = { reference: string; allocations: bigint; allocated: string | null };

const DEPOSITS = 20;
const AMOUNT = '10.01';
/** A quarter of each deposit, and three dollars, in cents. */
const ALLOCATED = '550';
const KILL_WITHIN_MS = 200;

/** Kills a target during deposits of one customer in every round. */
export async function crashDeposits(target: Target, rounds: number, random: Random): Promise<DepositFigures> {
  const { url, endpoint, database } = target;
  const [{ customer, labels }] = (await makeCustomers(url, endpoint.token)) as [{ customer: string; labels: string[] }];
  await createRule(target, customer, labels);
  const figures: DepositFigures = { deposits: 0, stored: 0 };
  for (let round = 1; round <= rounds; round++) {
    const references = Array.from({ length: DEPOSITS }, (_, n) => `deposit-${round}-${n}`);
    const deposit = (reference: string) =>
      [`${new URL(customer).pathname}/deposits`, reference, { amount: { value: AMOUNT, currency: 'USD' }, reference }] as const;
    const sent = references.map((reference) => send(target, ...deposit(reference)));
    await sleep(random.int(0, KILL_WITHIN_MS));
    target.kill(random.pick(KILLS), random);
    await Promise.all(sent);
    await target.ready();
    figures.deposits += DEPOSITS;
    figures.stored += await countWhole(target, references);
    for (const { status, text } of await Promise.all(references.map((reference) => settled(target, ...deposit(reference)))))
      assert.equal(status, 201, text);
    assert.equal(await countWhole(target, references), DEPOSITS, 'each deposit is stored once');
  }
  await assertSoundLedger(database);
  return figures;
}

async function createRule({ endpoint }: Target, customer: string, labels: string[]): Promise<void> {
  const [one, two] = labels.map((href) => ({ href }));
  const steps = [
    { label: one, percent: '25' },
    { label: two, amount: { value: '3.00', currency: 'USD' } },
  ];
  const made = await call<unknown>(`${customer}/allocation-rules`, endpoint.token, { name: 'Set aside', steps });
  assert.equal(made.status, 201, JSON.stringify(made.body));
}

/** The number of deposits that are stored. Fails if one of them lacks an allocation. */
async function countWhole({ database: { sql } }: Target, references: string[]): Promise<number> {
  const stored = await readStored(
    () => sql<Stored>`
      select d.reference, count(a.id) as allocations, sum(a.amount) as allocated
      from transfer d
      left join transfer a on a.bucket = d.bucket and a.deposit_id = d.id
      where d.reference = any(${references}) and d.kind = 'deposit'
      group by d.id, d.reference`,
  );
  for (const { reference, allocations, allocated } of stored)
    assert.deepEqual([allocations, allocated], [2n, ALLOCATED], `allocations of ${reference}`);
  assert.equal(new Set(stored.map(({ reference }) => reference)).size, stored.length);
  return stored.length;
}
