// A queue for work that must not delay other work: it starts one piece at a time, of each key in rotation.

export type PacedQueue = {
  /** Starts work at once when nothing was started just before, else in its turn. */
  add(key: string, start: () => void): void;
};

/** While other work is under way, so much time is left to it between two pieces. */
const PAUSE_MS = 1;

/** At most one piece starts in each turn of the event loop. `isBusy` says whether other work is under way. */
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
