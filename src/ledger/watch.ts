// Watches the lanes: what metrics, log lines and traces tell of a batch.
import type { Sql } from '../db/sql.ts';
import { keepTraces } from '../events/trace.ts';
import type { Current } from '../telemetry/current.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Counter } from '../telemetry/registry.ts';
import type { SpanContext, Tracing } from '../telemetry/trace.ts';
import type { Outcome, Transfer } from './post.ts';

/** A transfer in a lane: since when it waits (of `performance.now()`), and the request that asked for it. */
export type Waited = { transfer: Transfer; sinceMs: number; current: Current | undefined };

export type LaneWatch = {
  /** Posts a batch by `post`, and tells what came of it. */
  batch(waited: readonly Waited[], post: () => Promise<Outcome[]>): Promise<Outcome[]>;
  /** A batch is posted again. */
  retried(): void;
};

type Traced = { transfer: Transfer; sinceMs: number; span: SpanContext };
type Times = { beganMs: number; postedMs: number; endedMs: number };

/** A span refers to as many others at most, as OpenTelemetry has it. */
const LINKS_MAX = 128;

/** `sql` keeps where the events of a batch stand in their traces. */
export function watchLanes({ ledger }: Metrics, traces?: { tracing: Tracing; sql: Sql } | undefined): LaneWatch {
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

  async function counted(waited: readonly Waited[], post: () => Promise<Outcome[]>): Promise<Outcome[]> {
    const beganMs = performance.now();
    ledger.batchSize.observe(waited.length);
    for (const { sinceMs, current } of waited) {
      ledger.waitSeconds.observe((beganMs - sinceMs) / 1000);
      if (current) current.batchSize = waited.length;
    }
    try {
      const outcomes = await post();
      for (const [index, { code }] of outcomes.entries()) countTransfer(waited[index]!.transfer.kind, code);
      return outcomes;
    } catch (error) {
      ledger.failedBatches.add();
      throw error;
    } finally {
      ledger.commitSeconds.observe((performance.now() - beganMs) / 1000);
    }
  }

  return {
    batch(waited, post) {
      const traced = traces
        ? waited.flatMap(({ transfer, sinceMs, current }) => (current?.span ? { transfer, sinceMs, span: current.span } : []))
        : [];
      return counted(waited, traces && traced.length > 0 ? () => inTrace(traces, traced, waited.length, post) : post);
    },
    retried: () => ledger.retries.add(),
  };
}

/** Posts a batch and tells of it: a trace of its own that refers to the requests, and in each of theirs the wait and the commit. */
async function inTrace(
  { tracing, sql }: { tracing: Tracing; sql: Sql },
  traced: Traced[],
  size: number,
  post: () => Promise<Outcome[]>,
): Promise<Outcome[]> {
  const beganMs = performance.now();
  // Before the commit: afterwards the webhooks may be faster. What is refused leaves a trace that leads nowhere, for a day.
  await keepTraces(
    sql,
    traced.map(({ transfer, span }) => ({ eventId: transfer.event.id, span })),
  ).catch(() => {});
  const postedMs = performance.now();
  let error: string | undefined;
  try {
    return await post();
  } catch (thrown) {
    error = 'The batch failed.';
    throw thrown;
  } finally {
    tellBatch(tracing, traced, { size, error }, { beganMs, postedMs, endedMs: performance.now() });
  }
}

function tellBatch(
  tracing: Tracing,
  traced: Traced[],
  { size, error }: { size: number; error: string | undefined },
  { beganMs, postedMs, endedMs }: Times,
): void {
  const batch = tracing.within(undefined);
  const attributes = { 'earmark.batch_size': size };
  const links = traced.slice(0, LINKS_MAX).map(({ span }) => span);
  tracing.record(batch, { name: 'batch', kind: 'internal', beganMs, endedMs, links, attributes, error });
  tracing.record(tracing.within(batch), {
    name: 'post_transfers',
    kind: 'client',
    beganMs: postedMs,
    endedMs,
    parent: batch,
    attributes: { 'db.system.name': 'postgresql', 'db.operation.name': 'post_transfers', 'db.operation.batch.size': size },
    error,
  });
  for (const { span, sinceMs } of traced) {
    const own = { kind: 'internal' as const, parent: span, links: [batch], attributes };
    tracing.record(tracing.within(span), { ...own, name: 'wait for batch', beganMs: sinceMs, endedMs: beganMs });
    tracing.record(tracing.within(span), { ...own, name: 'commit', beganMs, endedMs, error });
  }
}
