// Group commit: transfers queue in the lane of their customer's bucket, and whatever queued while a lane's commit ran goes as its next batch.

import type { Clock } from '../clock.ts';
import { type Database, databaseError } from '../db/sql.ts';
import { bucketOf } from '../ids.ts';
import { refuse } from '../problems.ts';
import { type Outcome, postTransfers, type Transfer } from './post.ts';

export type Lanes = {
  /** Posts one transfer and answers once it is durable. Refused with 503 when the queue is full or the database stays away. */
  post(transfer: Transfer): Promise<Outcome>;
  /** Waits until everything queued is answered. */
  drain(): Promise<void>;
};

type Ledger = { database: Database; clock: Clock };
type Waiting = { transfer: Transfer; resolve(outcome: Outcome): void; reject(error: unknown): void };

const MAX_QUEUED = 10_000;
const RETRY_FOR_MS = 10_000;
const RETRY_PAUSE_MS = { first: 10, most: 500 };
const RETRY_AFTER_SECONDS = '1';

/** Opens the lanes on a pool that has a connection for each. */
export function openLanes(database: Database, options: { lanes: number; maxBatch: number; clock: Clock }): Lanes {
  const lanes = Array.from({ length: options.lanes }, () => openLane({ database, clock: options.clock }, options.maxBatch));
  return {
    post: (transfer) => lanes[bucketOf(transfer.fromId) % lanes.length]!.post(transfer),
    async drain() {
      await Promise.all(lanes.map((lane) => lane.drain()));
    },
  };
}

function openLane(ledger: Ledger, maxBatch: number) {
  let queue: Waiting[] = [];
  let running: Promise<void> | undefined;

  async function run() {
    while (queue.length > 0) {
      const batch = queue.slice(0, maxBatch);
      queue = queue.slice(maxBatch);
      await settle(ledger, batch);
    }
    running = undefined;
  }

  return {
    post(transfer: Transfer): Promise<Outcome> {
      if (queue.length >= MAX_QUEUED) throw refuse('unavailable', { headers: { 'retry-after': RETRY_AFTER_SECONDS } });
      return new Promise((resolve, reject) => {
        queue.push({ transfer, resolve, reject });
        running ??= run();
      });
    },
    async drain() {
      await running;
    },
  };
}

/** Posts a batch and gives each waiter its own answer. A batch that the database finds fault with is posted one by one, so that one bad transfer fails alone. */
async function settle(ledger: Ledger, batch: Waiting[]): Promise<void> {
  try {
    const outcomes = await postUntilKnown(
      ledger,
      batch.map((waiting) => waiting.transfer),
    );
    batch.forEach((waiting, index) => {
      waiting.resolve(outcomes[index]!);
    });
  } catch (error) {
    if (batch.length === 1 || !databaseError(error)) {
      for (const waiting of batch) waiting.reject(error);
      return;
    }
    for (const waiting of batch) await settle(ledger, [waiting]);
  }
}

/**
 * Posts a batch, again with the same ids when the first attempt met a deadlock, a serialization failure, a key taken by
 * another process in the same moment, or a broken connection: then its outcome is unknown, and the ids settle it.
 */
async function postUntilKnown({ database, clock }: Ledger, transfers: Transfer[]): Promise<Outcome[]> {
  const deadline = performance.now() + RETRY_FOR_MS;
  for (let attempt = 0; ; attempt++) {
    try {
      return await postTransfers(database.sql, transfers, { now: clock.now(), again: attempt > 0 });
    } catch (error) {
      if (!isRetryable(error)) throw error;
      if (performance.now() > deadline) throw refuse('unavailable', { headers: { 'retry-after': RETRY_AFTER_SECONDS } });
      const pauseMs = Math.min(RETRY_PAUSE_MS.first * 2 ** attempt, RETRY_PAUSE_MS.most);
      await new Promise((resume) => setTimeout(resume, pauseMs));
    }
  }
}

// serialization_failure, deadlock_detected, and what a server says that is stopping, starting, closed to or out of connections
const RETRYABLE_STATES = new Set(['40001', '40P01', '57P01', '57P02', '57P03', '53300', '55000']);
const KEYS = new Set(['transfer_pkey', 'idempotency_key_pkey']);

/** Whether posting the same batch again can help. Anything that did not come from the database as an answer is a connection that broke. */
export function isRetryable(error: unknown): boolean {
  const known = databaseError(error);
  if (!known) return error instanceof Error && !(error instanceof TypeError);
  if (known.state === '23505') return KEYS.has(known.constraint ?? '');
  return RETRYABLE_STATES.has(known.state) || known.state.startsWith('08');
}
