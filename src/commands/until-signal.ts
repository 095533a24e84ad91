// Waits until the process is told to stop, and hears it when it is told again.

/** Under `npm start` a Ctrl-C comes twice: from the terminal to everyone in it, and passed on by npm. */
const ONE_SIGNAL_MS = 500;
const INTERRUPTED = 130;

/** The first SIGTERM, or SIGINT (Ctrl-C). A later one ends the process at once. */
export function untilSignal(): Promise<NodeJS.Signals> {
  const { first, again } = listenForSignals();
  again.then(() => process.exit(INTERRUPTED));
  return first;
}

/** The first SIGTERM or SIGINT, and the one that insists. */
export function listenForSignals(): { first: Promise<NodeJS.Signals>; again: Promise<void> } {
  const first = Promise.withResolvers<NodeJS.Signals>();
  const again = Promise.withResolvers<void>();
  let firstMs: number | undefined;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      firstMs ??= performance.now();
      first.resolve(signal);
      if (performance.now() - firstMs > ONE_SIGNAL_MS) again.resolve();
    });
  }
  return { first: first.promise, again: again.promise };
}
