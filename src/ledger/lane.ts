// Group commit: transfers queue in the lane of their customer's bucket, and what queued while a lane's commit ran goes with its next batches.

import type { Clock } from '../clock.ts';
import { isAway, within } from '../db/away.ts';
import type { Commits } from '../db/commits.ts';
import { type Database, databaseError } from '../db/sql.ts';
import { bucketOf } from '../ids.ts';
import { Refusal, refuse } from '../problems.ts';
import { currentRequest } from '../telemetry/current.ts';
import { type Outcome, postTransfers, type Transfer } from './post.ts';
import type { LaneWatch, Waited } from './watch.ts';

export type Lanes = {
  /** Posts one transfer and answers once it is durable. Refused with 503 when the queue is full or the database stays away. */
  post(transfer: Transfer): Promise<Outcome>;
  /** How many transfers wait for their batch, in all lanes. */
  queued(): number;
  /** Waits until everything queued is answered. */
  drain(): Promise<void>;
};

type Ledger = { database: Database; clock: Clock; watch: LaneWatch; commits: Commits };
type Limits = { maxBatch: number; maxQueued: number };
type Waiting = Waited & { resolve(outcome: Outcome): void; reject(error: unknown): void };
/** `unanswered`: the database did not answer in time, and who waits behind this batch need not try. */
type Settled = { unanswered: boolean; answer(): void };

const ANSWER_WITHIN_MS = 9_500;
const RETRY_PAUSE_MS = { first: 10, most: 500 };
const RETRY_AFTER_SECONDS = '1';

/** Opens the lanes on a pool that has a connection for each. `maxBatch` and `maxQueued` are of one lane. */
export function openLanes(ledger: Ledger, options: Limits & { lanes: number }): Lanes {
  const lanes = Array.from({ length: options.lanes }, () => openLane(ledger, options));
  return {
    post: (transfer) => lanes[bucketOf(transfer.fromId) % lanes.length]!.post(transfer),
    queued: () => lanes.reduce((sum, lane) => sum + lane.queued(), 0),
    async drain() {
      await Promise.all(lanes.map((lane) => lane.drain()));
    },
  };
}

/**
 * A lane is fair: each account waits in a line of its own, and a batch takes one of each line in turn.
 * Transfers of two accounts touch nothing in common, so their order among each other means nothing.
 */
function openLane(ledger: Ledger, { maxBatch, maxQueued }: Limits) {
  // By account. An empty one stays: what entries leave all the time must not be a Map (ARCHITECTURE.md, "Short-lived memory").
  const lines = new Map<string, Waiting[]>();
  // Those in which somebody waits.
  const turns: Waiting[][] = [];
  let queued = 0;
  let running: Promise<void> | undefined;

  function nextBatch(size: number): Waiting[] {
    const batch: Waiting[] = [];
    while (batch.length < size) {
      const line = turns.shift()!;
      batch.push(line.shift()!);
      if (line.length > 0) turns.push(line);
    }
    queued -= size;
    return batch;
  }

  async function run() {
    let last = 0;
    let answer = () => {};
    while (queued > 0) {
      // Half of what waits and what was just answered: were it all in one batch, the service would idle while it commits, and then the database.
      const batch = nextBatch(Math.min(maxBatch, queued, Math.ceil((queued + last) / 2)));
      last = batch.length;
      const parts = oneClockEach(ledger.clock, batch);
      for (let part = parts.shift(); part; part = parts.shift()) {
        const settling = settle(ledger, part);
        // Once this batch is on its way: the database need not wait until the one before is answered.
        setImmediate(answer);
        const settled = await settling;
        answer = settled.answer;
        // They have waited while this batch did, and were not begun.
        if (settled.unanswered) rejectAll([...parts.splice(0).flat(), ...nextBatch(queued)], unavailable());
      }
    }
    running = undefined;
    answer();
  }

  return {
    post(transfer: Transfer): Promise<Outcome> {
      const line = lines.get(transfer.accountId) ?? [];
      // A line may be as long as there is room behind it: however much one account sends, another finds a place.
      if (line.length >= maxQueued - queued) throw unavailable();
      return new Promise((resolve, reject) => {
        line.push({ transfer, sinceMs: performance.now(), current: currentRequest(), resolve, reject });
        if (line.length === 1) {
          lines.set(transfer.accountId, line);
          turns.push(line);
        }
        queued += 1;
        running ??= run();
      });
    },
    queued: () => queued,
    async drain() {
      await running;
    },
  };
}

