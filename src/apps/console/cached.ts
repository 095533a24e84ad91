// Figures that take long to read: kept for a while, and read again in the background.

type Cached<T> = { value: T; read: Date };

/** Returns a function that reads at most once per `forMs`. Only the first call waits; later ones get the value of before meanwhile. */
export function cached<T>(forMs: number, read: () => Promise<T>): () => Promise<Cached<T>> {
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
  return async () => {
    if (!kept) return refresh();
    // A failure is reported by the next call that has to wait; until then the value of before is shown with its time.
    if (Date.now() - kept.read.getTime() > forMs) refresh().catch(() => {});
    return kept;
  };
}
