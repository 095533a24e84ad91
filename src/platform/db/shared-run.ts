// Runs of one piece of work that callers share, where each caller needs a run that began after its call.
import { withTimeout } from './unavailable.ts';

/** Callers do not wait longer for the run before theirs. */
const RUN_MS = 400;

/** Returns a function that joins the next run. While a run is on its way, all callers wait for the one after it. */
export function shareRuns<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> | undefined;
  let next: Promise<T> | undefined;

  function start(): Promise<T> {
    next = undefined;
    const run = work();
    running = run;
    const end = () => {
      if (running === run) running = undefined;
    };
    run.then(end, end);
    return run;
  }

  return () => {
    if (!running) return start();
    next ??= withTimeout(RUN_MS, running).then(start, start);
    return next;
  };
}