/** A batch has one time: in a sandbox, accounts whose clocks differ are posted one after the other. */
function oneClockEach({ aheadMs }: Clock, batch: Waiting[]): Waiting[][] {
  return aheadMs ? [...Map.groupBy(batch, ({ transfer }) => aheadMs(transfer.accountId)).values()] : [batch];
}

/**
 * Posts a batch; what it returns gives each waiter its own answer. A batch that the database finds fault with is posted one by one, so
 * that one bad transfer fails alone.
 */
async function settle(ledger: Ledger, batch: Waiting[]): Promise<Settled> {
  try {
    const transfers = batch.map((waiting) => waiting.transfer);
    const outcomes = await ledger.watch.batch(batch, () => postUntilKnown(ledger, transfers));
    return {
      unanswered: false,
      answer() {
        for (const [index, waiting] of batch.entries()) waiting.resolve(outcomes[index]!);
      },
    };
  } catch (error) {
    if (batch.length > 1 && databaseError(error) && !isAway(error)) return settleEach(ledger, batch);
    return { unanswered: error instanceof Refusal, answer: () => rejectAll(batch, error) };
  }
}

async function settleEach(ledger: Ledger, batch: Waiting[]): Promise<Settled> {
  for (const [index, waiting] of batch.entries()) {
    const { unanswered, answer } = await settle(ledger, [waiting]);
    answer();
    if (unanswered) return { unanswered, answer: () => rejectAll(batch.slice(index + 1), unavailable()) };
  }
  return { unanswered: false, answer() {} };
}

function rejectAll(batch: Waiting[], error: unknown): void {
  for (const waiting of batch) waiting.reject(error);
}

function unavailable(): Refusal {
  return refuse('unavailable', { headers: { 'retry-after': RETRY_AFTER_SECONDS } });
}

/**
 * Posts a batch, again with the same ids when the first attempt met a deadlock, a serialization failure, a key taken by
 * another process in the same moment, a broken connection or no answer: then its outcome is unknown, and the ids settle it.
 */
async function postUntilKnown({ database, clock, watch, commits }: Ledger, transfers: Transfer[]): Promise<Outcome[]> {
  const deadline = performance.now() + ANSWER_WITHIN_MS;
  for (let attempt = 0; ; attempt++) {
    try {
      const options = { now: clock.now(transfers[0]!.accountId), again: attempt > 0 };
      const outcomes = await within(deadline - performance.now(), postTransfers(database.sql, transfers, options));
      commits.note();
      return outcomes;
    } catch (error) {
      commits.note(error);
      if (!isRetryable(error)) throw error;
      const pauseMs = Math.min(RETRY_PAUSE_MS.first * 2 ** attempt, RETRY_PAUSE_MS.most);
      if (performance.now() + pauseMs > deadline) throw unavailable();
      watch.retried();
      await new Promise((resume) => setTimeout(resume, pauseMs));
    }
  }
}

// serialization_failure, deadlock_detected, a statement or transaction ended by its time limit, and what a server says that is stopping, starting, closed to or out of connections
const RETRYABLE_STATES = new Set(['40001', '40P01', '57014', '25P03', '57P01', '57P02', '57P03', '53300', '55000']);
const KEYS = new Set(['transfer_pkey', 'idempotency_key_pkey']);

/** Whether posting the same batch again can help. Anything that did not come from the database as an answer is a connection that broke. */
export function isRetryable(error: unknown): boolean {
  const known = databaseError(error);
  if (!known) return error instanceof Error && !(error instanceof TypeError);
  if (known.state === '23505') return KEYS.has(known.constraint ?? '');
  return RETRYABLE_STATES.has(known.state) || known.state.startsWith('08');
}
