// The ledger after a fault, compared with what clients received: acknowledged reallocations once, refused ones not at all, others
// entirely or not at all.
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifyLedger } from '../../src/apps/service/ledger-check.ts';
import type { Database } from '../../src/platform/db/sql.ts';
import { allEvents } from '../support/events.ts';
import { idOf } from '../support/http.ts';
import { HANGS_MS } from '../support/wait.ts';
import { type Attempt, type Caller, recordAnswer } from './load.ts';

export type Figures = {
  rounds: number;
  /** Reallocations answered with 201. */
  acknowledged: number;
  refused: number;
  /** Reallocations with no response, or 503, at first. */
  unknown: number;
  /** Unknown ones that turned out to be done when they were repeated. */
  unknownDone: number;
  /** Acknowledged reallocations that are missing. */
  lost: number;
  /** Reallocations that are stored twice, without their entries, event or key, or although they were refused. */
  wrong: number;
};

type StoredTransfer = {
  reference: string;
  id: string;
  fromId: string;
  toId: string;
  amount: bigint;
  entries: bigint;
  events: bigint;
};

const SETTLE_PAUSE_MS = 20;
const AT_ONCE = 32;

/** Repeats each attempt of unknown outcome with its key until it is answered; returns how many had been done before. */
export async function settleUnknown(caller: Caller, attempts: Attempt[]): Promise<{ unknown: number; done: number }> {
  const unknown = attempts.filter(({ outcome }) => outcome === 'unknown');
  const left = unknown.values();
  let done = 0;
  const settler = async () => {
    for (const attempt of left) if (await settle(caller, attempt)) done += 1;
  };
  await Promise.all(Array.from({ length: AT_ONCE }, settler));
  return { unknown: unknown.length, done };
}

/** Repeats acknowledged attempts with their keys: each gets the first response, marked as replayed. */
export async function repeatAcknowledged(caller: Caller, attempts: Attempt[]): Promise<void> {
  for (const attempt of attempts) assert.equal(await settle(caller, attempt), true, 'a repetition is marked as replayed');
}

/** Sends an attempt until it is answered; returns whether the response was replayed. */
async function settle(caller: Caller, attempt: Attempt): Promise<boolean> {
  const deadline = performance.now() + HANGS_MS;
  for (;;) {
    const answer = await caller.send(attempt);
    if (recordAnswer(attempt, answer)) return answer.headers['idempotent-replayed'] === 'true';
    assert.ok(performance.now() < deadline, `the service does not recover: ${JSON.stringify(answer)}`);
    await sleep(SETTLE_PAUSE_MS);
  }
}

/** Counts the settled attempts whose rows in the database differ from their responses. */
export async function compare(
  { sql }: Database,
  accountId: string,
  attempts: Attempt[],
): Promise<{ lost: number; wrong: number }> {
  const references = attempts.map(({ reference }) => reference);
  const rows = await sql<StoredTransfer>`
    with entries as (
      select transfer_id as id, count(*) as entries from ledger_entry group by transfer_id
    ), events as (
      select resource_id as id, count(*) as events from ${await allEvents(sql)} group by resource_id
    )
    select t.reference, t.id, t.from_id, t.to_id, t.amount, coalesce(entries, 0::bigint) as entries, coalesce(events, 0::bigint) as events
    from transfer t left join entries using (id) left join events using (id)
    where t.reference = any(${references})`;
  const keys = await sql<{ key: string; resourceId: string }>`
    select key, resource_id from transfer_answer where key = any(${attempts.map((attempt) => keyOf(accountId, attempt))})`;
  const stored = Map.groupBy(rows, (row) => row.reference);
  const resources = new Map(keys.map((row) => [row.key, row.resourceId]));
  let [lost, wrong] = [0, 0];
  for (const attempt of attempts) {
    const [row, ...more] = stored.get(attempt.reference) ?? [];
    const resource = resources.get(keyOf(accountId, attempt));
    if (attempt.outcome === 'acknowledged' && row === undefined) lost += 1;
    else if (more.length > 0 || !matches(attempt, row, resource)) wrong += 1;
  }
  return { lost, wrong };
}

function matches(attempt: Attempt, row: StoredTransfer | undefined, resource: string | undefined): boolean {
  if (attempt.outcome === 'refused') return row === undefined && resource === undefined;
  const same =
    row?.id === idOf(attempt.location!) &&
    row.fromId === idOf(attempt.from) &&
    row.toId === idOf(attempt.to) &&
    row.amount === BigInt(attempt.cents);
  return same && row.entries === 2n && row.events === 1n && resource === row.id;
}

/** Applies the acknowledged attempts to the expected balances, in cents by label. */
export function applyToBalances(balances: Map<string, number>, attempts: Attempt[]): void {
  for (const { from, to, cents, outcome } of attempts) {
    if (outcome !== 'acknowledged') continue;
    balances.set(from, balances.get(from)! - cents);
    balances.set(to, balances.get(to)! + cents);
  }
}

/** Compares the labels' balances with the expected ones, and checks the whole ledger. */
export async function assertLedger(database: Database, balances: Map<string, number>, transfers: number): Promise<void> {
  const rows = await database.sql<{ id: string; balance: bigint }>`
    select id, balance from ledger_account where id = any(${[...balances.keys()].map(idOf)})`;
  const found = new Map(rows.map((row) => [row.id, Number(row.balance)]));
  for (const [label, cents] of balances) assert.equal(found.get(idOf(label)), cents, `balance of ${label}`);
  const [counted] = await database.sql<{ count: bigint }>`select count(*) from transfer where kind = 'reallocation'`;
  assert.equal(Number(counted?.count), transfers, 'no other reallocation is stored');
  const violations = await database.transaction(async (tx) => {
    await tx`set transaction isolation level repeatable read, read only`;
    return verifyLedger(tx);
  });
  assert.deepEqual(violations, []);
}

/** The stored form of a key, as in src/platform/idempotency/key.ts. */
function keyOf(accountId: string, { key }: Attempt): string {
  const hex = hash('sha256', `${accountId} ${key}`, 'hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}
