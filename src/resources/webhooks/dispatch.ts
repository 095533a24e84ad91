// Dispatch: a queue of claimed deliveries for each subscription, and limits on how many are sent concurrently.
import type { FastifyBaseLogger } from 'fastify';
import type { Delivery } from './claim.ts';

/** A subscription's URL and secrets. `readMs`: when they were read, by `performance.now()`. `failures` counts failed deliveries in a row. */
export type Target = { id: string; url: string; secrets: [string, ...string[]]; readMs: number; failures: number };

type Dispatcher = {
  /** How many deliveries of a subscription may still be claimed; 0 or less means none. */
  capacity(subscription: { id: string; failures: number }): number;
  /** Subscriptions whose queues are too full to claim for. */
  full(): string[];
  /** Queues deliveries. Those that are queued already go to this target too. */
  enqueue(target: Target, deliveries: Delivery[]): void;
  /** Subscriptions with queued deliveries. */
  waiting(): string[];
  /** How many deliveries are being sent. */
  running(): number;
  /** Removes and returns the deliveries that are queued: of all subscriptions, or of these. */
  removeQueued(ids?: string[]): Delivery[];
};

type Queue = { target: Target; waiting: Delivery[]; running: number };

/** The concurrency limit of one subscription. A receiver that fails gets one at a time until it accepts one. */
const RUNNING_EACH = 32;
/** The concurrency limit of all subscriptions. Beyond it, each subscription may still have one delivery in flight. */
const RUNNING_MAX = 2_000;
const CLAIMED_EACH = 512;
/** A delivery with less of its lease left is not started: another worker could claim it before it ends. */
const LEASE_LEFT_MIN_MS = 15_000;
/** No delivery is started when its subscription was read longer ago: it may have been paused, removed or changed. */
const CURRENT_MS = 1_000;

/** `deliver` resolves to whether the receiver accepted the delivery, or to undefined when the worker's stop cut it off. */
export function openDispatcher(options: {
  deliver: (target: Target, delivery: Delivery) => Promise<boolean | undefined>;
  release: (deliveries: Delivery[]) => void;
  /** Called when the queue of a subscription can take more. */
  hasCapacity: (subscriptionId: string) => void;
  now: () => Date;
  leaseMs: number;
  log: FastifyBaseLogger;
  signal: AbortSignal;
}): Dispatcher {
  const { deliver, release, hasCapacity, now, leaseMs, log, signal } = options;
  const queues = new Map<string, Queue>();
  let running = 0;

  function sendNext(queue: Queue): void {
    const mayStart = () => queue.running < runningMax(queue) && (running < RUNNING_MAX || queue.running === 0);
    while (queue.waiting.length > 0 && isCurrent(queue) && mayStart() && !signal.aborted) {
      const delivery = queue.waiting.shift()!;
      const leftMs = delivery.due.getTime() - now().getTime();
      if (leftMs >= Math.min(LEASE_LEFT_MIN_MS, leaseMs / 2)) start(queue, delivery);
    }
  }

  function start(queue: Queue, delivery: Delivery): void {
    queue.running += 1;
    running += 1;
    deliver(queue.target, delivery)
      .then((accepted) => {
        if (accepted !== undefined) queue.target.failures = accepted ? 0 : queue.target.failures + 1;
        // Any worker may send the others later.
        if (accepted === false) release(queue.waiting.splice(0));
      })
      .catch((error: unknown) => log.error({ err: error, webhook: delivery.webhook.id }, 'webhook could not be sent'))
      .then(() => {
        queue.running -= 1;
        running -= 1;
        if (running >= RUNNING_MAX - 1) for (const other of queues.values()) sendNext(other);
        else sendNext(queue);
        if (!isFull(queue)) hasCapacity(queue.target.id);
      });
  }

  return {
    capacity({ id, failures }) {
      const queue = queues.get(id);
      return queue ? capacityOf(queue) : claimedMax(failures);
    },
    full: () => [...queues.values()].filter(isFull).map(({ target }) => target.id),
    enqueue(target, deliveries) {
      const queue = queues.get(target.id) ?? { target, waiting: [], running: 0 };
      // The count of this worker is newer than that of the claim.
      queue.target = { ...target, failures: queue.target.failures };
      queue.waiting.push(...deliveries);
      queues.set(target.id, queue);
      sendNext(queue);
    },
    running: () => running,
    waiting: () => [...queues.values()].filter(({ waiting }) => waiting.length > 0).map(({ target }) => target.id),
    removeQueued: (ids = [...queues.keys()]) => ids.flatMap((id) => queues.get(id)?.waiting.splice(0) ?? []),
  };
}

function isCurrent({ target }: Queue): boolean {
  return performance.now() - target.readMs < CURRENT_MS;
}

function runningMax({ target }: Queue): number {
  return target.failures > 0 ? 1 : RUNNING_EACH;
}

function claimedMax(failures: number): number {
  return failures > 0 ? 1 : CLAIMED_EACH;
}

function capacityOf({ target, waiting, running }: Queue): number {
  return claimedMax(target.failures) - waiting.length - running;
}

function isFull(queue: Queue): boolean {
  return capacityOf(queue) < (queue.target.failures > 0 ? 1 : CLAIMED_EACH / 2);
}
