// The queues of a lane: one for each account, from which batches take in turn.
import type { QueuedUnit } from './instrumentation.ts';

/** The units of an account; `size` is the number of their transfers. */
type Queue<Unit> = { units: Unit[]; size: number };

/**
 * Opens the queues of a lane: a batch takes one unit from each account in turn, so that no account starves the others. Transfers of
 * different accounts share no rows, so their relative order does not matter. `maxQueued`: transfers of all accounts.
 */
export function openAccountQueues<Unit extends QueuedUnit>(maxQueued: number) {
  // Queues by account. Empty queues are kept, because a Map must not have entries that come and go (in-flight.ts).
  const queues = new Map<string, Queue<Unit>>();
  // The queues that are not empty, in the order in which batches take from them.
  const ready: Queue<Unit>[] = [];
  let queued = 0;
  return {
    queued: () => queued,
    /** Returns false if there is no capacity. An account's queue may be as long as what remains, so that it cannot take all of it. */
    add(unit: Unit): boolean {
      const { accountId } = unit.transfers[0]!;
      const queue = queues.get(accountId) ?? { units: [], size: 0 };
      if (queue.size >= maxQueued - queued) return false;
      if (queue.units.push(unit) === 1) {
        queues.set(accountId, queue);
        ready.push(queue);
      }
      queue.size += unit.transfers.length;
      queued += unit.transfers.length;
      return true;
    },
    /** Takes the next units with `size` transfers or, with the last unit, more; `size` is at most what is queued. */
    take(size: number): Unit[] {
      const batch: Unit[] = [];
      for (let taken = 0; taken < size; ) {
        const queue = ready.shift()!;
        const unit = queue.units.shift()!;
        batch.push(unit);
        taken += unit.transfers.length;
        queue.size -= unit.transfers.length;
        queued -= unit.transfers.length;
        if (queue.units.length > 0) ready.push(queue);
      }
      return batch;
    },
  };
}
