// Figures that take long to read: kept for a while, and read again in the background.

type Cached<T> = { value: T; read: Date };

/** Reads at most once per `forMs`, and keeps what was read. `onError` gets the failures of readings in the background. */
export function cached<T>(forMs: number, read: () => Promise<T>, onError: (error: unknown) => void) {
  let kept: Cached<T> | undefined;
  let reading: Promise<Cached<T>> | undefined;
  const refresh = () => {
    reading ??= read()
      .then((value) => {
        kept = { value, read: new Date() };
        return kept;
      })
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };
  /** What is kept, or undefined before the first reading has ended. Reads again in the background if it is old. */
  const current = () => {
    if (!kept || Date.now() - kept.read.getTime() > forMs) refresh().catch(onError);
    return kept;
  };
  return { current, refresh };
}
