// A loop that repeats a step until it is stopped, and pauses while there is nothing to do.
import { setTimeout as sleep } from 'node:timers/promises';

export type Loop = {
  /** Ends the current pause, or prevents that after the current step. */
  wake(): void;
  /** Resolves when the loop has ended. */
  ended: Promise<void>;
};

const PAUSE_AFTER_ERROR_MS = 1_000;

/** Starts a loop. `step` returns whether there may be more to do. The signal ends the loop and its current pause. */
export function startLoop(options: {
  /** Returns the pause when a step had nothing to do. */
  pollMs: () => number;
  /** The least time between the starts of two steps, so that each finds more to do. */
  leastMs?: number;
  step: () => Promise<boolean>;
  onError: (error: unknown) => void;
  signal: AbortSignal;
}): Loop {
  const { pollMs, leastMs = 0, step, onError, signal } = options;
  let wake = () => {};
  let isWoken = false;
  const pause = (ms: number) =>
    new Promise<void>((resume) => {
      const timer = setTimeout(resume, ms);
      wake = () => {
        clearTimeout(timer);
        resume();
      };
      if (signal.aborted) wake();
    });

  async function run(): Promise<void> {
    while (!signal.aborted) {
      const startMs = performance.now();
      try {
        isWoken = false;
        if (!(await step()) && !isWoken) await pause(pollMs());
      } catch (error) {
        onError(error);
        await pause(PAUSE_AFTER_ERROR_MS);
      }
      const leftMs = startMs + leastMs - performance.now();
      if (leftMs > 0) await sleep(leftMs, undefined, { signal }).catch(() => {});
    }
  }

  signal.addEventListener('abort', () => wake(), { once: true });
  return {
    wake() {
      isWoken = true;
      wake();
    },
    ended: run(),
  };
}
