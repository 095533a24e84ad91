// Instrumentation of the lanes: metrics, log fields and trace spans of each batch.
import { type Current, noteEvent } from '../../platform/telemetry/current.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import type { Counter } from '../../platform/telemetry/registry.ts';
import type { SpanContext, Tracing } from '../../platform/telemetry/trace.ts';
import type { Outcome, Transfer } from './post.ts';

/** Transfers that are posted in one call: the time they were queued (`performance.now()`), and the request that posts them. */
export type QueuedUnit = { transfers: readonly Transfer[]; sinceMs: number; current: Current | undefined };

export type LaneInstrumentation = {
  /** Calls `post` for a batch of units, and records its metrics and spans. `post` returns the outcomes of all their transfers. */
  batch(queued: readonly QueuedUnit[], post: () => Promise<Outcome[]>): Promise<Outcome[]>;
  /** Counts a retry of a batch. */
  retried(): void;
};

type Traced = { sinceMs: number; span: SpanContext };
type Times = { beganMs: number; endedMs: number };

/** OpenTelemetry's default limit of links per span. */
const LINKS_MAX = 128;

export function instrumentLanes({ ledger }: Metrics, tracing: Tracing | undefined): LaneInstrumentation {
  const counters = new Map<string, Counter>();

  function countTransfer(kind: Transfer['kind'], outcome: Outcome['code']): void {
    const key = `${kind} ${outcome}`;
    let counter = counters.get(key);
    if (!counter) {
      counter = ledger.transfers({ kind, outcome });
      counters.set(key, counter);
    }
    counter.add();
  }

  async function measure(queued: readonly QueuedUnit[], post: () => Promise<Outcome[]>): Promise<Outcome[]> {
    const beganMs = performance.now();
    const size = sizeOf(queued);
    ledger.batchSize.observe(size);
    for (const { sinceMs, current } of queued) {
      ledger.waitSeconds.observe((beganMs - sinceMs) / 1000);
      if (current) current.batchSize = size;
    }
    try {
      const outcomes = await post();
      let index = 0;
      for (const { transfers, current } of queued) {
        for (const { kind, event } of transfers) {
          const { code } = outcomes[index++]!;
          countTransfer(kind, code);
          if (current && code === 'posted') noteEvent(event.id, current);
        }
      }
      return outcomes;
    } catch (error) {
      ledger.failedBatches.add();
      throw error;
    } finally {
      ledger.commitSeconds.observe((performance.now() - beganMs) / 1000);
    }
  }

  return {
    batch(queued, post) {
      const traced = tracing
        ? queued.flatMap(({ sinceMs, current }) => (current?.span ? { sinceMs, span: current.span } : []))
        : [];
      return measure(queued, tracing && traced.length > 0 ? () => trace(tracing, traced, sizeOf(queued), post) : post);
    },
    retried: () => ledger.retries.add(),
  };
}

/** The number of transfers of a batch. */
export function sizeOf(queued: readonly QueuedUnit[]): number {
  return queued.reduce((sum, { transfers }) => sum + transfers.length, 0);
}

/** Posts a batch and records its own trace, linked to those of the requests, and a wait and a commit span in each of these. */
async function trace(tracing: Tracing, traced: Traced[], size: number, post: () => Promise<Outcome[]>): Promise<Outcome[]> {
  const beganMs = performance.now();
  let error: string | undefined;
  try {
    return await post();
  } catch (thrown) {
    error = 'The batch failed.';
    throw thrown;
  } finally {
    recordSpans(tracing, traced, { size, error }, { beganMs, endedMs: performance.now() });
  }
}

function recordSpans(
  tracing: Tracing,
  traced: Traced[],
  { size, error }: { size: number; error: string | undefined },
  { beganMs, endedMs }: Times,
): void {
  const batch = tracing.within(undefined);
  const attributes = { 'earmark.batch_size': size };
  const links = traced.slice(0, LINKS_MAX).map(({ span }) => span);
  tracing.record(batch, { name: 'batch', kind: 'internal', beganMs, endedMs, links, attributes, error });
  tracing.record(tracing.within(batch), {
    name: 'post_transfers',
    kind: 'client',
    beganMs,
    endedMs,
    parent: batch,
    attributes: { 'db.system.name': 'postgresql', 'db.operation.name': 'post_transfers', 'db.operation.batch.size': size },
    error,
  });
  for (const { span, sinceMs } of traced) {
    const options = { kind: 'internal' as const, parent: span, links: [batch], attributes };
    tracing.record(tracing.within(span), { ...options, name: 'wait for batch', beganMs: sinceMs, endedMs: beganMs });
    tracing.record(tracing.within(span), { ...options, name: 'commit', beganMs, endedMs, error });
  }
}
