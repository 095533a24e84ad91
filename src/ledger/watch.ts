// Watches the lanes: what their metrics and the log line of each request tell of a batch.
import type { Current } from '../telemetry/current.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Counter } from '../telemetry/registry.ts';
import type { Outcome, Transfer } from './post.ts';

/** A transfer in a lane: since when it waits (of `performance.now()`), and the request that asked for it. */
export type Waited = { transfer: Transfer; sinceMs: number; current: Current | undefined };

export type LaneWatch = {
  /** Posts a batch by `post`, and tells what came of it. */
  batch(waited: readonly Waited[], post: () => Promise<Outcome[]>): Promise<Outcome[]>;
  /** A batch is posted again. */
  retried(): void;
};

export function watchLanes({ ledger }: Metrics): LaneWatch {
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

  return {
    async batch(waited, post) {
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
    },
    retried: () => ledger.retries.add(),
  };
}
