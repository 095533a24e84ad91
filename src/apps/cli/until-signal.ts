// Waits for stop signals, SIGTERM and SIGINT (Ctrl-C), and passes on reload signals (SIGHUP).

/** `each` replaces the listener. */
export type ReloadSignals = { each(listener: () => void): void };

/** Under `npm start` one Ctrl-C arrives twice: from the terminal and forwarded by npm. Signals within this time count as one. */
const ONE_SIGNAL_MS = 500;
const INTERRUPTED = 130;

/** Resolves with the first stop signal. A second one exits the process immediately. */
export function untilSignal(): Promise<NodeJS.Signals> {
  const { first, repeated } = listenForSignals();
  repeated.then(() => process.exit(INTERRUPTED));
  return first;
}

/**
 * Catches SIGHUP, which would end the process. Call before a service loads or starts anything. A signal that arrives before the first
 * listener waits for it.
 */
export function catchReloadSignals(): ReloadSignals {
  let listener: (() => void) | undefined;
  let isWaiting = false;
  const isOnTerminal = process.stderr.isTTY;
  process.on('SIGHUP', () => {
    // On a terminal, it means that the terminal was closed.
    if (isOnTerminal) process.kill(process.pid, 'SIGTERM');
    else if (listener) listener();
    else isWaiting = true;
  });
  return {
    each(next) {
      listener = next;
      if (isWaiting) next();
      isWaiting = false;
    },
  };
}

/** Returns promises for the first and for a repeated stop signal. */
export function listenForSignals(): { first: Promise<NodeJS.Signals>; repeated: Promise<void> } {
  const first = Promise.withResolvers<NodeJS.Signals>();
  const repeated = Promise.withResolvers<void>();
  let firstMs: number | undefined;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      firstMs ??= performance.now();
      first.resolve(signal);
      if (performance.now() - firstMs > ONE_SIGNAL_MS) repeated.resolve();
    });
  }
  return { first: first.promise, repeated: repeated.promise };
}
