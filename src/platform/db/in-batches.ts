// Processes many rows in short batches with pauses, to keep locks short and leave disk bandwidth to requests.
import { setTimeout as sleep } from 'node:timers/promises';

const PAUSE_MS = 20;

/** Repeats `work` until it returns fewer than `size` rows or the signal aborts. Returns the total number of rows. */
export async function inBatches(
  { size, signal }: { size: number; signal?: AbortSignal | undefined },
  work: () => Promise<number>,
): Promise<number> {
  let total = 0;
  for (let count = size; count === size && !signal?.aborted; ) {
    count = await work();
    total += count;
    if (count === size) await sleep(PAUSE_MS);
  }
  return total;
}
