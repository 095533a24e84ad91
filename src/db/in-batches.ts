// Work on many rows in short transactions with a pause after each, so that it neither holds a lock for long nor takes a disk for itself.
import { setTimeout as sleep } from 'node:timers/promises';

const PAUSE_MS = 20;

/** Repeats `work` until it finds fewer than `size` rows, or the signal. Returns how many rows it found in all. */
export async function inBatches(
  { size, signal }: { size: number; signal?: AbortSignal | undefined },
  work: () => Promise<number>,
): Promise<number> {
  let all = 0;
  for (let some = size; some === size && !signal?.aborted; ) {
    some = await work();
    all += some;
    if (some === size) await sleep(PAUSE_MS);
  }
  return all;
}
