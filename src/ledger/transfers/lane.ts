// Group commit: transfers queue in the lane of their customer's bucket, and each lane commits its queue in batches, one at a time.
import { type Clock, hoursBefore } from '../../core/clock.ts';
import { bucketOf } from '../../core/ids.ts';
import type { Commits } from '../../platform/db/commits.ts';
import type { Groups } from '../../platform/db/groups.ts';
import { type Database, databaseError, type Fragment } from '../../platform/db/sql.ts';
import { DatabaseTimeoutError, isDatabaseUnavailable, withTimeout } from '../../platform/db/unavailable.ts';
import { currentRequest } from '../../platform/telemetry/current.ts';
import { openAccountQueues } from './account-queues.ts';
import { type LaneInstrumentation, type QueuedUnit, sizeOf } from './instrumentation.ts';
import { type Outcome, postTransfers, type Transfer } from './post.ts';

export type Lanes = {
  /** Posts one transfer and resolves once it has an outcome; a posted transfer is durable. */
  post(transfer: Transfer): Promise<LaneOutcome>;
  /**
   * Posts transfers of one customer in one call and one commit, in their order, and resolves once they have outcomes. With `allOrNone`,
   * a refusal of one aborts the others. A batch holds at least one such unit, however many transfers it has.
   */
  postAll(transfers: readonly Transfer[], options?: { allOrNone?: boolean }): Promise<Outcome[] | 'unavailable'>;
  /** The number of queued transfers in all lanes. */
  queued(): number;
  /** Waits until every queued transfer has an outcome. */
  drain(): Promise<void>;
};

/**
 * `unavailable`: the queue is full, the group is away, or the transfer has no outcome ANSWER_WITHIN_MS after it was queued. If it was sent to
 * the database, whether it was posted is unknown.
 */
type LaneOutcome = Outcome | { code: typeof UNAVAILABLE };

type Limits = { maxBatch: number; maxQueued: number; idempotencyTtlHours: number };
type Shared = { clock: Clock; instrumentation: LaneInstrumentation; commits: Commits };
/**
 * `database` returns the connections to the server that holds the group now; `isAway`: it does not answer, while others may.
 * `isOneOfMany`: lanes to other servers keep the service busy during a commit.
 */
type Ledger = Shared & Limits & { database(): Database; posting: Fragment; isAway(): boolean; isOneOfMany: boolean };
type Waiting = QueuedUnit & {
  allOrNone: boolean;
  resolve(outcomes: Outcome[] | typeof UNAVAILABLE): void;
  reject(error: unknown): void;
};

const UNAVAILABLE = 'unavailable';
/** Of each unit, from when it was queued: a batch that takes long does not fail those that wait behind it. */
const ANSWER_WITHIN_MS = 9_500;
const RETRY_PAUSE_MS = { first: 10, most: 500 };

/** Opens a lane for each group. `maxBatch` and `maxQueued` apply to each lane. */
export function openLanes(shared: Shared, groups: Groups, limits: Limits): Lanes {
  const lanes = Array.from({ length: groups.count }, (_, group) =>
    openLane({
      ...limits,
      ...shared,
      database: () => groups.database(group),
      posting: groups.posting(group),
      isAway: () => groups.outages?.isAway(group) ?? false,
      isOneOfMany: groups.isShownInParts,
    }),
  );
  const postAll: Lanes['postAll'] = (transfers, options) =>
    lanes[groups.of(bucketOf(transfers[0]!.fromId))]!.postAll(transfers, options);
  return {
    async post(transfer) {
      const outcomes = await postAll([transfer]);
      return outcomes === UNAVAILABLE ? { code: UNAVAILABLE } : outcomes[0]!;
    },
    postAll,
    queued: () => lanes.reduce((sum, lane) => sum + lane.queued(), 0),
    async drain() {
      await Promise.all(lanes.map((lane) => lane.drain()));
    },
  };
}

function openLane(ledger: Ledger): Omit<Lanes, 'post'> {
  const { maxBatch, maxQueued } = ledger;
  const queues = openAccountQueues<Waiting>(maxQueued);
  let running: Promise<void> | undefined;

  async function run() {
    let last = 0;
    let answer = () => {};
    for (let queued = queues.queued(); queued > 0; queued = queues.queued()) {
      // Half of the queue and the last batch together: with one large batch, the service would idle during its commit, and then the database.
      const share = ledger.isOneOfMany ? queued : Math.ceil((queued + last) / 2);
      const batch = queues.take(Math.min(maxBatch, queued, share));
      last = sizeOf(batch);
      const parts = groupByClock(ledger.clock, batch);
      for (const part of parts) {
        const settling = settle(ledger, part);
        // Answers the previous batch after this one is sent, so that the database does not wait for it.
        setImmediate(answer);
        answer = await settling;
      }
    }
    running = undefined;
    answer();
  }

  return {
    postAll: (transfers, { allOrNone = false } = {}) =>
      new Promise((resolve, reject) => {
        // A group that is away must not take the capacity of the others with requests that wait.
        if (ledger.isAway()) {
          answerUnavailable(queues.take(queues.queued()));
          return resolve(UNAVAILABLE);
        }
        const waiting = limitWaiting({
          ...{ transfers, allOrNone, resolve, reject },
          ...{ sinceMs: performance.now(), current: currentRequest() },
        });
        if (queues.add(waiting)) running ??= run();
        else waiting.resolve(UNAVAILABLE);
      }),
    queued: queues.queued,
    async drain() {
      await running;
    },
  };
}

