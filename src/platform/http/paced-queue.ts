// A queue for low-priority work: it starts one task per turn of the event loop and serves its keys round-robin.

export type PacedQueue = {
  /** Starts a task immediately if none was started in this turn, else queues it. */
  add(key: string, start: () => void): void;
};

/** Pause between two tasks while other work is in flight. */
const PAUSE_MS = 1;

/** `isBusy` returns whether other work is in flight. */
export function openPacedQueue(isBusy: () => boolean): PacedQueue {
  const waiting = new Map<string, (() => void)[]>();
  let isPausing = false;

  function pause(): void {
    isPausing = true;
    if (isBusy()) setTimeout(next, PAUSE_MS);
    else setImmediate(next);
  }

  function next(): void {
    isPausing = false;
    const [first] = waiting;
    if (!first) return;
    const [key, starts] = first;
    const start = starts.shift()!;
    waiting.delete(key);
    if (starts.length > 0) waiting.set(key, starts);
    pause();
    start();
  }

  return {
    add(key, start) {
      const starts = waiting.get(key);
      if (starts) starts.push(start);
      else waiting.set(key, [start]);
      if (!isPausing) next();
    },
  };
}
