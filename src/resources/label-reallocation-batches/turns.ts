// Turns: work that runs a limited number at a time, in the order of its arrival.

/** Returns a function that runs work when less than `max` others run. The limits of requests bound how many wait. */
export function openTurns(max: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running < max) running += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      // The next one takes over the place of this one.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