/** Answers a unit after ANSWER_WITHIN_MS, unless it has an outcome before. */
function limitWaiting(unit: Waiting): Waiting {
  const timer = setTimeout(unit.resolve, ANSWER_WITHIN_MS, UNAVAILABLE);
  return {
    ...unit,
    resolve(outcomes) {
      clearTimeout(timer);
      unit.resolve(outcomes);
    },
    reject(error) {
      clearTimeout(timer);
      unit.reject(error);
    },
  };
}

/** A batch has one timestamp: in a sandbox, accounts whose clocks differ are posted separately. */
function groupByClock({ aheadMs }: Clock, batch: Waiting[]): Waiting[][] {
  return aheadMs ? [...Map.groupBy(batch, ({ transfers }) => aheadMs(transfers[0]!.accountId)).values()] : [batch];
}

/**
 * Posts the units of a batch that still wait, and returns how to answer them. If the database rejects the batch, posts its units one by
 * one, so that only the bad one fails.
 */
async function settle(ledger: Ledger, units: Waiting[]): Promise<() => void> {
  const waitingSinceMs = performance.now() - ANSWER_WITHIN_MS;
  const batch = units.filter(({ sinceMs }) => sinceMs > waitingSinceMs);
  if (batch.length === 0) return () => {};
  try {
    const transfers = joinUnits(batch);
    const deadline = Math.max(...batch.map(({ sinceMs }) => sinceMs)) + ANSWER_WITHIN_MS;
    const outcomes = await ledger.instrumentation.batch(batch, () => postUntilKnown(ledger, transfers, deadline));
    return () => {
      let start = 0;
      for (const { transfers, resolve } of batch) {
        resolve(outcomes.slice(start, start + transfers.length));
        start += transfers.length;
      }
    };
  } catch (error) {
    if (error instanceof DatabaseTimeoutError) return () => answerUnavailable(batch);
    if (batch.length > 1 && databaseError(error) && !isDatabaseUnavailable(error)) return settleEach(ledger, batch);
    return () => {
      for (const { reject } of batch) reject(error);
    };
  }
}

/** The transfers of all units, with the ids of their requests. Indexes within a unit become those within the batch. */
function joinUnits(batch: Waiting[]): Transfer[] {
  const joined: Transfer[] = [];
  for (const { transfers, allOrNone, current } of batch) {
    const start = joined.length;
    for (const transfer of transfers) {
      const { allocation } = transfer;
      joined.push({
        ...transfer,
        group: allOrNone ? start : undefined,
        allocation: allocation && { ...allocation, deposit: start + allocation.deposit },
        requestId: current?.id,
      });
    }
  }
  return joined;
}

async function settleEach(ledger: Ledger, batch: Waiting[]): Promise<() => void> {
  for (const waiting of batch) {
    const answer = await settle(ledger, [waiting]);
    answer();
  }
  return () => {};
}

function answerUnavailable(batch: Waiting[]): void {
  for (const { resolve } of batch) resolve(UNAVAILABLE);
}

/**
 * Posts a batch, and retries with the same ids after a deadlock, a serialization failure, a conflict of keys or external ids with another
 * process, a broken connection or a timeout. An attempt whose outcome is unknown is not applied twice, because the ids are the same. Throws a
 * DatabaseTimeoutError if the outcome is still unknown at the deadline (`performance.now()`).
 */
async function postUntilKnown(ledger: Ledger, transfers: Transfer[], deadline: number): Promise<Outcome[]> {
  const { database, posting, clock, instrumentation, commits } = ledger;
  for (let attempt = 0; ; attempt++) {
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) throw new DatabaseTimeoutError();
    try {
      const now = clock.now(transfers[0]!.accountId);
      const options = { now, keysSince: hoursBefore(now, ledger.idempotencyTtlHours), isRetry: attempt > 0, posting };
      const outcomes = await withTimeout(leftMs, postTransfers(database().sql, transfers, options));
      commits.note();
      return outcomes;
    } catch (error) {
      commits.note(error);
      if (!isRetryable(error)) throw error;
      const pauseMs = Math.min(RETRY_PAUSE_MS.first * 2 ** attempt, RETRY_PAUSE_MS.most);
      if (performance.now() + pauseMs > deadline) throw new DatabaseTimeoutError();
      instrumentation.retried();
      await new Promise((resume) => setTimeout(resume, pauseMs));
    }
  }
}

// serialization_failure, deadlock_detected, query_canceled, transaction_timeout; a server that stops, starts, or accepts no connections.
const RETRYABLE_STATES = new Set(['40001', '40P01', '57014', '25P03', '57P01', '57P02', '57P03', '53300', '55000']);
const KEYS = new Set(['transfer_pkey', 'transfer_key', 'transfer_external_id']);

/** Whether posting the same batch again can succeed. An error that is not a response of the database is a broken connection. */
function isRetryable(error: unknown): boolean {
  const known = databaseError(error);
  if (!known) return error instanceof Error && !(error instanceof TypeError);
  if (known.state === '23505') return KEYS.has(known.constraint ?? '');
  return RETRYABLE_STATES.has(known.state) || known.state.startsWith('08');
}
