// The recorder: writes outcomes in batches, each with what arrived since the previous one. Each group has its own queue, so that a server of a
// cluster that is away holds up only the outcomes of its groups.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { bucketOf } from '../../core/ids.ts';
import type { Groups } from '../../platform/db/groups.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import { type Outage, openOutage } from '../../platform/telemetry/outage.ts';
import type { Delivery, Step } from './claim.ts';
import { record, release, type Sent, type Transact } from './outcome.ts';

export type Recorder = {
  /** Queues the outcome of a delivery. */
  add(sent: Sent): void;
  /** Queues deliveries that were claimed and not sent: other workers can claim them immediately. */
  release(deliveries: Delivery[]): void;
  /** Waits until everything queued is written. After the signal, gives up at the first error. */
  flush(): Promise<void>;
};

const BATCH_MAX = 500;
/** After a batch that was not full, so that the next one is larger: bench/NOTES.md has what small ones cost. */
const PAUSE_MS = 50;
const PAUSE_AFTER_ERROR_MS = 1_000;

type Options = {
  log: FastifyBaseLogger;
  now: () => Date;
  metrics: Metrics['webhooks'];
  at: (step: Step) => Promise<void>;
  signal: AbortSignal;
};

export function openRecorder(groups: Groups, options: Options): Recorder {
  const outage = openOutage(options.log, 'outcomes of webhooks wait for the database');
  const queues = Array.from({ length: groups.count }, (_, group) =>
    openQueue((work) => groups.transaction(group, work), { ...options, outage }),
  );
  const groupOf = ({ webhook }: Delivery) => groups.of(bucketOf(webhook.id));
  return {
    add: (sent) => queues[groupOf(sent.delivery)]!.add(sent),
    release(deliveries) {
      for (const [group, some] of Map.groupBy(deliveries, groupOf)) queues[group]!.release(some);
    },
    async flush() {
      await Promise.all(queues.map((queue) => queue.flush()));
    },
  };
}

/** The queue of a group. */
function openQueue(transact: Transact, options: Options & { outage: Outage }): Recorder {
  const { log, now, metrics, at, signal, outage } = options;
  const sent: Sent[] = [];
  const released: Delivery[] = [];
  let writing: Promise<void> | undefined;

  /** Drops outcomes whose lease expires before they can be written: those deliveries are sent once more. */
  async function writeAll(): Promise<void> {
    while (sent.length > 0 || released.length > 0) {
      try {
        const isFull = await writeBatch();
        if (!isFull) await sleep(PAUSE_MS, undefined, { signal }).catch(() => {});
      } catch (error) {
        outage.note(error);
        if (signal.aborted) break;
        await sleep(PAUSE_AFTER_ERROR_MS);
        const live = sent.filter(({ delivery }) => delivery.due > now());
        sent.splice(0, sent.length, ...live);
      }
    }
    writing = undefined;
  }

  /** Returns whether the batch was full. */
  async function writeBatch(): Promise<boolean> {
    const batch = sent.slice(0, BATCH_MAX);
    if (batch.length > 0) {
      const paused = await record(transact, batch, { now: now(), chance: Math.random, before: () => at('recording') });
      sent.splice(0, batch.length);
      metrics.paused.add(paused.length);
      for (const id of paused)
        log.warn({ subscription: id }, 'webhook subscription paused: its receiver is gone or keeps failing');
      await at('recorded');
    }
    const unsent = released.splice(0);
    if (unsent.length > 0) await release(transact, unsent, now());
    return batch.length === BATCH_MAX;
  }

  return {
    add(one) {
      sent.push(one);
      writing ??= writeAll();
    },
    release(deliveries) {
      released.push(...deliveries);
      writing ??= writeAll();
    },
    async flush() {
      await (writing ?? writeAll());
    },
  };
}
